// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_MEASURE_WITH_GPU_H
#define MW_CLI_MEASURE_WITH_GPU_H

#include "cli/measure/measure.h"

/*
 * Rows of `bandwidth --with-gpu`: who gets how much of one memory. cpu_bytes: of the buffers of all cores together. Takes
 * some time_s and the start of the drivers. MW_UNSUPPORTED where there is no device.
 */
enum mw_err measure_with_gpu(struct measure_run *run, size_t cpu_bytes, double time_s,
                             struct mw_error *error) MW_CHECKED;

#endif
