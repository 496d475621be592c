// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_THIN_H
#define MW_FIT_THIN_H

#include "fit/residual.h"

/*
 * A subset of at most `limit` (>= 4) of n sites that keeps what tells laws apart: core counts evenly spread in ln p, ends
 * included, over evenly spread frequencies, ends included. kept[] (room for limit) gets ascending indices; returns how
 * many. All of them where n <= limit. Depends on the set of sites only, not on their values.
 */
size_t mw_thin(const struct mw_site *sites, size_t n, size_t limit, size_t *kept);

#endif
