// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_ERROR_H
#define MW_DATA_ERROR_H

#include <stdarg.h>

/*
 * Errors. Every fallible function returns an enum mw_err, leaves its outputs unchanged on failure
 * and fills the struct mw_error that the caller owns. Libraries never print, exit or abort.
 */

/* name, exit status of the command line, text */
#define MW_ERR_MAP(X)                                                                                                  \
    X(OK, 0, "no error")                                                                                               \
    X(IO, 1, "input or output failed")                                                                                 \
    X(NOMEM, 1, "out of memory")                                                                                       \
    X(PERM, 1, "permission denied")                                                                                    \
    X(BUSY, 1, "resource busy")                                                                                        \
    X(RUN, 1, "the command could not be run")                                                                          \
    X(INFEASIBLE, 1, "nothing keeps the limits")                                                                       \
    X(USAGE, 2, "wrong usage")                                                                                         \
    X(DATA, 3, "bad input data")                                                                                       \
    X(NOFIT, 4, "no usable fit")                                                                                       \
    X(UNTRUSTED, 5, "result not trustworthy")                                                                          \
    X(UNSUPPORTED, 77, "not supported on this machine")                                                                \
    X(INTERRUPTED, 130, "interrupted")

enum mw_err {
#define X(name, status, text) MW_##name,
    MW_ERR_MAP(X)
#undef X
};

struct mw_error {
    enum mw_err code;
    int sys_errno;     /* errno at the failure, 0 where none applies */
    char message[512]; /* one line, no full stop; names file and line where there are any ("run.csv:7: …") */
    char hint[256];    /* the remedy, empty where there is none */
};

#define MW_CHECKED           __attribute__((warn_unused_result))
#define MW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Fills *error (may be NULL) and returns `code`. The hint is cleared. sys_errno is set to 0. */
enum mw_err mw_fail(struct mw_error *error, enum mw_err code, const char *format, ...) MW_PRINTF(3, 4);

/* The same for a failed system call: appends ": strerror(saved_errno)", keeps the number. */
enum mw_err mw_fail_errno(struct mw_error *error, enum mw_err code, int saved_errno, const char *format, ...)
    MW_PRINTF(4, 5);

/* Adds the remedy to an error already filled; returns error->code, so that it can end a function. */
enum mw_err mw_hint(struct mw_error *error, const char *format, ...) MW_PRINTF(2, 3);

/* Exit status (0, 1, 2, 3, 4, 5, 77, 130), name ("DATA") and text of a code. */
int mw_err_exit_status(enum mw_err code);
const char *mw_err_name(enum mw_err code);
const char *mw_err_text(enum mw_err code);

#endif
