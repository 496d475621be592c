// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_BINDING_H
#define MW_ADVISE_BINDING_H

#include "advise/diagnose/diagnose.h"

/* What binds at one configuration. */
enum mw_binding {
    MW_BINDING_UNDETERMINED,
    MW_BINDING_COMPUTE,
    MW_BINDING_SERIAL,
    MW_BINDING_LATENCY,
    MW_BINDING_BANDWIDTH
};
const char *mw_binding_name(enum mw_binding binding); /* empty for the first */

/*
 * The cause that nine of ten draws of the diagnoser's last run agree on at a configuration, by the rule that its verdict is found by
 * at all cores and the highest clock, in the words of `predict`: compute where three quarters of the time or more is
 * computing that the cores divide. Undetermined where that is another cause, where the verdict may name none (few core
 * counts, one clock, other programs' load), for speedups, and outside the measured cores and frequencies. So it never
 * contradicts `diagnosis`, which is the last run's. Deterministic. Tested by test_one_judgement.c.
 */
enum mw_binding mw_diagnoser_binding(const struct mw_diagnoser *diagnoser, const struct mw_diagnosis *diagnosis,
                                     const struct mw_config *config);

#endif
