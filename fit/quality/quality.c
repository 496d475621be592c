// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/quality/quality.h"

#include "data/stats.h"
#include "data/units.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mw_quality_release(struct mw_quality *quality)
{
    for (size_t i = 0; i < quality->set_aside_count; i++)
        free(quality->set_aside[i].reason);
    for (size_t i = 0; i < quality->warning_count; i++)
        free(quality->warnings[i]);
    free(quality->aside);
    free(quality->set_aside);
    free(quality->warnings);
    *quality = (struct mw_quality){0};
}

static enum mw_err push_warning(struct mw_quality *quality, char *text, struct mw_error *error)
{
    char **grown = realloc(quality->warnings, (quality->warning_count + 1) * sizeof *grown);
    if (grown)
        quality->warnings = grown;
    if (!grown || !text) {
        free(text);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    quality->warnings[quality->warning_count++] = text;
    return MW_OK;
}

enum mw_err mw_quality_warn(struct mw_quality *quality, struct mw_error *error, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    return push_warning(quality, text, error);
}

/* The check's subject. */
struct check {
    struct mw_quality *quality;
    const struct mw_dataset *dataset;
    bool keep_all;
    size_t capacity; /* of set_aside */
};

static bool usable(const struct check *check, size_t i)
{
    const struct mw_row *row = &check->dataset->rows[i];
    return !row->set_aside && row->has & MW_HAS_VALUE && !check->quality->aside[i];
}

/* Sets row i aside with a reason, or warns of it under keep_all; takes the text. */
static enum mw_err set_aside(struct check *check, size_t i, char *reason, struct mw_error *error)
{
    struct mw_quality *quality = check->quality;
    long line = check->dataset->rows[i].line;
    if (!reason)
        return mw_fail(error, MW_NOMEM, "out of memory");
    if (check->keep_all) {
        enum mw_err err = mw_quality_warn(quality, error, "row at line %ld is kept (--keep-all): %s", line, reason);
        free(reason);
        return err;
    }
    if (quality->set_aside_count == check->capacity) {
        size_t more = check->capacity ? 2 * check->capacity : 16;
        struct mw_set_aside *grown = realloc(quality->set_aside, more * sizeof *grown);
        if (!grown) {
            free(reason);
            return mw_fail(error, MW_NOMEM, "out of memory");
        }
        quality->set_aside = grown;
        check->capacity = more;
    }
    quality->set_aside[quality->set_aside_count++] = (struct mw_set_aside){line, reason};
    quality->aside[i] = true;
    return MW_OK;
}

/*
 * Core-seconds at one gigahertz of the fewest cores: the work, as the base of what a run can be. Median over its rows,
 * so that one bad baseline does not matter. For speedups the work is one by definition.
 */
static bool base_work(const struct check *check, double *work, struct mw_error *error, enum mw_err *err)
{
    const struct mw_dataset *d = check->dataset;
    unsigned fewest = 0;
    size_t n = 0;
    for (size_t i = 0; i < d->count; i++)
        if (usable(check, i) && (fewest == 0 || d->rows[i].cores < fewest))
            fewest = d->rows[i].cores;
    double *scratch = malloc((d->count + 1) * sizeof *scratch);
    if (!scratch) {
        *err = mw_fail(error, MW_NOMEM, "out of memory");
        return false;
    }
    for (size_t i = 0; i < d->count; i++) {
        const struct mw_row *row = &d->rows[i];
        if (usable(check, i) && row->cores == fewest)
            scratch[n++] = row->value * row->cores * (row->freq_hz > 0 ? row->freq_hz : 1);
    }
    *work = n ? mw_median(scratch, n) : 0;
    free(scratch);
    return n > 0;
}

/*
 * A run on p cores that is over three times faster than an even share of the work did not do the work: programs that
 * accept powers of two only quit at once on other core counts. Caches make programs superlinear by less than two.
 */
static enum mw_err impossible(struct check *check, struct mw_error *error)
{
    const double sane = 3;
    const struct mw_dataset *d = check->dataset;
    bool times = d->quantity == MW_TIME;
    double work = 1;
    enum mw_err err = MW_OK;
    if (times && !base_work(check, &work, error, &err))
        return err;
    for (size_t i = 0; i < d->count && !err; i++) {
        const struct mw_row *row = &d->rows[i];
        if (!usable(check, i))
            continue;
        double freq = row->freq_hz > 0 ? row->freq_hz : 1, cores = row->cores;
        double excess = times ? work / (row->value * cores * freq) : row->value / cores;
        char *reason = NULL;
        if (!(excess > sane))
            continue;
        if (asprintf(&reason,
                     times ? "a time of %g s on %u cores is %.3g times less than an even share of the work: the "
                             "program most likely refused this core count and quit"
                           : "a speedup of %g on %u cores is %.3g times the cores: the program most likely "
                             "refused this core count and quit, or its one-core run is wrong",
                     row->value, row->cores, excess) < 0)
            reason = NULL;
        err = set_aside(check, i, reason, error);
    }
    return err;
}

/* The clock on the cores, where it was measured, is not the one asked for. 0.6 % is what pinned machines show. */
static enum mw_err effective_frequency(struct check *check, struct mw_error *error)
{
    const double tolerance = .02;
    size_t differing = 0;
    long line = 0;
    double worst = 0;
    for (size_t i = 0; i < check->dataset->count; i++) {
        const struct mw_row *row = &check->dataset->rows[i];
        if (!usable(check, i) || !(row->has & MW_HAS_FREQ_EFFECTIVE) || !(row->freq_hz > 0))
            continue;
        double off = row->freq_effective_hz / row->freq_hz - 1;
        if (fabs(off) <= tolerance)
            continue;
        differing++;
        if (fabs(off) > fabs(worst)) {
            worst = off;
            line = row->line;
        }
    }
    return differing ? mw_quality_warn(check->quality, error,
                                       "in %zu rows the effective frequency is not the one asked for (by %+.0f %% at "
                                       "line %ld): effects of frequency are those of the frequency asked for",
                                       differing, 100 * worst, line)
                     : MW_OK;
}

/* Times that are all multiples of a coarse tick, with runs so short that it shows. */
static enum mw_err coarse_timer(struct check *check, struct mw_error *error)
{
    static const double ticks[] = {1, .5, .25, .1, .01};
    const struct mw_dataset *d = check->dataset;
    for (size_t t = 0; t < sizeof ticks / sizeof *ticks && d->quantity == MW_TIME && !d->rate_unit; t++) {
        size_t rows = 0, multiples = 0;
        double shortest = HUGE_VAL;
        for (size_t i = 0; i < d->count; i++) {
            if (!usable(check, i))
                continue;
            double ticks_in = d->rows[i].value / ticks[t];
            rows++;
            multiples += fabs(ticks_in - round(ticks_in)) < 1e-6 * fmax(ticks_in, 1);
            if (multiples < rows)
                break;
            shortest = fmin(shortest, d->rows[i].value);
        }
        if (rows < 4 || multiples < rows)
            continue;
        /* uniform error of a tick: tick/sqrt(12) relative to the shortest time; under 1 % nobody sees it */
        double noise = ticks[t] / sqrt(12) / shortest;
        check->quality->tick_s = ticks[t];
        return noise > .01
                   ? mw_quality_warn(check->quality, error,
                                     "all times are multiples of %g s, an error of %.0f %% on the shortest: short "
                                     "runs weigh less",
                                     ticks[t], 100 * noise)
                   : MW_OK;
    }
    return MW_OK;
}

/* What rows are sorted by, and what is looked at: compact, because a file may have millions. */
struct reading {
    double freq_hz, value;
    unsigned cores;
    uint32_t row;
};

static int by_configuration(const void *a, const void *b)
{
    const struct reading *x = a, *y = b;
    if (x->freq_hz < y->freq_hz || x->freq_hz > y->freq_hz)
        return x->freq_hz < y->freq_hz ? -1 : 1;
    if (x->cores != y->cores)
        return x->cores < y->cores ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row; /* the order of the file */
}

/* How repetitions of one configuration differ, over all configurations. */
struct repeats {
    size_t groups, first_slower, drift_up, drift_down, apart;
    double worst, drift;
    long line;
};

static void look_at(struct repeats *repeats, const struct reading *readings, size_t n, long line, double *scratch)
{
    if (n < 2)
        return;
    for (size_t i = 0; i < n; i++)
        scratch[i] = log(readings[i].value);
    double range = mw_maximum(scratch, n) - mw_minimum(scratch, n), last = scratch[n - 1] - scratch[0];
    repeats->groups++;
    repeats->drift += last;
    repeats->drift_up += last > .05;
    repeats->drift_down += last < -.05;
    repeats->apart += range > log(4. / 3);
    if (range > repeats->worst) {
        repeats->worst = range;
        repeats->line = line;
    }
    if (n > 2)
        repeats->first_slower += scratch[0] > mw_median(scratch + 1, n - 1) + .05;
}

static enum mw_err say_repeats(struct mw_quality *quality, const struct repeats *r, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    if (r->apart)
        err = mw_quality_warn(
            quality, error,
            "repetitions of %zu of %zu configurations differ by a third or more (by a factor of %.2f at "
            "line %ld): their medians are used and weigh less",
            r->apart, r->groups, exp(r->worst), r->line);
    if (!err && r->groups >= 3 && r->first_slower * 5 >= r->groups * 4)
        err = mw_quality_warn(quality, error,
                              "the first repetition is slower in %zu of %zu configurations: a warm-up run before each "
                              "would tell caches and files from the program",
                              r->first_slower, r->groups);
    else if (!err && r->groups >= 5 && (r->drift_up * 5 >= r->groups * 4 || r->drift_down * 5 >= r->groups * 4))
        err =
            mw_quality_warn(quality, error,
                            "the last repetition is %s than the first by %.0f %% on average: the machine drifted, and "
                            "configurations measured at different times are not alike",
                            r->drift > 0 ? "slower" : "faster", 100 * fabs(expm1(r->drift / (double)r->groups)));
    return err;
}

static enum mw_err repetitions(struct check *check, struct mw_error *error)
{
    const struct mw_dataset *d = check->dataset;
    struct reading *readings = malloc((d->count + 1) * sizeof *readings);
    double *scratch = malloc((d->count + 1) * sizeof *scratch);
    struct repeats repeats = {0};
    size_t n = 0;
    enum mw_err err = readings && scratch ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < d->count && !err; i++)
        if (usable(check, i))
            readings[n++] = (struct reading){d->rows[i].freq_hz, d->rows[i].value, d->rows[i].cores, (uint32_t)i};
    if (!err) {
        qsort(readings, n, sizeof *readings, by_configuration);
        for (size_t from = 0, to; from < n; from = to) {
            for (to = from + 1; to < n && readings[to].cores == readings[from].cores &&
                                !(readings[to].freq_hz > readings[from].freq_hz);
                 to++)
                ;
            look_at(&repeats, readings + from, to - from, d->rows[readings[from].row].line, scratch);
        }
        err = say_repeats(check->quality, &repeats, error);
    }
    free(readings);
    free(scratch);
    return err;
}

