// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_IMPORT_H
#define MW_DATA_IMPORT_H

#include "data/bytes.h"
#include "data/dataset.h"
#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Reading what other tools print into runs. One importer is one entry of mw_importers: name, summary and function;
 * a new format is one function and its line in the table of data/import/import.c.
 */
enum mw_import_has {
    MW_RUN_CORES = 1 << 0,
    MW_RUN_FREQ = 1 << 1,
    MW_RUN_FREQ_EFFECTIVE = 1 << 2,
    MW_RUN_TIME = 1 << 3,
    MW_RUN_RATE = 1 << 4, /* work per second, of any unit */
    MW_RUN_SPEEDUP = 1 << 5,
    MW_RUN_ENERGY = 1 << 6,
    MW_RUN_POWER = 1 << 7,
    MW_RUN_CPU_TIME = 1 << 8,
    MW_RUN_EXIT_STATUS = 1 << 9,
};

struct mw_import_run {
    unsigned has;               /* bits of enum mw_import_has */
    unsigned cores, repetition; /* repetition: counted by mw_import_finish */
    int exit_status;
    double freq_hz, freq_effective_hz, time_s, rate, speedup, energy_j, power_w, cpu_time_s;
    struct mw_usage usage;  /* what else the tool told of the run */
    char *workload, *input; /* NULL where unknown; owned */
    long line;
};

struct mw_import {
    struct mw_import_run *runs;
    size_t count, capacity;
    const char *workload_column; /* "workload", or what the format calls it ("kernel") */
    const char *rate_column;     /* name of the rate, "throughput_per_s" by default */
    char **warnings;
    size_t warning_count;
};

struct mw_import_options {
    const char **map; /* "cores=NAME": the parameter or column that holds the cores (freq=, time=, rate= likewise) */
    size_t map_count;
    unsigned cores; /* for runs whose number of cores the file does not tell; 0: not given */
    char thousands; /* of csv: as in struct mw_dataset_options */
};

struct mw_importer {
    const char *name;
    const char *summary;
    /* Appends the runs of a file. MW_DATA with "file:line: what" and a hint. */
    enum mw_err (*read)(struct mw_import *import, const struct mw_bytes *bytes, const struct mw_import_options *options,
                        struct mw_error *error);
};
extern const struct mw_importer mw_importers[];               /* ends in {NULL} */
const struct mw_importer *mw_importer_find(const char *name); /* NULL where there is none */

/* Appends the runs of the file at `path`. On failure the import holds what it held before. */
enum mw_err mw_import_read(struct mw_import *import, const struct mw_importer *importer, const char *path,
                           const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
/* Numbers the repetitions of equal configurations in the order of the file. */
void mw_import_finish(struct mw_import *import);
/* runs.csv: the header and the rows; columns without data are left out. Errors of the stream are seen at its commit. */
void mw_import_print(const struct mw_import *import, FILE *stream);
void mw_import_release(struct mw_import *import);

/* --- for the importers ------------------------------------------------------------------------------------------ */

/* The value of "--map FIELD=VALUE" for `field`, NULL where it is not given. */
const char *mw_import_mapped(const struct mw_import_options *options, const char *field);
/* Appends a run with the cores of the options where it has none; asks for them (MW_DATA) where nobody tells. */
enum mw_err mw_import_add(struct mw_import *import, struct mw_import_run run, const struct mw_bytes *bytes,
                          const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_warn(struct mw_import *import, struct mw_error *error, const char *format, ...) MW_CHECKED
    MW_PRINTF(3, 4);
/* "file:line: the file holds no … " with the hint that says what is expected. */
enum mw_err mw_import_none(const struct mw_bytes *bytes, const char *what, struct mw_error *error) MW_CHECKED;
/*
 * "--map cores=/RE/": the extended regular expression (POSIX) finds the cores in a name ("4 threads: …"), in its first
 * group or as a whole. *cores stays where the map is not of this form. MW_DATA where the name has none, MW_USAGE for a
 * bad expression.
 */
enum mw_err mw_import_cores_by_map(const struct mw_import_options *options, const char *name, unsigned *cores,
                                   struct mw_error *error) MW_CHECKED;
/* The cores that a name says in words: "threads/4", "threads=4", "4 threads"; 0 where it does not, or says two. */
unsigned mw_import_cores_in_name(const char *name);

/* Names by which a number of cores (frequency) goes as a parameter: threads, np, …; for choosing among parameters. */
bool mw_import_names_cores(const char *name);
bool mw_import_names_freq(const char *name);

/* Lines of a text in order, without their ends; start with {0}. `text` is valid until the next call. */
struct mw_lines {
    size_t offset;
    long number;
    char *text;
    size_t capacity;
};
bool mw_lines_next(struct mw_lines *lines, const struct mw_bytes *bytes); /* false at the end; frees text then */
void mw_lines_release(struct mw_lines *lines);

/* The text after `prefix` (spaces before it skipped), NULL where the line does not begin with it. */
const char *mw_after(const char *line, const char *prefix);
/* The first number in the text; false where there is none. */
bool mw_first_number(const char *text, double *value);

enum mw_err mw_import_hyperfine(struct mw_import *import, const struct mw_bytes *bytes,
                                const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_google_benchmark(struct mw_import *import, const struct mw_bytes *bytes,
                                       const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_perf_stat(struct mw_import *import, const struct mw_bytes *bytes,
                                const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_stream(struct mw_import *import, const struct mw_bytes *bytes,
                             const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_sacct(struct mw_import *import, const struct mw_bytes *bytes,
                            const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_likwid(struct mw_import *import, const struct mw_bytes *bytes,
                             const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_npb(struct mw_import *import, const struct mw_bytes *bytes,
                          const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_time(struct mw_import *import, const struct mw_bytes *bytes,
                           const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_lammps(struct mw_import *import, const struct mw_bytes *bytes,
                             const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_gromacs(struct mw_import *import, const struct mw_bytes *bytes,
                              const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_openfoam(struct mw_import *import, const struct mw_bytes *bytes,
                               const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_pytest(struct mw_import *import, const struct mw_bytes *bytes,
                             const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_criterion(struct mw_import *import, const struct mw_bytes *bytes,
                                const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_go(struct mw_import *import, const struct mw_bytes *bytes,
                         const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_extra_p(struct mw_import *import, const struct mw_bytes *bytes,
                              const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;
enum mw_err mw_import_csv(struct mw_import *import, const struct mw_bytes *bytes,
                          const struct mw_import_options *options, struct mw_error *error) MW_CHECKED;

/* Writes a dataset as the text input of Extra-P: parameters p (and f in GHz), one DATA line a point. */
enum mw_err mw_export_extra_p(const struct mw_dataset *dataset, FILE *stream, struct mw_error *error) MW_CHECKED;

#endif
