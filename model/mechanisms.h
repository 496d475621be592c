// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MODEL_MECHANISMS_H
#define MW_MODEL_MECHANISMS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Fifteen ways in which a program can spend its time, each a law of BOTH responses: wall time T(p, x) and CPU time
 * C(p, x) = user + system of the whole run, on p cores at x = clock / highest clock, in units of the compute time of one core
 * at the highest clock. With s serial work (a part m of it memory), l memory that the cores share like the work, n memory in
 * which all cores stall, a wait nw in which nobody works, the busiest core's share w of the parallel work, and waiting
 * threads that sleep (phi 0) or spin (1):
 *
 *   T       = s ((1-m)/x + m) + (1-s) w/x + l w + n + nw + extra
 *   C_sleep = s ((1-m)/x + m) + (1-s)/x + l + p n + core seconds of the extra
 *   C       = C_sleep + phi (max(p (T - nw), C_sleep) - C_sleep)
 *
 * docs/diagnosis.md has each law and its priors. A prior is a map from the unit cube (its quantiles), so u is all that a
 * sampler has to move. Pure functions: no state, no allocation. A new law is one entry of the table in mechanisms.c.
 */
enum {
    MW_MECHANISM_COUNT = 15,
    MW_MECHANISM_COMMON = 5, /* s, l, nw, phi, m */
    MW_MECHANISM_SERIAL = 0, /* places of s, nw and m */
    MW_MECHANISM_SMALL_WAIT = 2,
    MW_MECHANISM_SERIAL_MEMORY = 4,
    MW_MECHANISM_OWN = 4,
    MW_MECHANISM_PARAMS = MW_MECHANISM_COMMON + MW_MECHANISM_OWN,
};

/* What a draw says of the program, at all cores and the highest clock. */
enum mw_cause {
    MW_CAUSE_SCALES_WELL,
    MW_CAUSE_MEMORY_LATENCY,
    MW_CAUSE_MEMORY_BANDWIDTH,
    MW_CAUSE_SERIAL,
    MW_CAUSE_WAITING,
    MW_CAUSE_GRANULARITY,
    MW_CAUSE_LIMIT,
    MW_CAUSE_ONE_THREAD,
    MW_CAUSE_BUSY_CLOCK, /* spinning waiters, extra work: no two responses tell them apart */
    MW_CAUSE_CLOCK,
    MW_CAUSE_STEP,
    MW_CAUSE_CACHE,
    MW_CAUSE_OVERHEAD,
    MW_CAUSE_WEAK,
    MW_CAUSE_SLOWS_DOWN,
    MW_CAUSE_IDLE, /* the cores wait, and the law does not say for what */
    MW_CAUSE_COUNT,
};

/* Which part of ln E = ln C1/CP + ln UP/U1 carries the loss: E efficiency, U = C/(p T). */
enum mw_family {
    MW_FAMILY_SCALES,
    MW_FAMILY_IDLE,
    MW_FAMILY_BUSY,
    MW_FAMILY_BOTH,
    MW_FAMILY_SUPERLINEAR,
    MW_FAMILY_COUNT,
};

/* Whether the idle time p T - C, or the growth C_P - C_1 of the busy time, scales with 1/clock. */
enum mw_pair {
    MW_PAIR_IDLE_CLOCK,
    MW_PAIR_IDLE_FIXED,
    MW_PAIR_BUSY_CLOCK,
    MW_PAIR_BUSY_FIXED,
    MW_PAIR_NONE,
    MW_PAIR_COUNT,
};

/* A place behind which a socket, a node, hyper-threads or slower cores begin. */
struct mw_boundary {
    unsigned after;
    double weight; /* prior, any positive scale */
};

/* What the priors and classes of all draws of one program share. */
struct mw_frame {
    double cores; /* P >= 1 */
    const struct mw_boundary *boundaries;
    size_t boundary_count;  /* 0: at P/2 with .5, anywhere with .5 */
    const double *measured; /* core counts; a plateau is one only where two of them lie behind its beginning */
    size_t measured_count;
};

/* Where the time goes; the parts sum to T. Of core seconds: they sum to C, `wait` is what waiting threads spin. */
struct mw_parts {
    double serial, parallel, latency, nonscaling, overhead;
    double uneven; /* beyond an even share at full speed: uneven pieces, slower cores, a step */
    double wait;
};

