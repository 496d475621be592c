// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/diagnose_internal.h"
#include "data/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Draws a law: 40,000 give an effective sample of hundreds on ten points; many or precise points need more. */
enum { DRAWS_SMALL = 40000, DRAWS_LARGE = 150000, POINTS_SMALL = 20, RESAMPLED = 2000 };
static const double EFFECTIVE_ENOUGH = 100; /* under it the larger bank is taken */
static const double EFFECTIVE_FEW = 30;     /* under it, of many points, half of them are */
static const double EFFECTIVE_LEAST = 10;   /* under it the chances are those of a handful of draws: undetermined */

/*
 * Chance from which a verdict is one: at one look at ten planned points or more .82 is wrong in under 1 % of simulated
 * programs (make bench-diagnose); fewer points are one of many looks of a sequential diagnosis, each with a chance to be
 * wrong, and have to be surer.
 */
static const double CERTAIN = .82, CERTAIN_EARLY = .97;
enum { EARLY = 10 };
static const double FLAG = .5; /* a step more likely than not is named */

/* A flat curve: under one and a half busy cores it is serial, over .7 p they all work (or spin). */
static const double BUSY_SERIAL = 1.5, BUSY_ALL = .7;
/*
 * Relative rise of power for each core more: .0064 is the least of all programs that scale on eight machines of
 * Loghin and Teo's set (48-core ARM server, power at the plug); a quarter of it is a core that does next to nothing.
 */
static const double POWER_SERIAL = .25 * .0064;
/* Weak scaling grows by at most 15 % with each factor e of cores (the prior); 5 % noise more is a slowdown. */
static const double WEAK_GROWTH = .15, GROWTH_NOISE = 1.05;

static const char *const NAMES[MW_VERDICT_COUNT] = {
    "scales-well",   "serial", "memory-latency", "memory-bandwidth", "cache-benefiting", "granularity",
    "boundary-step", "flat",   "slows-down",     "memory",           "weak-scaling",     "undetermined",
};

const char *mw_verdict_name(enum mw_verdict verdict)
{
    return NAMES[verdict];
}

double mw_karp_flatt(double speedup, double cores)
{
    return (1 / speedup - 1 / cores) / (1 - 1 / cores);
}

enum mw_err mw_diagnoser_alloc(struct mw_diagnoser **result, const struct mw_diagnose_options *options,
                               struct mw_error *error)
{
    struct mw_diagnoser *diagnoser = calloc(1, sizeof *diagnoser);
    unsigned *boundaries = options->boundary_count ? malloc(options->boundary_count * sizeof *boundaries) : NULL;
    if (!diagnoser || (options->boundary_count && !boundaries)) {
        free(diagnoser);
        free(boundaries);
        return mw_fail(error, MW_NOMEM, "out of memory for a diagnosis");
    }
    if (boundaries)
        memcpy(boundaries, options->boundaries, options->boundary_count * sizeof *boundaries);
    diagnoser->options = *options;
    diagnoser->options.boundaries = diagnoser->boundaries = boundaries;
    *result = diagnoser;
    return MW_OK;
}

void mw_diagnoser_free(struct mw_diagnoser *diagnoser)
{
    if (!diagnoser)
        return;
    mw_mechanism_bank_free(diagnoser->small);
    mw_mechanism_bank_free(diagnoser->large);
    mw_mechanism_posterior_release(&diagnoser->posterior);
    free(diagnoser->boundaries);
    free(diagnoser);
}

static enum mw_err infer_with(struct mw_diagnoser *diagnoser, struct mw_mechanism_bank **bank, size_t draws,
                              const struct mw_diagnose_view *view, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    if (!*bank)
        err = mw_mechanism_bank_alloc(bank, view->cores, draws, diagnoser->options.seed, error);
    struct mw_mechanism_posterior posterior = {0};
    struct mw_mechanism_data data = {view->points, view->count, view->ratio, view->boundaries, view->boundary_count};
    if (err == MW_OK)
        err = mw_mechanism_infer(&posterior, *bank, &data, RESAMPLED, error);
    if (err != MW_OK)
        return err;
    mw_mechanism_posterior_release(&diagnoser->posterior);
    diagnoser->posterior = posterior;
    return MW_OK;
}

