// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_FREQ_GPU_CARD_H
#define MW_MEASURE_FREQ_GPU_CARD_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A graphics processor as the kernel or its vendor's library knows it: amdgpu, i915 and xe below /sys/class/drm, NVIDIA
 * by NVML (loaded at run time) where no other root is given.
 */
enum mw_card_driver { MW_CARD_NONE, MW_CARD_AMDGPU, MW_CARD_I915, MW_CARD_XE, MW_CARD_NVIDIA };
struct mw_card {
    enum mw_card_driver driver;
    char folder[64]; /* "/sys/class/drm/card0"; empty for NVIDIA */
};

/*
 * The one card whose vendor the text names ("AMD", "Intel", "NVIDIA"; NULL: any). False where there is none or several:
 * which one a program uses can't be told then.
 */
bool mw_card_find(const char *root, const char *vendor, struct mw_card *card);
/* Cards of these drivers that are there. */
size_t mw_card_count(const char *root);
/* What the processor runs at now, in hertz; 0 where that can't be read. */
double mw_card_clock(const char *root, const struct mw_card *card);

#endif
