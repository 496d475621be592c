// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_DIAGNOSE_PARTS_H
#define MW_ADVISE_DIAGNOSE_PARTS_H

#include "advise/diagnose/diagnose.h"

/* Shared by the files of diagnosis only. */

/* A sequential diagnosis looks after each point and has several chances to be wrong: it stops at this one only. */
#define MW_DIAGNOSE_STOP .93
/* Of two classes together, which share most of what could be wrong. */
#define MW_DIAGNOSE_PAIR .88

struct mw_diagnoser {
    struct mw_diagnose_options options;
    unsigned *boundaries; /* copy of the caller's */
    struct mw_mechanism_bank *small, *large;
    unsigned bank_cores; /* P that the banks are for */
    struct mw_mechanism_posterior posterior;
    double freq_scale_hz; /* F that x = 1 means; 0: unknown */
};

enum { MW_DIAGNOSE_MAX_BOUNDARIES = 16 };

/* The points of one inference: thinned, relative to the highest frequency, with the candidates of steps. */
struct mw_diagnose_view {
    struct mw_mechanism_point points[MW_MECHANISM_MAX_POINTS];
    size_t count;
    bool ratio;
    unsigned cores;
    double freq_scale_hz, freq_min_hz;
    bool one_frequency;
    struct mw_mechanism_boundary boundaries[MW_DIAGNOSE_MAX_BOUNDARIES];
    size_t boundary_count;
};

/*
 * A whole table would make every draw but a handful impossible (its smooth misfit counts as thousands of independent
 * witnesses): at most `limit` points, three quarters of them at the highest frequency.
 */
enum { MW_DIAGNOSE_THIN = 48 };
enum mw_err mw_diagnose_view_build(struct mw_diagnose_view *view, const struct mw_points *points, size_t limit,
                                   const struct mw_diagnose_options *options, struct mw_error *error) MW_CHECKED;

/* The class of one draw at (cores, 1); superlinear: the ratio S/p from which a curve is above linear. */
enum mw_verdict mw_diagnose_class(const struct mw_mechanism_draw *draw, double cores, double superlinear);
double mw_diagnose_superlinear(double residual);
/* Share of memory (latency, non-scaling, roof) from which it costs. */
bool mw_diagnose_memory_costs(const struct mw_mechanism_shares *shares);
bool mw_diagnose_has_step(const struct mw_mechanism_draw *draw);

#endif
