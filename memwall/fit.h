/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEMWALL_FIT_H
#define MEMWALL_FIT_H

#include "memwall/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Losses of a law on the points; docs/laws.md has their formulas. */
enum mw_loss { MW_LOSS_ROBUST, MW_LOSS_LOG, MW_LOSS_SPEEDUP_MSE };
/* Coupled simulated annealing; plain annealing, for comparison. */
enum mw_method { MW_METHOD_CSA, MW_METHOD_SIMAN };

/* Zeroed is good: everything by default. Pointers are borrowed for the call. */
struct mw_fit_options {
    const char *law; /* NULL: a mixture; else a law's name, as `memwall fit --law` takes it */
    enum mw_loss loss;
    enum mw_method method;
    double memory_freq_hz;      /* 0: from the data, else assumed 2.133 GHz with a warning */
    const char *machine_path;   /* profile JSON, or NULL */
    const unsigned *boundaries; /* core counts after which a socket or node ends */
    size_t boundary_count;
    bool keep_all;                  /* set no row aside by what its value looks like */
    bool weak;                      /* weak scaling: the work grows with the cores */
    unsigned long seed;             /* 0: 1 */
    bool as_measured;               /* the main thread's wait for a core (main_wait_s) stays in the times */
    const unsigned *boundary_kinds; /* of each: 0 not named, 1 socket, 2 NUMA node, 3 slower cores, 4 sibling threads */
    size_t reserved[6];
};

/*
 * Fits a dataset: quality of the runs, laws, ensemble, intervals, power. options NULL: the defaults. *model is overwritten,
 * whatever it held, and is the caller's to free; it owns copies of all it needs.
 * MW_NOFIT where the data cannot be fitted at all, MW_DATA where they are unusable, MW_USAGE, MW_NOMEM. Deterministic for a
 * seed, whatever OMP_NUM_THREADS. Any thread; about half a second of one core for 300 points.
 */
MW_API enum mw_err mw_model_fit(struct mw_model **model, const struct mw_dataset *dataset,
                                const struct mw_fit_options *options, struct mw_error *error) MW_CHECKED;

#ifdef __cplusplus
}
#endif

#endif
