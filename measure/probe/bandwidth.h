// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_BANDWIDTH_H
#define MW_MEASURE_BANDWIDTH_H

#include "data/error.h"
#include "measure/probe/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* What is done with a core's buffers; rates count bytes read plus bytes written by the program. */
enum mw_bandwidth_test {
    MW_BW_MEMSET,  /* the C library's, on one buffer */
    MW_BW_READ,    /* sum of one buffer in order */
    MW_BW_MEMCPY,  /* the C library's, from one buffer to the other */
    MW_BW_FILL,    /* regular stores: each line is read before it is written (write-allocate) */
    MW_BW_FILL_NT, /* streaming stores: it is not */
    MW_BW_COPY,
    MW_BW_COPY_NT,
    MW_BW_STRIDED_READ,     /* one word of each line, a stride from load to load, until all lines are read once */
    MW_BW_RANDOM_READ,      /* the same of as many lines as there is a power of two, in random order */
    MW_BW_READ_BESIDE_FILL, /* every other core reads its buffer, the others fill theirs; two cores at least */
    MW_BW_TESTS
};
#define MW_BW_LINE 64 /* bytes counted for each line that is touched */
/* Destinations of copies start at a multiple of 2 MiB plus the offset. */
#define MW_BW_OFFSET_MAX ((size_t)8 << 20)

const char *mw_bandwidth_name(enum mw_bandwidth_test test);
/* Bytes counted for one pass over a buffer. */
size_t mw_bandwidth_bytes(enum mw_bandwidth_test test, size_t size_bytes);

/* Two buffers for each core, touched first by it. */
struct mw_bandwidth {
    const unsigned *cpus; /* of the caller, who keeps them as long */
    size_t cpu_count;
    size_t size_bytes;       /* of the largest buffer */
    struct mw_arena *arenas; /* one a core: source, then destination */
};
/* size_bytes is rounded up to 512. MW_NOMEM, MW_RUN (not bound). _close takes a zeroed one. */
enum mw_err mw_bandwidth_open(struct mw_bandwidth *bandwidth, const unsigned *cpus, size_t cpu_count, size_t size_bytes,
                              struct mw_error *error) MW_CHECKED;
void mw_bandwidth_close(struct mw_bandwidth *bandwidth);
/* Memory that it takes. */
size_t mw_bandwidth_memory(size_t cpu_count, size_t size_bytes);

struct mw_bandwidth_case {
    enum mw_bandwidth_test test;
    size_t cores;        /* the first of cpus, all at once */
    size_t size_bytes;   /* of each core's buffer, a multiple of 512, at most that of _open */
    size_t offset_bytes; /* of the destination, a multiple of 64, at most MW_BW_OFFSET_MAX */
    size_t stride_bytes; /* MW_BW_STRIDED_READ only: a multiple of MW_BW_LINE */
    double time_s;       /* for the windows; at least MW_BW_LEAST_WINDOWS and at most MW_BW_MOST_WINDOWS are taken */
};
#define MW_BW_LEAST_WINDOWS 2
#define MW_BW_MOST_WINDOWS  64

struct mw_bandwidth_rate {
    double best_bps, median_bps; /* bytes of all cores / (latest end - earliest start), over the windows */
    size_t windows;              /* that count: in which no thread lost its CPU; all where there is none such */
    bool disturbed;              /* fewer than MW_BW_LEAST_WINDOWS are such: one alone may have met anything */
    const char *isa;             /* fastest in a short trial on the first core; "libc", "word" where there is none */
};

/* False where this machine has no such kernel (streaming stores). */
bool mw_bandwidth_exists(enum mw_bandwidth_test test);

/* MW_UNTRUSTED where a buffer does not hold afterwards what it must, MW_RUN, MW_NOMEM; *rate unchanged then. */
enum mw_err mw_bandwidth_run(const struct mw_bandwidth *bandwidth, const struct mw_bandwidth_case *c,
                             struct mw_bandwidth_rate *rate, struct mw_error *error) MW_CHECKED;

#endif
