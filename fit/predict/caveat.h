// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_CAVEAT_H
#define MW_FIT_CAVEAT_H

#include "fit/predict/predict.h"

/*
 * What the data cannot tell of the predictions asked for, in words, with what to measure. docs/prediction.md lists the
 * cases and the measured errors behind them.
 */
enum mw_caveat_kind {
    MW_CAVEAT_BOUNDARY,    /* a socket, NUMA or SMT boundary lies between the data and a query */
    MW_CAVEAT_MOVED,       /* few runs lie behind a boundary, and move the law of those before it */
    MW_CAVEAT_NO_TOPOLOGY, /* more than the measured cores, and where boundaries lie is not known */
    MW_CAVEAT_TWO_CAMPS,   /* some fits see a roof ahead, others do not */
    MW_CAVEAT_POWER,       /* the program gains as a low power of its cores: nobody knows how that goes on */
    MW_CAVEAT_FEW_POINTS,
    MW_CAVEAT_ONE_FREQ,  /* the effect of frequency rests on the priors alone */
    MW_CAVEAT_FAR_CORES, /* over four times the measured ones */
    MW_CAVEAT_FAR_FREQ,  /* over 1.6 times the highest measured one, or under the lowest by as much */
    MW_CAVEAT_COUNT
};

struct mw_caveat {
    enum mw_caveat_kind kind;
    double cores;   /* the core count to measure; 0 where it is something else */
    char text[240]; /* one sentence, no full stop */
};

/* At most one of a kind, in the order of the kinds; the count is returned. predictions[i] answers query[i]. */
size_t mw_caveats(const struct mw_model *model, const struct mw_config *query, const struct mw_prediction *predictions,
                  size_t n, struct mw_caveat caveats[MW_CAVEAT_COUNT]);

#endif
