// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/main_wait.h"
#include "advise/diagnose/diagnose_internal.h"
#include "data/stats.h"

#include <math.h>
#include <string.h>

/* docs/diagnosis.md: the bars under which wrong and confident verdicts stay below .5 % of simulated programs. */
static const double CERTAIN = MW_CAUSE_CERTAIN, CERTAIN_FAMILY = .85, CERTAIN_STEP = .93;
static const double CERTAIN_IDLE = .97;            /* of idle cores, before one clock is enough for a serial verdict */
static const double EFFECTIVE_LEAST = 10;          /* a cause needs more than a handful of draws */
static const double DENIES = .35, OPEN_FROM = .65; /* what the measured corners may say against a pair */
static const double SUPERLINEAR_SIGMA = 3, SIGMA_LEAST = .017;
static const double LIMIT_RECEDES = .12; /* ln, beyond twice what laws leave */
static const double STEP_FLAG = .5;      /* a step more likely than not is named */
enum { COUNTS_LEAST = 3 };               /* two points of a curve have no shape */

/*
 * The main thread's wait corrects a time only where that thread is on the critical path; else the program still seems to wait on
 * the fewest cores already, where others had theirs.
 */
static const double CORRECTED_FROM = .8;

/*
 * Readings alone settle that more cores are slower where the time rises by more than any work that grows (15 % with each
 * factor e, the prior) and by five of its deviations.
 */
static const double WEAK_GROWTH = .15, GROWTH_NOISE = 1.05, SLOWER_DEVIATIONS = 5, READING_NOISE = .03;
static const double SLOWER_CERTAIN = .99;
static const double WAITING_OPEN = .1; /* from this chance of waiting on, times alone say nothing of memory */
static const double FLAT = 1.25;       /* speedup under which cores do nothing */

/*
 * Relative rise of power for each core more: .0064 is the least of all programs that scale on eight machines of
 * Loghin and Teo's set (48-core ARM server, power at the plug); a quarter of it is a core that does next to nothing.
 */
static const double POWER_SERIAL = .25 * .0064;

static double growth(double cores)
{
    return GROWTH_NOISE * (1 + WEAK_GROWTH * log(cores));
}

enum mw_verdict mw_verdict_of_cause(enum mw_cause cause)
{
    static const enum mw_verdict verdicts[MW_CAUSE_COUNT] = {
        [MW_CAUSE_SCALES_WELL] = MW_VERDICT_SCALES_WELL,
        [MW_CAUSE_MEMORY_LATENCY] = MW_VERDICT_MEMORY_LATENCY,
        [MW_CAUSE_MEMORY_BANDWIDTH] = MW_VERDICT_MEMORY_BANDWIDTH,
        [MW_CAUSE_SERIAL] = MW_VERDICT_SERIAL,
        [MW_CAUSE_WAITING] = MW_VERDICT_WAITING,
        [MW_CAUSE_GRANULARITY] = MW_VERDICT_GRANULARITY,
        [MW_CAUSE_LIMIT] = MW_VERDICT_LIMIT,
        [MW_CAUSE_ONE_THREAD] = MW_VERDICT_ONE_THREAD,
        [MW_CAUSE_BUSY_CLOCK] = MW_VERDICT_BUSY_CLOCK,
        [MW_CAUSE_CLOCK] = MW_VERDICT_CLOCK,
        [MW_CAUSE_STEP] = MW_VERDICT_STEP,
        [MW_CAUSE_CACHE] = MW_VERDICT_CACHE,
        [MW_CAUSE_OVERHEAD] = MW_VERDICT_UNDETERMINED,
        [MW_CAUSE_WEAK] = MW_VERDICT_WEAK_SCALING,
        [MW_CAUSE_SLOWS_DOWN] = MW_VERDICT_SLOWS_DOWN,
        [MW_CAUSE_IDLE] = MW_VERDICT_UNDETERMINED,
    };
    return verdicts[cause];
}

