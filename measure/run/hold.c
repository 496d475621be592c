// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/hold.h"

#include "measure/run/lock.h"

#include <stdlib.h>

enum mw_err mw_hold_open(struct mw_hold *hold, const char *root, bool dry, struct mw_error *error)
{
    struct mw_hold h = {.lock = -1};
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
        *hold = h;
    }
    return err;
}

enum mw_err mw_hold_set(struct mw_hold *hold, const unsigned *cpus, size_t count, double freq_hz,
                        struct mw_freq_note *note, struct mw_error *error)
{
    if (hold->has_cpufreq)
        return mw_cpufreq_pin(&hold->cpufreq, cpus, count, freq_hz, note, error);
    if (error)
        *error = hold->why;
    return hold->why.code;
}

enum mw_err mw_hold_close(struct mw_hold *hold, struct mw_error *error)
{
    enum mw_err err = hold->has_cpufreq ? mw_cpufreq_restore(&hold->cpufreq, error) : MW_OK;
    if (hold->has_cpufreq)
        mw_cpufreq_close(&hold->cpufreq);
    mw_lock_drop(hold->lock);
    free(hold->recovered);
    *hold = (struct mw_hold){.lock = -1};
    return err;
}
