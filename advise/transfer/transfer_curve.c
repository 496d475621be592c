// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/transfer/transfer.h"
#include "advise/transfer/transfer_points.h"
#include "data/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every width below is that of 56 ordered pairs of eight machines, ten programs (docs/buying.md); 90 % half-widths of ln. */
static const double CURVE_FLOOR = .03; /* sd of ln S that is there at any p */
/* Variance of the slope of ln(S_B / S_A carried over) in ln p: constant, memory-bound, by the loss of A at 4 cores. */
static const double SLOPE_LADDER[3] = {.016, .0155, .040}, WIDEN_LADDER = 1.9;
static const double SLOPE_PLAIN[3] = {.033, .007, .034}, WIDEN_PLAIN = 1.76;
/* ln T_B(1) by score or clock, between x86 machines and otherwise; the measured one. */
static const double SCORE_X86 = .76, CLOCK_X86 = .83, SCORE_ANY = 1.2, CLOCK_ANY = 1.9, MEASURED_ONE = .02;
static const double SMT_WIDTH = .1;   /* A's gain by hyper-threads: rms 9 % between two machines */
static const double FLOOR_SHARE = .5; /* V / STREAM is good to a factor of two */
static const double DRIFT = .2, FIT_WIDEN = 1.1, FIT_LEAST = .05; /* beyond B's largest measured p */
/* From one parallel point the curve is wrong on a few cores, where slopes differ most (make bench-buying: 72 % without). */
static const double ANCHOR_WIDEN = 1.5;
/* Up to six core counts the curve through them is no worse (48 cores, {1,2,4,8}: 5.6 % against 8.6); more smooth noise. */
enum { FIT_COUNTS = 7 };
static const double ALARM = .26;          /* ln S_B(2): 11 % of pairs are past it, their curves 63 % off */
static const double MEMORY_MATTERS = 1.2; /* both answers a fifth apart: ask */

double mw_transfer_half_width(double cores, double memory, double loss, bool ladders)
{
    const double *slope = ladders ? SLOPE_LADDER : SLOPE_PLAIN;
    double variance = slope[0] + slope[1] * memory + slope[2] * loss * loss, x = log(cores);
    return (ladders ? WIDEN_LADDER : WIDEN_PLAIN) * sqrt(variance * x * x + CURVE_FLOOR * CURVE_FLOOR);
}

/* What the recipe's steps share for one pair of machines. */
struct pair {
    const struct mw_transfer_source *a;
    const struct mw_transfer_target *target;
    const struct mw_profile *b;
    double shift_memory; /* kappa where memory binds */
    bool ladders;
    double anchor_cores; /* a point measured on B that the curve goes through; 0: none */
    double anchor_time_s;
    double one_s, one_half; /* T_B(1), half-width of its ln; one_s 0: unknown */
    enum mw_transfer_time_by time_by;
    double floor_s; /* 0: none */
};

/* A table of one entry says nothing about turbo steps or throttling. */
static bool has_ladder(const struct mw_profile *machine)
{
    return machine && machine->clock_count > 1;
}

static double ladder(const struct mw_profile *machine, double cores)
{
    return has_ladder(machine) ? mw_profile_clock_at(machine, cores) / mw_profile_clock_at(machine, 1) : 1;
}

static double known_cores(const struct mw_transfer_source *a)
{
    return a->machine && a->machine->cores ? a->machine->cores : a->cores;
}

/* kappa = rho^exponent, rho the geometric mean of what is known: how many cores saturate the memory, and the cores. */
static double shift_of(const struct mw_transfer_source *a, const struct mw_profile *b)
{
    double ratio = 0;
    int known = 0;
    const struct mw_profile *m = a->machine;
    if (m && m->stream_bps > 0 && m->stream_1_bps > 0 && b->stream_bps > 0 && b->stream_1_bps > 0) {
        ratio += log(b->stream_bps / b->stream_1_bps * m->stream_1_bps / m->stream_bps);
        known++;
    }
    if (b->cores > 0 && known_cores(a) > 0) {
        ratio += log(b->cores / known_cores(a));
        known++;
    }
    return known ? exp(a->exponent * ratio / known) : 1;
}

/*
 * S_B(p) by A's curve; memory 0 or 1. A's clock steps are taken out only where B's are put in: removed from A alone they
 * make it worse (28 to 32 %), as B has steps too.
 */
