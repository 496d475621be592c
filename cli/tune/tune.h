// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_TUNE_H
#define MW_CLI_TUNE_H

#include "advise/tune/tune.h"
#include "cli/goal_options.h"
#include "cli/lock_options.h"
#include "cli/run_options.h"
#include "data/dataset.h"
#include "measure/run/runner.h"

/* The parts of `memwall tune`: its options, where readings come from, what it prints. */
struct tune_options {
    struct goal_options goal;
    struct run_options run;
    struct lock_options lock;
    double tolerance;
    unsigned long max_points, runs;
    const char *boundaries, *cores, *freq, *replay, *log;
    double memory_freq_hz;
    bool resume, slurm;
    const char *partition, *constraint, *time_limit;
    struct cli_strings where, map;
};

struct tune {
    struct cli *cli;
    const struct tune_options *options;
    struct mw_goal goal;
    struct mw_tuner *tuner;
    struct mw_config *candidates;
    size_t candidate_count;
    size_t *times; /* that each was measured */
    unsigned *boundaries;
    size_t boundary_count;
    bool energy_only;
    const char *rate_unit; /* times are inverses of rates in it; NULL: they are times */
    char rate_words[64];

    /* one of the two answers */
    struct mw_points points;  /* --replay */
    size_t *point_of;         /* of each candidate */
    struct mw_runner *runner; /* the machine */
    struct mw_stop stop;
    struct mw_append log;
    bool log_open;
    unsigned columns;       /* of the log: bits of enum mw_runner_fields */
    struct mw_dataset done; /* runs of the log, with --resume */
    size_t runs_done;       /* of them, and new ones */
};

/* Candidates, boundaries and a place that readings come from. */
enum mw_err tune_open_replay(struct tune *tune, struct mw_error *error) MW_CHECKED;
enum mw_err tune_open_machine(struct tune *tune, struct mw_error *error) MW_CHECKED;
/* Puts the machine back; the first thing that could not be is the error. */
enum mw_err tune_close(struct tune *tune, struct mw_error *error) MW_CHECKED;
/* mw_tune_measure over a struct tune. */
enum mw_err tune_measure(void *tune, size_t candidate, const char *reason, struct mw_reading *reading,
                         struct mw_error *error);

/* The file of runs that --resume goes on with. */
enum mw_err tune_log_open(struct tune *tune, struct mw_error *error) MW_CHECKED;
enum mw_err tune_log_row(struct tune *tune, const struct mw_config *candidate, unsigned repetition,
                         struct mw_runner_result *result, struct mw_error *error) MW_CHECKED;
/* The run of the log for this configuration and repetition, NULL where there is none. */
const struct mw_row *tune_log_find(const struct tune *tune, const struct mw_config *candidate, unsigned repetition);

/*
 * Becomes `srun … memwall tune …` on one whole node, without the options that say where: its output, log and status are those of the
 * tune there. Returns where it can't: MW_UNSUPPORTED without srun, MW_IO, MW_NOMEM, MW_RUN.
 */
enum mw_err tune_by_slurm(const struct cli *cli, const char *partition, struct mw_error *error) MW_CHECKED;

void tune_print_step(const struct tune *tune, const struct mw_tune_step *step, size_t number);
void tune_print_result(const struct tune *tune, enum mw_tune_stop stopped);
enum mw_err tune_write_json(const struct tune *tune, enum mw_tune_stop stopped, struct mw_error *error) MW_CHECKED;

#endif
