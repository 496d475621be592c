// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/scan/scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Others' share of the runs above which a scan as a whole is not to be trusted. */
static const double disturbed_most = 0.1;

void scan_config_name(const struct scan *scan, const struct mw_sequence_entry *config, char *text, size_t size)
{
    int used = snprintf(text, size, "%u core%s", config->cores, config->cores == 1 ? "" : "s");
    if (config->freq_hz > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " at %.4g GHz", config->freq_hz / 1e9);
    size_t length = strlen(text);
    if (config->device > 0)
        snprintf(text + length, size - length, scan->device.is_freq ? ", GPU at %.4g GHz" : " with %.0f GPU%s",
                 config->device / scan_device_unit(&scan->device), config->device > 1 ? "s" : "");
}

enum mw_err scan_log(struct scan *scan, const struct mw_sequence_entry *config, const struct mw_runner_result *result,
                     struct mw_error *error)
{
    struct mw_noise_run *log = realloc(scan->log, (scan->log_count + 1) * sizeof *log);
    if (!log)
        return mw_fail(error, MW_NOMEM, "out of memory");
    scan->log = log;
    log[scan->log_count++] = (struct mw_noise_run){.config = (size_t)(config - scan->sequence.configs),
                                                   .good = result->run.fault == MW_RUN_GOOD && result->run.time_s > 0,
                                                   .time_s = result->run.time_s,
                                                   .foreign_share = result->foreign_share};
    return MW_OK;
}

enum mw_err scan_say_noise(const struct scan *scan, bool *noisy, struct mw_error *error)
{
    struct mw_noise noise;
    char name[96];
    *noisy = false;
    if (!scan->log_count || scan->options->replay)
        return MW_OK;
    enum mw_err err = mw_noise_find(scan->log, scan->log_count, scan->sequence.count, &noise, error);
    if (err)
        return err;
    const struct cli *cli = scan->cli;
    if (noise.first_slow)
        cli_warn(cli,
                 "the first run took %.3g times the median of its configuration (cold caches, files or clocks): "
                 "--warmup 1 leaves such a run out",
                 noise.first_ratio);
    if (noise.outliers) {
        scan_config_name(scan, &scan->sequence.configs[scan->log[noise.farthest].config], name, sizeof name);
        cli_warn(
            cli,
            "%zu of %zu runs are outliers, the farthest (%s) took %.3g times its median: the fit gives them little "
            "weight",
            noise.outliers, scan->log_count, name, noise.farthest_ratio);
    }
    if (noise.drift)
        cli_warn(cli,
                 "over the scan runs became %.2g %% %s, whatever their configuration (heat, or other work on the "
                 "machine): the balanced order keeps that out of the comparison, --cool-to may help",
                 100 * fabs(noise.drift_share), noise.drift_share > 0 ? "slower" : "faster");
    if (noise.disturbed)
        cli_warn(
            cli,
            "other programs used the scan's cores during %zu of %zu runs (up to %.0f %% of their time): stop them, "
            "or take more runs",
            noise.disturbed, scan->log_count, 100 * noise.foreign_most);
    *noisy = noise.first_slow || noise.drift || (double)noise.disturbed > disturbed_most * (double)scan->log_count;
    return MW_OK;
}
