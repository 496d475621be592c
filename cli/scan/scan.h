// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_SCAN_H
#define MW_CLI_SCAN_H

#include "cli/lock_options.h"
#include "cli/run_options.h"
#include "cli/scan/scan_device.h"
#include "measure/run/noise.h"
#include "measure/run/runner.h"
#include "measure/run/sequence.h"

#include <stdio.h>

/* The parts of `memwall scan`: its options, its file, its loop. */
struct scan_options {
    struct run_options run;
    struct lock_options lock;
    const char *cores, *freq, *gpus, *gpu_freq;
    unsigned long runs, min_runs, max_runs; /* runs 0: not given */
    double precision;
    double max_time_s;
    double memory_freq_hz, idle_s, cool_to_c;
    const char *order, *boost;
    bool smt, resume, weak; /* weak: the work grows with the cores */
    const char *replay, *workload, *input;
    bool slurm, exclusive, unbound; /* points run as jobs; on whole nodes; the launcher places the processes */
    const char *nodes, *partition, *constraint, *time_limit, *batch_template;
};

struct scan {
    struct cli *cli;
    const struct scan_options *options;
    struct mw_stop stop;
    struct mw_runner *runner;
    struct mw_sequence sequence;
    double *cores, *freqs_hz;
    size_t core_count, freq_count;
    struct scan_device device;
    enum mw_order fill;
    enum mw_sequence_kind sequence_kind;
    char *workload;
    struct mw_provenance facts; /* of the machine and this invocation */
    struct mw_provenance plan;  /* the options that a resumed scan must share */
    unsigned columns;           /* bits of enum mw_runner_fields: what the file has of each run */
    struct mw_append file;
    struct mw_noise_run *log; /* runs of this invocation in their order */
    size_t log_count;
};

/* Opens the runner, resolves lists, fills the sequence, facts and plan. */
enum mw_err scan_prepare(struct scan *scan, struct mw_error *error) MW_CHECKED;
void scan_release(struct scan *scan);

/*
 * Creates the file with its head, or, with --resume, reads what is there into the sequence and goes on behind it.
 * MW_USAGE where the file was begun with other options, MW_DATA where it is not a scan's.
 */
enum mw_err scan_file_open(struct scan *scan, struct mw_error *error) MW_CHECKED;
enum mw_err scan_file_row(struct scan *scan, const struct mw_sequence_entry *config,
                          const struct mw_runner_result *result, struct mw_error *error) MW_CHECKED;

/* Prints what --dry-run promises. */
enum mw_err scan_print_plan(struct scan *scan, struct mw_error *error) MW_CHECKED;

enum mw_err scan_log(struct scan *scan, const struct mw_sequence_entry *config, const struct mw_runner_result *result,
                     struct mw_error *error) MW_CHECKED;
/* Names what spoiled the runs of this invocation; *noisy where it is more than an outlier here and there. */
enum mw_err scan_say_noise(const struct scan *scan, bool *noisy, struct mw_error *error) MW_CHECKED;
/* "12 cores at 1.8 GHz", "1 core with 2 GPUs" */
void scan_config_name(const struct scan *scan, const struct mw_sequence_entry *config, char *text, size_t size);

/* Runs until all is done, time is over or an order to stop came; *doubtful counts rows that are marked. */
enum mw_err scan_loop(struct scan *scan, size_t *doubtful, struct mw_error *error) MW_CHECKED;

#endif
