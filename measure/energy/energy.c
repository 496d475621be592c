// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/energy/energy.h"

#include "measure/probe/clock.h"
#include "measure/energy/energy_counter.h"
#include "measure/machine/sysfile.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* More than any socket, accelerator board or small node draws; a counter that says more has jumped. */
static const double power_max_w = 5000;
/* An error of one update is then at most a tenth of the reading. */
static const double updates_least = 10;
/* Counters are read twice in the time in which they could wrap at power_max_w, at least every 10 s, never every 10 ms. */
static const double poll_least_s = 0.01, poll_most_s = 10;

struct mw_energy {
    char *root;
    struct mw_counters counters;
    double poll_s, least_s;
    double start_s;
    bool active, closing, has_thread;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

enum mw_err mw_counters_add(struct mw_counters *counters, const struct mw_counter *counter, struct mw_error *error)
{
    struct mw_counter *items = realloc(counters->items, (counters->count + 1) * sizeof *items);
    if (!items)
        return mw_fail(error, MW_NOMEM, "out of memory");
    counters->items = items;
    items[counters->count++] = *counter;
    return MW_OK;
}

void mw_counters_tell(struct mw_counters *counters, const char *name)
{
    size_t used = strlen(counters->describe);
    snprintf(counters->describe + used, sizeof counters->describe - used, "%s%s", used ? " + " : "", name);
}

int mw_counter_read(const char *root, const struct mw_counter *counter, double *value)
{
    if (counter->fd >= 0) {
        unsigned long long count;
        if (read(counter->fd, &count, sizeof count) != sizeof count)
            return errno ? errno : EIO;
        *value = (double)count;
        return 0;
    }
    char text[96], *end;
    int failed = mw_sysfile_text(root, text, sizeof text, "%s", counter->path);
    if (failed)
        return failed;
    double parsed = strtod(text, &end);
    if (end == text || !isfinite(parsed) || parsed < 0)
        return EINVAL;
    *value = parsed;
    return 0;
}

void mw_counter_advance(struct mw_counter *counter, double value, double now_s)
{
    double time_s = now_s - counter->last_s, moved = value - counter->last;
    if (counter->is_power) {
        counter->sum_j += counter->unit * time_s * (value + counter->last) / 2;
    } else {
        if (moved < 0 && counter->range <= 0)
            counter->failed = "wrapped, and its range cannot be read";
        else if (moved < 0)
            moved += counter->range;
        if (moved < 0 && !counter->failed)
            counter->failed = "went back by more than its range";
        counter->sum_j += counter->unit * moved;
    }
    counter->last = value;
    counter->last_s = now_s;
}

static void poll_counters(struct mw_energy *energy)
{
    for (size_t i = 0; i < energy->counters.count; i++) {
        struct mw_counter *c = &energy->counters.items[i];
        double value;
        if (c->failed)
            continue;
        if (mw_counter_read(energy->root, c, &value))
            c->failed = "cannot be read any more";
        else
            mw_counter_advance(c, value, mw_now_s());
    }
}

static void *poll_thread(void *data)
{
    struct mw_energy *energy = data;
    pthread_mutex_lock(&energy->mutex);
    while (!energy->closing) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        double at_s = (double)until.tv_sec + 1e-9 * (double)until.tv_nsec + energy->poll_s;
        until.tv_sec = (time_t)at_s;
        until.tv_nsec = (long)((at_s - (double)until.tv_sec) * 1e9);
        if (pthread_cond_timedwait(&energy->wake, &energy->mutex, &until) == ETIMEDOUT && energy->active)
            poll_counters(energy);
    }
    pthread_mutex_unlock(&energy->mutex);
    return NULL;
}

static enum mw_err start_thread(struct mw_energy *energy, struct mw_error *error)
{
    pthread_condattr_t attributes;
    energy->poll_s = poll_most_s;
    for (size_t i = 0; i < energy->counters.count; i++) {
        const struct mw_counter *c = &energy->counters.items[i];
        double wrap_s = c->range * c->unit / power_max_w;
        energy->least_s = fmax(energy->least_s, updates_least * c->update_s);
        if (c->is_power)
            energy->poll_s = fmin(energy->poll_s, c->update_s);
        else if (c->range > 0)
            energy->poll_s = fmin(energy->poll_s, wrap_s / 2);
    }
    energy->poll_s = fmax(energy->poll_s, poll_least_s);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&energy->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    int failed = pthread_create(&energy->thread, NULL, poll_thread, energy);
    energy->has_thread = !failed;
    return failed ? mw_fail_errno(error, MW_IO, failed, "cannot start the thread that reads energy") : MW_OK;
}

