// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure_freq.h"

#include "data/units.h"
#include "measure/probe/clock.h"
#include "measure/run/session.h"

#include <stdlib.h>

static void tell(struct measure_run *run, const struct mw_freq_note *note)
{
    if (*note->text)
        cli_warn(run->cli, "%s", note->text);
    run->freq_off = run->freq_off || note->off;
}

static enum mw_err run_at(struct measure_run *run, const struct measure_probe *probe, struct mw_session *session,
                          double freq_hz, struct mw_error *error)
{
    struct mw_freq_note note = {0};
    enum mw_err err = mw_session_set(session, run->cpus, run->topology.core_count, freq_hz, &note, error);
    if (err)
        return err;
    tell(run, &note);
    run->freq_hz = freq_hz;
    err = probe->run(run, error);
    if (err)
        return err;
    note = (struct mw_freq_note){0};
    mw_cpufreq_verify(&session->cpufreq, &note);
    tell(run, &note);
    return MW_OK;
}

static enum mw_err run_all(struct measure_run *run, const struct measure_probe *probe, struct mw_session *session,
                           struct mw_error *error)
{
    double *freq_hz = NULL;
    size_t count = 0;
    struct mw_error inner;
    if (!session->has_cpufreq) {
        *error = session->why;
        return error->code;
    }
    if (mw_parse_freqs(run->options->freq, session->cpufreq.freqs_hz, session->cpufreq.freq_count, &freq_hz, &count,
                       &inner)) {
        mw_fail(error, inner.code, "option '--freq': %s", inner.message);
        return *inner.hint ? mw_hint(error, "%s", inner.hint) : error->code;
    }
    run->freqs_left = count;
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < count && !err; i++, run->freqs_left--)
        err = run_at(run, probe, session, freq_hz[i], error);
    free(freq_hz);
    return err;
}

struct opening {
    struct measure_run *run;
    struct mw_session *session;
    struct mw_stop stop; /* while another memwall is waited for; the probe has handlers of its own */
};

static enum mw_err open_session(void *opaque, enum mw_lock_mode mode, struct mw_error *error)
{
    struct opening *o = opaque;
    struct mw_session_setup setup = {.root = o->run->cli->common.root,
                                     .dry_run = o->run->cli->common.dry_run,
                                     .sets = o->run->options->freq != NULL,
                                     .lock = mode,
                                     .stop = &o->stop};
    return mw_session_open(o->session, &setup, error);
}

/* Takes the machine. Time spent waiting for it is not the measurement's. */
static enum mw_err take_machine(struct measure_run *run, struct mw_session *session, struct mw_error *error)
{
    struct opening o = {.run = run, .session = session};
    enum mw_err err = mw_stop_open(&o.stop, error);
    if (err)
        return err;
    err = lock_options_open(run->cli, &run->options->lock, open_session, &o, error);
    mw_stop_close(&o.stop);
    run->start_s = mw_now_s();
    if (!err && session->recovered)
        cli_say(run->cli, "put back what a killed memwall had left:\n%s", session->recovered);
    return err;
}

enum mw_err measure_at_frequencies(struct measure_run *run, const struct measure_probe *probe, struct mw_error *error)
{
    struct mw_session session;
    struct mw_error failed;
    run->freqs_left = 1;
    enum mw_err err = take_machine(run, &session, error);
    if (err)
        return err;
    cli_catch_signals();
    err = run->options->freq ? run_all(run, probe, &session, error) : probe->run(run, error);
    enum mw_err restored = mw_session_close(&session, &failed);
    if (restored)
        cli_warn(run->cli, "%s", failed.message);
    if (restored && !err) {
        err = restored;
        *error = failed;
    }
    return err;
}
