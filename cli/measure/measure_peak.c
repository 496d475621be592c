// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "data/profile.h"
#include "data/units.h"
#include "measure/machine/smbios.h"

/* bytes of a transfer on one channel; two subchannels of DDR5 count as the one of 64 bits that firmware names */
#define CHANNEL_BYTES 8

/* A number is GB/s; anything else a profile that names channels and mem_mts. */
static enum mw_err given_peak(struct measure_run *run, char *text, size_t size, struct mw_error *error)
{
    const char *given = run->options->memory_peak;
    struct mw_error inner;
    double gb_s;
    if (!mw_parse_number(given, &gb_s, &inner)) {
        if (!(gb_s > 0 && gb_s < 1e6))
            return mw_fail(error, MW_USAGE, "option '--memory-peak': %s GB/s, the valid range is above 0 to 1e6",
                           given);
        run->peak_bps = 1e9 * gb_s;
        snprintf(text, size, "%g GB/s (--memory-peak)", gb_s);
        return MW_OK;
    }
    struct mw_profile profile;
    enum mw_err err = mw_profile_read(&profile, given, error);
    if (err)
        return mw_hint(error, "--memory-peak takes GB/s, as in 51.2, or a machine's profile");
    if (profile.channels && profile.memory_transfers_hz > 0) {
        run->peak_bps = profile.channels * CHANNEL_BYTES * profile.memory_transfers_hz;
        snprintf(text, size, "%g GB/s (%u channels x %d bytes x %g MT/s of %s)", 1e-9 * run->peak_bps, profile.channels,
                 CHANNEL_BYTES, 1e-6 * profile.memory_transfers_hz, given);
    } else {
        err = mw_fail(error, MW_DATA, "%s: a theoretical rate needs channels and mem_mts", given);
    }
    mw_profile_release(&profile);
    return err;
}

/* Of what firmware says; text is why there is none, else what it was computed from. */
static void reported_peak(struct measure_run *run, char *clock, size_t clock_size, char *text, size_t size)
{
    struct mw_memory_devices devices;
    struct mw_error why;
    bool doubtful = false;
    if (mw_smbios_read(&devices, run->cli->common.root, &why)) {
        snprintf(clock, clock_size, "unknown: %s", why.message);
        snprintf(text, size, "unknown: %s; --memory-peak GB/s gives it", why.message);
        return;
    }
    unsigned mts = mw_smbios_mts(&devices, &doubtful), channels = mw_smbios_channels(&devices);
    if (mts)
        snprintf(clock, clock_size, "%u MT/s (SMBIOS%s)", mts, doubtful ? "; may be the clock, half of it" : "");
    if (mts && channels && !doubtful) {
        run->peak_bps = 1e6 * mts * channels * CHANNEL_BYTES;
        snprintf(text, size, "%g GB/s (%u channels x %d bytes x %u MT/s, SMBIOS)", 1e-9 * run->peak_bps, channels,
                 CHANNEL_BYTES, mts);
    } else {
        snprintf(text, size, "unknown: SMBIOS names no %s; --memory-peak GB/s gives it",
                 mts ? doubtful ? "sure rate" : "channels" : "rate");
    }
    mw_smbios_release(&devices);
}

enum mw_err measure_peak_resolve(struct measure_run *run, struct mw_error *error)
{
    char clock[640] = "unknown: SMBIOS names none", text[640];
    run->peak_bps = 0;
    reported_peak(run, clock, sizeof clock, text, sizeof text);
    enum mw_err err = run->options->memory_peak ? given_peak(run, text, sizeof text, error) : MW_OK;
    if (!err)
        err = mw_provenance_add(&run->provenance, error, "memory_clock", "%s", clock);
    if (!err)
        err = mw_provenance_add(&run->provenance, error, "memory_peak", "%s", text);
    if (!err && !run->cli->common.dry_run)
        err = mw_provenance_add(&run->provenance, error, "cpu_clock",
                                "%.4g GHz effective of CPU %u at the start, by a chain of additions",
                                1e-9 * measure_effective_hz(run, 1), run->cpus[0]);
    return err;
}

void measure_peak_cells(struct measure_run *run, double rate_bps, double in_order_bps, bool memory)
{
    bool cached = mw_bw_cached(rate_bps, in_order_bps, run->peak_bps);
    if (run->peak_bps > 0)
        fprintf(run->rows, ",%.4g,%d\n", rate_bps / run->peak_bps, cached);
    else
        fprintf(run->rows, ",,%d\n", cached);
    run->rows_cached += cached && memory;
}
