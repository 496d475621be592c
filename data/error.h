// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_ERROR_H
#define MW_DATA_ERROR_H

#include "memwall/error.h"

#include <stdarg.h>

/*
 * Errors (memwall/error.h), and how they are made. Every fallible function returns an enum mw_err, leaves its outputs
 * unchanged on failure and fills the struct mw_error that the caller owns. Libraries never print, exit or abort.
 */
#define MW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Fills *error (may be NULL) and returns `code`. The hint is cleared. sys_errno is set to 0. */
enum mw_err mw_fail(struct mw_error *error, enum mw_err code, const char *format, ...) MW_PRINTF(3, 4);

/* The same for a failed system call: appends ": strerror(saved_errno)", keeps the number. */
enum mw_err mw_fail_errno(struct mw_error *error, enum mw_err code, int saved_errno, const char *format, ...)
    MW_PRINTF(4, 5);

/* Adds the remedy to an error already filled; returns error->code, so that it can end a function. */
enum mw_err mw_hint(struct mw_error *error, const char *format, ...) MW_PRINTF(2, 3);

/* Exit status of a code: 0, 1, 2, 3, 4, 5, 77, 130. */
int mw_err_exit_status(enum mw_err code);

#endif
