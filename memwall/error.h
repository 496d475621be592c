/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEMWALL_ERROR_H
#define MEMWALL_ERROR_H

/*
 * Errors. Every function that can fail returns an enum mw_err, leaves its outputs as they were on failure and fills the
 * struct mw_error that the caller owns (NULL: not wanted). The library never prints, exits or aborts.
 */
#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MW_API     __attribute__((visibility("default")))
#define MW_CHECKED __attribute__((warn_unused_result))
#else
#define MW_API
#define MW_CHECKED
#endif

/* name, exit status of the command line, text; codes are only ever added, at the end */
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

/* The caller's; its layout is fixed. */
struct mw_error {
    enum mw_err code;
    int sys_errno;     /* errno at the failure, 0 where none applies */
    char message[512]; /* one line, no full stop; names file and line where there are any ("run.csv:7: ...") */
    char hint[256];    /* the remedy, empty where there is none */
};

/* "DATA" and "bad input data" for MW_DATA; static texts. Pure; any thread. */
MW_API const char *mw_err_name(enum mw_err code);
MW_API const char *mw_err_text(enum mw_err code);

#ifdef __cplusplus
}
#endif

#endif
