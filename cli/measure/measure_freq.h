// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_MEASURE_FREQ_H
#define MW_CLI_MEASURE_FREQ_H

#include "cli/measure/measure.h"

/*
 * Runs the probe once at each frequency of --freq, or once as the machine is. Frequencies are put back in any case; what
 * could not be set or did not hold is told and marks the run as disturbed. MW_UNSUPPORTED without frequency control.
 */
enum mw_err measure_at_frequencies(struct measure_run *run, const struct measure_probe *probe,
                                   struct mw_error *error) MW_CHECKED;

#endif