static void find_step(struct mw_diagnosis *d, const struct mw_posterior *posterior)
{
    enum { MOST = 4096 };
    double size[MOST], after[MOST];
    size_t steps = 0;
    for (size_t i = 0; i < posterior->count && steps < MOST; i++) {
        const struct mw_posterior_draw *draw = &posterior->draws[i];
        if (mw_mechanism_step(draw->law, draw->q, d->cores, &after[steps], &size[steps]))
            steps++;
    }
    d->step_chance = (1 - posterior->other) * (double)steps / (double)posterior->count;
    if (d->step_chance < STEP_FLAG)
        return;
    mw_sort(after, steps);
    d->step_after = (unsigned)after[steps / 2];
    d->step_size = mw_median(size, steps);
}

static void rank_causes(struct mw_diagnosis *d)
{
    d->likeliest = MW_CAUSE_SCALES_WELL;
    for (enum mw_cause c = 0; c < MW_CAUSE_COUNT; c++)
        d->likeliest = d->chance[c] > d->chance[d->likeliest] ? c : d->likeliest;
    d->second = d->likeliest ? MW_CAUSE_SCALES_WELL : MW_CAUSE_SERIAL;
    for (enum mw_cause c = 0; c < MW_CAUSE_COUNT; c++)
        if (c != d->likeliest && d->chance[c] > d->chance[d->second])
            d->second = c;
}

void mw_diagnose_count(struct mw_diagnosis *d, const struct mw_posterior *posterior, const struct mw_frame *frame)
{
    double each = (1 - posterior->other) / (double)posterior->count, limits[4096];
    size_t limited = 0;
    (void)frame;
    for (size_t i = 0; i < posterior->count; i++) {
        struct mw_class o = posterior->draws[i].outcome;
        /* a speedup above linear has to stand out of the noise: it rests on the run on one core */
        bool weak = posterior->sigma > SIGMA_LEAST && o.superlinear < 1 + SUPERLINEAR_SIGMA * posterior->sigma;
        if (weak && o.cause == MW_CAUSE_CACHE)
            o.cause = MW_CAUSE_SCALES_WELL;
        if (weak && o.family == MW_FAMILY_SUPERLINEAR)
            o.family = MW_FAMILY_SCALES;
        d->chance[o.cause] += each;
        d->family_chance[o.family] += each;
        d->pair_chance[o.pair] += each;
        d->fixed_chance += o.fixed ? each : 0;
        d->flat_chance += o.gain < FLAT && o.rise < growth(d->cores) ? each : 0;
        if (o.cause == MW_CAUSE_LIMIT && limited < sizeof limits / sizeof *limits)
            limits[limited++] = posterior->draws[i].q[MW_MECHANISM_COMMON];
    }
    d->limit_cores = limited ? mw_median(limits, limited) : 0;
    d->other = posterior->other;
    find_step(d, posterior);
    rank_causes(d);
}

/* Of the points at P and at one core: that with the highest and that with the lowest clock. */
static bool corners(const struct mw_view *view, double cores, const struct mw_posterior_point **high,
                    const struct mw_posterior_point **low)
{
    *high = *low = NULL;
    for (size_t i = 0; i < view->count; i++) {
        const struct mw_posterior_point *p = &view->points[i];
        if (p->cores < cores || p->cores > cores)
            continue;
        *high = !*high || p->clock > (*high)->clock ? p : *high;
        *low = !*low || p->clock < (*low)->clock ? p : *low;
    }
    return *high && (*low)->clock < .95 * (*high)->clock;
}