static double carried(const struct pair *pair, double cores, double memory)
{
    double at = fmax(cores / pow(pair->shift_memory, memory), 1), efficiency = mw_transfer_efficiency(pair->a, at);
    if (pair->ladders)
        efficiency /= ladder(pair->a->machine, at);
    return cores * ladder(pair->b, cores) * efficiency;
}

static bool is_x86(const char *isa)
{
    return isa && (strncmp(isa, "x86", 3) == 0 || strcmp(isa, "amd64") == 0 || strcmp(isa, "i686") == 0);
}

static double single_clock(const struct mw_profile *machine, double otherwise)
{
    if (!machine)
        return otherwise;
    if (machine->clock_count > 0)
        return mw_profile_clock_at(machine, 1);
    return machine->freq_count > 0 ? machine->freqs_hz[machine->freq_count - 1] : otherwise;
}

/* T_B(1): by the same score on both, else by the clocks. */
static void time_one(struct pair *pair)
{
    const struct mw_transfer_source *a = pair->a;
    const struct mw_profile *m = a->machine, *b = pair->b;
    if (!a->has_time)
        return;
    bool x86 = m && is_x86(m->isa) && is_x86(b->isa);
    bool score = m && m->score > 0 && b->score > 0 && m->score_name && b->score_name &&
                 strcmp(m->score_name, b->score_name) == 0;
    double clock_a = single_clock(m, a->freq_hz), clock_b = single_clock(b, 0), ratio, half;
    if (score) {
        ratio = m->score / b->score;
        half = x86 ? SCORE_X86 : SCORE_ANY;
    } else if (clock_a > 0 && clock_b > 0) {
        ratio = clock_a / clock_b;
        half = x86 ? CLOCK_X86 : CLOCK_ANY;
    } else {
        return;
    }
    pair->time_by = score ? MW_TRANSFER_TIME_BY_SCORE : MW_TRANSFER_TIME_BY_CLOCK;
    pair->one_s = a->time_one_s * ratio;
    pair->one_half = hypot(half, MW_NORMAL_90 * a->ln_noise);
}

/* The run on B at its highest frequency with the most cores, and the value at `cores` (0: not measured). */
static const struct mw_point *largest_run(const struct mw_points *runs)
{
    const struct mw_point *best = NULL;
    for (size_t i = 0; runs && i < runs->count; i++) {
        const struct mw_point *point = &runs->items[i];
        if (point->value > 0 &&
            (!best || point->cores > best->cores || (point->cores == best->cores && point->freq_hz > best->freq_hz)))
            best = point;
    }
    return best;
}

static double run_at(const struct mw_points *runs, unsigned cores, double freq_hz)
{
    for (size_t i = 0; runs && i < runs->count; i++)
        if (runs->items[i].cores == cores && runs->items[i].value > 0 && runs->items[i].freq_hz >= .99 * freq_hz)
            return runs->items[i].value;
    return 0;
}

/* B's runs at the frequency of the largest one; hyper-threads only where they are asked for or alone. */
static struct mw_transfer_points own_points(const struct pair *pair, double cores)
{
    const struct mw_point *largest = largest_run(pair->target->runs);
    struct mw_transfer_points points = {pair->target->runs, largest ? largest->freq_hz : 0, pair->b->cores};
    if (cores > pair->b->cores || mw_transfer_points_count(&points) < 2)
        points.most_cores = 0;
    return points;
}

static double mid_memory(const struct mw_transfer_source *a)
{
    return a->memory == MW_TRANSFER_MEMORY_YES ? 1 : 0;
}

/* "A and B seem not to run the same work": S_B(2) far from what A says. */
static void alarm_check(struct mw_transfer_alarm *alarm, const struct pair *pair)
{
    const struct mw_point *largest = largest_run(pair->target->runs);
    double freq = largest ? largest->freq_hz : 0;
    double one = run_at(pair->target->runs, 1, freq), two = run_at(pair->target->runs, 2, freq);
    if (one <= 0 || two <= 0)
        return;
    alarm->ln_measured = pair->target->runs->quantity == MW_SPEEDUP ? log(two / one) : log(one / two);
    alarm->ln_predicted = log(carried(pair, 2, mid_memory(pair->a)));
    if (pair->a->memory == MW_TRANSFER_MEMORY_UNKNOWN) {
        double other = log(carried(pair, 2, 1));
        if (fabs(other - alarm->ln_measured) < fabs(alarm->ln_predicted - alarm->ln_measured))
            alarm->ln_predicted = other;
    }
    alarm->raised = fabs(alarm->ln_measured - alarm->ln_predicted) > ALARM;
}

