// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_DATASET_H
#define MW_DATA_DATASET_H

#include "data/error.h"
#include "memwall/dataset.h"
#include "data/usage.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs as rows, and runs condensed to points. A dataset owns all that it points to; _release frees it.
 * Units are SI base units (seconds, hertz, joules, watts); a missing value has its bit cleared in `has`
 * and 0 in its field. NaN never occurs.
 */

enum mw_has {
    MW_HAS_VALUE = 1 << 0,
    MW_HAS_FREQ = 1 << 1,
    MW_HAS_FREQ_EFFECTIVE = 1 << 2,
    MW_HAS_ENERGY = 1 << 3,
    MW_HAS_POWER = 1 << 4,
    MW_HAS_CPU_TIME = 1 << 5,
    MW_HAS_EXIT_STATUS = 1 << 6,
};

struct mw_row {
    unsigned has;        /* bits of enum mw_has */
    unsigned cores;      /* >= 1 */
    unsigned repetition; /* 1-based; 0 where the file has none */
    int exit_status;
    double freq_hz;           /* requested; 0 where unknown (one unknown frequency) */
    double freq_effective_hz; /* measured */
    double value;             /* time_s, speedup or energy_j: see quantity */
    double energy_j;
    double power_w;
    double cpu_time_s;     /* user + system, children included */
    struct mw_usage usage; /* what else the run told */
    long line;             /* line of the file, 1-based */
    const char *set_aside; /* NULL, or why this row is not to be fitted (a static or owned text) */
};

struct mw_set_aside {
    long line;
    char *reason;
};

struct mw_dataset {
    char *file;      /* as given, "-" for standard input */
    char sha256[65]; /* of the bytes read */
    char *workload;  /* "" where unknown */
    char *input;
    char *label; /* of mw_dataset_read_by: "input=3, set=cores"; "" otherwise */
    enum mw_quantity quantity;
    char *rate_unit;       /* NULL, or the rate that was inverted: the name of its column, or a `# rate_unit:` line */
    double memory_freq_hz; /* from a `# memory_freq_ghz:` line; 0 where unknown */
    double cpu_limit;      /* CPUs' worth that a quota or mask allows, from a `# cpu_limit:` line; 0 where unknown */
    bool clock_fixed;      /* where it was measured no frequency can be set: a `# freq_driver: none` line */
    bool weak;             /* the work grows with the cores: a `# scan_weak: yes` line */
    char *command;         /* what was run, as a shell takes it, from a `# scan_command:` line; "" where unknown */
    bool main_wait_taken;  /* the values are times less the main thread's wait for a core (fit/main_wait.h) */
    struct mw_row *rows;
    size_t count;
    struct mw_set_aside *set_aside; /* rows that could not be used at all, e.g. failed runs */
    size_t set_aside_count;
    char **warnings;
    size_t warning_count;
};

void mw_dataset_release(struct mw_dataset *dataset);

/*
 * The unit that people say for a rate, from the name of its column: "events_per_s" is "events/s", "throughput_per_s" 1/s,
 * "best_mb_s" MB/s; any other name is its own. Returns text. Test: test_dataset.c.
 */
const char *mw_rate_words(const char *name, char *text, size_t size);

/* Appends a warning (printf style) to the dataset. */
enum mw_err mw_dataset_warn(struct mw_dataset *dataset, struct mw_error *error, const char *format, ...) MW_CHECKED
    MW_PRINTF(3, 4);

/*
 * Reads a table (CSV of any of the dialects named in the manual of `memwall fit`), path "-" is standard input.
 * Returns MW_DATA with "file:line: what" and a hint, MW_IO, MW_NOMEM; the dataset is then unchanged.
 */
enum mw_err mw_dataset_read(struct mw_dataset *dataset, const char *path, const struct mw_dataset_options *options,
                            struct mw_error *error) MW_CHECKED;

/* For --by: one dataset for each combination of values of the named columns; *count of them in *sets (caller frees). */
enum mw_err mw_dataset_read_by(struct mw_dataset **sets, size_t *count, const char *path,
                               const struct mw_dataset_options *options, const char **columns, size_t column_count,
                               struct mw_error *error) MW_CHECKED;

/* The same for a table that is already in memory; `path` is the name the datasets bear. */
struct mw_table;
enum mw_err mw_dataset_parse_by(struct mw_dataset **sets, size_t *count, const char *path, const struct mw_table *table,
                                const struct mw_dataset_options *options, const char **columns, size_t column_count,
                                struct mw_error *error) MW_CHECKED;
/*
 * The columns of a table whose values are not one curve (workload, kernel, input, set, …), programs before inputs: at
 * most `limit` names (owned by the table) in *columns; returns their number, *programs of which name programs.
 */
size_t mw_dataset_group_columns(const struct mw_table *table, const char **columns, size_t limit, size_t *programs);

/*
 * One configuration (cores, frequency): the median over its repetitions. CPU time, effective frequency and usage are those
 * of the run whose value is the median (of two, their mean), because CPU time and time of one run belong together; of
 * runs without a CPU time only where none has one.
 */
struct mw_point {
    unsigned cores;
    double freq_hz; /* 0: unknown */
    double value;   /* median of the repetitions */
    double spread;  /* of ln value over repetitions: sd of up to five, 1.4826 MAD of more; 0 where count == 1 */
    size_t count;   /* repetitions */
    bool has_energy, has_power, has_cpu_time, has_freq_effective;
    double energy_j, power_w; /* medians */
    double cpu_time_s, freq_effective_hz;
    struct mw_usage usage;
    double noise_factor; /* variance multiplier of an outlier, 1 for a good point */
    long line;           /* of its first row */
};

struct mw_points {
    struct mw_point *items; /* sorted by (freq_hz, cores) */
    size_t count;
    enum mw_quantity quantity;
    bool main_wait_taken; /* as the dataset has them */
    double cpu_limit;
    bool clock_fixed;
    bool weak; /* the work grows with the cores */
};

/* Condenses the rows that are not set aside. Energy and power complete each other where time is known. */
enum mw_err mw_points_from_dataset(struct mw_points *points, const struct mw_dataset *dataset,
                                   struct mw_error *error) MW_CHECKED;
void mw_points_release(struct mw_points *points);

/*
 * Of points whose work grows with the cores those of equal work: what a run took, over its cores, so that a speedup is the
 * scaled one of Gustafson (1988). Of other points a copy. The caller releases *equal. Test: test_dataset.c.
 */
enum mw_err mw_points_of_equal_work(struct mw_points *equal, const struct mw_points *points,
                                    struct mw_error *error) MW_CHECKED;

#endif
