// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/mechanisms_internal.h"
#include "model/hot.h"

#include <math.h>

/* Each law is one function of a draw that gives the parts of T and C; values and parts come from it, so they can't differ. */

static double log_uniform(double u, double low, double high)
{
    return low * pow(high / low, u);
}

/* u stretched to [0, 1] over the piece from `from` to `to`. */
static double piece(double u, double from, double to)
{
    return (u - from) / (to - from);
}

/* Extra time in which `core_s` core seconds are spent. */
struct extra {
    double time, core_s;
};

/* The draw's common parameters with its own l and nw. */
struct work {
    double s, l, nw, spin, sm, n;
    struct extra extra;
};

static inline struct work work_of(const double *const *q, size_t i)
{
    return (struct work){.s = q[S][i], .l = q[L][i], .nw = q[NW][i], .spin = q[SPIN][i], .sm = q[SM][i]};
}

static inline double total(const struct mw_parts *parts)
{
    return parts->serial + parts->parallel + parts->latency + parts->nonscaling + parts->overhead + parts->uneven +
           parts->wait;
}

/* w: the busiest core's share of the parallel work, 1/p where it is even. */
static inline struct mw_use compose(struct work k, double p, double x, double w)
{
    double serial = k.s * ((1 - k.sm) / x + k.sm), parallel = (1 - k.s) / x;
    struct mw_use use = {
        .time = {serial, parallel / p, k.l / p, k.n, k.extra.time, (w - 1 / p) * (parallel + k.l), k.nw},
        .cpu =
            {.serial = serial, .parallel = parallel, .latency = k.l, .nonscaling = p * k.n, .overhead = k.extra.core_s},
    };
    double asleep = total(&use.cpu), all = p * (total(&use.time) - k.nw);
    use.cpu.wait = k.spin * (larger(all, asleep) - asleep);
    return use;
}

#define VALUES(law)                                                                                                    \
    MW_HOT static void law##_values(const double *const *q, size_t n, const struct mw_frame *frame, double p,          \
                                    double x, double *restrict t, double *restrict c)                                  \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                                               \
            struct mw_use use = law##_at(q, i, frame, p, x);                                                           \
            t[i] = total(&use.time);                                                                                   \
            c[i] = total(&use.cpu);                                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    static struct mw_use law##_use(const double *const *q, const struct mw_frame *frame, double p, double x)           \
    {                                                                                                                  \
        return law##_at(q, 0, frame, p, x);                                                                            \
    }

/* --- additive: n memory that cores don't shrink ------------------------------------------------------------------ */
static void additive_prior(double *q, const double *u, const struct mw_frame *frame)
{
    (void)frame;
    q[L] *= .8;
    q[A] = log_uniform(u[0], 1e-3, 1) * q[L];
}

static inline struct mw_use additive_at(const double *const *q, size_t i, const struct mw_frame *frame, double p,
                                        double x)
{
    (void)frame;
    struct work k = work_of(q, i);
    k.n = q[A][i];
    return compose(k, p, x, 1 / p);
}
VALUES(additive)

/* --- roof: T >= B (1 + l) x^-u, at the roof all cores stall ------------------------------------------------------ */
static void roof_prior(double *q, const double *u, const struct mw_frame *frame)
{
    q[A] = 1 / log_uniform(u[0], 1.5, 3 * frame->cores);
    q[B] = u[1] <= .7 ? 0 : .8 * piece(u[1], .7, 1);
}

static inline struct mw_use roof_at(const double *const *q, size_t i, const struct mw_frame *frame, double p, double x)
{
    (void)frame;
    struct mw_use use = compose(work_of(q, i), p, x, 1 / p);
    double roof = q[A][i] * (1 + q[L][i]) * pow(x, -q[B][i]);
    double extra = larger(roof - (total(&use.time) - use.time.wait), 0), bound = extra > 0 ? 1 : 0;
    use.time.nonscaling = extra + bound * use.time.latency;
    use.time.latency *= 1 - bound;
    use.cpu.nonscaling = p * extra;
    return use;
}
VALUES(roof)

/* --- contention: memory's queues grow with the cores ------------------------------------------------------------- */
static void contention_prior(double *q, const double *u, const struct mw_frame *frame)
{
    (void)frame;
    q[A] = log_uniform(u[0], .02, 3);
    q[B] = .7 + 1.3 * u[1];
}

