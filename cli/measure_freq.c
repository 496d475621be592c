// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure_freq.h"

#include "data/units.h"
#include "measure/cpufreq.h"
#include "measure/lock.h"

#include <stdlib.h>

static void tell(struct measure_run *run, const struct mw_freq_note *note)
{
    if (*note->text)
        cli_warn(run->cli, "%s", note->text);
    run->freq_off = run->freq_off || note->off;
}

static enum mw_err run_at(struct measure_run *run, const struct measure_probe *probe, struct mw_cpufreq *cpufreq,
                          double freq_hz, struct mw_error *error)
{
    struct mw_freq_note note = {0};
    enum mw_err err = mw_cpufreq_pin(cpufreq, run->cpus, run->topology.core_count, freq_hz, &note, error);
    if (err)
        return err;
    tell(run, &note);
    run->freq_hz = freq_hz;
    err = probe->run(run, error);
    if (err)
        return err;
    note = (struct mw_freq_note){0};
    mw_cpufreq_verify(cpufreq, &note);
    tell(run, &note);
    return MW_OK;
}

static enum mw_err run_all(struct measure_run *run, const struct measure_probe *probe, struct mw_cpufreq *cpufreq,
                           struct mw_error *error)
{
    double *freq_hz = NULL;
    size_t count = 0;
    struct mw_error inner;
    if (mw_parse_freqs(run->options->freq, cpufreq->freqs_hz, cpufreq->freq_count, &freq_hz, &count, &inner)) {
        mw_fail(error, inner.code, "option '--freq': %s", inner.message);
        return *inner.hint ? mw_hint(error, "%s", inner.hint) : error->code;
    }
    run->freqs_left = count;
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < count && !err; i++, run->freqs_left--)
        err = run_at(run, probe, cpufreq, freq_hz[i], error);
    free(freq_hz);
    return err;
}

enum mw_err measure_at_frequencies(struct measure_run *run, const struct measure_probe *probe, struct mw_error *error)
{
    const char *root = run->cli->common.root;
    run->freqs_left = 1;
    if (!run->options->freq)
        return probe->run(run, error);
    int lock = -1;
    char *recovered = NULL;
    struct mw_cpufreq cpufreq;
    bool dry = run->cli->common.dry_run;
    enum mw_err err = dry ? MW_OK : mw_lock_take(&lock, root, error);
    if (!err && !dry)
        err = mw_cpufreq_recover(root, &recovered, error);
    if (!err && recovered)
        cli_say(run->cli, "%s", recovered);
    free(recovered);
    if (!err)
        err = mw_cpufreq_open(&cpufreq, root, dry, error);
    if (!err) {
        struct mw_error failed;
        err = run_all(run, probe, &cpufreq, error);
        enum mw_err restored = mw_cpufreq_restore(&cpufreq, &failed);
        if (restored)
            cli_warn(run->cli, "%s", failed.message);
        if (restored && !err) {
            err = restored;
            *error = failed;
        }
        mw_cpufreq_close(&cpufreq);
    }
    mw_lock_drop(lock);
    return err;
}
