// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_SCAN_DEVICE_H
#define MW_CLI_SCAN_DEVICE_H

#include "measure/freq/gpufreq.h"

#include <stdio.h>

/* The third axis of a scan: how many graphics processors a program sees, or the clock of the one there is. */
struct scan_device {
    double *values; /* ascending: numbers, or hertz; NULL: no such axis */
    size_t count;
    bool is_freq;
    struct mw_gpufreq gpufreq; /* open where is_freq, and nothing but a plan is asked for */
};

/* gpus, gpu_freq: the options, NULL where not given. MW_USAGE where both are, or where more are asked for than there are; MW_UNSUPPORTED. */
enum mw_err scan_device_open(struct scan_device *device, const char *root, const char *gpus, const char *gpu_freq,
                             struct mw_error *error) MW_CHECKED;
/* Before a run. *off: the clock is not what was asked for. For a number the environment is set: the program's is to be made anew. */
enum mw_err scan_device_set(struct scan_device *device, double value, bool *off, struct mw_error *error) MW_CHECKED;
/* Puts the clock back. Takes a zeroed one. */
enum mw_err scan_device_close(struct scan_device *device, struct mw_error *error) MW_CHECKED;
/* Name of its column of runs.csv; NULL without the axis. */
const char *scan_device_column(const struct scan_device *device);
/* From the axis to the column's unit. */
double scan_device_unit(const struct scan_device *device);

#endif
