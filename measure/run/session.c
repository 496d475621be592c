// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/session.h"

#include "measure/freq/gpufreq.h"

#include "measure/freq/cpufreq_state.h"

#include <stdlib.h>

/* Takes the locks and puts back what a killed memwall left; without locks neither is done. */
static enum mw_err lock_and_recover(struct mw_session *session, const struct mw_session_setup *setup,
                                    struct mw_error *error)
{
    struct mw_cpufreq control;
    struct mw_error ignored;
    bool can_set = !mw_cpufreq_open(&control, setup->root, true, &ignored);
    if (can_set)
        mw_cpufreq_close(&control);
    if (setup->lock == MW_LOCK_OFF && setup->sets && can_set) {
        mw_fail(error, MW_USAGE, "frequencies are not set without the lock: another memwall might set them too");
        return mw_hint(error, "--wait waits for its turn");
    }
    if (setup->lock == MW_LOCK_OFF)
        return MW_OK;
    bool sets = (setup->sets && can_set) || mw_state_exists(setup->root);
    enum mw_err err = mw_lock_take(&session->lock, setup->root, sets, setup->lock, setup->stop, error);
    return err ? err : mw_freq_recover(setup->root, &session->recovered, error);
}

enum mw_err mw_session_open(struct mw_session *session, const struct mw_session_setup *setup, struct mw_error *error)
{
    struct mw_session h = {.lock = MW_LOCK_NONE};
    enum mw_err err = setup->dry_run ? MW_OK : lock_and_recover(&h, setup, error);
    if (!err) {
        err = mw_cpufreq_open(&h.cpufreq, setup->root, setup->dry_run, &h.why);
        h.has_cpufreq = !err;
        if (err == MW_UNSUPPORTED)
            mw_hint(&h.why, "leave the frequency out: frequency effects can't be identified here");
        else if (err && error)
            *error = h.why;
        err = err == MW_UNSUPPORTED ? MW_OK : err;
    }
    if (err) {
        mw_lock_drop(&h.lock);
        free(h.recovered);
    } else {
        *session = h;
    }
    return err;
}

enum mw_err mw_session_set(struct mw_session *session, const unsigned *cpus, size_t count, double freq_hz,
                           struct mw_freq_note *note, struct mw_error *error)
{
    if (session->has_cpufreq)
        return mw_cpufreq_pin(&session->cpufreq, cpus, count, freq_hz, note, error);
    if (error)
        *error = session->why;
    return session->why.code;
}

enum mw_err mw_session_close(struct mw_session *session, struct mw_error *error)
{
    enum mw_err err = session->has_cpufreq ? mw_cpufreq_restore(&session->cpufreq, error) : MW_OK;
    if (session->has_cpufreq)
        mw_cpufreq_close(&session->cpufreq);
    mw_lock_drop(&session->lock);
    free(session->recovered);
    *session = (struct mw_session){.lock = MW_LOCK_NONE};
    return err;
}