static enum mw_transfer_basis basis_of(struct pair *pair)
{
    const struct mw_points *runs = pair->target->runs;
    const struct mw_point *largest = largest_run(runs);
    if (!largest)
        return MW_TRANSFER_FROM_A;
    if (largest->cores == 1) {
        if (runs->quantity != MW_TIME)
            return MW_TRANSFER_FROM_A;
        pair->time_by = MW_TRANSFER_TIME_MEASURED;
        pair->one_s = largest->value;
        pair->one_half =
            hypot(MEASURED_ONE, largest->count > 1 ? MW_NORMAL_90 * largest->spread / sqrt((double)largest->count) : 0);
        return MW_TRANSFER_FROM_A;
    }
    pair->anchor_cores = largest->cores;
    pair->anchor_time_s = runs->quantity == MW_TIME ? largest->value : 0;
    if (pair->anchor_time_s > 0)
        pair->time_by = MW_TRANSFER_TIME_MEASURED;
    struct mw_transfer_points points = own_points(pair, 1);
    return mw_transfer_points_count(&points) < 2 ? MW_TRANSFER_FROM_A_AND_ONE : MW_TRANSFER_FROM_B;
}

/* ln T_B(p) relative and its half-width by A's curve with one answer about memory. */
static void by_curve(const struct pair *pair, double cores, double memory, struct mw_transfer_estimate *e)
{
    double speedup = carried(pair, cores, memory), from = pair->anchor_cores > 0 ? pair->anchor_cores : 1;
    double half = mw_transfer_half_width(cores, memory, pair->a->loss, pair->ladders);
    e->speedup = speedup;
    e->speedup_low = speedup * exp(-half);
    e->speedup_high = speedup * exp(half);
    double base = pair->anchor_cores > 0 ? pair->anchor_time_s : pair->one_s;
    if (base <= 0)
        return;
    double reach = mw_transfer_half_width(fmax(cores / from, from / cores), memory, pair->a->loss, pair->ladders);
    double width = pair->anchor_cores > 0 ? hypot(ANCHOR_WIDEN * reach, MEASURED_ONE) : hypot(half, pair->one_half);
    e->has_time = true;
    e->time_s = base * carried(pair, from, memory) / speedup;
    if (pair->floor_s > e->time_s) {
        e->time_s = pair->floor_s;
        e->raised = true;
    }
    e->time_low_s = e->time_s * exp(-width);
    e->time_high_s = e->time_s * exp(width);
}

/* A's curve with both answers about memory where the diagnosis is open: the middle, and the union of the intervals. */
static void from_a(const struct pair *pair, double cores, struct mw_transfer_estimate *e)
{
    struct mw_transfer_estimate no = {0}, yes = {0};
    by_curve(pair, cores, 0, &no);
    by_curve(pair, cores, 1, &yes);
    *e = pair->a->memory == MW_TRANSFER_MEMORY_YES ? yes : no;
    if (pair->a->memory == MW_TRANSFER_MEMORY_UNKNOWN) {
        e->speedup = sqrt(no.speedup * yes.speedup);
        e->speedup_low = fmin(no.speedup_low, yes.speedup_low);
        e->speedup_high = fmax(no.speedup_high, yes.speedup_high);
        e->time_s = sqrt(no.time_s * yes.time_s);
        e->time_low_s = fmin(no.time_low_s, yes.time_low_s);
        e->time_high_s = fmax(no.time_high_s, yes.time_high_s);
    }
    e->serial_first = no.speedup;
    e->memory_first = yes.speedup;
}

static double half_of(double low, double high)
{
    return .5 * log(high / low);
}

