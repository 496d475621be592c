// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_PREDICT_DEVICE_H
#define MW_CLI_PREDICT_DEVICE_H

#include "cli/cli.h"

/* `memwall predict --gpus LIST` or `--gpu-freq LIST` of a file of `memwall fit --device`: one of the lists. Exit status. */
int cli_predict_device(struct cli *cli, const char *gpus, const char *gpu_freq);

#endif