static enum mw_err infer_view(struct mw_diagnoser *diagnoser, const struct mw_diagnose_view *view,
                              struct mw_error *error)
{
    if (diagnoser->bank_cores != view->cores) {
        mw_mechanism_bank_free(diagnoser->small);
        mw_mechanism_bank_free(diagnoser->large);
        diagnoser->small = diagnoser->large = NULL;
        diagnoser->bank_cores = view->cores;
    }
    diagnoser->freq_scale_hz = view->freq_scale_hz;
    if (view->count <= POINTS_SMALL) {
        enum mw_err err = infer_with(diagnoser, &diagnoser->small, DRAWS_SMALL, view, error);
        if (err != MW_OK || diagnoser->posterior.effective >= EFFECTIVE_ENOUGH)
            return err;
    }
    return infer_with(diagnoser, &diagnoser->large, DRAWS_LARGE, view, error);
}

/* Precise points of a whole table can leave a handful of draws: half of the points are then as telling and safer. */
static enum mw_err infer(struct mw_diagnoser *diagnoser, struct mw_diagnose_view *view, const struct mw_points *points,
                         struct mw_error *error)
{
    enum mw_err err = mw_diagnose_view_build(view, points, MW_DIAGNOSE_THIN, &diagnoser->options, error);
    if (err == MW_OK)
        err = infer_view(diagnoser, view, error);
    if (err != MW_OK || diagnoser->posterior.effective >= EFFECTIVE_FEW || view->count <= MW_DIAGNOSE_THIN / 2)
        return err;
    err = mw_diagnose_view_build(view, points, MW_DIAGNOSE_THIN / 2, &diagnoser->options, error);
    return err == MW_OK ? infer_view(diagnoser, view, error) : err;
}

static struct mw_interval interval(double *values, size_t n)
{
    mw_sort(values, n);
    return (struct mw_interval){mw_quantile_sorted(values, n, .05), mw_quantile_sorted(values, n, .5),
                                mw_quantile_sorted(values, n, .95)};
}

/* flat_serial: a flat curve that CPU time or power showed to be the work of one core. */
static struct mw_diagnosis_shares shares_at(const struct mw_mechanism_posterior *posterior, double p, double x,
                                            double cores, bool flat_serial)
{
    double column[5][RESAMPLED];
    for (size_t i = 0; i < posterior->count; i++) {
        struct mw_mechanism_shares s;
        (void)mw_mechanism_time(&posterior->draws[i], p, x, cores, &s);
        bool one_core = flat_serial && posterior->draws[i].law == MW_MECHANISM_WEAK;
        column[0][i] = one_core ? s.serial + s.parallel : s.serial;
        column[1][i] = one_core ? 0 : s.parallel;
        column[2][i] = s.latency;
        column[3][i] = s.nonscaling;
        column[4][i] = s.overhead;
    }
    size_t n = posterior->count;
    return (struct mw_diagnosis_shares){p,
                                        0,
                                        interval(column[0], n),
                                        interval(column[1], n),
                                        interval(column[2], n),
                                        interval(column[3], n),
                                        interval(column[4], n)};
}

/* Chances of the classes, of a step and of memory; place and size of the step. */
static void count_classes(struct mw_diagnosis *d, const struct mw_mechanism_posterior *posterior)
{
    double superlinear = mw_diagnose_superlinear(posterior->sigma), each = 1 / (double)posterior->count;
    double size[RESAMPLED], after[RESAMPLED];
    size_t steps = 0;
    for (size_t i = 0; i < posterior->count; i++) {
        const struct mw_mechanism_draw *draw = &posterior->draws[i];
        struct mw_mechanism_shares shares;
        (void)mw_mechanism_time(draw, d->cores, 1, d->cores, &shares);
        d->chance[mw_diagnose_class(draw, d->cores, superlinear)] += each;
        d->memory_chance += mw_diagnose_memory_costs(&shares) ? each : 0;
        if (mw_diagnose_has_step(draw)) {
            after[steps] = draw->step_after;
            size[steps++] = draw->step;
            d->step_chance += each;
        }
    }
    if (d->step_chance >= FLAG) {
        mw_sort(after, steps);
        d->step_after = (unsigned)after[steps / 2];
        d->step_size = mw_median(size, steps);
    }
}

