// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/scan/scan.h"

#include "fit/main_wait.h"
#include "measure/run/runner_columns.h"
#include "measure/probe/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says what was wrong with a run; the same remark only once for a configuration. */
static void remark(struct scan *scan, struct mw_sequence_entry *config, const struct mw_runner_result *result)
{
    char name[96], what[256];
    scan_config_name(scan, config, name, sizeof name);
    if (result->run.fault != MW_RUN_GOOD) {
        mw_run_describe(&result->run, what, sizeof what);
        cli_warn(scan->cli, "%s, run %u failed: %s", name, config->done + 1, what);
    }
    if (result->note[0] && !config->disturbed) {
        cli_warn(scan->cli, "%s: %s", name, result->note);
        config->disturbed = true;
    }
}

/* Whether the file has a run already. */
static bool has_runs(const struct scan *scan)
{
    bool any = false;
    for (size_t i = 0; i < scan->sequence.count && !any; i++)
        any = scan->sequence.configs[i].done > 0;
    return any;
}

/* Clock or number of graphics processors of a configuration, where that is an axis. */
static enum mw_err set_device(struct scan *scan, struct mw_sequence_entry *config, bool *off, struct mw_error *error)
{
    char name[96];
    if (!scan->device.values)
        return MW_OK;
    enum mw_err err = scan_device_set(&scan->device, config->device, off, error);
    if (!err && !scan->device.is_freq)
        mw_runner_renew(scan->runner);
    scan_config_name(scan, config, name, sizeof name);
    if (!err && *off && !config->disturbed) {
        cli_warn(scan->cli, "%s: the graphics processor's clock did not become what was asked for", name);
        config->disturbed = true;
    }
    return err;
}

/* One run whose row is kept. */
static enum mw_err run_once(struct scan *scan, struct mw_sequence_entry *config, size_t *doubtful,
                            struct mw_error *error)
{
    struct mw_runner_result result;
    bool off = false;
    enum mw_err err = set_device(scan, config, &off, error);
    if (!err)
        err = mw_runner_measure(scan->runner, config->cores, config->freq_hz, config->done + 1, &result, error);
    if (err)
        return err;
    remark(scan, config, &result);
    err = scan_file_row(scan, config, &result, error);
    if (err)
        return err;
    *doubtful += result.freq_off || off;
    err = scan_log(scan, config, &result, error);
    if (err)
        return err;
    if (!has_runs(scan) && !scan->options->replay)
        err = run_first_check(scan->cli, scan->runner, &result.run, error);
    struct mw_row row = mw_runner_row(&result, config->cores, config->freq_hz);
    mw_sequence_record(config, result.run.fault == MW_RUN_GOOD,
                       mw_main_wait_without(&row)); /* others are no scatter of it */
    return err;
}

static enum mw_err interrupted(struct scan *scan, struct mw_error *error)
{
    size_t done, left;
    const char *path = scan->cli->common.output;
    mw_sequence_progress(&scan->sequence, &done, &left);
    mw_fail(error, MW_INTERRUPTED, "interrupted: %zu runs are kept%s%s%s", done, path ? " in '" : "", path ? path : "",
            path ? "'" : "");
    return mw_hint(error, "the same command with --resume goes on");
}

/* Power at rest once more, behind the rows: what it changed by is the drift of the base. */
static enum mw_err add_idle(struct scan *scan, size_t done_before, struct mw_error *error)
{
    size_t done, left;
    bool has;
    double power_w;
    mw_sequence_progress(&scan->sequence, &done, &left);
    if (done == done_before || scan->options->replay || scan->options->idle_s <= 0)
        return MW_OK;
    mw_runner_idle_power(scan->runner, scan->options->idle_s, &has, &power_w);
    return has ? mw_append_line(&scan->file, error, "# idle_power_after_w: %.6g", power_w) : MW_OK;
}

enum mw_err scan_loop(struct scan *scan, size_t *doubtful, struct mw_error *error)
{
    double start_s = mw_now_s();
    struct mw_sequence_entry *config;
    size_t done_before, to_do;
    mw_sequence_progress(&scan->sequence, &done_before, &to_do);
    enum mw_err err = MW_OK;
    while (!err && (config = mw_sequence_next(&scan->sequence))) {
        char name[96];
        size_t done, left;
        if (mw_stop_poll(&scan->stop) != MW_STOP_NONE)
            return interrupted(scan, error);
        mw_sequence_progress(&scan->sequence, &done, &left);
        if (scan->options->max_time_s > 0 && mw_now_s() - start_s >= scan->options->max_time_s) {
            cli_say(scan->cli, "the time of --max-time is over: %zu runs done, %zu to go; --resume goes on", done,
                    left);
            break;
        }
        scan_config_name(scan, config, name, sizeof name);
        cli_progress(scan->cli, done, done + left, "%s, run %u", name, config->done + 1);
        err = run_once(scan, config, doubtful, error);
        if (err == MW_INTERRUPTED)
            return interrupted(scan, error);
    }
    cli_progress_end();
    return err ? err : add_idle(scan, done_before, error);
}
