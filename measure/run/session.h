// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_HOLD_H
#define MW_MEASURE_HOLD_H

#include "measure/freq/cpufreq.h"

/*
 * The machine held for measuring: the lock, what a killed memwall left put back, frequency control where there is any.
 *
 *     err = mw_session_open(&hold, root, false, error);
 *     … mw_session_set(&hold, cpus, count, freq_hz, &note, error) … measure …
 *     err = mw_session_close(&hold, error);
 *
 * Signals that would end the process in between are the caller's to catch (measure/run/stop.h, cli_catch_signals).
 */
struct mw_session {
    struct mw_cpufreq cpufreq;
    bool has_cpufreq;
    struct mw_error why; /* without frequency control: what is missing */
    int lock;
    char *recovered; /* what was put back, one line each; NULL: nothing had been left */
};

/* dry: no lock, nothing is written. MW_BUSY while another memwall measures. No frequency control is no error. */
enum mw_err mw_session_open(struct mw_session *session, const char *root, bool dry, struct mw_error *error) MW_CHECKED;

/* mw_cpufreq_pin, or MW_UNSUPPORTED where there is no frequency control. */
enum mw_err mw_session_set(struct mw_session *session, const unsigned *cpus, size_t count, double freq_hz,
                           struct mw_freq_note *note, struct mw_error *error) MW_CHECKED;

/* Puts all back and lets the machine go, also when something could not be put back: that is the result. */
enum mw_err mw_session_close(struct mw_session *session, struct mw_error *error) MW_CHECKED;

#endif