static inline struct mw_use contention_at(const double *const *q, size_t i, const struct mw_frame *frame, double p,
                                          double x)
{
    struct work k = work_of(q, i);
    double queue = 4 * q[A][i] * pow((p - 1) / larger(frame->cores - 1, 1), q[B][i]), most = queue > 1 ? 1 : 0;
    k.l *= 1 + queue;
    struct mw_use use = compose(k, p, x, 1 / p);
    use.time.nonscaling = most * use.time.latency; /* more of it queues than serves */
    use.time.latency *= 1 - most;
    return use;
}
VALUES(contention)

/* --- overhead: grows with the cores, spent by all of them, by one while others wait, or by nobody (a lock) --------- */
static void overhead_prior(double *q, const double *u, const struct mw_frame *frame)
{
    (void)frame;
    q[B] = u[1] < .4;
    q[C_] = floor(u[2] * 2.999);
    q[D] = u[3] < .4;
    q[A] = log_uniform(u[0], 1e-5, 1) * (u[3] < .4 ? 3 : 1);
}

static inline struct mw_use overhead_at(const double *const *q, size_t i, const struct mw_frame *frame, double p,
                                        double x)
{
    (void)frame;
    struct work k = work_of(q, i);
    double more = p - 1, ln_p = log(p), by_clock = 1 / x;
    k.extra.time = q[A][i] * (q[D][i] > .5 ? ln_p : more) * (q[B][i] > .5 ? 1 : by_clock);
    k.extra.core_s = k.extra.time * (q[C_][i] < .5 ? p : q[C_][i] < 1.5 ? 1 : 0);
    return compose(k, p, x, 1 / p);
}
VALUES(overhead)

/* --- grains: the parallel work comes in g pieces ------------------------------------------------------------------ */
static void grains_prior(double *q, const double *u, const struct mw_frame *frame)
{
    q[A] = ceil(log_uniform(u[0], 2, 8 * frame->cores));
}

static inline struct mw_use grains_at(const double *const *q, size_t i, const struct mw_frame *frame, double p,
                                      double x)
{
    (void)frame;
    return compose(work_of(q, i), p, x, busiest(q[A][i], p));
}
VALUES(grains)

/* --- imbalance: the busiest core has d (1 - 1/p) more than its share ----------------------------------------------- */
static void imbalance_prior(double *q, const double *u, const struct mw_frame *frame)
{
    (void)frame;
    q[A] = log_uniform(u[0], .05, 2);
}

static inline struct mw_use imbalance_at(const double *const *q, size_t i, const struct mw_frame *frame, double p,
                                         double x)
{
    (void)frame;
    return compose(work_of(q, i), p, x, (1 + q[A][i] * (1 - 1 / p)) / p);
}
VALUES(imbalance)

/* --- step: all takes longer behind a boundary, for good or less and less ------------------------------------------- */
static double boundary_of(double u, const struct mw_frame *frame)
{
    double whole = 0;
    if (!frame->boundary_count)
        return u <= .5 ? larger(1, floor(frame->cores / 2)) : ceil(piece(u, .5, 1) * (frame->cores - 1));
    for (size_t b = 0; b < frame->boundary_count; b++)
        whole += frame->boundaries[b].weight;
    size_t b = 0;
    for (double left = u * whole; b + 1 < frame->boundary_count && left >= frame->boundaries[b].weight;)
        left -= frame->boundaries[b++].weight;
    return frame->boundaries[b].after;
}

static void step_prior(double *q, const double *u, const struct mw_frame *frame)
{
    q[A] = log_uniform(u[0], .03, 1.2);
    q[B] = boundary_of(u[1], frame);
    q[C_] = u[2] < .6;
    q[D] = u[3] < .35;
}

static inline struct mw_use step_at(const double *const *q, size_t i, const struct mw_frame *frame, double p, double x)
{
    struct mw_use use = compose(work_of(q, i), p, x, 1 / p);
    double fading = (frame->cores - p) / larger(frame->cores - q[B][i], 1);
    double h = q[A][i] * (p > q[B][i] ? q[C_][i] > .5 ? 1 : fading : 0);
    double t = total(&use.time), c = total(&use.cpu), all = p * t * (1 + h), most = c * (1 + .2 * h);
    double idle = most < all ? most : all;
    use.time.uneven += t * h;
    use.cpu.uneven = q[D][i] > .5 ? idle - c : c * h;
    return use;
}
VALUES(step)

