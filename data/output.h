// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_OUTPUT_H
#define MW_DATA_OUTPUT_H

#include "data/error.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Writing results. A file is written beside its place and renamed when it is complete, so that a reader never
 * sees half of it and a failure leaves the old one; "-" or NULL is standard output.
 */
struct mw_output {
    FILE *stream;
    char *path; /* NULL for standard output */
    char *temporary;
};

/* MW_IO if `path` exists and !force (hint: --force), or cannot be created. */
enum mw_err mw_output_open(struct mw_output *output, const char *path, bool force, struct mw_error *error) MW_CHECKED;
/* Flushes, checks every earlier write, renames. A closed pipe (EPIPE) gives MW_IO with sys_errno EPIPE. */
enum mw_err mw_output_commit(struct mw_output *output, struct mw_error *error) MW_CHECKED;
/* Drops an output that was not committed; takes a released one. */
void mw_output_release(struct mw_output *output);

/* A text as a cell of CSV: quoted where it needs to be, on one line, since readers take a line for a row. */
void mw_output_cell(FILE *stream, const char *text);

/*
 * Appending row by row (a scan): each mw_append_line writes a line in one write() and syncs it.
 * _open with resume drops a torn last line (no newline) first.
 */
struct mw_syncer;
struct mw_append {
    int fd;
    char *path;
    struct mw_syncer *syncer; /* NULL: a line is on the disk when mw_append_line returns */
};
enum mw_err mw_append_open(struct mw_append *append, const char *path, bool resume, bool force,
                           struct mw_error *error) MW_CHECKED;
enum mw_err mw_append_line(struct mw_append *append, struct mw_error *error, const char *format, ...) MW_CHECKED
    MW_PRINTF(3, 4);
/* From here on lines are synced behind the writer's back (data/syncer.h); _finish waits for the last of them. */
enum mw_err mw_append_sync_behind(struct mw_append *append, struct mw_error *error) MW_CHECKED;
enum mw_err mw_append_finish(struct mw_append *append, struct mw_error *error) MW_CHECKED;
void mw_append_close(struct mw_append *append);

/*
 * What must differ between two equal runs: printed as "# key: value" lines before a CSV header, and as the
 * object `run` in JSON (data/json.h). Keys: version, command, host, cpu_model, kernel, compiler,
 * kernel_flags, utc, and what a command adds.
 */
struct mw_provenance {
    struct mw_provenance_item {
        char *key, *value;
    } * items;
    size_t count;
};
enum mw_err mw_provenance_init(struct mw_provenance *provenance, int argc, char *const *argv,
                               struct mw_error *error) MW_CHECKED;
enum mw_err mw_provenance_add(struct mw_provenance *provenance, struct mw_error *error, const char *key,
                              const char *format, ...) MW_CHECKED MW_PRINTF(4, 5);
void mw_provenance_print(const struct mw_provenance *provenance, FILE *stream);
/* A word as a POSIX shell reads it back: as it is where it has plain letters only, else in single quotes. */
void mw_quote_word(FILE *stream, const char *word);
void mw_provenance_release(struct mw_provenance *provenance);

#endif