/*
 * Of the runs of one configuration that waited for a core a quarter of the time or more: those that took 10 % longer than the
 * quickest, that wait taken off. What other threads waited is still in them, and can only have made them longer.
 */
static enum mw_err waited(struct check *check, struct mw_error *error)
{
    static const double WAITED = .25, LONGER = 1.1;
    const struct mw_dataset *d = check->dataset;
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < d->count && d->main_wait_taken && !err; i++) {
        const struct mw_row *row = &d->rows[i];
        double wait = mw_usage_wait(&row->usage), least = row->value;
        if (!usable(check, i) || wait < WAITED * (row->value + wait))
            continue;
        for (size_t j = 0; j < d->count; j++)
            if (usable(check, j) && d->rows[j].cores == row->cores && mw_freq_same(d->rows[j].freq_hz, row->freq_hz))
                least = fmin(least, d->rows[j].value);
        char *reason = NULL;
        if (row->value <= LONGER * least)
            continue;
        if (asprintf(&reason, "its threads waited for a core: %.0f %% longer than the quickest of its configuration",
                     100 * (row->value / least - 1)) < 0)
            reason = NULL;
        err = set_aside(check, i, reason, error);
    }
    return err;
}

enum mw_err mw_quality_check(struct mw_quality *quality, const struct mw_dataset *dataset, bool keep_all, bool weak,
                             struct mw_error *error)
{
    struct mw_quality made = {.aside = calloc(dataset->count + 1, sizeof *made.aside)};
    struct check check = {&made, dataset, keep_all, 0};
    enum mw_err err = made.aside ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = waited(&check, error);
    if (!err && !weak)
        err = impossible(&check, error);
    if (!err)
        err = effective_frequency(&check, error);
    if (!err)
        err = coarse_timer(&check, error);
    if (!err)
        err = repetitions(&check, error);
    if (err)
        mw_quality_release(&made);
    else
        *quality = made;
    return err;
}
