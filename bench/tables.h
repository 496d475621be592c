// SPDX-License-Identifier: GPL-3.0-or-later
// The measured tables as benches need them: complete grids of time and power.
#ifndef MW_BENCH_TABLES_H
#define MW_BENCH_TABLES_H

#include <stdbool.h>
#include <stddef.h>

struct bench_table {
    char name[64];
    size_t count;
    unsigned *cores;
    double *freq_hz, *time_s, *energy_j; /* time_s 0: energies only */
    bool energy_only, one_frequency;
    unsigned boundary; /* 0: unknown */
};

struct bench_tables {
    struct bench_table *items;
    size_t count;
};

/* Everything under $MEMWALL_DATA or ../shared/data; false where the folder is absent. */
bool bench_read_power(struct bench_tables *tables);
bool bench_read_multicores(struct bench_tables *tables);
/* Sets of usable.txt with energies, marked long or short. */
bool bench_read_speedup(struct bench_tables *tables, bool long_sets);
void bench_release(struct bench_tables *tables);

#endif
