// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_COMPARE_H
#define MW_FIT_COMPARE_H

#include "fit/search/score.h"

/*
 * Every law, the mixture of laws and the learners on the same splits of the measured points: trained on some, judged by the mean
 * of |predicted/measured - 1| over others.
 */
enum mw_compare_split {
    MW_SPLIT_INTERPOLATE, /* trained on any points, judged by all others */
    MW_SPLIT_CORES,       /* trained on points of at most half of the cores, judged by those beyond */
    MW_SPLIT_FREQUENCY,   /* trained on points of the lower half of the frequencies' range, judged by those above */
};

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
    size_t repeats; /* random splits; with an order 1 is enough */
    unsigned long seed;
    enum mw_compare_split split;
    const size_t *order; /* points (of those given) in the order in which a plan would measure them; NULL: at random */
    size_t order_count;
    const struct mw_knowledge *knowledge;
    void (*progress)(void *context, size_t done, size_t total); /* NULL: none */
    void *context;
};

/*
 * Points of one core are left out of speedups, where they are one by definition. MW_NOFIT where a size leaves nothing to
 * judge by, or is more than the split has to train on (or than the order has). Deterministic for a seed, whatever the number of threads.
 */
enum mw_err mw_compare_run(struct mw_compare *comparison, const struct mw_points *points,
                           const struct mw_compare_options *options, struct mw_error *error) MW_CHECKED;

/* Of each point whether the split trains on it (all true: MW_SPLIT_INTERPOLATE). pool: one for each point. */
void mw_compare_pool(const struct mw_points *points, enum mw_compare_split split, bool *pool);

#endif
