// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/diagnose_internal.h"
#include "data/stats.h"
#include "data/units.h"

#include <math.h>

/* Only one core ever worked: CPU time within 5 % of time at every count, time within 10 %. */
static const double ONE_CORE = .05, ONE_TIME = .10;

static bool usable(const struct mw_point *point, double freq_hz)
{
    return point->cores >= 1 && point->value > 0 && mw_freq_same(point->freq_hz, freq_hz);
}

static double share(const struct mw_point *p, enum mw_usage_item item, double of)
{
    return p->usage.has[item] && of > 0 ? p->usage.of[item] / of : 0;
}

/* What other programs, the hypervisor, a quota and the main thread's waiting took, the most of any point. */
static void see_losses(struct mw_observation *seen, const struct mw_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        double taken = points->main_wait_taken ? mw_usage_wait(&p->usage) : 0;
        double whole = p->cores * (p->value + taken);
        double others = share(p, MW_USAGE_OTHER_CPU, whole);
        seen->others = fmax(seen->others, others);
        if (!points->main_wait_taken || !(p->usage.has[MW_USAGE_MAIN_WAIT] || p->usage.has[MW_USAGE_THREAD_WAIT]))
            seen->others_blind = fmax(seen->others_blind, others);
        seen->steal = fmax(seen->steal, share(p, MW_USAGE_STEAL, whole));
        seen->throttled = fmax(seen->throttled, share(p, MW_USAGE_THROTTLED, p->value));
        seen->taken = fmax(seen->taken, taken / (taken + p->value));
        seen->disturbed += p->usage.of[MW_USAGE_DISTURBED] > 0;
        seen->points++;
    }
}

/*
 * What others' load may still be in the time with all cores, the waits taken off. A fiftieth of them: phases wait for now this, now
 * that thread. And where not every thread's wait is known: others on some of the cores alone hold up the threads there, and a main
 * thread elsewhere sleeps until those are done. Where its own wait is nearly the others' share, all were held up alike.
 */
static double wait_left_s(const struct mw_points *points, const struct mw_point *all)
{
    static const double PHASES =
        .02; /* both: no program of mechanisms.c beside 1, 3 and 8 others was named wrong with them */
    static const double ALIKE = .8;
    double taken = points->main_wait_taken ? mw_usage_wait(&all->usage) : 0, time_s = all->value + taken;
    double others_s = all->usage.of[MW_USAGE_OTHER_CPU] + all->usage.of[MW_USAGE_STEAL];
    double idle_s = fmax(all->value - all->cpu_time_s / all->cores, 0), left_s = PHASES * taken;
    bool told = all->usage.has[MW_USAGE_THREAD_WAIT] || all->usage.of[MW_USAGE_THREADS] == 1;
    if (!(points->main_wait_taken && told) && taken / time_s < ALIKE * others_s / (all->cores * time_s))
        left_s += others_s / all->cores - taken;
    return fmin(left_s, idle_s);
}

static bool only_one_core(const struct mw_points *points, double freq_hz)
{
    double shortest = HUGE_VAL, longest = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        if (!usable(p, freq_hz))
            continue;
        if (fabs(p->cpu_time_s / p->value - 1) > ONE_CORE)
            return false;
        shortest = fmin(shortest, p->value);
        longest = fmax(longest, p->value);
    }
    return longest <= (1 + ONE_TIME) * shortest;
}

static void see_usage(struct mw_observation *seen, const struct mw_point *base, const struct mw_point *all)
{
    const struct mw_usage *usage = &all->usage;
    seen->switches = usage->has[MW_USAGE_SWITCHES] ? usage->of[MW_USAGE_SWITCHES] / (all->cores * all->value) : -1;
    seen->threads = usage->of[MW_USAGE_THREADS];
    seen->faults_base = base->usage.of[MW_USAGE_FAULTS];
    seen->faults = usage->of[MW_USAGE_FAULTS];
    seen->system = usage->has[MW_USAGE_SYS] && all->cpu_time_s > 0 ? usage->of[MW_USAGE_SYS] / all->cpu_time_s : -1;
    if (base->has_freq_effective && all->has_freq_effective) {
        seen->clock_base_hz = base->freq_effective_hz;
        seen->clock_hz = all->freq_effective_hz;
    }
}

/* Standard error of ln of a median of normal readings: sqrt(pi/2) of the mean's; 0 of one reading, where nothing is known. */
static double median_error(const struct mw_point *p)
{
    return p->count > 1 ? sqrt(M_PI / 2 / (double)p->count) * p->spread : 0;
}

static struct mw_interval about(double value, double sd)
{
    return (struct mw_interval){value - MW_NORMAL_90 * sd, value, value + MW_NORMAL_90 * sd};
}

/* ln 1/E = ln C/C_base (busy) + ln U_base/U (idle), U = C/(p T). */
static void see_cpu(struct mw_observation *seen, const struct mw_point *base, const struct mw_point *all, double sigma)
{
    double sd = sqrt(2) * fmax(sigma, 0);
    seen->has_cpu = true;
    seen->busy_cores = all->cpu_time_s / all->value;
    seen->busy_cores_base = base->cpu_time_s / base->value;
    seen->busy = about(log(all->cpu_time_s / base->cpu_time_s), sd);
    seen->idle = about(log(seen->busy_cores_base / base->cores / (seen->busy_cores / all->cores)), sd);
}

/* The most cores that one count is seen to have had at work, at the highest frequency. */
static double busiest(const struct mw_points *points, const struct mw_point *base, bool has_cpu, double freq_hz)
{
    double most = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        if (!usable(p, freq_hz))
            continue;
        double speedup = points->quantity == MW_TIME ? base->value / p->value : p->value / base->value;
        most = fmax(most, has_cpu ? p->cpu_time_s / p->value : speedup * base->cores);
    }
    return most;
}

void mw_observe(struct mw_observation *result, const struct mw_points *points, const struct mw_view *view, double sigma)
{
    struct mw_observation seen = {.switches = -1, .system = -1};
    const struct mw_point *base = NULL, *all = NULL;
    double high = 0;
    for (size_t i = 0; i < points->count; i++)
        high = points->items[i].value > 0 ? fmax(high, points->items[i].freq_hz) : high;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        if (!usable(p, high))
            continue;
        base = !base || p->cores < base->cores ? p : base;
        all = !all || p->cores > all->cores ? p : all;
    }
    see_losses(&seen, points);
    seen.present = all && all->cores > base->cores;
    if (seen.present) {
        bool times = points->quantity == MW_TIME;
        seen.base = base->cores;
        seen.cores = all->cores;
        seen.freq_hz = high;
        seen.time_base_s = times ? base->value : 0;
        seen.time_s = times ? all->value : 0;
        seen.speedup = times ? base->value / all->value : all->value / base->value;
        seen.efficiency = seen.speedup * base->cores / all->cores;
        seen.speedup_error = MW_NORMAL_90 * seen.speedup * hypot(median_error(base), median_error(all));
        see_usage(&seen, base, all);
        seen.wait_left_s = times && view->has_cpu ? wait_left_s(points, all) : 0;
        if (view->has_cpu)
            see_cpu(&seen, base, all, sigma);
        seen.busiest = busiest(points, base, view->has_cpu, high);
        seen.one_core = view->has_cpu && only_one_core(points, high);
    }
    *result = seen;
}
