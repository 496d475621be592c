// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_METERS_H
#define MW_MEASURE_METERS_H

#include "data/error.h"

#include <stddef.h>

/* Files of a machine that tell energy or power, and whether they can be read. Nothing is started or changed. */
struct mw_meter {
    const char *source; /* "powercap", "perf", "hwmon", "cray", "battery" */
    char name[64];      /* "package-0", "energy-pkg" */
    char path[160];     /* from the root */
    int failed;         /* errno of a reading, 0 where it can be read */
};

/* All meters, in the order of the table of sources and of names; *count 0 where there are none. Caller frees *meters. */
enum mw_err mw_meters_find(struct mw_meter **meters, size_t *count, const char *root,
                           struct mw_error *error) MW_CHECKED;

#endif