/* z of mw_clock_part as measured at P; NaN where the points don't show it. */
static struct mw_clock_parts seen_parts(const struct mw_view *view)
{
    struct mw_clock_parts z = {(double)NAN, (double)NAN};
    const struct mw_posterior_point *high, *low, *one_high, *one_low;
    double p = view->cores;
    if (!view->has_cpu || !corners(view, p, &high, &low))
        return z;
    double x = low->clock / high->clock;
    z.idle = mw_clock_part(p * exp(high->ln_time) - exp(high->ln_cpu), p * exp(low->ln_time) - exp(low->ln_cpu), x);
    if (corners(view, 1, &one_high, &one_low))
        z.busy = mw_clock_part(exp(high->ln_cpu) - exp(one_high->ln_cpu), exp(low->ln_cpu) - exp(one_low->ln_cpu), x);
    return z;
}

/* The family that the points themselves show, less so many seconds; MW_FAMILY_COUNT where there is no CPU time. */
static enum mw_family shown_less(const struct mw_observation *seen, double taken_s)
{
    if (!seen->present || !seen->has_cpu)
        return MW_FAMILY_COUNT;
    double ratio = (double)seen->cores / seen->base;
    double c1 = seen->busy_cores_base * seen->time_base_s, cp = seen->busy_cores * seen->time_s;
    return mw_family_of(seen->time_base_s, c1, seen->time_s - taken_s, cp, ratio);
}

static enum mw_family shown(const struct mw_observation *seen)
{
    return shown_less(seen, 0);
}

static bool is_place(const struct mw_view *view, unsigned after)
{
    for (size_t i = 0; i < view->place_count; i++)
        if (view->places[i] == after)
            return true;
    return false;
}

/* A limit goes on to all cores: where a smaller count had more of them at work, something grows with the cores. */
static bool recedes(const struct mw_diagnosis *d)
{
    const struct mw_observation *seen = &d->seen;
    double at_work = seen->has_cpu ? seen->busy_cores : seen->speedup * seen->base;
    return seen->present && seen->busiest > at_work * exp(LIMIT_RECEDES + 2 * d->residual);
}

static bool hidden(enum mw_cause cause, const struct mw_diagnosis *d, const struct mw_view *view, const double *family)
{
    switch (cause) {
    case MW_CAUSE_IDLE:
    case MW_CAUSE_OVERHEAD:
        return true;
    case MW_CAUSE_MEMORY_LATENCY:
    case MW_CAUSE_MEMORY_BANDWIDTH:
    case MW_CAUSE_CLOCK:
    case MW_CAUSE_BUSY_CLOCK:
        return view->one_clock;
    case MW_CAUSE_SERIAL:
        return view->one_clock && (!view->has_cpu || family[MW_FAMILY_IDLE] < CERTAIN_IDLE);
    case MW_CAUSE_LIMIT:
        return recedes(d);
    case MW_CAUSE_STEP:
        return d->chance[MW_CAUSE_STEP] < CERTAIN_STEP || !is_place(view, d->step_after);
    case MW_CAUSE_WEAK:
    case MW_CAUSE_ONE_THREAD:
        return !view->has_cpu; /* a flat curve either way */
    default:
        return false;
    }
}

static void say(struct mw_diagnosis *d, enum mw_verdict verdict, double confidence)
{
    d->verdict = verdict;
    d->confidence = fmin(confidence, 1);
}

static bool decide_cause(struct mw_diagnosis *d, const struct mw_view *view, const double *family)
{
    double leaf[MW_CAUSE_COUNT];
    enum mw_cause best = MW_CAUSE_SCALES_WELL;
    memcpy(leaf, d->chance, sizeof leaf);
    if (view->one_clock) /* said as: scales; memory is not excluded */
        leaf[MW_CAUSE_SCALES_WELL] += leaf[MW_CAUSE_MEMORY_LATENCY];
    double memory = leaf[MW_CAUSE_MEMORY_LATENCY] + leaf[MW_CAUSE_MEMORY_BANDWIDTH];
    if (!view->has_cpu && leaf[MW_CAUSE_WAITING] < WAITING_OPEN) /* said as: memory, or waiting */
        memory = d->fixed_chance;
    for (enum mw_cause c = 0; c < MW_CAUSE_COUNT; c++)
        if (!hidden(c, d, view, family) && leaf[c] > leaf[best])
            best = c;
    if (leaf[best] >= CERTAIN)
        say(d, mw_verdict_of_cause(best), leaf[best]);
    else if (!view->one_clock && memory >= CERTAIN)
        say(d, MW_VERDICT_MEMORY, memory);
    else if (!view->has_cpu && d->flat_chance >= CERTAIN)
        say(d, MW_VERDICT_FLAT, d->flat_chance);
    else if (d->step_chance >= CERTAIN_STEP && is_place(view, d->step_after))
        say(d, MW_VERDICT_STEP, d->step_chance);
    return d->verdict != MW_VERDICT_UNDETERMINED;
}

