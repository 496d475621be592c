// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_MODEL_FILE_H
#define MW_DATA_MODEL_FILE_H

#include "data/boundary.h"
#include "data/dataset.h"
#include "data/error.h"
#include "data/output.h"
#include "memwall/model.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * model.json, "schema": "memwall-model/2": what `fit` found, as plain data. A fitted model carries the points
 * it was fitted to and the ensemble of draws, so prediction needs nothing else. _release frees all.
 */
struct mw_model_param {
    char name[16];
    double value, low, high; /* 90 % profile interval */
    enum mw_param_status status;
    char settle[160]; /* which measurement would change the status; empty where none */
};

struct mw_model_law { /* one tried law and its scores */
    char name[24];
    size_t param_count;
    double params[8];
    double scale; /* A in s GHz (time), factor (speedup) */
    double loss, rmse_log, mse_speedup, cv_mape_percent, log_evidence, weight;
    bool has_mse_speedup, has_cv, has_evidence;
};

struct mw_combination { /* an identified quantity worth printing, e.g. frequency-independent share at (p, F) */
    char name[64];
    char text[200]; /* one sentence for people */
    double value, low, high;
    bool identified;
};

/* The ensemble of fits: draws of several laws under several priors, each with a discrepancy kernel of its own. */
struct mw_ensemble_fit {
    char law[24];
    int prior;        /* fit/predict/prior.h */
    bool independent; /* noise taken as independent; fit/predict/mixture.h samples such fits when they are asked for */
    double log_evidence;
    size_t draw_count, param_count;
    double *params; /* draw_count x param_count, natural units, row-major */
    double *scale;  /* draw_count: ln A (ln of s Hz), or ln factor for speedups */
    double *sigma;  /* draw_count: noise scale on ln value */
    int *kernel;    /* draw_count: index into the table of discrepancy amplitudes */
};

struct mw_ensemble {
    struct mw_ensemble_fit *fits;
    size_t count;
};

struct mw_model_power { /* P = s0 + s1 (S-1) + u3 S x^3 + p (c1 x + c3 x^3), x = F / freq_ref */
    bool present;
    double s0_w, s1_w, u3_w, c1_w, c3_w;
    double freq_ref_hz;
    double residual_sd; /* of ln P */
    unsigned cores_per_socket;
    size_t draw_count; /* posterior draws x 5 in the order above; may be 0 */
    double *draws;
    char source[200];
};

struct mw_model {
    char law[24]; /* "mixture", or the one law asked for */
    enum mw_quantity quantity;
    size_t param_count;
    struct mw_model_param params[8]; /* of the variable-latency law for "mixture", else of `law` */
    bool has_time_scale;
    double time_scale_s_ghz;
    double memory_freq_hz;
    bool memory_freq_assumed;
    double k_max, r_max; /* limits of laws' parameters from the machine's profile (struct mw_law_limits); 0: none */
    char loss[16];
    char method[8]; /* csa, siman */
    unsigned long seed;
    double loss_value, rmse_log_time, mse_speedup, cv_mape_percent;
    bool has_mse_speedup, has_cv;
    unsigned long evaluations;
    double wall_s; /* printed in `run` */
    bool weak;
    unsigned *boundaries; /* core counts after which a socket, NUMA, SMT or hybrid boundary lies, ascending */
    enum mw_boundary_kind *boundary_kinds; /* of each; NULL: not named */
    size_t boundary_count;
    unsigned cores_per_socket; /* 0: unknown */
    struct mw_model_law *laws;
    size_t law_count;
    struct mw_combination *combinations;
    size_t combination_count;
    struct mw_points points; /* what was fitted, medians, with noise factors of named outliers */
    struct mw_ensemble ensemble;
    struct mw_model_power power;
    char *file; /* data.file */
    char sha256[65];
    char *workload, *input;
    char *command;   /* what was run, as a shell takes it; NULL or "" where unknown */
    char *rate_unit; /* times are inverses of rates in it ("ns/day"); NULL or "" where they are times */
    size_t rows, used;
    bool has_cpu_limit; /* points.cpu_limit, from the file's head */
    struct mw_set_aside *set_aside;
    size_t set_aside_count;
    size_t detected_count; /* the last so many of them had a value, and are among the runs: a detector set them aside */
    struct mw_row *runs;   /* every row with a value, as read, for updates; none where there are over MW_MODEL_RUNS */
    size_t run_count;
    char **warnings;
    size_t warning_count;
};
enum { MW_MODEL_RUNS = 10000 };

void mw_model_release(struct mw_model *model);
/* "-" is standard input. MW_DATA names file and key; an unknown schema says which is understood. */
enum mw_err mw_model_read(struct mw_model *model, const char *path, struct mw_error *error) MW_CHECKED;
enum mw_err mw_model_write(const struct mw_model *model, const char *path, bool force, const struct mw_provenance *run,
                           struct mw_error *error) MW_CHECKED;

#endif
