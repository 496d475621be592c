// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_TEAM_H
#define MW_MEASURE_TEAM_H

#include "data/error.h"

#include <stddef.h>

/*
 * Threads that each run on one CPU of their own and start together. `work` is called once in each thread, with its
 * number 0 … count-1, after all have been bound and their masks read back. It may meet the others at
 * mw_team_wait; then all must, as often. The first error of a thread is the result. The caller's thread only waits.
 * MW_RUN where a thread cannot be made or bound: then `work` is called in none.
 */
struct mw_team;
typedef enum mw_err (*mw_team_work)(void *shared, struct mw_team *team, size_t index, struct mw_error *error);
enum mw_err mw_team_run(const unsigned *cpus, size_t count, mw_team_work work, void *shared,
                        struct mw_error *error) MW_CHECKED;

/* Barrier that spins, so that all leave it within a fraction of a microsecond; yields where a thread keeps it waiting. */
void mw_team_wait(struct mw_team *team);

#endif
