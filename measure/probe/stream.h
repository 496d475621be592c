// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_STREAM_H
#define MW_MEASURE_STREAM_H

#include "data/error.h"
#include "measure/probe/arena.h"
#include "measure/probe/kernels/stream.h"

#include <stdbool.h>
#include <stddef.h>

/* One row of the table: a kernel with the kind of stores and pages. Name: "triad", "copy-nt", "read-4k", "add-nt-4k". */
struct mw_stream_variant {
    enum mw_op op;
    bool nt;
    enum mw_pages pages;
};
void mw_stream_name(const struct mw_stream_variant *variant, char *text, size_t size);
/* MW_USAGE lists the kernels that there are. */
enum mw_err mw_stream_parse(const char *name, struct mw_stream_variant *variant, struct mw_error *error) MW_CHECKED;
/* True where one of the instruction sets of this machine has it. */
bool mw_stream_exists(const struct mw_stream_variant *variant, const struct mw_stream_isa *const *isas);

struct mw_stream_options {
    const unsigned *cpus; /* one thread on each */
    size_t cpu_count;
    size_t array_bytes; /* of each of the three arrays; rounded up to MW_STREAM_BLOCK elements */
    const struct mw_stream_variant *variants;
    size_t variant_count;
    unsigned long runs; /* timed repetitions of each; fewer where the time is out, but at least MW_STREAM_LEAST_RUNS */
    double max_time_s;
    int node; /* where the memory lies: MW_NODE_FIRST_TOUCH, MW_NODE_INTERLEAVE or a node's number */
    const struct mw_stream_isa *const *isas; /* to choose from by trial; mw_stream_isas */
    bool (*stop)(void);                      /* asked between repetitions; NULL: never */
    struct mw_arena *arenas; /* two, by enum mw_pages: opened here where they are too small, used again and left open;
                                the caller closes them, between runs if memory is to be touched anew. NULL: own ones */
};

#define MW_STREAM_LEAST_RUNS 1

struct mw_stream_row {
    struct mw_stream_variant variant;
    const char *isa;            /* the one that was fastest in the trial */
    size_t bytes;               /* counted per repetition: bytes per element times all elements */
    double min_s, avg_s, max_s; /* over the repetitions that are kept; the best rate is bytes / min_s */
    unsigned long runs;         /* kept */
    unsigned long disturbed; /* set aside: some thread lost its CPU in them; all are kept where none is undisturbed */
    bool all_disturbed;
    bool valid; /* every element as the replay says, after the last repetition, an eighth after the first */
};

struct mw_stream_result {
    size_t elements;            /* of each array; the threads' parts add up to it */
    struct mw_stream_row *rows; /* one a variant, in the order asked for */
    size_t row_count;
    struct mw_placement placement[2]; /* by enum mw_pages, after the touch; sampled 0 where no variant uses them */
};

/*
 * Runs all variants by the rules of STREAM 5.10 on pinned threads, each touching its part first: the repetitions of
 * different variants alternate, the first of each is left out, time is the latest end less the earliest start.
 * MW_NOMEM, MW_RUN as arenas and teams do; MW_INTERRUPTED when stop says so. Source: J. D. McCalpin, STREAM 5.10.
 */
enum mw_err mw_stream_run(const struct mw_stream_options *options, struct mw_stream_result *result,
                          struct mw_error *error) MW_CHECKED;
void mw_stream_release(struct mw_stream_result *result);

/* Bytes of memory that the arrays of these variants take. */
size_t mw_stream_memory(const struct mw_stream_options *options);

/* Bytes that the least run moves, beside the first touch: trials, two rounds, checks. */
double mw_stream_least_moved(const struct mw_stream_options *options);

/*
 * Least array by the STREAM rule: four times the last-level caches of the cores in use, and 10^6 elements.
 */
size_t mw_stream_least_array(size_t llc_bytes);

#endif