static void rank_classes(struct mw_diagnosis *d)
{
    d->likeliest = d->second = MW_VERDICT_UNDETERMINED;
    for (int c = 0; c < MW_VERDICT_CLASSES; c++) {
        enum mw_verdict class = (enum mw_verdict)c;
        if (d->likeliest == MW_VERDICT_UNDETERMINED || d->chance[c] > d->chance[d->likeliest]) {
            d->second = d->likeliest;
            d->likeliest = class;
        } else if (d->second == MW_VERDICT_UNDETERMINED || d->chance[c] > d->chance[d->second]) {
            d->second = class;
        }
    }
}

/*
 * At one frequency serial work and memory that cores don't shrink give the same times (a law of steps has no such memory,
 * and would call CloverLeaf serial), and a sharp roof is the same as too few pieces of work.
 */
static bool one_frequency_hides(const struct mw_diagnosis *d)
{
    return d->memory_open && (d->likeliest == MW_VERDICT_SERIAL || d->likeliest == MW_VERDICT_MEMORY_BANDWIDTH);
}

static void decide(struct mw_diagnosis *d)
{
    double certain = d->points_used < EARLY ? CERTAIN_EARLY : CERTAIN;
    double memory = d->chance[MW_VERDICT_MEMORY_LATENCY] + d->chance[MW_VERDICT_MEMORY_BANDWIDTH];
    d->verdict = MW_VERDICT_UNDETERMINED;
    d->confidence = d->chance[d->likeliest];
    if (d->effective >= EFFECTIVE_LEAST) {
        if (d->chance[d->likeliest] >= certain) {
            d->verdict = one_frequency_hides(d) ? MW_VERDICT_UNDETERMINED : d->likeliest;
        } else if (memory >= certain) {
            d->verdict = MW_VERDICT_MEMORY;
            d->confidence = memory;
        } else if (d->step_chance >= certain) {
            d->verdict = MW_VERDICT_STEP;
            d->confidence = d->step_chance;
        }
    }
    d->step_flag = d->verdict != MW_VERDICT_STEP && d->step_chance >= FLAG;
    d->scales_coarse =
        d->memory_open && d->chance[MW_VERDICT_SCALES_WELL] + d->chance[MW_VERDICT_MEMORY_LATENCY] >= MW_DIAGNOSE_PAIR;
    d->stops_coarse =
        d->memory_open && d->chance[MW_VERDICT_SERIAL] + d->chance[MW_VERDICT_MEMORY_BANDWIDTH] >= MW_DIAGNOSE_PAIR;
}

/* The point with the most cores at the highest frequency that has the wanted fact, or the fastest or slowest. */
static const struct mw_point *largest_with(const struct mw_points *points, double freq_hz,
                                           bool (*has)(const struct mw_point *))
{
    const struct mw_point *best = NULL;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *point = &points->items[i];
        if (point->freq_hz >= .99 * freq_hz && point->value > 0 && has(point) && (!best || point->cores > best->cores))
            best = point;
    }
    return best;
}

static bool has_cpu_time(const struct mw_point *point)
{
    return point->has_cpu_time && point->cpu_time_s > 0;
}

static bool has_power(const struct mw_point *point)
{
    return point->has_power && point->power_w > 0;
}

static bool has_value(const struct mw_point *point)
{
    return point->value > 0;
}