struct mw_use {
    struct mw_parts time, cpu;
};

struct mw_class {
    enum mw_cause cause;
    enum mw_family family;
    enum mw_pair pair;
    double superlinear; /* largest S(p)/p */
    double gain, rise;  /* T(1) and T(P) over the least T */
    bool fixed;         /* time that the clock does not move costs a quarter, and half of what else is lost */
};

/* What the common rule of causes looks at: shares of the time on all cores at the highest clock. */
struct mw_symptoms {
    double efficiency, serial, overhead, wait;
    double memory_shared, memory_fixed; /* that the cores divide among them, and that they don't */
    enum mw_family family;
};

struct mw_mechanism {
    const char *name;
    double weight;                    /* prior; of the sum over the table */
    size_t own;                       /* dimensions of the unit cube beyond the common ones */
    double latency_low, latency_high; /* prior of l */
    /* Sets the own parameters from u[own], and what it changes of the common ones in q. */
    void (*prior)(double *q, const double *u, const struct mw_frame *frame);
    /* t[i], c[i] of draws i < n at (p, x); q[k][i] is parameter k of draw i. */
    void (*value)(const double *const *q, size_t n, const struct mw_frame *frame, double p, double x, double *t,
                  double *c);
    struct mw_use (*use)(const double *const *q, const struct mw_frame *frame, double p, double x);
    /* What the law changes of the cause that the common rule gives, and of the family; NULL: nothing. */
    enum mw_cause (*cause)(enum mw_cause common, const double *q, const struct mw_frame *frame,
                           struct mw_symptoms *symptoms);
    bool never_superlinear; /* a speedup above linear is not from caches */
    bool never_slows;       /* a time that rises with the cores has the law's own cause */
    bool has_place;         /* the first own parameter is a loss behind the place that is the second */
    bool waits_shared;      /* its waits are divided like the work: no loss by themselves, beside the small one */
};

extern const struct mw_mechanism mw_mechanisms[MW_MECHANISM_COUNT];
extern const char *const mw_cause_names[MW_CAUSE_COUNT]; /* "scales-well", … */

/* Parameters q[MW_MECHANISM_PARAMS] of the point u in the unit cube of MW_MECHANISM_COMMON + own dimensions. */
void mw_mechanism_draw(const struct mw_mechanism *law, double *q, const double *u, const struct mw_frame *frame);

/* T and C of one draw at (p, x), with their parts; use may be NULL. Tested against values of a second implementation. */
void mw_mechanism_at(const struct mw_mechanism *law, const double *q, const struct mw_frame *frame, double p, double x,
                     double *t, double *c, struct mw_use *use);

/* Efficiency from which a program scales: twice the cores still gain 1.6 and more. */
#define MW_SCALES_FROM .75
/* Family of E = T1/(P TP) by its two factors; C of a span of its own. */
enum mw_family mw_family_of(double t1, double c1, double tp, double cp, double cores);
/*
 * z = (R - 1)/(1/x - 1), R = idle time (or busy growth) at clock x over that at 1: 1 where it scales with 1/clock, 0 where it
 * is fixed. NaN where there is none at the highest clock.
 */
double mw_clock_part(double high, double low, double x);

/*
 * Whether the draw has a step that costs 8 % or more of the time, right behind its place or on all cores; its place and size.
 */
bool mw_mechanism_step(const struct mw_mechanism *law, const double *q, double cores, double *after, double *size);

/* Cause, family and pair of a draw at (P, 1). docs/diagnosis.md has the rule. */
struct mw_class mw_mechanism_class(const struct mw_mechanism *law, const double *q, const struct mw_frame *frame);

/*
 * The cause at another configuration (p <= P, x), by the same rule; MW_CAUSE_IDLE where less than three quarters of the time are
 * computing that the cores divide and the rule names nothing else. outcome: the draw's at (P, 1).
 */
enum mw_cause mw_mechanism_cause_at(const struct mw_mechanism *law, const double *q, const struct mw_frame *frame,
                                    const struct mw_class *outcome, double p, double x);

#endif
