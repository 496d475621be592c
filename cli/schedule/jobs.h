// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_JOBS_H
#define MW_CLI_JOBS_H

#include "advise/schedule/schedule.h"
#include "cli/goal_options.h"

/* What is expected of an option, as `memwall predict` has it; the option itself has what limits are counted with. */
struct job_expected {
    double time_s, power_w; /* medians; power_w 0: unknown */
};

/* The file of `memwall schedule`. Owns the jobs, their names and options. */
struct jobs_file {
    struct mw_job *jobs;
    struct mw_job_option **options; /* of each job */
    struct job_expected **expected; /* of each job's options; NULL of a job whose options are written by hand */
    char **names;
    size_t count;
    unsigned cores; /* 0: not in the file */
    double power_cap_w;
    bool makespan;
};

/* MW_DATA names file, job and key; MW_IO, MW_NOMEM. Models are predicted over their lists. */
enum mw_err jobs_read(struct jobs_file *file, const char *path, double certainty, struct mw_error *error) MW_CHECKED;
void jobs_release(struct jobs_file *file);
/* What is expected of option i of job j: by hand, what is written. */
struct job_expected jobs_expected(const struct jobs_file *file, size_t j, size_t i);

#endif