static void decide_pair(struct mw_diagnosis *d, const struct mw_view *view)
{
    static const enum mw_verdict verdicts[MW_PAIR_NONE] = {MW_VERDICT_IDLE_CLOCK, MW_VERDICT_IDLE_FIXED,
                                                           MW_VERDICT_BUSY_CLOCK, MW_VERDICT_BUSY_FIXED};
    struct mw_clock_parts z = seen_parts(view);
    enum mw_pair best = 0;
    for (enum mw_pair p = 0; p < MW_PAIR_NONE; p++)
        best = d->pair_chance[p] > d->pair_chance[best] ? p : best;
    bool idle = best == MW_PAIR_IDLE_CLOCK || best == MW_PAIR_IDLE_FIXED;
    bool by_clock = best == MW_PAIR_IDLE_CLOCK || best == MW_PAIR_BUSY_CLOCK;
    double seen = idle ? z.idle : z.busy;
    if (d->pair_chance[best] < CERTAIN_FAMILY || (by_clock ? seen < DENIES : seen > OPEN_FROM))
        return;
    d->pair = best;
    if (d->verdict == MW_VERDICT_UNDETERMINED)
        say(d, verdicts[best], d->pair_chance[best]);
}

static void decide_family(struct mw_diagnosis *d, const struct mw_view *view, const double *family)
{
    static const enum mw_verdict verdicts[MW_FAMILY_COUNT] = {MW_VERDICT_SCALES_WELL, MW_VERDICT_IDLE, MW_VERDICT_BUSY,
                                                              MW_VERDICT_BOTH, MW_VERDICT_CACHE};
    enum mw_family best = 0;
    for (enum mw_family f = 0; f < MW_FAMILY_COUNT; f++)
        best = family[f] > family[best] ? f : best;
    bool by_time = best == MW_FAMILY_SCALES || best == MW_FAMILY_SUPERLINEAR; /* efficiency needs no CPU time */
    if (family[best] < CERTAIN_FAMILY || !(by_time || view->has_cpu))
        return;
    d->family = best;
    if (d->verdict == MW_VERDICT_UNDETERMINED && (best != MW_FAMILY_SCALES || d->likeliest == MW_CAUSE_SCALES_WELL ||
                                                  view->one_clock || view->core_counts < COUNTS_LEAST))
        say(d, verdicts[best], family[best]);
}

static bool may_slow(enum mw_verdict verdict)
{
    return verdict >= MW_VERDICT_MEMORY || verdict == MW_VERDICT_WEAK_SCALING || verdict == MW_VERDICT_ONE_THREAD;
}

/* Times that grow with the cores beyond all weak scaling are a slowdown, whichever law bends best. */
static void see_slowdown(struct mw_diagnosis *d, const struct mw_view *view)
{
    const struct mw_posterior_point *last = NULL, *best = NULL;
    for (size_t i = 0; i < view->count; i++) {
        const struct mw_posterior_point *p = &view->points[i];
        if (p->clock < .95)
            continue;
        last = !last || p->cores > last->cores ? p : last;
        best = !best || p->ln_time < best->ln_time ? p : best;
    }
    if (!last || best->cores >= last->cores || view->core_counts < COUNTS_LEAST || !may_slow(d->verdict))
        return;
    double scale =
        fmin(fmax(READING_NOISE, d->residual), 2 * READING_NOISE); /* the least of many noisy readings lies low */
    double rise = last->ln_time - best->ln_time, noise = sqrt(2 * fmax(last->noise, best->noise)) * scale;
    if (rise > log(growth(last->cores / best->cores)) && rise > SLOWER_DEVIATIONS * noise)
        say(d, MW_VERDICT_SLOWS_DOWN, SLOWER_CERTAIN);
}

