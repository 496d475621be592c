// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_STOP_H
#define MW_MEASURE_STOP_H

#include "data/error.h"

#include <signal.h>

/*
 * Orders to stop, taken at chosen moments only: while a struct mw_stop is open SIGINT, SIGTERM and SIGHUP are blocked and
 * wait in a descriptor, so that no write to the machine and no row of a file is ever cut in two by one of them.
 * SIGHUP that was ignored stays so (nohup). Open it before any thread is started: threads inherit the blocked set. One at a time in a process.
 */
enum mw_stop_level {
    MW_STOP_NONE,
    MW_STOP_AFTER_RUN, /* one SIGINT: let the run that goes on end, keep its row */
    MW_STOP_AT_ONCE,   /* SIGTERM, SIGHUP or a second SIGINT: end the run, drop its row */
};

struct mw_stop {
    int fd;            /* readable when an order waits; -1 while closed */
    int signal_number; /* the last order, 0 where there was none */
    int signal_count;  /* orders so far */
    enum mw_stop_level level;
    sigset_t before; /* mask to go back to, and the one that children get */
};

enum mw_err mw_stop_open(struct mw_stop *stop, struct mw_error *error) MW_CHECKED;
/* Reads what waits, never blocks. NULL gives MW_STOP_NONE. */
enum mw_stop_level mw_stop_poll(struct mw_stop *stop);
/* Waits at most `time_s`, or until an order other than the ones already read comes. */
enum mw_stop_level mw_stop_sleep(struct mw_stop *stop, double time_s);
void mw_stop_close(struct mw_stop *stop);

#endif
