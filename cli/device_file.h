// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_DEVICE_FILE_H
#define MW_CLI_DEVICE_FILE_H

#include "data/error.h"
#include "fit/device/device.h"

#include <jansson.h>

/* What `memwall fit --device` writes and `memwall predict` reads: memwall-device/1, a group for each configuration of the scan. */
#define DEVICE_SCHEMA "memwall-device/1"

/* Columns of a scan that tell configurations apart; members of a group where the table has them. */
enum { DEVICE_KEYS = 4 };
extern const char *const device_keys[DEVICE_KEYS];

json_t *device_group_json(const struct mw_device_split *split);
/* Of a group that was told; MW_DATA names the member that is missing or no number. */
enum mw_err device_group_read(struct mw_device_split *split, const json_t *group, struct mw_error *error) MW_CHECKED;

#endif
