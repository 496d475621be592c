// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/predict/predict_fleet.h"

#include "data/units.h"
#include "fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TARGETS = 64, MOST_CORES_LISTED = 4096 };

void fleet_release(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++) {
        struct fleet_target *t = &fleet->targets[i];
        mw_profile_release(&t->profile);
        if (t->has_runs) {
            mw_dataset_release(&t->dataset);
            mw_points_release(&t->runs);
        }
        if (t->has_model)
            mw_model_release(&t->model);
        mw_transfer_result_release(&t->result);
        mw_transfer_result_release(&t->full);
        free(t->cores);
    }
    free(fleet->targets);
    mw_transfer_source_release(&fleet->source);
    if (fleet->has_machine)
        mw_profile_release(&fleet->machine);
}

/* The nth item of a comma-separated list into `item`; false past its end. */
static bool nth_item(const char *list, size_t n, char *item, size_t size)
{
    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL, n--)
        if (n == 0) {
            snprintf(item, size, "%.*s", (int)strcspn(list, ","), list);
            return true;
        }
    return false;
}

static enum mw_err read_runs(struct fleet_target *t, const char *path, unsigned long seed, struct mw_error *error)
{
    struct mw_dataset_options options = {0};
    enum mw_err err = mw_dataset_read(&t->dataset, path, &options, error);
    if (err)
        return err;
    err = mw_points_from_dataset(&t->runs, &t->dataset, error);
    if (err) {
        mw_dataset_release(&t->dataset);
        return err;
    }
    t->has_runs = true;
    struct mw_fit_options fit = {.seed = seed};
    struct mw_error ignored; /* too few points to fit: they still anchor the curve */
    t->has_model = t->runs.count > 1 && mw_fit(&t->model, &t->dataset, &fit, &ignored) == MW_OK;
    return MW_OK;
}

static enum mw_err read_targets(struct fleet *fleet, const struct predict_target_options *o, unsigned long seed,
                                struct mw_error *error)
{
    char path[4096];
    size_t count = 0;
    while (nth_item(o->target, count, path, sizeof path))
        count++;
    if (count > MOST_TARGETS)
        return mw_fail(error, MW_USAGE, "at most %d targets", MOST_TARGETS);
    if (o->target_runs && nth_item(o->target_runs, count, path, sizeof path))
        return mw_fail(error, MW_USAGE, "--target-runs names more files than --target has machines");
    fleet->targets = calloc(count, sizeof *fleet->targets);
    if (!fleet->targets)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu targets", count);
    fleet->count = count;
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < count && !err; i++) {
        struct fleet_target *t = &fleet->targets[i];
        (void)nth_item(o->target, i, path, sizeof path);
        err = mw_profile_read(&t->profile, path, error);
        if (!err && t->profile.cores == 0)
            err = mw_fail(error, MW_DATA, "%s: 'cores' is missing: it is needed of a target", path);
        if (!err && !t->profile.name && !(t->profile.name = strdup(path)))
            err = mw_fail(error, MW_NOMEM, "out of memory");
        if (!err && o->target_runs && nth_item(o->target_runs, i, path, sizeof path) && *path)
            err = read_runs(t, path, seed, error);
    }
    if (!err && o->machine) {
        err = mw_profile_read(&fleet->machine, o->machine, error);
        fleet->has_machine = !err;
    }
    return err;
}

/* Core counts of a target: those asked for, else 1, 2, 4 ... and all. */
static enum mw_err choose_cores(struct fleet_target *t, const char *list, struct mw_error *error)
{
    unsigned all = t->profile.cores;
    double offered[MOST_CORES_LISTED];
    size_t n = 0;
    if (list) {
        for (unsigned p = 1; p <= all && n < MOST_CORES_LISTED; p++)
            offered[n++] = p;
        return mw_parse_cores(list, offered, n, &t->cores, &t->count, error);
    }
    t->cores = malloc(40 * sizeof *t->cores);
    if (!t->cores)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (unsigned p = 1; p < all; p *= 2)
        t->cores[t->count++] = p;
    t->cores[t->count++] = all;
    return MW_OK;
}

static enum mw_transfer_memory memory_of(const struct mw_diagnosis *d)
{
    switch (d->verdict) {
    case MW_VERDICT_MEMORY:
    case MW_VERDICT_MEMORY_LATENCY:
    case MW_VERDICT_MEMORY_BANDWIDTH:
        return MW_TRANSFER_MEMORY_YES;
    case MW_VERDICT_UNDETERMINED:
    case MW_VERDICT_BUSY:
    case MW_VERDICT_BOTH:
    case MW_VERDICT_BUSY_FIXED:
    case MW_VERDICT_IDLE_FIXED:
        return MW_TRANSFER_MEMORY_UNKNOWN;
    case MW_VERDICT_SCALES_WELL:
    case MW_VERDICT_STEP:
        return d->memory_open ? MW_TRANSFER_MEMORY_UNKNOWN : MW_TRANSFER_MEMORY_NO; /* one frequency hides memory */
    default:
        return MW_TRANSFER_MEMORY_NO;
    }
}

static enum mw_err prepare(struct fleet *fleet, const struct mw_model *model, const struct predict_target_options *o,
                           const char *cores, unsigned long seed, struct mw_error *error)
{
    struct mw_diagnose_options how = mw_diagnose_options_of(model, seed);
    double reach = 1;
    enum mw_err err = mw_diagnose(&fleet->diagnosis, &model->points, &how, error);
    for (size_t i = 0; i < fleet->count && !err; i++) {
        err = choose_cores(&fleet->targets[i], cores, error);
        reach = fmax(reach, fleet->targets[i].profile.cores);
    }
    if (err)
        return err;
    fleet->source = (struct mw_transfer_source){.model = model,
                                                .machine = fleet->has_machine ? &fleet->machine : NULL,
                                                .memory = memory_of(&fleet->diagnosis),
                                                .saturated = fleet->diagnosis.verdict == MW_VERDICT_MEMORY_BANDWIDTH,
                                                .footprint_bytes = (double)o->footprint_bytes};
    return mw_transfer_source_init(&fleet->source, reach, error);
}

