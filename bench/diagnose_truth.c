// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/diagnose_truth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double between(gsl_rng *r, double low, double high)
{
    return low + (high - low) * gsl_rng_uniform(r);
}

static double log_between(gsl_rng *r, double low, double high)
{
    return low * pow(high / low, gsl_rng_uniform(r));
}

/* Time and core seconds of a piece of the program, added up. */
struct sum {
    double t, c;
};

/* One core works for `work`; the others sleep (spin 0) or spin (1). */
static void alone(struct sum *sum, double p, double work, double spin)
{
    sum->t += work;
    sum->c += work * (1 + spin * (p - 1));
}

/* The parallel part at an even share: computing by the clock, memory not. */
static void even(struct sum *sum, const struct truth *k, double p, double x)
{
    double work = (1 - k->s) / x + k->l;
    sum->t += work / p;
    sum->c += work;
}

/* The parallel part whose slowest core takes `longest` of its work; those that are done sleep or spin. */
static void uneven(struct sum *sum, const struct truth *k, double p, double x, double longest, double spin)
{
    double work = (1 - k->s) / x + k->l;
    sum->t += work * longest;
    sum->c += work * (1 + spin * (p * longest - 1));
}

static void nobody(struct sum *sum, double wait)
{
    sum->t += wait;
}

static void everybody(struct sum *sum, double p, double time)
{
    sum->t += time;
    sum->c += p * time;
}

static double soft_max(double a, double b, double m)
{
    return pow(pow(a, m) + pow(b, m), 1 / m);
}

/* Each kind: a draw of its parameters beside the small common ones, and what it takes at (p, x). */
#define DRAW(name) static void name##_draw(__attribute__((unused)) struct truth *k, __attribute__((unused)) gsl_rng *r)
#define SUM(name)                                                                                                      \
    static struct sum name##_sum(const struct truth *k, double p, double x);                                           \
    static void name##_at(const struct truth *k, double p, double x, double *t, double *c)                             \
    {                                                                                                                  \
        struct sum sum = name##_sum(k, p, x);                                                                          \
        *t = sum.t + k->n;                                                                                             \
        *c = sum.c;                                                                                                    \
    }                                                                                                                  \
    static struct sum name##_sum(const struct truth *k, double p, double x)

#include "bench/diagnose_kinds.h"

#define ROW(name, title, right)                                                                                        \
    {                                                                                                                  \
        title, right, name##_draw, name##_at                                                                           \
    }
#define COUNT(table) (sizeof table / sizeof *table)

