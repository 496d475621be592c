// SPDX-License-Identifier: GPL-3.0-or-later
// The measured sets, cut into training and held-out points.
#ifndef MW_BENCH_SPLITS_H
#define MW_BENCH_SPLITS_H

#include "data/boundary.h"
#include "data/dataset.h"

#include <stdbool.h>
#include <stddef.h>

struct bench_set {
    char name[80];
    bool is_long;      /* parsec-speedup: runs of 20 s and more */
    bool mixed;        /* multicores: several kinds of cores together */
    unsigned boundary; /* the last core before one, 0: none is known */
    enum mw_boundary_kind kind;
    struct mw_points points;
};

struct bench_sets {
    struct bench_set *items;
    size_t count;
};

/* corpus: parsec-power, parsec-speedup (usable sets, p > 1) or multicores; false where absent. */
bool bench_sets_read(struct bench_sets *sets, const char *corpus);
void bench_sets_release(struct bench_sets *sets);

/* One way to cut a set; `cut` marks each point or returns false where the set does not serve. */
enum { BENCH_LEFT_OUT, BENCH_TRAIN, BENCH_TEST };
struct bench_split {
    const char *corpus, *name;
    bool long_only;
    bool (*cut)(const struct bench_set *set, char *mark);
    void (*spoil)(struct mw_points *train, unsigned long seed); /* NULL, or makes training points dirty */
    bool unaware;                                               /* nobody tells where the machine's boundaries are */
};
extern const struct bench_split bench_splits[];
extern const size_t bench_split_count;

/* Owned copies of the points with this mark. */
struct mw_points bench_select(const struct mw_points *points, const char *mark, char wanted);
/* A number that names a set, for its random choices. */
unsigned long bench_seed(const struct bench_set *set);

#endif
