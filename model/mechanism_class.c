// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/mechanisms.h"

#include <math.h>

/* docs/diagnosis.md derives each. */
static const double SHARE = .25;           /* of the time at P: twice the cores gain less than 1.6 */
static const double MEMORY_TO_SERIAL = .5; /* named after memory from half of the serial share */
static const double SLOWER = 1.05;         /* two standard errors of a mean of repeats with 2 to 3 % noise */
static const double SUPERLINEAR = 1.05;
static const double RATIO = 2. / 3; /* of the loss that is idle (or busy): two of three lost seconds */
static const double LOW_CLOCK = .6; /* where the second question is asked */
static const double BY_CLOCK = .6, FIXED = .4;
static const double FLAT = 1.25, ONE_CORE = 1.3;

const char *const mw_cause_names[MW_CAUSE_COUNT] = {
    "scales-well", "memory-latency", "memory-bandwidth", "serial", "waiting",       "granularity",
    "limit",       "one-thread",     "busy-clock",       "clock",  "boundary-step", "cache-benefiting",
    "overhead",    "weak-scaling",   "slows-down",       "idle",
};

void mw_mechanism_at(const struct mw_mechanism *law, const double *q, const struct mw_frame *frame, double p, double x,
                     double *t, double *c, struct mw_use *use)
{
    const double *columns[MW_MECHANISM_PARAMS];
    for (size_t k = 0; k < MW_MECHANISM_PARAMS; k++)
        columns[k] = q + k;
    law->value(columns, 1, frame, p, x, t, c);
    if (use)
        *use = law->use(columns, frame, p, x);
}

enum mw_family mw_family_of(double t1, double c1, double tp, double cp, double cores)
{
    double efficiency = t1 / (cores * tp);
    if (efficiency > SUPERLINEAR)
        return MW_FAMILY_SUPERLINEAR;
    if (efficiency >= MW_SCALES_FROM)
        return MW_FAMILY_SCALES;
    double idle = log(fmax((c1 / t1) / (cp / (cores * tp)), 1e-9)) / -log(fmax(efficiency, 1e-9));
    return idle >= RATIO ? MW_FAMILY_IDLE : idle <= 1 - RATIO ? MW_FAMILY_BUSY : MW_FAMILY_BOTH;
}

double mw_clock_part(double high, double low, double x)
{
    return high > 0 ? (low / high - 1) / (1 / x - 1) : (double)NAN;
}

/* T and C at one and at P cores, at the highest clock and at LOW_CLOCK. */
struct corners {
    double t1, c1, tp, cp, t1_low, c1_low, tp_low, cp_low;
};

static enum mw_pair pair_of(enum mw_family family, const struct corners *k, double cores)
{
    double idle = fmax(cores * k->tp - k->cp, 1e-9), busy = fmax(k->cp - k->c1, 1e-9);
    double z = family == MW_FAMILY_IDLE ? mw_clock_part(idle, cores * k->tp_low - k->cp_low, LOW_CLOCK)
                                        : mw_clock_part(busy, k->cp_low - k->c1_low, LOW_CLOCK);
    if (family == MW_FAMILY_IDLE)
        return z > BY_CLOCK ? MW_PAIR_IDLE_CLOCK : z < FIXED ? MW_PAIR_IDLE_FIXED : MW_PAIR_NONE;
    if (family == MW_FAMILY_BUSY)
        return z > BY_CLOCK ? MW_PAIR_BUSY_CLOCK : z < FIXED ? MW_PAIR_BUSY_FIXED : MW_PAIR_NONE;
    return MW_PAIR_NONE;
}

