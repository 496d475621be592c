// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_QUALITY_H
#define MW_FIT_QUALITY_H

#include "data/dataset.h"

/*
 * What is wrong with runs before any law is fitted to them. A row is set aside where its value cannot be a measurement
 * of the program; a warning is given, with the consequence, where the data are usable but would mislead.
 * docs/quality.md lists detectors, thresholds and where they were seen.
 */
struct mw_quality {
    bool *aside;                    /* one for each row of the dataset */
    struct mw_set_aside *set_aside; /* line and reason of these rows */
    size_t set_aside_count;
    char **warnings;
    size_t warning_count;
    double tick_s; /* all times are multiples of this; 0: no coarse timer seen */
};
void mw_quality_release(struct mw_quality *quality);

/* keep_all: nothing is set aside, the same words become warnings. weak: flat times are expected. Deterministic. */
enum mw_err mw_quality_check(struct mw_quality *quality, const struct mw_dataset *dataset, bool keep_all, bool weak,
                             struct mw_error *error) MW_CHECKED;

/* Appends a warning (printf style). */
enum mw_err mw_quality_warn(struct mw_quality *quality, struct mw_error *error, const char *format, ...) MW_CHECKED
    MW_PRINTF(3, 4);

/* The detectors that look at the shape of the condensed points (fit/quality/quality_shape.c). */
enum mw_err mw_quality_shape(struct mw_quality *quality, const struct mw_points *points, bool weak,
                             struct mw_error *error) MW_CHECKED;

#endif
