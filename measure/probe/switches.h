// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_SWITCHES_H
#define MW_MEASURE_SWITCHES_H

#include <stdbool.h>

/* Context switches of the calling thread: whoever lost its CPU within a timed region was disturbed. */
struct mw_switches {
    long voluntary, involuntary;
};
struct mw_switches mw_switches_now(void);
bool mw_switched_since(const struct mw_switches *before);

#endif
