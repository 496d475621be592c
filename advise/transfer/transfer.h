// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_TRANSFER_H
#define MW_ADVISE_TRANSFER_H

#include "data/model_file/model_file.h"
#include "data/profile.h"
#include "fit/predict/predict.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A program measured on machine A, predicted on machine B that is known from its profile, and from a few runs on it where
 * there are any. What can be promised is a range, a ranking and which two points to measure there. docs/buying.md has the
 * method and the study behind every width; make bench-buying prints how often it holds.
 */
enum mw_transfer_memory { MW_TRANSFER_MEMORY_NO, MW_TRANSFER_MEMORY_YES, MW_TRANSFER_MEMORY_UNKNOWN };

/* The program on A. Everything is borrowed and must outlive the source. */
struct mw_transfer_source {
    const struct mw_model *model;
    const struct mw_profile *machine; /* of A; NULL: unknown (its clock is then taken from the points) */
    enum mw_transfer_memory memory;   /* what diagnose says: memory, something else, undetermined */
    bool saturated;                   /* diagnose says bandwidth: A's time is V / STREAM of A */
    double footprint_bytes;           /* 0: unknown */
    double exponent;                  /* of the core shift of memory-bound programs; 0: MW_TRANSFER_EXPONENT */

    /* filled by mw_transfer_source_init, owned */
    double freq_hz;              /* F that the curve is taken at: the highest measured; 0: unknown */
    double time_one_s, ln_noise; /* T_A(1); has_time is false for speedups */
    bool has_time;
    double *ln_cores, *ln_efficiency; /* ln of S/p at cores ascending, from 1 */
    double *time_s;                   /* T_A at the measured ones, 0 where the mixture speaks */
    size_t count;
    unsigned cores;  /* physical cores of A that were measured */
    double smt_gain; /* S(all threads)/S(all cores) on A; 0: unknown */
    double loss;     /* 1 - S_A(4)/4 */
};
#define MW_TRANSFER_EXPONENT .6

/* `reach` is the largest core count that a target may ask for: A's curve is carried on by the mixture up to there. */
enum mw_err mw_transfer_source_init(struct mw_transfer_source *source, double reach, struct mw_error *error) MW_CHECKED;
void mw_transfer_source_release(struct mw_transfer_source *source);
/* S_A(p)/p: linear in ln p between what was measured, the mixture beyond, the nearest past both ends. */
double mw_transfer_efficiency(const struct mw_transfer_source *source, double cores);

/* Machine B; runs on it are optional. */
struct mw_transfer_target {
    const struct mw_profile *profile;
    const struct mw_points *runs; /* NULL: never measured */
    const struct mw_model
        *runs_model; /* fit of the runs; NULL where there are too few to fit; used from seven core counts on */
};

enum mw_transfer_basis {
    MW_TRANSFER_FROM_A,         /* A's curve, time by score or clock */
    MW_TRANSFER_FROM_A_AND_ONE, /* A's curve through one point measured on B */
    MW_TRANSFER_FROM_B,         /* B's runs alone */
};

enum mw_transfer_time_by {
    MW_TRANSFER_TIME_UNKNOWN,
    MW_TRANSFER_TIME_BY_SCORE,
    MW_TRANSFER_TIME_BY_CLOCK,
    MW_TRANSFER_TIME_MEASURED
};

struct mw_transfer_estimate { /* at one core count; 90 % intervals */
    double cores;
    double speedup, speedup_low, speedup_high;
    bool has_time;
    double time_s, time_low_s, time_high_s;
    double ln_time_sd;   /* of ln time, for chances */
    double serial_first; /* speedup if the program were not memory-bound, if it were: both answers */
    double memory_first;
    bool beyond;        /* more cores than A was measured on */
    bool raised;        /* by the floor of bandwidth */
    bool hyper_threads; /* by A's gain */
    unsigned boundary;  /* boundary of B between 1 and cores, 0: none known */
};

struct mw_transfer_alarm {
    bool raised;
    double ln_measured, ln_predicted; /* of S_B(2) */
};

struct mw_transfer_result {
    enum mw_transfer_basis basis;
    enum mw_transfer_time_by time_by;
    double shift;        /* kappa: B's p cores are like A's p/kappa where memory binds */
    bool ladders;        /* clock tables known on both sides */
    bool memory_matters; /* memory unknown, and the answers differ by over 20 % */
    bool too_large;      /* footprint over the memory of B */
    struct mw_transfer_alarm alarm;
    unsigned rent[2];                       /* which two core counts to measure there */
    struct mw_transfer_estimate *estimates; /* one for each of the cores asked, owned */
    size_t count;
};

/*
 * MW_USAGE for more hardware threads than B has, or for hyper-threads where A's gain is unknown (hint: the one run that
 * gives it). MW_NOMEM. Deterministic.
 */
enum mw_err mw_transfer_predict(struct mw_transfer_result *result, const struct mw_transfer_source *source,
                                const struct mw_transfer_target *target, const double *cores, size_t count,
                                struct mw_error *error) MW_CHECKED;
void mw_transfer_result_release(struct mw_transfer_result *result);

/* Half-width (90 %) of ln S_B(p) by A's curve. */
double mw_transfer_half_width(double cores, double memory, double loss, bool ladders);

/* One contender: ln time N(mean, sd^2). */
struct mw_transfer_contender {
    double ln_time, ln_sd;
    double chance; /* out: of being the fastest */
};
/* Fills the chances (they sum to 1), by the trapezoid rule on 2,000 nodes; errors of contenders taken as independent. */
void mw_transfer_rank(struct mw_transfer_contender *contenders, size_t count);
/* Share of earlier tables in which an answer with this margin (ratio >= 1) named the faster machine. */
double mw_transfer_margin_right(double margin, bool time_measured);

#endif
