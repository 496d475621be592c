// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_PREDICT_TARGET_H
#define MW_CLI_PREDICT_TARGET_H

#include "cli/cli.h"
#include "data/model_file/model_file.h"

/* The parts of `memwall predict` that speak of other machines. Embed it in the command's options. */
struct predict_target_options {
    const char *target, *target_runs, *machine, *what_if;
    size_t footprint_bytes;
};

#define PREDICT_TARGET_OPTIONS(type, field)                                                                            \
    {"target",                                                                                                         \
     CLI_STRING,                                                                                                       \
     CLI_FIELD(type, field.target),                                                                                    \
     "FILE,…",                                                                                                         \
     "predict on other machines, each by its profile (memwall machine --json, or written by hand), and rank them",     \
     NULL,                                                                                                             \
     0,                                                                                                                \
     0},                                                                                                               \
        {"target-runs",                                                                                                \
         CLI_STRING,                                                                                                   \
         CLI_FIELD(type, field.target_runs),                                                                           \
         "FILE,…",                                                                                                     \
         "runs measured there, one file for each target in turn (empty: none)",                                        \
         NULL,                                                                                                         \
         0,                                                                                                            \
         0},                                                                                                           \
        {"machine",                                                                                                    \
         CLI_STRING,                                                                                                   \
         CLI_FIELD(type, field.machine),                                                                               \
         "FILE",                                                                                                       \
         "profile of the machine that the model was measured on: makes --target surer",                                \
         NULL,                                                                                                         \
         0,                                                                                                            \
         0},                                                                                                           \
        {"footprint",                                                                                                  \
         CLI_SIZE,                                                                                                     \
         CLI_FIELD(type, field.footprint_bytes),                                                                       \
         "SIZE",                                                                                                       \
         "memory that the program needs, checked against each target",                                                 \
         NULL,                                                                                                         \
         0,                                                                                                            \
         0},                                                                                                           \
    {                                                                                                                  \
        "what-if", CLI_STRING, CLI_FIELD(type, field.what_if), "KEY=VALUE,…",                                          \
            "this machine with memory-latency=X, memory-bandwidth=Y (factors) or cores=N", NULL, 0, 0                  \
    }

/* Both read cores and freq as the command does; NULL: a default grid. Exit status. */
int cli_predict_target(struct cli *cli, const struct mw_model *model, const struct predict_target_options *options,
                       const char *cores, const char *freq);
int cli_predict_whatif(struct cli *cli, const struct mw_model *model, const struct predict_target_options *options,
                       const char *cores, const char *freq);

#endif