/* clang-format off */
static const struct truth_kind forty[] = {
    ROW(scales, "scales", "scales-well"),
    ROW(serial, "serial share, others sleep", "serial"),
    ROW(serial_spin, "serial share, others spin", "busy-clock"),
    ROW(serial_some, "serial, others spin .3-.9 of the wait", "serial busy-clock"),
    ROW(serial_memory, "serial phase bound by memory", "serial"),
    ROW(latency, "memory latency", "memory-latency memory scales-well@1"),
    ROW(roof, "bandwidth, sharp", "memory-bandwidth memory"),
    ROW(roof_soft, "bandwidth, soft", "memory-bandwidth memory"),
    ROW(roof_root, "bandwidth, memory clock ~ sqrt F", "memory-bandwidth memory"),
    ROW(loaded, "loaded latency rises", "memory-bandwidth memory-latency memory"),
    ROW(cache, "superlinear", "cache-benefiting"),
    ROW(grains, "grains, sleeping", "granularity limit"),
    ROW(grains_spin, "grains, spinning", "granularity busy-clock"),
    ROW(imbalance, "constant imbalance", "granularity"),
    ROW(imbalance_log, "imbalance ~ sqrt(2 ln p)", "granularity"),
    ROW(step, "step of 50-100 %", "boundary-step"),
    ROW(slow_cores, "efficiency cores, dynamic", "boundary-step"),
    ROW(threads_two, "hyper-threads", "boundary-step"),
    ROW(slow_anywhere, "slow cores, place unknown", "boundary-step"),
    ROW(slow_static, "efficiency cores, static", "boundary-step granularity"),
    ROW(lock_sleep, "lock, sleeping", "limit serial"),
    ROW(lock_spin, "lock, spinning", "busy-clock"),
    ROW(extra, "extra work c(p-1)", "busy-clock slows-down"),
    ROW(convoy, "lock convoy c(p-1)", "limit slows-down"),
    ROW(sharing, "false sharing", "busy-clock slows-down"),
    ROW(polling, "communication, polling", "slows-down"),
    ROW(blocking, "communication, blocking", "waiting slows-down"),
    ROW(startup, "start-up I/O", "waiting"),
    ROW(startup_serial, "I/O and serial", "waiting serial"),
    ROW(shared_io, "I/O shared like the work", "scales-well waiting"),
    ROW(quota, "CPU quota", "limit"),
    ROW(fixed, "fixed number of threads", "limit"),
    ROW(untold, "not told the cores", "one-thread"),
    ROW(weak, "work grows with p", "weak-scaling"),
    ROW(turbo, "turbo, clock unknown", "clock"),
    ROW(turbo_serial, "turbo and serial", "serial clock"),
    ROW(turbo_latency, "turbo and latency", "memory-latency memory clock scales-well@1"),
    ROW(others, "others' load, no column", "waiting"),
    ROW(steal, "hypervisor steal as busy time", "busy-clock"),
    ROW(roof_serial, "bandwidth and serial", "serial busy-clock memory-bandwidth memory"),
};

static const struct truth_kind unknown[] = {
    ROW(pipeline, "pipeline of 3 uneven stages", "limit serial"),
    ROW(swapping, "swapping at all cores", "waiting slows-down"),
    ROW(disk, "disk limit", "limit waiting"),
    ROW(roof_serial2, "bandwidth and serial", "serial busy-clock memory-bandwidth memory"),
    ROW(tree, "tree reduction", "slows-down serial"),
    ROW(helper, "helper thread", "scales-well cache-benefiting"),
    ROW(imbalance_random, "random imbalance", "granularity serial"),
    ROW(polling2, "polling communication", "slows-down"),
    ROW(throttled, "throttled at all F", "clock boundary-step busy-clock"),
    ROW(hybrid, "static hybrid", "boundary-step granularity"),
};

static const struct truth_kind further[] = {
    ROW(collector, "garbage collector stops all", "serial slows-down"),
    ROW(checkpoint, "checkpoints grow with the cores", "waiting slows-down"),
    ROW(remote, "memory of the other socket", "boundary-step memory-bandwidth memory-latency memory"),
    ROW(stealing, "chain of tasks, failing steals", "serial busy-clock limit"),
    ROW(turbo_roof, "turbo and bandwidth", "memory-bandwidth memory clock"),
    ROW(evicted, "page cache full from half of the cores", "waiting slows-down boundary-step"),
    ROW(device, "device polled by one core", "waiting serial"),
    ROW(feed, "network feed of limited rate", "limit waiting"),
    ROW(threads_serial, "hyper-threads and serial", "boundary-step serial"),
    ROW(quota_spin, "quota under spinning threads", "limit busy-clock"),
};
/* clang-format on */

size_t truth_kinds(enum truth_set set, const struct truth_kind **kinds)
{
    static const struct truth_kind *const sets[] = {forty, unknown, further};
    static const size_t counts[] = {COUNT(forty), COUNT(unknown), COUNT(further)};
    *kinds = sets[set];
    return counts[set];
}

struct ends {
    double t1, c1, tp, cp;
};

static struct ends ends_at(const struct truth *k, double x)
{
    struct ends e;
    k->kind->at(k, 1, x, &e.t1, &e.c1);
    k->kind->at(k, k->cores, x, &e.tp, &e.cp);
    return e;
}

