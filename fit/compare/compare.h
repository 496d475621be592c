// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_CONTEST_H
#define MW_FIT_CONTEST_H

#include "fit/search/score.h"

/*
 * Every law, the mixture of laws and the learners on the same random splits of the measured points: trained on some,
 * judged by the mean of |predicted/measured - 1| over the others.
 */
struct mw_compare_entry {
    char name[24];
    size_t train;                     /* points trained on */
    double mean_percent;              /* error, mean over the repeats */
    double low_percent, high_percent; /* least and largest of the repeats */
};

struct mw_compare {
    struct mw_compare_entry *entries; /* by size, then method in a fixed order */
    size_t count, methods;            /* entries, methods of each size */
};
void mw_compare_release(struct mw_compare *comparison);

struct mw_compare_options {
    const size_t *sizes; /* training points, each less than the points that can be used */
    size_t size_count;
    size_t repeats;
    unsigned long seed;
    const struct mw_knowledge *knowledge;
    void (*progress)(void *context, size_t done, size_t total); /* NULL: none */
    void *context;
};

/*
 * Points of one core are left out of speedups, where they are one by definition. MW_NOFIT where a size leaves nothing to
 * judge by. Deterministic for a seed, whatever the number of threads.
 */
enum mw_err mw_compare_run(struct mw_compare *comparison, const struct mw_points *points,
                           const struct mw_compare_options *options, struct mw_error *error) MW_CHECKED;

#endif
