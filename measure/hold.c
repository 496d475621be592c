// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/hold.h"

#include "measure/lock.h"

#include <stdlib.h>

enum mw_err mw_hold_open(struct mw_hold *hold, const char *root, bool dry, struct mw_error *error)
{
    struct mw_hold h = {.lock = -1};
    struct mw_error why;
    enum mw_err err = dry ? MW_OK : mw_lock_take(&h.lock, root, error);
    if (!err && !dry)
        err = mw_cpufreq_recover(root, &h.recovered, error);
    if (!err) {
        err = mw_cpufreq_open(&h.cpufreq, root, dry, &why);
        h.has_cpufreq = !err;
        if (err && err != MW_UNSUPPORTED && error)
            *error = why;
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
    mw_fail(error, MW_UNSUPPORTED, "there is no frequency control on this machine");
    return mw_hint(error, "leave the frequency out: frequency effects can't be identified here");
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