/* --- capacity: behind a boundary each core counts e (hyper-threads, efficiency cores), and all are busy ------------ */
static void capacity_prior(double *q, const double *u, const struct mw_frame *frame)
{
    q[A] = .05 + .85 * u[0];
    q[B] = boundary_of(u[1], frame);
}

static inline struct mw_use capacity_at(const double *const *q, size_t i, const struct mw_frame *frame, double p,
                                        double x)
{
    (void)frame;
    struct work k = work_of(q, i);
    double slow = larger(p - q[B][i], 0), capacity = p - slow + q[A][i] * slow;
    struct mw_use use = compose(k, p, x, 1 / capacity);
    use.cpu.uneven = (1 - k.spin) * ((1 - k.s) / x + k.l) * (p / capacity - 1);
    return use;
}
VALUES(capacity)

/* --- clock: falls with the cores in use (turbo) -------------------------------------------------------------------- */
static void clock_prior(double *q, const double *u, const struct mw_frame *frame)
{
    (void)frame;
    q[A] = log_uniform(u[0], .04, .5);
    q[B] = .5 + 1.5 * u[1];
}

static inline struct mw_use clock_at(const double *const *q, size_t i, const struct mw_frame *frame, double p, double x)
{
    double lowest = 1 - q[A][i] * pow(log(p) / log(larger(frame->cores, 2)), q[B][i]);
    return compose(work_of(q, i), p, x < lowest ? x : lowest, 1 / p);
}
VALUES(clock)

/* --- cache: further cores' caches take memory accesses away --------------------------------------------------------- */
static void cache_prior(double *q, const double *u, const struct mw_frame *frame)
{
    (void)frame;
    q[A] = u[0];
}

static inline struct mw_use cache_at(const double *const *q, size_t i, const struct mw_frame *frame, double p, double x)
{
    (void)frame;
    struct work k = work_of(q, i);
    k.l *= 1 - q[A][i] + q[A][i] / p;
    return compose(k, p, x, 1 / p);
}
VALUES(cache)

/* --- weak: the work grows with the cores --------------------------------------------------------------------------- */
static void weak_prior(double *q, const double *u, const struct mw_frame *frame)
{
    (void)frame;
    q[A] = -.05 + .2 * u[0];
}

static inline struct mw_use weak_at(const double *const *q, size_t i, const struct mw_frame *frame, double p, double x)
{
    (void)frame;
    double growth = 1 + q[A][i] * log(p), parallel = growth / x, latency = growth * q[L][i];
    return (struct mw_use){.time = {.parallel = parallel, .latency = latency, .wait = q[NW][i]},
                           .cpu = {.parallel = p * parallel, .latency = p * latency}};
}
VALUES(weak)

/* --- limit: no more than N cores work at once: a quota, fixed threads, a lock --------------------------------------- */
static void limit_prior(double *q, const double *u, const struct mw_frame *frame)
{
    double n = log_uniform(u[0], 1, frame->cores);
    q[A] = u[1] < .6 ? rint(n) : n;
    q[B] = u[2] <= .6 ? 60 : log_uniform(piece(u[2], .6, 1), 2.5, 12);
    q[SPIN] = u[3] > .75;
}

static inline struct mw_use limit_at(const double *const *q, size_t i, const struct mw_frame *frame, double p, double x)
{
    (void)frame;
    double m = q[B][i], w = pow(pow(1 / p, m) + pow(1 / q[A][i], m), 1 / m);
    return compose(work_of(q, i), p, x, w);
}
VALUES(limit)

/* --- single: one thread, whatever the cores ------------------------------------------------------------------------ */
static void single_prior(double *q, const double *u, const struct mw_frame *frame)
{
    (void)q;
    (void)u;
    (void)frame;
}

static inline struct mw_use single_at(const double *const *q, size_t i, const struct mw_frame *frame, double p,
                                      double x)
{
    (void)frame;
    (void)p;
    return (struct mw_use){.time = {.serial = 1 / x, .latency = q[L][i], .wait = q[NW][i]},
                           .cpu = {.serial = 1 / x, .latency = q[L][i]}};
}
VALUES(single)

