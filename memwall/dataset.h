/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEMWALL_DATASET_H
#define MEMWALL_DATASET_H

#include "memwall/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Runs of a program: read from a table, or given one by one. SI units: seconds, hertz, joules, watts. */
#ifdef __cplusplus
extern "C" {
#endif

/* What the fitted quantity of a dataset is. */
enum mw_quantity {
    MW_TIME,    /* seconds; rates are turned into times (1/rate) at reading */
    MW_SPEEDUP, /* over one core at the same frequency; no times exist */
    MW_ENERGY,  /* joules only: a table of energies without times (tune, plan --objective energy) */
};

/* p cores at F: what is run, predicted and chosen. Laws take fractions of a core; what is run has whole ones. */
struct mw_config {
    double cores;   /* >= 1 */
    double freq_hz; /* 0: the one frequency, unknown */
};

/* How to read a file: all fields may be NULL or 0. */
struct mw_dataset_options {
    const char **where; /* where_count times "column=value": only these rows */
    size_t where_count;
    const char **map; /* map_count times "field=column", field one of cores, freq, time, rate, speedup, energy, power */
    size_t map_count;
    bool keep_failed; /* keep rows of failed runs, set aside, and all shapes of processes x threads */
    bool keep_all;    /* energies that can't be are said, and kept */
    bool energy_only; /* accept a table of energies without times */
    char thousands;   /* the sign between thousands in all numbers (, . and the like); 0: what the cells show */
    size_t reserved[4];
};

/* One run. Zeroed but for config and value it is complete. */
struct mw_run {
    struct mw_config config; /* whole cores */
    double value;            /* seconds, speedup or joules, by the dataset's quantity; > 0 */
    double energy_j;         /* 0: unknown */
    double power_w;          /* 0: unknown */
    double cpu_time_s;       /* user + system of all cores; 0: unknown */
    double reserved[4];
};

/* Opaque. One thread at a time may change a dataset; any number may read it. */
struct mw_dataset;

/*
 * A dataset without runs, or with those of a table (CSV in any dialect that `memwall help fit` names; "-": standard
 * input). options NULL: the defaults. *dataset is overwritten, whatever it held, and is the caller's to free.
 * MW_IO, MW_DATA ("file:line: what", with a hint), MW_NOMEM.
 */
MW_API enum mw_err mw_dataset_alloc(struct mw_dataset **dataset, enum mw_quantity quantity,
                                    struct mw_error *error) MW_CHECKED;
MW_API enum mw_err mw_dataset_load(struct mw_dataset **dataset, const char *path,
                                   const struct mw_dataset_options *options, struct mw_error *error) MW_CHECKED;
/* NULL is taken. */
MW_API void mw_dataset_free(struct mw_dataset *dataset);

/* Adds a run (copied). MW_USAGE where it is not one: cores not whole or < 1, value not > 0, anything not finite. */
MW_API enum mw_err mw_dataset_add(struct mw_dataset *dataset, const struct mw_run *run,
                                  struct mw_error *error) MW_CHECKED;
/* The known memory's frequency, which scales k and the frequencies' share in memory; 0: unknown. */
MW_API void mw_dataset_set_memory_freq(struct mw_dataset *dataset, double freq_hz);

MW_API enum mw_quantity mw_dataset_quantity(const struct mw_dataset *dataset);
MW_API size_t mw_dataset_count(const struct mw_dataset *dataset);
/* Run i < count into *run, which is overwritten; unchanged where there is no such run. */
MW_API void mw_dataset_run(const struct mw_dataset *dataset, size_t i, struct mw_run *run);
/* What the reader warned of; the texts are the dataset's. NULL beyond the last. */
MW_API const char *mw_dataset_warning(const struct mw_dataset *dataset, size_t i);

#ifdef __cplusplus
}
#endif

#endif
