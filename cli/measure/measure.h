// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_MEASURE_H
#define MW_CLI_MEASURE_H

#include "cli/cli.h"
#include "cli/lock_options.h"
#include "measure/machine/topology.h"
#include "measure/probe/bandwidth_verdict.h"
#include "measure/probe/pace.h"

#include <stdio.h>

/* Options of `memwall measure`; each probe names those that it takes. */
struct measure_options {
    const char *cores;       /* --cores; NULL: the probe's default */
    const char *freq;        /* --freq; NULL: as the machine is */
    unsigned long runs;      /* --runs; 0: the probe's default */
    double max_time_s;       /* --max-time; 0: not given */
    size_t array_bytes;      /* --array; 0: computed from the caches */
    size_t llc_bytes;        /* --llc; 0: as reported or measured */
    const char *kernels;     /* --kernel; NULL: all */
    const char *pages;       /* --pages: "huge", "4k" or "both" */
    const char *chains;      /* --chains */
    const char *locality;    /* --locality: pages in a group, or "random" */
    size_t stride_bytes;     /* --stride */
    bool numa;               /* --numa */
    const char *sizes;       /* --size: working sets; NULL: the probe's default */
    unsigned long device;    /* --device; MEASURE_NO_DEVICE: not given */
    const char *api;         /* --api; NULL: both */
    bool with_gpu;           /* --with-gpu */
    const char *spec;        /* --spec: what a data sheet says; NULL: none */
    const char *memory_peak; /* --memory-peak: GB/s, or a profile; NULL: as firmware says */
    const char *curve;       /* --curve: file for the curves behind `cache`; NULL: none */
    struct lock_options lock;
};

#define MEASURE_NO_DEVICE 1000

/*
 * What a probe works with. It prints its rows to `rows`, each begun by measure_row, and adds its evidence to
 * `provenance`; the driver prints lines of provenance, header and rows when the probe is done or interrupted.
 */
struct measure_llc {
    size_t instance_bytes; /* 0: not resolved yet */
    char text[320];        /* whether it was reported, measured or assumed, and why */
};

struct measure_run {
    struct cli *cli;
    const struct measure_options *options;
    struct mw_topology topology; /* of this machine, also where --root names another for /sys and /proc */
    unsigned *cores;             /* core counts asked for, ascending */
    size_t cores_count;
    unsigned *cpus;         /* first CPUs of all physical cores, compact order */
    double freq_hz;         /* the frequency set, 0 where none is */
    size_t freqs_left;      /* frequencies to go, this one included: each may take its share of the time */
    double start_s;         /* of the whole command */
    bool overrun_said;      /* that the time can't be held, before it was not */
    bool guest;             /* this is a virtual machine */
    struct measure_llc llc; /* see measure_llc_resolve */
    double peak_bps;        /* theoretical rate of memory; 0: unknown */
    size_t rows_cached;     /* rows about memory that are faster than it can be */
    FILE *rows;
    struct mw_provenance provenance;
    size_t rows_off;      /* rows whose effective frequency is not the one that was set */
    bool freq_off;        /* a frequency could not be set as asked, or did not hold: as disturbed */
    bool untrusted;       /* a result failed its validation: exit status 5 */
    bool depends_on_size; /* a rate was higher at half the size: exit status 5 with --strict */
    bool disturbed;       /* other work disturbed what is reported: exit status 5 with --strict */
};

struct measure_probe {
    const char *name, *summary;
    const char *columns;      /* CSV header after cores,freq_ghz,freq_effective_ghz */
    const char *const *takes; /* names of the options besides --cores, --max-time and the shared ones; ends in NULL */
    const char *shorter;      /* what makes it take less, where that is not fewer --cores; NULL else */
    bool all_core_counts;     /* without --cores: 1, 2, 4 … all; else 1 */
    enum mw_err (*run)(struct measure_run *run, struct mw_error *error);
};