/* Least T and largest S(p)/p over 1 … min(P, 16) and twelve counts up to P, evenly in ln p. */
static void look_along(const struct mw_mechanism *law, const double *q, const struct mw_frame *frame, double t1,
                       double *least, double *superlinear)
{
    enum { EACH_TO = 16, BEYOND = 12 };
    double t, c, last = 0;
    *least = HUGE_VAL;
    *superlinear = 0;
    for (int i = 1; i <= EACH_TO + BEYOND; i++) {
        double p = i <= EACH_TO ? i : rint(pow(frame->cores, (double)(i - EACH_TO - 1) / (BEYOND - 1)));
        if (p <= last || p > frame->cores)
            continue;
        mw_mechanism_at(law, q, frame, p, 1, &t, &c, NULL);
        *least = fmin(*least, t);
        *superlinear = fmax(*superlinear, t1 / (t * p));
        last = p;
    }
}

/* On p cores, with T1, C1 of one core and T, C of them. */
static struct mw_symptoms symptoms_of(const struct mw_mechanism *law, const double *q, double p,
                                      const struct corners *k, const struct mw_parts *parts)
{
    double t = k->tp;
    return (struct mw_symptoms){
        .efficiency = k->t1 / (p * k->tp),
        .serial = parts->serial * (1 - 1 / p) / t,
        .overhead = parts->overhead / t,
        .wait = (law->waits_shared ? q[MW_MECHANISM_SMALL_WAIT] : parts->wait) / t,
        .memory_shared = parts->latency / t,
        .memory_fixed = parts->nonscaling / t,
        .family = mw_family_of(k->t1, k->c1, k->tp, k->cp, p),
    };
}

/* Memory and waiting, wherever: times alone don't tell a serial phase that memory binds from one that all cores share. */
static bool fixed_costs(const double *q, const struct mw_parts *parts)
{
    double inside = fmin(q[MW_MECHANISM_SERIAL] * q[MW_MECHANISM_SERIAL_MEMORY], parts->serial);
    double fixed = parts->latency + parts->nonscaling + inside + parts->wait;
    double others = parts->serial - inside + parts->overhead + parts->uneven;
    return fixed >= SHARE * (fixed + others + parts->parallel) && fixed >= MEMORY_TO_SERIAL * others;
}

static enum mw_cause common_cause(const struct mw_symptoms *s)
{
    double memory = s->memory_shared + s->memory_fixed, work = s->serial + s->overhead;
    if (s->wait >= SHARE && s->wait >= fmax(s->memory_fixed, work))
        return MW_CAUSE_WAITING;
    if (memory >= SHARE && memory >= MEMORY_TO_SERIAL * work)
        return s->memory_fixed > s->memory_shared ? MW_CAUSE_MEMORY_BANDWIDTH : MW_CAUSE_MEMORY_LATENCY;
    if (work >= SHARE)
        return s->overhead > s->serial       ? MW_CAUSE_OVERHEAD
               : s->family == MW_FAMILY_BUSY ? MW_CAUSE_BUSY_CLOCK
                                             : MW_CAUSE_SERIAL;
    if (memory + work + s->wait >= SHARE)
        return memory > work ? MW_CAUSE_MEMORY_BANDWIDTH : MW_CAUSE_SERIAL;
    return MW_CAUSE_SCALES_WELL;
}

static bool is_one_thread(const struct corners *k)
{
    return k->t1 / k->tp < FLAT && k->cp / k->tp < ONE_CORE;
}

