// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_SESSION_H
#define MW_MEASURE_SESSION_H

#include "measure/freq/cpufreq.h"
#include "measure/run/lock.h"

/*
 * The machine held for measuring: the lock, what a killed memwall left put back, frequency control where there is any.
 *
 *     err = mw_session_open(&session, &(struct mw_session_setup){.root = root, .sets = true}, error);
 *     … mw_session_set(&session, cpus, count, freq_hz, &note, error) … measure …
 *     err = mw_session_close(&session, error);
 *
 * Signals that would end the process in between are the caller's to catch (measure/process/stop.h, cli_catch_signals).
 */
struct mw_session {
    struct mw_cpufreq cpufreq;
    bool has_cpufreq;
    struct mw_error why; /* without frequency control: what is missing */
    struct mw_lock lock;
    char *recovered; /* what was put back, one line each; NULL: nothing had been left */
};

struct mw_session_setup {
    const char *root;
    bool dry_run;           /* no lock, nothing is written */
    bool sets;              /* frequencies or boost are going to be set where they can be */
    enum mw_lock_mode lock; /* MW_LOCK_OFF goes with `sets` only where nothing can be set: MW_USAGE */
    struct mw_stop *stop;   /* ends MW_LOCK_WAIT; may be NULL */
};

/* MW_BUSY while another memwall is in the way (measure/run/lock.h). No frequency control is no error. */
enum mw_err mw_session_open(struct mw_session *session, const struct mw_session_setup *setup,
                            struct mw_error *error) MW_CHECKED;

/* mw_cpufreq_pin, or MW_UNSUPPORTED where there is no frequency control. */
enum mw_err mw_session_set(struct mw_session *session, const unsigned *cpus, size_t count, double freq_hz,
                           struct mw_freq_note *note, struct mw_error *error) MW_CHECKED;

/* Puts all back and lets the machine go, also when something could not be put back: that is the result. */
enum mw_err mw_session_close(struct mw_session *session, struct mw_error *error) MW_CHECKED;

#endif
