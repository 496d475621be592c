// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_PROCESS_CAPTURE_H
#define MW_MEASURE_PROCESS_CAPTURE_H

#include "data/error.h"
#include "measure/process/stop.h"

/*
 * Runs a command found in PATH (words end in NULL) and takes what it prints on standard output and standard error together, at
 * most 16 MiB. The caller frees *text, which ends in a zero and has no newline at its end; *status is the exit status, 128 + the
 * number of the signal that ended it. Ends within `timeout_s` and at an order to stop at once (the command is killed).
 * MW_UNSUPPORTED where there is no such command, MW_RUN after the time, MW_INTERRUPTED, MW_IO, MW_NOMEM.
 */
enum mw_err mw_capture(const char *const *words, double timeout_s, struct mw_stop *stop, char **text, int *status,
                       struct mw_error *error) MW_CHECKED;

#endif
