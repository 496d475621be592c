// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_BENCH_DIAGNOSE_TRUTH_H
#define MW_BENCH_DIAGNOSE_TRUTH_H

#include "advise/diagnose/diagnose.h"

#include <gsl/gsl_rng.h>

/*
 * Simulated programs whose cause is known, written apart from the laws of model/mechanisms.c: soft knees, random places,
 * partly spinning waiters, two causes at once. Three sets: the forty kinds of docs/diagnosis.md, ten that no law has, and ten
 * more that were written after the laws were fixed and not looked at until then.
 */
enum truth_set { TRUTH_FORTY, TRUTH_UNKNOWN, TRUTH_FURTHER, TRUTH_SETS };

struct truth_kind;
struct truth {
    const struct truth_kind *kind;
    unsigned cores;
    double a[6], s, l, n, k; /* of the kind; serial work, memory, wait and core count of its own */
};

struct truth_kind {
    const char *name;
    const char *right; /* verdicts that are its cause, separated by spaces; with @1 at one clock only */
    void (*draw)(struct truth *truth, gsl_rng *rng);
    void (*at)(const struct truth *truth, double p, double x, double *t, double *c);
};

size_t truth_kinds(enum truth_set set, const struct truth_kind **kinds);
/* A clear case: what loses has an efficiency under .65, or .85 where `mild`; what scales over .9. */
void truth_draw(struct truth *truth, const struct truth_kind *kind, unsigned cores, gsl_rng *rng);

enum score { SCORE_CAUSE, SCORE_FAMILY, SCORE_OPEN, SCORE_WRONG, SCORES };
/* counts: those measured, for a time that rises. */
enum score truth_score(const struct truth *truth, const struct mw_diagnosis *d, const unsigned *counts, size_t n);

#endif
