// SPDX-License-Identifier: GPL-3.0-or-later
// Other machines and what is answered for each. Inside cli/predict_*.c only.
#ifndef MW_CLI_PREDICT_FLEET_H
#define MW_CLI_PREDICT_FLEET_H

#include "advise/transfer/transfer.h"
#include "advise/diagnose/diagnose.h"
#include "cli/predict/predict_target.h"
#include "data/profile.h"

/* One target and what was read and answered for it. */
struct fleet_target {
    struct mw_profile profile;
    struct mw_dataset dataset;
    struct mw_points runs;
    struct mw_model model;
    bool has_runs, has_model;
    double *cores; /* asked */
    size_t count;
    struct mw_transfer_result result;
    struct mw_transfer_result full; /* at all cores, for the ranking */
    double chance;
};

struct fleet {
    struct fleet_target *targets;
    size_t count;
    struct mw_profile machine;
    bool has_machine;
    struct mw_transfer_source source;
    struct mw_diagnosis diagnosis;
    double here_s; /* on A with all its cores; 0: unknown */
    double here_chance;
    bool times;
};

/* One row: an estimate at a frequency of the target (0: its full clock). */
struct fleet_row {
    const struct fleet_target *target;
    struct mw_transfer_estimate estimate;
    double freq_hz;
};

/* Reads profiles and runs, diagnoses the model and answers for each target. Release it whatever is returned. */
enum mw_err fleet_init(struct fleet *fleet, const struct mw_model *model, const struct predict_target_options *options,
                       const char *cores, unsigned long seed, struct mw_error *error) MW_CHECKED;
void fleet_release(struct fleet *fleet);

/* The grid of the targets at these frequencies (NULL: their full clock). The caller frees *rows. */
enum mw_err fleet_rows(struct fleet_row **rows, size_t *count, const struct fleet *fleet, const char *freq,
                       struct mw_error *error) MW_CHECKED;

#endif