/* --- wait: start-up input and output, sleep ------------------------------------------------------------------------ */
static void wait_prior(double *q, const double *u, const struct mw_frame *frame)
{
    (void)frame;
    q[NW] = log_uniform(u[0], .004, 2);
    q[A] = u[1] <= .7 ? 0 : .3 * piece(u[1], .7, 1);
}

static inline struct mw_use wait_at(const double *const *q, size_t i, const struct mw_frame *frame, double p, double x)
{
    (void)frame;
    struct work k = work_of(q, i);
    k.nw *= 1 + q[A][i] * log(p);
    return compose(k, p, x, 1 / p);
}
VALUES(wait)

/* --- share: waits that are divided like the work (network, disk), other programs' load ------------------------------- */
static void share_prior(double *q, const double *u, const struct mw_frame *frame)
{
    (void)frame;
    q[A] = log_uniform(u[0], .02, 3);
    q[B] = -.3 + .8 * u[1];
}

static inline struct mw_use share_at(const double *const *q, size_t i, const struct mw_frame *frame, double p, double x)
{
    (void)frame;
    struct mw_use use = compose(work_of(q, i), p, x, 1 / p);
    use.time.wait += total(&use.time) * q[A][i] * pow(p, q[B][i]);
    return use;
}
VALUES(share)

#define ROW(law, law_weight, dims, low, high)                                                                          \
    .name = #law, .weight = law_weight, .own = dims, .latency_low = low, .latency_high = high, .prior = law##_prior,   \
    .value = law##_values, .use = law##_use

/* Weights and priors were chosen by the rates of wrong verdicts on simulated programs: docs/diagnosis.md. */
const struct mw_mechanism mw_mechanisms[MW_MECHANISM_COUNT] = {
    {ROW(additive, .17, 1, .005, 5)},
    {ROW(roof, .10, 2, .005, 5)},
    {ROW(contention, .05, 2, .05, 5)},
    {ROW(overhead, .11, 4, .005, 5), .cause = mw_overhead_cause},
    {ROW(grains, .10, 1, .005, 5), .cause = mw_grains_cause, .never_slows = true},
    {ROW(imbalance, .05, 1, .005, 5), .cause = mw_imbalance_cause},
    {ROW(step, .05, 4, .005, 5), .cause = mw_step_cause, .has_place = true, .never_superlinear = true,
     .never_slows = true},
    {ROW(capacity, .06, 2, .005, 5), .cause = mw_capacity_cause, .has_place = true, .never_slows = true},
    {ROW(clock, .05, 2, .005, 5), .cause = mw_clock_cause, .never_superlinear = true},
    {ROW(cache, .08, 1, .072, 7)},
    {ROW(weak, .05, 1, .005, 5), .cause = mw_weak_cause, .never_slows = true},
    {ROW(limit, .05, 4, .005, 5), .cause = mw_limit_cause, .never_slows = true},
    {ROW(single, .03, 0, .005, 5), .cause = mw_single_cause, .never_slows = true},
    {ROW(wait, .05, 2, .005, 5)},
    {ROW(share, .03, 2, .005, 5), .cause = mw_share_cause, .waits_shared = true},
};

void mw_mechanism_draw(const struct mw_mechanism *law, double *q, const double *u, const struct mw_frame *frame)
{
    static const double ASLEEP = .6, ASLEEP_OR_SPIN = .85, NO_MEMORY = .6; /* of the prior */
    for (size_t k = MW_MECHANISM_COMMON; k < MW_MECHANISM_PARAMS; k++)
        q[k] = 0;
    q[S] = log_uniform(u[0], 1e-4, 1);
    q[L] = log_uniform(u[1], law->latency_low, law->latency_high);
    q[NW] = log_uniform(u[2], 1e-4, .03);
    q[SPIN] = u[3] <= ASLEEP ? 0 : u[3] <= ASLEEP_OR_SPIN ? 1 : piece(u[3], ASLEEP_OR_SPIN, 1);
    q[SM] = u[4] <= NO_MEMORY ? 0 : piece(u[4], NO_MEMORY, 1);
    law->prior(q, u + MW_MECHANISM_COMMON, frame);
}
