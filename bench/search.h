// SPDX-License-Identifier: GPL-3.0-or-later
// One task on one measured table, and searches for its best configuration.
#ifndef MW_BENCH_SEARCH_H
#define MW_BENCH_SEARCH_H

#include "advise/recommend/goal.h"
#include "bench/tables.h"

struct task {
    const char *name;
    enum mw_objective objective;
    double slowdown, cap; /* fraction over, share of, the reference; 0: none */
};

/* The truth about one task on one table. limited: ln T or ln P of each configuration, limit: of the same; NULL: no limit. */
struct truth {
    struct mw_goal goal;
    double *ln_objective, *limited;
    bool *feasible;
    double best, limit;
    bool any;
};

/* What a run of a search came to. */
struct outcome {
    size_t first;  /* measurements until the best is within the tolerance of the table's */
    size_t stop;   /* measurements at its own stop; 0: it has none */
    double regret; /* true objective of what it recommends over the table's best, ln */
    double broken; /* ln by which the recommendation breaks the limit; <= 0 holds */
    bool feasible;
};

enum { SEARCH_MOST = 40 };
extern const double search_tolerance;

size_t table_reference(const struct bench_table *t);
struct truth truth_find(const struct bench_table *t, const struct task *task);
void truth_forget(struct truth *truth);
bool truth_reached(const struct truth *truth, size_t i);

struct outcome search_random(const struct bench_table *t, const struct truth *truth, unsigned long seed);
/* 1 x 1, 2 x 2, 3 x 3, 5 x 5, 9 x 9 over cores and frequency, then the rest at random. */
struct outcome search_grid(const struct bench_table *t, const struct truth *truth, unsigned long seed);
/* Expected improvement on a Gaussian process without laws (Matern 5/2, lengths by maximum likelihood). */
struct outcome search_gaussian_process(const struct bench_table *t, const struct truth *truth, unsigned long seed);

#endif