static enum mw_err answer(struct fleet *fleet, struct mw_error *error)
{
    struct mw_transfer_contender list[MOST_TARGETS + 1];
    size_t n = 0;
    const struct mw_transfer_source *a = &fleet->source;
    for (size_t i = 0; i < a->count; i++)
        fleet->here_s = a->time_s[i] > 0 ? a->time_s[i] : fleet->here_s;
    fleet->times = fleet->here_s > 0;
    for (size_t i = 0; i < fleet->count; i++) {
        struct fleet_target *t = &fleet->targets[i];
        struct mw_transfer_target asked = {&t->profile, t->has_runs ? &t->runs : NULL, t->has_model ? &t->model : NULL};
        double all = t->profile.cores;
        enum mw_err err = mw_transfer_predict(&t->result, a, &asked, t->cores, t->count, error);
        if (!err)
            err = mw_transfer_predict(&t->full, a, &asked, &all, 1, error);
        if (err)
            return err;
        bool timed = t->full.estimates[0].has_time && !t->full.too_large;
        t->chance = timed ? 1 : 0;
        if (timed)
            list[n++] =
                (struct mw_transfer_contender){log(t->full.estimates[0].time_s), t->full.estimates[0].ln_time_sd, 0};
    }
    if (fleet->times)
        list[n++] = (struct mw_transfer_contender){log(fleet->here_s), fmax(a->ln_noise, .02), 0};
    mw_transfer_rank(list, n);
    size_t at = 0;
    for (size_t i = 0; i < fleet->count; i++)
        if (fleet->targets[i].chance > 0)
            fleet->targets[i].chance = list[at++].chance;
    if (fleet->times)
        fleet->here_chance = list[at].chance;
    return MW_OK;
}

enum mw_err fleet_init(struct fleet *fleet, const struct mw_model *model, const struct predict_target_options *options,
                       const char *cores, unsigned long seed, struct mw_error *error)
{
    enum mw_err err = read_targets(fleet, options, seed, error);
    if (!err)
        err = prepare(fleet, model, options, cores, seed, error);
    return err ? err : answer(fleet, error);
}

/* F on B: A's relative effect carried over; 90 % half-width .05 (computing) or .15 (memory) for a factor e. */
static const double FREQ_COMPUTE = .05, FREQ_MEMORY = .15;
static enum mw_err freq_factor(const struct fleet *fleet, const struct fleet_target *t, double cores, double freq_hz,
                               double *factor, double *half, struct mw_error *error)
{
    const struct mw_transfer_source *a = &fleet->source;
    double full = t->profile.clock_count  ? mw_profile_clock_at(&t->profile, cores)
                  : t->profile.freq_count ? t->profile.freqs_hz[t->profile.freq_count - 1]
                                          : 0;
    if (full <= 0 || a->freq_hz <= 0) {
        mw_fail(error, MW_USAGE, "the clock of '%s' is not known, so its other frequencies cannot be asked for",
                t->profile.name);
        return mw_hint(error, "add clock_ghz to its profile, or leave out --freq");
    }
    struct mw_config query[2] = {{fmin(cores, a->cores), a->freq_hz},
                                 {fmin(cores, a->cores), a->freq_hz * freq_hz / full}};
    struct mw_prediction out[2];
    enum mw_err err = mw_predict(a->model, query, 2, out, error);
    if (err)
        return err;
    *factor = out[1].value / out[0].value;
    *half = (a->memory == MW_TRANSFER_MEMORY_NO ? FREQ_COMPUTE : FREQ_MEMORY) * fabs(log(freq_hz / full));
    return MW_OK;
}

enum mw_err fleet_rows(struct fleet_row **result, size_t *count, const struct fleet *fleet, const char *freq,
                       struct mw_error *error)
{
    struct fleet_row *rows = NULL;
    size_t n = 0;
    for (size_t i = 0; i < fleet->count; i++) {
        const struct fleet_target *t = &fleet->targets[i];
        double *freqs = NULL, none = 0;
        size_t freq_count = 1;
        enum mw_err err =
            freq ? mw_parse_freqs(freq, t->profile.freqs_hz, t->profile.freq_count, &freqs, &freq_count, error) : MW_OK;
        struct fleet_row *more = err ? NULL : realloc(rows, (n + t->count * freq_count) * sizeof *rows);
        if (!err && !more)
            err = mw_fail(error, MW_NOMEM, "out of memory for the answers");
        rows = more ? more : rows;
        for (size_t k = 0; k < t->count * freq_count && !err; k++) {
            struct fleet_row *row = &rows[n++];
            *row = (struct fleet_row){t, t->result.estimates[k / freq_count], (freqs ? freqs : &none)[k % freq_count]};
            double factor = 1, half = 0;
            if (!freq) {
                row->freq_hz = mw_profile_clock_at(&t->profile, row->estimate.cores);
                continue;
            }
            err = freq_factor(fleet, t, row->estimate.cores, row->freq_hz, &factor, &half, error);
            if (err)
                break;
            row->estimate.time_s *= factor;
            row->estimate.time_low_s *= factor * exp(-half);
            row->estimate.time_high_s *= factor * exp(half);
        }
        free(freqs);
        if (err) {
            free(rows);
            return err;
        }
    }
    *result = rows;
    *count = n;
    return MW_OK;
}