/* Times that grow with the cores beyond all weak scaling are a slowdown, whichever law bends best. */
static void see_slowdown(struct mw_diagnosis *d, const struct mw_points *points)
{
    double freq = d->freq_max_hz, sign = d->speedups ? -1 : 1;
    const struct mw_point *last = largest_with(points, freq, has_value), *best = last;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *point = &points->items[i];
        if (point->freq_hz >= .99 * freq && point->value > 0 && sign * log(point->value / best->value) < 0)
            best = point;
    }
    if (!last || best->cores >= last->cores)
        return;
    double ratio = exp(sign * log(last->value / best->value));
    double limit = GROWTH_NOISE * (1 + WEAK_GROWTH * log((double)last->cores));
    double down = d->chance[MW_VERDICT_FLAT] + d->chance[MW_VERDICT_SLOWS_DOWN];
    if (ratio > limit && down >= MW_DIAGNOSE_PAIR) {
        d->verdict = MW_VERDICT_SLOWS_DOWN;
        d->confidence = down;
    }
}

/* Times alone never tell a serial program from weak scaling; CPU time or power do. */
static void see_flat(struct mw_diagnosis *d, const struct mw_points *points)
{
    const struct mw_point *busy = d->speedups ? NULL : largest_with(points, d->freq_max_hz, has_cpu_time);
    if (busy)
        d->busy_cores = busy->cpu_time_s / busy->value;
    if (d->verdict != MW_VERDICT_FLAT)
        return;
    if (busy && busy->cores >= 2) {
        if (d->busy_cores < BUSY_SERIAL)
            d->verdict = MW_VERDICT_SERIAL;
        else if (d->busy_cores > BUSY_ALL * busy->cores)
            d->verdict = MW_VERDICT_WEAK_SCALING;
        d->flat_fact = d->verdict == MW_VERDICT_FLAT ? MW_FLAT_UNKNOWN : MW_FLAT_BUSY_CORES;
        return;
    }
    const struct mw_point *all = largest_with(points, d->freq_max_hz, has_power), *one = NULL;
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].cores == 1 && has_power(&points->items[i]) &&
            points->items[i].freq_hz >= .99 * d->freq_max_hz)
            one = &points->items[i];
    if (!all || !one || all->cores < 2)
        return;
    d->power_per_core = (all->power_w / one->power_w - 1) / (all->cores - 1);
    if (d->power_per_core < POWER_SERIAL) {
        d->verdict = MW_VERDICT_SERIAL;
        d->flat_fact = MW_FLAT_POWER;
    }
}

enum mw_err mw_diagnoser_run(struct mw_diagnoser *diagnoser, struct mw_diagnosis *result,
                             const struct mw_points *points, struct mw_error *error)
{
    struct mw_diagnose_view view;
    enum mw_err err = infer(diagnoser, &view, points, error);
    if (err != MW_OK)
        return err;
    struct mw_diagnosis d = {
        .cores = view.cores,
        .freq_max_hz = view.freq_scale_hz,
        .freq_min_hz = view.freq_min_hz,
        .memory_open = view.one_frequency,
        .points_given = points->count,
        .points_used = view.count,
        .effective = diagnoser->posterior.effective,
        .residual = diagnoser->posterior.sigma,
        .speedups = view.ratio,
    };
    count_classes(&d, &diagnoser->posterior);
    rank_classes(&d);
    decide(&d);
    see_slowdown(&d, points);
    see_flat(&d, points);
    d.end_count = d.verdict == MW_VERDICT_FLAT ? 0 : d.memory_open ? 2 : 4; /* of a flat curve nobody knows */
    for (size_t i = 0; i < d.end_count; i++) {
        double x = i < 2 ? 1 : d.freq_min_hz / d.freq_max_hz;
        d.ends[i] = shares_at(&diagnoser->posterior, i % 2 ? d.cores : 1, x, d.cores, d.verdict == MW_VERDICT_SERIAL);
        d.ends[i].freq_hz = x * d.freq_max_hz;
    }
    *result = d;
    return MW_OK;
}

enum mw_err mw_diagnose(struct mw_diagnosis *diagnosis, const struct mw_points *points,
                        const struct mw_diagnose_options *options, struct mw_error *error)
{
    struct mw_diagnoser *diagnoser = NULL;
    enum mw_err err = mw_diagnoser_alloc(&diagnoser, options, error);
    if (err == MW_OK)
        err = mw_diagnoser_run(diagnoser, diagnosis, points, error);
    mw_diagnoser_free(diagnoser);
    return err;
}
