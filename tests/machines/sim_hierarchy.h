// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_TESTS_SIM_HIERARCHY_H
#define MW_TESTS_SIM_HIERARCHY_H

#include "measure/probe/cache.h"
#include "tests/machines/sim_memory.h"

/* A machine drawn at random: two or three levels, lines of 64 or 128 bytes, noise of 2 to 10 %, interruptions. */
struct sim_machine sim_draw(uint64_t seed);

/* What `measure cache` said of a machine beside the truth. */
struct sim_judgement {
    unsigned right, wrong, unmarked; /* findings; not told where the truth is known */
    bool wrong_any, marked_any;      /* of this machine; marked: found or missed and said so */
    char text[600];                  /* each finding that isn't right */
};
/* Measures the machine, and judges capacities, lines, ways, levels, TLB entries, latency of memory and prefetchers. */
enum mw_err sim_judge(const struct sim_machine *machine, double max_time_s, struct sim_judgement *judgement,
                      struct mw_cache_report *report, struct mw_error *error) MW_CHECKED;

#endif
