// SPDX-License-Identifier: GPL-3.0-or-later
// Advice from noisy tables, checked against the tables without noise.
#ifndef MW_BENCH_RECOMMEND_NOISE_H
#define MW_BENCH_RECOMMEND_NOISE_H

#include "bench/tables.h"

/* Prints the tables of one corpus for 5, 10 and 15 % noise, one and three repetitions, seeds draws each. */
void recommend_from_noise(const struct bench_tables *tables, const char *corpus, unsigned long seeds);

#endif
