// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_MAIN_WAIT_H
#define MW_FIT_MAIN_WAIT_H

#include "data/dataset.h"

/*
 * Takes the main thread's wait for a core off the times: T - wait is what a quiet machine would have given, to 3 ms, where
 * the main thread is on the critical path (docs/diagnosis.md); where another waited longer, that wait. Of rows where it is 3 % of the time or more, the time is
 * the run's (no wall_s beside it), and what is left still holds the CPU time (C <= p T); power stays that of the time as
 * measured. None is taken where others had MW_OTHERS_MOST of the cores of a run whose main thread tells no wait, or one that
 * the CPU time contradicts (the other threads worked on, or spun, meanwhile): corrected and uncorrected times don't compare.
 * Returns how many rows; *most: its largest share of a time. Tested by test_main_wait.c.
 */
/* Share of a run's cores that other programs had beyond which nothing is concluded from a time that can't be corrected. */
#define MW_OTHERS_MOST .25

size_t mw_main_wait_take(struct mw_row *rows, size_t count, double *most);

/* A run's time without the wait, where it can be taken off it; else as measured. For whether a run was like the others. */
double mw_main_wait_without(const struct mw_row *row);

/* Whether a run is one that nothing can be taken beside, as above. */
bool mw_main_wait_blind(const struct mw_row *rows, size_t count);

#endif