static double efficiency(const struct truth *k)
{
    struct ends e = ends_at(k, 1);
    return e.t1 / (k->cores * e.tp);
}

/* Between .65 and .9 either verdict would be right. */
static bool is_clear(const struct truth *k)
{
    double e = efficiency(k), from = strstr(k->kind->name, "turbo") ? .85 : .65;
    return e <= from || e >= .9;
}

void truth_draw(struct truth *k, const struct truth_kind *kind, unsigned cores, gsl_rng *rng)
{
    enum { TRIES = 200 };
    for (int i = 0; i < TRIES; i++) {
        *k = (struct truth){.kind = kind, .cores = cores};
        k->s = log_between(rng, 1e-4, .004);
        k->l = log_between(rng, .01, .1);
        k->n = log_between(rng, 1e-4, .001);
        kind->draw(k, rng);
        if (is_clear(k))
            return;
    }
}

static bool has_word(const char *list, const char *word, bool one_clock)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') &&
            (at[length] == ' ' || at[length] == '\0' || (one_clock && at[length] == '@')))
            return true;
    return false;
}

static bool rises(const struct truth *k, const unsigned *counts, size_t n)
{
    double least = HUGE_VAL, t = 0, c;
    for (size_t i = 0; i < n; i++) {
        k->kind->at(k, counts[i], 1, &t, &c);
        least = fmin(least, t);
    }
    return t > 1.03 * least;
}

static double part(double high, double low)
{
    static const double LOW = .6;
    return (low / high - 1) / (1 / LOW - 1);
}

/* Whether the family or pair is that of the true times: of a loss in two halves the larger one is. */
static bool family_holds(const struct truth *k, enum mw_verdict verdict)
{
    struct ends e = ends_at(k, 1), low = ends_at(k, .6);
    double p = k->cores, loss = -log(efficiency(k)), idle = log((e.c1 / e.t1) / (e.cp / (p * e.tp))) / loss;
    double z_idle = part(p * e.tp - e.cp, p * low.tp - low.cp), z_busy = part(e.cp - e.c1, low.cp - low.c1);
    bool loses = efficiency(k) < .85;
    switch (verdict) {
    case MW_VERDICT_SCALES_WELL:
        return efficiency(k) >= .7;
    case MW_VERDICT_CACHE:
        return efficiency(k) > 1.03;
    case MW_VERDICT_IDLE:
        return loses && idle >= .5;
    case MW_VERDICT_IDLE_CLOCK:
        return loses && idle >= .5 && z_idle >= .5;
    case MW_VERDICT_IDLE_FIXED:
        return loses && idle >= .5 && z_idle <= .5;
    case MW_VERDICT_BUSY:
        return loses && idle <= .5;
    case MW_VERDICT_BUSY_CLOCK:
        return loses && idle <= .5 && z_busy >= .5;
    case MW_VERDICT_BUSY_FIXED:
        return loses && idle <= .5 && z_busy <= .5;
    case MW_VERDICT_BOTH:
        return loses && idle > .25 && idle < .75;
    default:
        return false;
    }
}

enum score truth_score(const struct truth *k, const struct mw_diagnosis *d, const unsigned *counts, size_t n)
{
    if (d->verdict == MW_VERDICT_UNDETERMINED)
        return d->family < MW_FAMILY_COUNT && d->family == MW_FAMILY_SCALES && efficiency(k) >= .7 ? SCORE_FAMILY
                                                                                                   : SCORE_OPEN;
    if (has_word(k->kind->right, mw_verdict_name(d->verdict), d->memory_open))
        return SCORE_CAUSE;
    if (d->verdict == MW_VERDICT_SLOWS_DOWN && rises(k, counts, n))
        return SCORE_CAUSE;
    return family_holds(k, d->verdict) ? SCORE_FAMILY : SCORE_WRONG;
}
