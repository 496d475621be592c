// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_CACHE_JOB_H
#define MW_MEASURE_CACHE_JOB_H

#include "measure/probe/cache.h"
#include "measure/probe/cache_reported.h"
#include "measure/probe/cache_scan.h"
#include "measure/probe/changepoint.h"

/* What the parts of one measurement of caches share; cache.c sets it up. */
struct mw_cache_job {
    const struct mw_topology *topology;
    const struct mw_cache_options *options;
    struct mw_cache_report report;
    struct mw_cache_reported reported;
    struct mw_cache_scan scan;
    struct mw_step steps[MW_STEP_MAX];     /* of the scan over sizes */
    double width[MW_STEP_MAX];             /* of each, as mw_step_refine has it */
    bool level_disturbed[MW_STEP_MAX + 1]; /* the plateau before step i was read from disturbed windows */
    bool step_disturbed[MW_STEP_MAX];      /* step i was: either plateau, or a point beside it */
    size_t step_count;
    size_t line_bytes;   /* of the caches, 0: not known */
    unsigned first_ways; /* of the first level, 0: unknown, and the size of one of them */
    size_t first_way_bytes;
    struct mw_scan_time memory; /* of a load past all caches, by flushes: the mean of these places */
    struct mw_scan_time memory_places[MW_SCAN_MEMORY_PLACES];
};

enum mw_err mw_cache_keep(struct mw_cache_job *job, const char *name, const struct mw_curve *curve,
                          struct mw_error *error) MW_CHECKED;
/* A new finding, compared: values within `tolerance` of each other agree. Its level is printed from kind and number. */
struct mw_finding *mw_cache_find(struct mw_cache_job *job, const char *kind, size_t number, const char *property,
                                 double value, double reported, double tolerance);
/* The reason, where the verdict is this one. */
void mw_cache_because(struct mw_finding *f, enum mw_cache_verdict only_for, const char *format, ...) MW_PRINTF(3, 4);
/* The value stands, but it can't be told whether it is right. */
void mw_cache_doubt(struct mw_finding *f, const char *format, ...) MW_PRINTF(2, 3);
/* Where it rests on windows that other work disturbed, nothing can be told by it, whatever else was said of it. */
void mw_cache_disturb(struct mw_finding *f, bool disturbed);

/* Capacities and latencies, from the scan over sizes; later ones know the steps. */
enum mw_err mw_cache_levels(struct mw_cache_job *job, struct mw_error *error) MW_CHECKED;
/* Some more visits of memory, which other work disturbs for tens of milliseconds at a time: called between other scans. */
enum mw_err mw_cache_visit_memory(struct mw_cache_job *job, struct mw_error *error) MW_CHECKED;
void mw_cache_latencies(struct mw_cache_job *job);

enum mw_err mw_cache_lines(struct mw_cache_job *job, struct mw_error *error) MW_CHECKED;
enum mw_err mw_cache_ways(struct mw_cache_job *job, size_t level, struct mw_error *error) MW_CHECKED;
enum mw_err mw_cache_tlbs(struct mw_cache_job *job, struct mw_error *error) MW_CHECKED;
enum mw_err mw_cache_prefetch(struct mw_cache_job *job, struct mw_error *error) MW_CHECKED;

#endif