static void set_estimate(struct mw_transfer_estimate *e, const struct pair *pair, double cores, double value,
                         double half, double speedup, double speedup_half)
{
    const struct mw_points *runs = pair->target->runs;
    *e = (struct mw_transfer_estimate){
        .speedup = speedup, .serial_first = carried(pair, cores, 0), .memory_first = carried(pair, cores, 1)};
    e->speedup_low = speedup * exp(-speedup_half);
    e->speedup_high = speedup * exp(speedup_half);
    if (runs->quantity != MW_TIME)
        return;
    e->has_time = true;
    e->time_s = value;
    e->time_low_s = value * exp(-half);
    e->time_high_s = value * exp(half);
}

/* Through B's own points. */
static enum mw_err by_points(const struct pair *pair, const struct mw_transfer_points *points, double cores,
                             struct mw_transfer_estimate *e, struct mw_error *error)
{
    double time, half, one, one_half;
    if (!mw_transfer_points_at(points, cores, &time, &half) || !mw_transfer_points_at(points, 1, &one, &one_half))
        return mw_fail(error, MW_NOFIT, "fewer than two core counts were measured on the target");
    if (points->runs->quantity == MW_SPEEDUP || run_at(points->runs, 1, points->freq_hz) > 0)
        one_half = 0;
    set_estimate(e, pair, cores, time, half, points->runs->quantity == MW_SPEEDUP ? 1 / time : one / time,
                 hypot(half, one_half));
    return MW_OK;
}

/* The default method on B's own points, widened beyond the largest. */
static enum mw_err by_fit(const struct pair *pair, double freq_hz, double cores, struct mw_transfer_estimate *e,
                          struct mw_error *error)
{
    struct mw_config query = {cores, freq_hz};
    struct mw_prediction fit;
    enum mw_err err = mw_predict(pair->target->runs_model, &query, 1, &fit, error);
    if (err != MW_OK)
        return err;
    double drift = DRIFT * fmax(log(cores / pair->anchor_cores), 0);
    double half = sqrt(pow(FIT_WIDEN * half_of(fit.low, fit.high), 2) + FIT_LEAST * FIT_LEAST + drift * drift);
    bool times = pair->target->runs->quantity == MW_TIME;
    double measured = run_at(pair->target->runs, (unsigned)(cores + .5), freq_hz);
    set_estimate(e, pair, cores, measured > 0 ? measured : fit.value, half, times ? fit.speedup : fit.value,
                 fmax(half_of(fit.speedup_low, fit.speedup_high), half));
    return MW_OK;
}

/* Up to six core counts: through the points; more: the fit, down to the smallest. */
static enum mw_err from_b(const struct pair *pair, double cores, struct mw_transfer_estimate *e, struct mw_error *error)
{
    struct mw_transfer_points points = own_points(pair, cores);
    bool fit = pair->target->runs_model && mw_transfer_points_count(&points) >= FIT_COUNTS;
    if (fit && cores >= mw_transfer_points_least(&points))
        return by_fit(pair, points.freq_hz, cores, e, error);
    return by_points(pair, &points, cores, e, error);
}

/* Hyper-threads: A's gain at all threads, in proportion to how many of them are used. */
static double smt_factor(const struct pair *pair, double cores)
{
    double physical = pair->b->cores, threads = physical * (pair->b->smt > 1 ? pair->b->smt : 1);
    if (physical <= 0 || cores <= physical)
        return 1;
    return pow(pair->a->smt_gain, log(cores / physical) / log(threads / physical));
}

static void widen_for_threads(struct mw_transfer_estimate *e, double factor)
{
    e->hyper_threads = true;
    e->speedup *= factor;
    e->speedup_low *= factor * exp(-SMT_WIDTH);
    e->speedup_high *= factor * exp(SMT_WIDTH);
    e->time_s /= factor;
    e->time_low_s *= exp(-SMT_WIDTH) / factor;
    e->time_high_s *= exp(SMT_WIDTH) / factor;
}

static enum mw_err check_cores(const struct pair *pair, double cores, double measured, struct mw_error *error)
{
    const struct mw_profile *b = pair->b;
    if (b->cores == 0 || cores <= b->cores || cores <= measured)
        return MW_OK;
    unsigned threads = b->cores * (b->smt > 1 ? b->smt : 1);
    if (cores > threads) {
        mw_fail(error, MW_USAGE, "'%s' has %u hardware threads, not %.0f", b->name ? b->name : "the target", threads,
                cores);
        return mw_hint(error, "ask for at most %u", threads);
    }
    if (pair->a->smt_gain <= 0) {
        mw_fail(error, MW_USAGE, "'%s' has %u cores; what its further hardware threads gain is not known",
                b->name ? b->name : "the target", b->cores);
        return mw_hint(error,
                       "measure all cores and all hardware threads here and name this machine's cores with "
                       "--machine, or ask for at most %u",
                       b->cores);
    }
    return MW_OK;
}

