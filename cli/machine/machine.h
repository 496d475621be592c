// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_MACHINE_H
#define MW_CLI_MACHINE_H

#include "cli/cli.h"
#include "measure/freq/cpufreq.h"
#include "measure/energy/meters.h"
#include "measure/gpu/gpu.h"
#include "measure/machine/cgroup.h"
#include "measure/machine/smbios.h"
#include "measure/machine/topology.h"

#include <jansson.h>
#include <stdio.h>

/* Everything that `memwall machine` tells; what could not be read stands in `unknown` with its reason. */
#define MACHINE_UNKNOWN_MAX 16
#define MACHINE_POOLS_MAX   8

struct machine {
    char name[128], model[256], isa[72];
    bool guest;
    const char *root;
    struct mw_topology topology;
    unsigned *cpus; /* allowed ones, ascending */
    unsigned smt;   /* most hardware threads of a core */
    unsigned cores_per_node;
    unsigned *boundaries; /* core counts, compact order, with hyper-threads at the end */
    enum mw_boundary_kind *boundary_kinds;
    size_t boundary_count;
    struct mw_cpu_limit limit;
    char events[128]; /* what the processor's counters count here; empty: none, or another machine's tree */
    size_t llc_bytes, memory_bytes; /* as reported */
    const char *llc_doubt;          /* why the last level as reported can't be believed; NULL: it can, or none is */
    size_t llc_measured_bytes;      /* what a probe found since this boot; 0: nothing */

    bool has_cpufreq;
    struct mw_cpufreq cpufreq;
    struct machine_clock {
        unsigned cores;
        double freq_hz; /* lowest of them, all at work */
    } clock[2];
    size_t clock_count; /* 0: another machine's tree */

    struct mw_memory_devices devices;
    unsigned mts;
    bool mts_doubtful;
    double memory_freq_hz; /* given, or transfers; 0 unknown */
    bool memory_freq_given;

    size_t page_bytes;
    char thp[64]; /* chosen mode; empty where unknown */
    size_t thp_bytes;
    struct machine_pool {
        size_t page_bytes;
        double total, free;
    } pools[MACHINE_POOLS_MAX]; /* hugetlb */
    size_t pool_count;
    double numa_balancing; /* -1 unknown */

    double stream_bps, stream_1_bps, latency_s; /* of tables given; 0 where none is */

    struct mw_meter *meters;
    size_t meter_count;

    struct mw_gpu_list *gpus; /* NULL: another machine's tree */

    struct machine_unknown {
        const char *what;
        char why[512], hint[256];
    } unknown[MACHINE_UNKNOWN_MAX];
    size_t unknown_count;
};

enum mw_err machine_read(struct machine *machine, const char *root, double memory_freq_hz,
                         struct mw_error *error) MW_CHECKED;
/* Triad on most cores and on one; latency of the largest working set with one chain. MW_DATA where the file lacks them. */
enum mw_err machine_add_stream(struct machine *machine, const char *path, struct mw_error *error) MW_CHECKED;
enum mw_err machine_add_latency(struct machine *machine, const char *path, struct mw_error *error) MW_CHECKED;
void machine_release(struct machine *machine);
void machine_print(const struct machine *machine, FILE *stream);
/* A new reference; NULL without memory. */
json_t *machine_json(const struct machine *machine, const struct mw_provenance *run);

void machine_add_unknown(struct machine *machine, const char *what, const char *why, const char *hint);

/* cli/machine/machine_gpu.c: devices of OpenCL and OpenGL ES. MW_NOMEM, MW_INTERRUPTED; else what is missing is unknown. */
enum mw_err machine_read_gpus(struct machine *machine, struct mw_error *error) MW_CHECKED;
void machine_print_gpus(const struct machine *machine, FILE *stream);
json_t *machine_gpus_json(const struct machine *machine);

/* "socket", "node", "kind", "smt" */

#endif
