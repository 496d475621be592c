// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_WHATIF_H
#define MW_ADVISE_WHATIF_H

#include "advise/diagnose/diagnose.h"
#include "data/model_file/model_file.h"
#include "fit/predict/predict.h"

#include <stdbool.h>

/*
 * What if this machine had another memory, or more cores? By the twin identity: with T = C(p)/F + m(p), a memory x times as
 * slow gives T'(p, F) = x T(p, x F), so the answer is read off the user's own runs at another frequency. Bounds are always
 * given and hold whatever the law (more bandwidth gains no more than the share that does not depend on the frequency);
 * a single figure only where one is known. docs/buying.md.
 */
struct mw_whatif {
    double latency;   /* factor on memory latency: .7 is faster; 1: unchanged */
    double bandwidth; /* factor on memory bandwidth: 2 is twice; 1: unchanged */
    double cores;     /* 0: as in the query */
};

/* "memory-latency=0.7,memory-bandwidth=2,cores=64"; MW_USAGE names the known keys. */
enum mw_err mw_whatif_parse(struct mw_whatif *what, const char *text, struct mw_error *error) MW_CHECKED;

struct mw_whatif_answer {
    double cores, freq_hz;         /* of the answer */
    double now, now_low, now_high; /* as things are, at the query */
    bool has_figure;
    double value, low, high;      /* 90 % */
    double bound_low, bound_high; /* what it cannot leave */
    bool crossed;                 /* the figure lies outside the bounds by over 2 %: noise; it is not clipped */
    double read_at_hz;            /* the frequency that the figure was read at; 0: none */
    double runs_hz[2];            /* of the runs at or around it; 0: none on so many cores, the model answers */
    bool has_wider;               /* cores: the answer if memory grew with the cores */
    double wider;
    char why[200]; /* where there is no single figure: what is not known */
};

/*
 * Times in seconds. MW_USAGE: over four times the measured cores, or a model without times. MW_NOFIT as mw_predict.
 * Deterministic. Checked by make bench-buying (rms of ln T) and tests/unit/test_transfer.c.
 */
enum mw_err mw_whatif_answer(struct mw_whatif_answer *answer, const struct mw_whatif *what,
                             const struct mw_model *model, const struct mw_diagnosis *diagnosis,
                             const struct mw_config *query, struct mw_error *error) MW_CHECKED;

#endif