static unsigned boundary_below(const struct mw_profile *b, double cores)
{
    unsigned found = 0;
    for (size_t i = 0; i < b->boundary_count; i++)
        if (b->boundaries[i] < cores && b->boundaries[i] > found)
            found = b->boundaries[i];
    return found;
}

static enum mw_err estimate(const struct pair *pair, enum mw_transfer_basis basis, double cores,
                            struct mw_transfer_estimate *e, struct mw_error *error)
{
    double measured = basis == MW_TRANSFER_FROM_B ? pair->anchor_cores : 0;
    enum mw_err err = check_cores(pair, cores, measured, error);
    if (err != MW_OK)
        return err;
    double threads = basis == MW_TRANSFER_FROM_B && cores <= measured ? 1 : smt_factor(pair, cores);
    double asked = threads != 1 ? pair->b->cores : cores;
    if (basis == MW_TRANSFER_FROM_B)
        err = from_b(pair, asked, e, error);
    else
        from_a(pair, asked, e);
    if (err != MW_OK)
        return err;
    if (threads != 1)
        widen_for_threads(e, threads);
    e->cores = cores;
    e->beyond = cores > pair->a->cores;
    e->boundary = boundary_below(pair->b, cores);
    e->ln_time_sd = e->has_time ? half_of(e->time_low_s, e->time_high_s) / MW_NORMAL_90 : 0;
    return MW_OK;
}

/* A saturated program moves V bytes whatever the machine: T >= V / STREAM_B, to a factor of two. */
static double bandwidth_floor(const struct mw_transfer_source *a, const struct mw_profile *b)
{
    double last = 0;
    for (size_t i = 0; i < a->count; i++)
        last = a->time_s[i] > 0 ? a->time_s[i] : last;
    if (a->memory != MW_TRANSFER_MEMORY_YES || !a->saturated || !a->machine || a->machine->stream_bps <= 0 ||
        b->stream_bps <= 0)
        return 0;
    return FLOOR_SHARE * last * a->machine->stream_bps / b->stream_bps;
}

enum mw_err mw_transfer_predict(struct mw_transfer_result *result, const struct mw_transfer_source *source,
                                const struct mw_transfer_target *target, const double *cores, size_t count,
                                struct mw_error *error)
{
    const struct mw_profile *b = target->profile;
    struct pair pair = {.a = source, .target = target, .b = b, .shift_memory = shift_of(source, b)};
    pair.ladders = has_ladder(source->machine) && has_ladder(b);
    pair.floor_s = bandwidth_floor(source, b);
    time_one(&pair);
    struct mw_transfer_result r = {
        .basis = basis_of(&pair), .shift = pair.shift_memory, .ladders = pair.ladders, .count = count};
    r.time_by = pair.time_by;
    r.too_large = source->footprint_bytes > 0 && b->memory_bytes > 0 && source->footprint_bytes > b->memory_bytes;
    r.rent[0] = b->cores ? b->cores : source->cores;
    r.rent[1] = r.rent[0] > 1 ? (r.rent[0] + 1) / 2 : 1;
    alarm_check(&r.alarm, &pair);
    r.estimates = calloc(count, sizeof *r.estimates);
    if (!r.estimates)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu core counts", count);
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < count && err == MW_OK; i++) {
        struct mw_transfer_estimate *e = &r.estimates[i];
        err = estimate(&pair, r.basis, cores[i], e, error);
        double apart = err == MW_OK ? fabs(log(e->serial_first / e->memory_first)) : 0;
        if (source->memory == MW_TRANSFER_MEMORY_UNKNOWN && r.basis != MW_TRANSFER_FROM_B &&
            apart > log(MEMORY_MATTERS))
            r.memory_matters = true;
    }
    if (err != MW_OK) {
        mw_transfer_result_release(&r);
        return err;
    }
    *result = r;
    return MW_OK;
}

void mw_transfer_result_release(struct mw_transfer_result *result)
{
    free(result->estimates);
    *result = (struct mw_transfer_result){0};
}
