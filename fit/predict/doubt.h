// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_DOUBT_H
#define MW_FIT_DOUBT_H

#include "fit/predict/predict.h"

/*
 * What the data cannot tell of the predictions asked for, in words, with what to measure. docs/prediction.md lists the
 * cases and the measured errors behind them.
 */
enum mw_doubt_kind {
    MW_DOUBT_BOUNDARY,    /* a socket, NUMA or SMT boundary lies between the data and a query */
    MW_DOUBT_NO_TOPOLOGY, /* more than the measured cores, and where boundaries lie is not known */
    MW_DOUBT_TWO_CAMPS,   /* some fits see a roof ahead, others do not */
    MW_DOUBT_POWER,       /* the program gains as a low power of its cores: nobody knows how that goes on */
    MW_DOUBT_FEW_POINTS,
    MW_DOUBT_ONE_FREQ,  /* the effect of frequency rests on the priors alone */
    MW_DOUBT_FAR_CORES, /* over four times the measured ones */
    MW_DOUBT_FAR_FREQ,  /* over 1.6 times the highest measured one, or under the lowest by as much */
    MW_DOUBT_COUNT
};

struct mw_doubt {
    enum mw_doubt_kind kind;
    double cores;   /* the core count to measure; 0 where it is something else */
    char text[240]; /* one sentence, no full stop */
};

/* At most one of a kind, in the order of the kinds; the count is returned. predictions[i] answers query[i]. */
size_t mw_doubts(const struct mw_model *model, const struct mw_query *query, const struct mw_prediction *predictions,
                 size_t n, struct mw_doubt doubts[MW_DOUBT_COUNT]);

#endif