static bool has_power(const struct mw_point *point, double freq_hz)
{
    return point->has_power && point->power_w > 0 && point->freq_hz >= .99 * freq_hz;
}

/* Times alone never tell a serial program from work that grows; power does where the others hardly draw any. */
static void see_power(struct mw_diagnosis *d, const struct mw_points *points)
{
    const struct mw_point *all = NULL, *one = NULL;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        if (!has_power(p, d->freq_max_hz))
            continue;
        all = !all || p->cores > all->cores ? p : all;
        one = p->cores == 1 ? p : one;
    }
    if (d->verdict != MW_VERDICT_FLAT || !all || !one || all->cores < 2)
        return;
    d->power_per_core = (all->power_w / one->power_w - 1) / (all->cores - 1);
    if (d->power_per_core < POWER_SERIAL) {
        d->verdict = MW_VERDICT_SERIAL;
        d->flat_fact = MW_FLAT_POWER;
    }
}

/* A quota of one core looks like one thread. */
static void see_quota(struct mw_diagnosis *d)
{
    static const double STOPPED = .03;
    bool limited = d->cpu_limit > 0 && d->cpu_limit < FLAT && d->cores > d->cpu_limit;
    if (d->verdict == MW_VERDICT_ONE_THREAD && (limited || d->seen.throttled > STOPPED)) {
        d->verdict = MW_VERDICT_LIMIT;
        d->limit_cores = d->seen.busy_cores;
    }
}

/*
 * Whether others' load is in the times that the verdict would rest on: too much of it, or as much as the family hangs on, since a
 * core that others had is neither without work nor busy with less.
 */
static bool is_disturbed(const struct mw_diagnosis *d)
{
    const struct mw_observation *seen = &d->seen;
    bool waits = seen->has_cpu && seen->busy_cores_base < CORRECTED_FROM * seen->base;
    if (seen->wait_left_s > 0 && shown_less(seen, seen->wait_left_s) != shown(seen))
        return true;
    return seen->others_blind >= MW_OTHERS_MOST || (seen->others >= MW_OTHERS_MOST && waits);
}

bool mw_diagnose_may_name(const struct mw_diagnosis *d, const struct mw_view *view)
{
    return view->core_counts >= COUNTS_LEAST && d->effective >= EFFECTIVE_LEAST;
}

void mw_diagnose_decide(struct mw_diagnosis *d, const struct mw_view *view, const struct mw_points *points)
{
    double family[MW_FAMILY_COUNT];
    memcpy(family, d->family_chance, sizeof family);
    if (shown(&d->seen) < MW_FAMILY_COUNT)
        family[shown(&d->seen)] += d->other; /* no law describes it; what it shows stands */
    d->verdict = MW_VERDICT_UNDETERMINED;
    d->family = MW_FAMILY_COUNT;
    d->pair = MW_PAIR_NONE;
    d->disturbed = is_disturbed(d);
    if (d->disturbed)
        return;
    if (mw_diagnose_may_name(d, view))
        decide_cause(d, view, family);
    if (mw_diagnose_may_name(d, view) && view->has_cpu && !view->one_clock)
        decide_pair(d, view);
    decide_family(d, view, family);
    see_slowdown(d, view);
    see_power(d, points);
    see_quota(d);
    d->step_flag = d->verdict != MW_VERDICT_STEP && d->step_chance >= STEP_FLAG && is_place(view, d->step_after);
}