extern const struct measure_probe measure_stream, measure_latency, measure_loaded, measure_cache, measure_bandwidth,
    measure_flops, measure_gpu;

/* "cores,freq_ghz,freq_effective_ghz," of a row; effective_hz 0 is unknown. */
void measure_row(struct measure_run *run, unsigned cores, double effective_hz);
/* Lowest effective frequency of the CPUs (all at work); 0 where it can't be measured. */
double measure_effective_of(const unsigned *cpus, size_t count);
/* The same of the first `cores` CPUs of the run. */
double measure_effective_hz(const struct measure_run *run, unsigned cores);

/*
 * Cores of one node against memory of one node (kernel's numbers), or memory interleaved over all nodes against all cores
 * (MW_NODE_INTERLEAVE). Asked for by --numa; without --cores also done by itself where there are several memory nodes.
 */
struct measure_pair {
    unsigned cpu_node;
    int memory_node;
    const unsigned *cpus; /* first CPUs of the node's cores */
    size_t cpu_count;
};
size_t measure_pair_count(const struct measure_run *run); /* 0 where they are not measured */
enum mw_err measure_pairs(struct measure_run *run,
                          enum mw_err (*measure)(void *shared, const struct measure_pair *pair, struct mw_error *error),
                          void *shared, struct mw_error *error) MW_CHECKED;
/* Seconds that the probe may take at this frequency: its share of --max-time, else 50, else as long as the --runs asked for take. */
double measure_max_time_s(const struct measure_run *run);
/*
 * What a probe knows before it starts of the least that it takes: the pace of making `bytes` of memory ready on these cores,
 * by a try of some of it, and a warning with what would fit where --max-time can't be held. fits: options besides a longer
 * --max-time, as in "--cores 1"; NULL: none. A guest's memory that its host has not backed yet may be far slower than tried.
 */
struct mw_pace measure_pace(const unsigned *cpus, size_t count, size_t bytes);
#define MEASURE_OVERRUN 1.2 /* times the time asked for: from here on it is not held */
bool measure_fits(const struct measure_run *run, double least_s);
void measure_say_least(struct measure_run *run, double least_s, const char *fits);
/* A number of a table cell that reads back as the same to six digits. */
#define MEASURE_CELL "%.6g"

/*
 * The last-level cache to size memory by: --llc, else as reported where that is credible, else measured (ten seconds at most,
 * kept for later runs of the same boot). Adds to the record which it was. Before any measure_llc_bytes, which is then the sum
 * over those that the CPUs use.
 */
enum mw_err measure_llc_resolve(struct measure_run *run, struct mw_error *error) MW_CHECKED;
size_t measure_llc_bytes(const struct measure_run *run, const unsigned *cpus, size_t count);

/*
 * Whether a rate of memory depends on how much of it is used: a higher one on half the size is one of the caches. Into the
 * record, and warned of. Rates in bytes/s, 0: disturbed, or not measured; then it can't be told. name: what moves the bytes.
 */
enum mw_err measure_size_check(struct measure_run *run, unsigned cores, const char *name, double whole_bps,
                               double half_bps, struct mw_error *error) MW_CHECKED;

/* The theoretical rate of memory (channels x width x rate) from --memory-peak, else SMBIOS, and the clocks, into the record. */
enum mw_err measure_peak_resolve(struct measure_run *run, struct mw_error *error) MW_CHECKED;
/*
 * The last cells of a row with a rate, ",peak_share,cached" and the end of the line. in_order_bps: of reading the same bytes
 * in order, 0 where there is none; memory: the row is about memory, so that a cached rate is to be told.
 */
void measure_peak_cells(struct measure_run *run, double rate_bps, double in_order_bps, bool memory);

/* cli/measure/measure_context.c: lines on caches, CPUs, page policy, governor, timer, virtual machine. */
enum mw_err measure_context(struct measure_run *run, struct mw_error *error) MW_CHECKED;

#endif
