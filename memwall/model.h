/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEMWALL_MODEL_H
#define MEMWALL_MODEL_H

#include "memwall/dataset.h"

/* A fitted program: what model.json holds (docs/model-file.md). */
#ifdef __cplusplus
extern "C" {
#endif

/* Opaque. Never changed once made: any number of threads may use one. */
struct mw_model;

enum mw_param_status {
    MW_PARAM_IDENTIFIED,
    MW_PARAM_WEAK,
    MW_PARAM_AT_BOUND,
    MW_PARAM_NOT_IDENTIFIABLE,
};
/* "identified", "weak", "at bound", "not identifiable" */
MW_API const char *mw_param_status_name(enum mw_param_status status);

struct mw_parameter {
    char name[16];           /* the letter of the paper: f, k, m1, m2 */
    double value, low, high; /* 90 % profile interval */
    enum mw_param_status status;
    char settle[240]; /* which measurement would change the status; empty where none */
    double reserved[4];
};

/* What was measured. */
struct mw_range {
    double cores_low, cores_high;
    double freq_low_hz, freq_high_hz; /* 0: one unknown frequency */
    double reserved[4];
};

/*
 * "-" is standard input. *model is overwritten, whatever it held, and is the caller's to free. MW_IO, MW_NOMEM, MW_DATA for
 * what is no model or one of another schema.
 */
MW_API enum mw_err mw_model_load(struct mw_model **model, const char *path, struct mw_error *error) MW_CHECKED;
/* "-" is standard output. MW_IO where the file exists and replace is false, or cannot be written; it is whole or absent. */
MW_API enum mw_err mw_model_save(const struct mw_model *model, const char *path, bool replace,
                                 struct mw_error *error) MW_CHECKED;
/* NULL is taken. */
MW_API void mw_model_free(struct mw_model *model);

MW_API enum mw_quantity mw_model_quantity(const struct mw_model *model);
/* Whether energy and power can be predicted. */
MW_API bool mw_model_has_power(const struct mw_model *model);
/* *range is overwritten. */
MW_API void mw_model_range(const struct mw_model *model, struct mw_range *range);
/* Parameters of the reported law; *parameter is overwritten, unchanged where there is no such one. */
MW_API size_t mw_model_parameter_count(const struct mw_model *model);
MW_API void mw_model_parameter(const struct mw_model *model, size_t i, struct mw_parameter *parameter);
/* What was said at the fit; the texts are the model's. NULL beyond the last. */
MW_API const char *mw_model_warning(const struct mw_model *model, size_t i);

#ifdef __cplusplus
}
#endif

#endif
