// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "measure/machine/limits.h"
#include "measure/probe/clock.h"
#include "measure/probe/llc.h"

#include <math.h>

/* of one instance, where none can be found: what most processors in use have at least */
#define ASSUMED_BYTES ((size_t)32 << 20)
/* the scan goes twice past what is reported, so that a plateau of memory is seen behind it, from LEAST to MOST */
#define LEAST_BYTES ((size_t)128 << 20)
#define MOST_BYTES  ((size_t)1 << 30)
#define MAX_TIME_S  10.
/* of what the measurement as a whole may take */
#define TIME_SHARE .3

static size_t scan_bytes(const struct measure_run *run, size_t reported)
{
    struct mw_memory_limit limit;
    mw_memory_limit(run->cli->common.root, &limit);
    size_t size = reported > MOST_BYTES / 2 ? MOST_BYTES : 2 * reported;
    size = size < LEAST_BYTES ? LEAST_BYTES : size;
    return size < limit.size_bytes / 4 ? size : limit.size_bytes / 4;
}

static enum mw_err search(struct measure_run *run, size_t reported, const char *doubt, struct mw_error *error)
{
    struct measure_llc *llc = &run->llc;
    struct mw_error why;
    struct mw_llc_options options = {.cpu = run->cpus[0],
                                     .size_bytes = scan_bytes(run, reported),
                                     .max_time_s = fmin(MAX_TIME_S, TIME_SHARE * measure_max_time_s(run)),
                                     .seed = run->cli->common.seed,
                                     .stop = cli_interrupted};
    cli_progress(run->cli, 0, 0, "the end of the last-level cache");
    enum mw_err err = mw_llc_measure(&options, &llc->instance_bytes, &why);
    if (err == MW_INTERRUPTED) {
        if (error)
            *error = why;
        return err;
    }
    if (!err) {
        mw_llc_keep(reported, llc->instance_bytes);
        snprintf(llc->text, sizeof llc->text, "%.4g MiB measured; %.4g MiB reported: %s",
                 (double)llc->instance_bytes / 1048576, (double)reported / 1048576, doubt);
        return MW_OK;
    }
    llc->instance_bytes = ASSUMED_BYTES;
    snprintf(llc->text, sizeof llc->text, "%.4g MiB assumed; %.4g MiB reported: %s; it could not be measured: %.100s",
             (double)ASSUMED_BYTES / 1048576, (double)reported / 1048576, doubt, why.message);
    cli_warn(run->cli, "the last-level cache is not known: %s", llc->text);
    return MW_OK;
}

static enum mw_err resolve(struct measure_run *run, struct mw_error *error)
{
    struct measure_llc *llc = &run->llc;
    size_t reported = mw_llc_reported(&run->topology, run->cpus[0]);
    const char *doubt = mw_llc_doubt(&run->topology, run->cpus[0], run->guest);
    if (!doubt) {
        llc->instance_bytes = reported;
        snprintf(llc->text, sizeof llc->text, "%.4g MiB as reported", (double)reported / 1048576);
    } else if (mw_llc_kept(reported, &llc->instance_bytes)) {
        snprintf(llc->text, sizeof llc->text, "%.4g MiB as measured earlier since the boot; %.4g MiB reported: %s",
                 (double)llc->instance_bytes / 1048576, (double)reported / 1048576, doubt);
    } else if (run->cli->common.dry_run) {
        llc->instance_bytes = ASSUMED_BYTES;
        snprintf(llc->text, sizeof llc->text, "%.4g MiB until it is measured, at the start; %.4g MiB reported: %s",
                 (double)ASSUMED_BYTES / 1048576, (double)reported / 1048576, doubt);
        printf("last-level cache: %s\n", llc->text);
    } else {
        return search(run, reported, doubt, error);
    }
    return MW_OK;
}

enum mw_err measure_llc_resolve(struct measure_run *run, struct mw_error *error)
{
    if (run->options->llc_bytes || run->llc.instance_bytes)
        return MW_OK;
    enum mw_err err = resolve(run, error);
    return err ? err : mw_provenance_add(&run->provenance, error, "last_level_cache", "%s", run->llc.text);
}

size_t measure_llc_bytes(const struct measure_run *run, const unsigned *cpus, size_t count)
{
    return run->options->llc_bytes ? run->options->llc_bytes
                                   : mw_llc_sum(&run->topology, cpus, count, run->llc.instance_bytes);
}