static enum mw_err find_counters(struct mw_energy *energy, struct mw_error *error)
{
    static const struct mw_energy_source *const sources[] = {&mw_energy_powercap, &mw_energy_perf, &mw_energy_cray,
                                                             &mw_energy_hwmon};
    const struct mw_energy_source *denied_by = NULL;
    char parts[sizeof energy->counters.describe];
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        bool denied = false;
        enum mw_err err = sources[i]->find(energy->root, &energy->counters, &denied, error);
        if (err)
            return err;
        if (denied && !denied_by)
            denied_by = sources[i];
        if (!energy->counters.count || denied) { /* a sum without one of its parts is no sum */
            energy->counters.count = 0;
            *energy->counters.describe = '\0';
            continue;
        }
        snprintf(parts, sizeof parts, "%s", energy->counters.describe);
        snprintf(energy->counters.describe, sizeof energy->counters.describe, "%s: %.200s", sources[i]->name, parts);
        return start_thread(energy, error);
    }
    if (!denied_by)
        return mw_fail(error, MW_UNSUPPORTED, "there is no energy meter on this machine");
    mw_fail(error, MW_PERM, "the energy meters of this machine (%s) may not be read", denied_by->name);
    return mw_hint(error, "%s", denied_by->remedy);
}

enum mw_err mw_energy_open(struct mw_energy **result, const char *root, struct mw_error *error)
{
    struct mw_energy *energy = calloc(1, sizeof *energy);
    if (energy)
        energy->root = strdup(root);
    if (!energy || !energy->root) {
        free(energy);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    pthread_mutex_init(&energy->mutex, NULL);
    enum mw_err err = find_counters(energy, error);
    if (err)
        mw_energy_close(energy);
    else
        *result = energy;
    return err;
}

void mw_energy_close(struct mw_energy *energy)
{
    if (!energy)
        return;
    if (energy->has_thread) {
        pthread_mutex_lock(&energy->mutex);
        energy->closing = true;
        pthread_cond_signal(&energy->wake);
        pthread_mutex_unlock(&energy->mutex);
        pthread_join(energy->thread, NULL);
        pthread_cond_destroy(&energy->wake);
    }
    pthread_mutex_destroy(&energy->mutex);
    for (size_t i = 0; i < energy->counters.count; i++)
        if (energy->counters.items[i].fd >= 0)
            close(energy->counters.items[i].fd);
    free(energy->counters.items);
    free(energy->root);
    free(energy);
}

const char *mw_energy_describe(const struct mw_energy *energy)
{
    return energy->counters.describe;
}

double mw_energy_least_s(const struct mw_energy *energy)
{
    return energy->least_s;
}

void mw_energy_start(struct mw_energy *energy)
{
    pthread_mutex_lock(&energy->mutex);
    for (size_t i = 0; i < energy->counters.count; i++) {
        struct mw_counter *c = &energy->counters.items[i];
        c->sum_j = 0;
        c->failed = mw_counter_read(energy->root, c, &c->last) ? "cannot be read any more" : NULL;
        c->first = c->last;
        c->last_s = mw_now_s();
    }
    energy->active = true;
    pthread_mutex_unlock(&energy->mutex);
    energy->start_s = mw_now_s();
}

/* Names that differ in digits only: package-0, package-1-die-0 is of another kind. */
static bool same_kind(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, "0123456789");
            b += strspn(b, "0123456789");
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}

/*
 * Some processors of two dies show one counter twice. Two counters of their own agree in what they read at the start and
 * at the end only by chance: to a joule in 262 kJ, the usual range, once in 10^10 runs.
 */
static bool is_mirrored(const struct mw_energy *energy, size_t i)
{
    const double close_j = 1; /* what passes between two readings, at 1 kW and an update of 1 ms */
    const struct mw_counter *c = &energy->counters.items[i];
    for (size_t k = 0; k < i; k++) {
        const struct mw_counter *d = &energy->counters.items[k];
        if (!c->is_power && !d->is_power && same_kind(c->name, d->name) &&
            fabs(c->first - d->first) * c->unit < close_j && fabs(c->sum_j - d->sum_j) < close_j && c->sum_j > close_j)
            return true;
    }
    return false;
}

/* Checks each counter and adds them up. */
static void sum_counters(const struct mw_energy *energy, double time_s, struct mw_energy_reading *reading)
{
    reading->has = true;
    for (size_t i = 0; i < energy->counters.count && reading->has; i++) {
        const struct mw_counter *c = &energy->counters.items[i];
        const char *why = c->failed;
        if (!why && !(c->sum_j > 0))
            why = "did not move";
        if (!why && c->sum_j > power_max_w * (time_s + updates_least * c->update_s))
            why = "says more than is possible";
        reading->has = !why;
        if (!is_mirrored(energy, i))
            reading->energy_j += c->sum_j;
        else if (!why)
            snprintf(reading->why, sizeof reading->why, "%s shows another's counter: counted once", c->name);
        if (why)
            snprintf(reading->why, sizeof reading->why, "%s %s", c->name, why);
    }
}

void mw_energy_stop(struct mw_energy *energy, struct mw_energy_reading *reading)
{
    struct mw_energy_reading r = {0};
    double time_s = mw_now_s() - energy->start_s;
    pthread_mutex_lock(&energy->mutex);
    poll_counters(energy);
    energy->active = false;
    pthread_mutex_unlock(&energy->mutex);
    if (time_s < energy->least_s) {
        snprintf(r.why, sizeof r.why, "the run is shorter than ten updates of the meter (%.3g s)", energy->least_s);
    } else {
        sum_counters(energy, time_s, &r);
    }
    if (!r.has)
        r.energy_j = 0;
    *reading = r;
}
