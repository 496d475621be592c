// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_PRINTED_H
#define MW_MEASURE_PRINTED_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/* What a program printed: a file without a name that takes it, the time or rate in it, its last lines. */

/* Opens one in TMPDIR; *fd is written at its end. MW_IO. */
enum mw_err mw_printed_open(int *fd, struct mw_error *error) MW_CHECKED;

/* The last lines, at most size - 1 bytes and `lines` lines, control characters as '?'; "" where nothing was printed. */
void mw_printed_tail(int fd, unsigned lines, char *text, size_t size);

/* Copies all of it to another descriptor. */
void mw_printed_copy(int fd, int to);

/* MW_IO where the disk is full, so that what was printed need not be all there. */
enum mw_err mw_printed_check(int fd, struct mw_error *error) MW_CHECKED;

/* A time or rate to be found by a POSIX extended expression, its first group, else all of it; the last match counts. */
struct mw_expression;

/*
 * unit_s: what a number without a unit counts in (1: seconds). MW_USAGE for what POSIX does not have, by its name and with
 * what to write instead (Perl's \d, (?:…), lazy quantifiers), which regcomp would take as something else.
 */
enum mw_err mw_expression_open(struct mw_expression **expression, const char *text, bool is_rate, double unit_s,
                               struct mw_error *error) MW_CHECKED;
void mw_expression_close(struct mw_expression *expression); /* takes NULL */

/*
 * The time that was printed, a rate inverted. *found false: `why` says what the expression found and why it is no time.
 * MW_IO as mw_printed_check, then.
 */
enum mw_err mw_expression_time(const struct mw_expression *expression, int fd, bool *found, double *time_s, char *why,
                               size_t why_size, struct mw_error *error) MW_CHECKED;

#endif
