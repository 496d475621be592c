// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_FIT_DEVICE_H
#define MW_CLI_FIT_DEVICE_H

#include "cli/cli.h"

/*
 * `memwall fit --device`: for each configuration of a scan over gpus or gpu_freq_ghz the host's and the device's share of the
 * time, or why they can't be told. Exit status; 4 where none can.
 */
int fit_device(struct cli *cli, const char *path);

#endif
