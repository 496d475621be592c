// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/session.h"

#include "measure/run/lock.h"

#include <stdlib.h>

enum mw_err mw_session_open(struct mw_session *session, const char *root, bool dry, struct mw_error *error)
{
    struct mw_session h = {.lock = -1};
    enum mw_err err = dry ? MW_OK : mw_lock_take(&h.lock, root, error);
    if (!err && !dry)
        err = mw_cpufreq_recover(root, &h.recovered, error);
    if (!err) {
        err = mw_cpufreq_open(&h.cpufreq, root, dry, &h.why);
        h.has_cpufreq = !err;
        if (err == MW_UNSUPPORTED)
            mw_hint(&h.why, "leave the frequency out: frequency effects can't be identified here");
        else if (err && error)
            *error = h.why;
        err = err == MW_UNSUPPORTED ? MW_OK : err;
    }
    if (err) {
        mw_lock_drop(h.lock);
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
    mw_lock_drop(session->lock);
    free(session->recovered);
    *session = (struct mw_session){.lock = -1};
    return err;
}