struct mw_class mw_mechanism_class(const struct mw_mechanism *law, const double *q, const struct mw_frame *frame)
{
    static const double NEARLY_ALL = .9; /* of linear at P: else what is lost there is the cause */
    struct corners k;
    struct mw_class outcome;
    struct mw_use use;
    double cores = frame->cores, least;
    mw_mechanism_at(law, q, frame, 1, 1, &k.t1, &k.c1, NULL);
    mw_mechanism_at(law, q, frame, 1, LOW_CLOCK, &k.t1_low, &k.c1_low, NULL);
    mw_mechanism_at(law, q, frame, cores, LOW_CLOCK, &k.tp_low, &k.cp_low, NULL);
    look_along(law, q, frame, k.t1, &least, &outcome.superlinear);
    mw_mechanism_at(law, q, frame, cores, 1, &k.tp, &k.cp, &use);
    struct mw_symptoms symptoms = symptoms_of(law, q, cores, &k, &use.time);
    enum mw_cause cause = common_cause(&symptoms);
    if (!law->never_superlinear && outcome.superlinear > SUPERLINEAR && symptoms.efficiency > NEARLY_ALL)
        cause = MW_CAUSE_CACHE;
    if (law->cause)
        cause = law->cause(cause, q, frame, &symptoms);
    if (!law->never_slows && k.tp > SLOWER * least)
        cause = MW_CAUSE_SLOWS_DOWN;
    if (cause == MW_CAUSE_SERIAL && is_one_thread(&k))
        cause = MW_CAUSE_ONE_THREAD;
    outcome.gain = k.t1 / least;
    outcome.rise = k.tp / least;
    outcome.fixed = fixed_costs(q, &use.time);
    outcome.cause = cause;
    outcome.family = symptoms.family;
    outcome.pair = pair_of(symptoms.family, &k, cores);
    return outcome;
}

/* Whether more cores than the draw's best are slower, and p lies among them. */
static bool slows_at(const struct mw_mechanism *law, const double *q, const struct mw_frame *frame,
                     const struct mw_class *outcome, double p)
{
    static const double BEFORE = .95; /* of p: T is looked at as it rises */
    double one, here, before, cpu;
    if (law->never_slows || outcome->rise <= SLOWER || p <= 1)
        return false;
    mw_mechanism_at(law, q, frame, 1, 1, &one, &cpu, NULL);
    mw_mechanism_at(law, q, frame, p, 1, &here, &cpu, NULL);
    mw_mechanism_at(law, q, frame, fmax(BEFORE * p, 1), 1, &before, &cpu, NULL);
    return here > SLOWER * one / outcome->gain && here > before;
}

enum mw_cause mw_mechanism_cause_at(const struct mw_mechanism *law, const double *q, const struct mw_frame *frame,
                                    const struct mw_class *outcome, double p, double x)
{
    struct corners k = {0};
    struct mw_use use;
    struct mw_frame there = *frame;
    there.cores = p;
    mw_mechanism_at(law, q, frame, 1, x, &k.t1, &k.c1, NULL);
    mw_mechanism_at(law, q, frame, p, x, &k.tp, &k.cp, &use);
    struct mw_symptoms symptoms = symptoms_of(law, q, p, &k, &use.time);
    enum mw_cause cause = common_cause(&symptoms);
    if (law->cause && p > 1) /* what the laws add is about sharing the work */
        cause = law->cause(cause, q, &there, &symptoms);
    if (slows_at(law, q, frame, outcome, p))
        return MW_CAUSE_SLOWS_DOWN;
    if (cause == MW_CAUSE_SERIAL && is_one_thread(&k))
        return MW_CAUSE_ONE_THREAD;
    bool computes = use.time.parallel + use.time.serial / p >= (1 - SHARE) * k.tp;
    return cause == MW_CAUSE_SCALES_WELL && !computes ? MW_CAUSE_IDLE : cause;
}

bool mw_mechanism_step(const struct mw_mechanism *law, const double *q, double cores, double *after, double *size)
{
    static const double LEAST = .08;
    const struct mw_frame frame = {.cores = cores};
    double most = 0;
    if (!law->has_place)
        return false;
    *after = q[MW_MECHANISM_COMMON + 1];
    for (int all = 0; all < 2; all++) {
        struct mw_use use;
        double t, c;
        mw_mechanism_at(law, q, &frame, all ? cores : fmin(*after + 1, cores), 1, &t, &c, &use);
        most = fmax(most, use.time.uneven / (t - use.time.uneven));
    }
    *size = most;
    return most >= LEAST;
}
