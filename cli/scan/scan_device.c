// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/scan/scan_device.h"

#include "data/units.h"

#include <stdlib.h>
#include <string.h>

enum { GPUS_MAX = 64 };

static enum mw_err open_count(struct scan_device *d, const char *root, const char *gpus, struct mw_error *error)
{
    double offered[GPUS_MAX];
    size_t there = mw_card_count(root);
    if (!there) {
        mw_fail(error, MW_UNSUPPORTED, "there is no graphics processor whose number could be changed");
        return mw_hint(error, "cards of amdgpu, i915, xe and NVIDIA are seen; memwall machine lists devices");
    }
    for (size_t i = 0; i < there && i < GPUS_MAX; i++)
        offered[i] = (double)(i + 1);
    enum mw_err err = mw_parse_cores(gpus, offered, there < GPUS_MAX ? there : GPUS_MAX, &d->values, &d->count, error);
    if (!err && d->values[d->count - 1] > (double)there)
        err = mw_fail(error, MW_USAGE, "option '--gpus': %g asked for, %zu %s here", d->values[d->count - 1], there,
                      there == 1 ? "is" : "are");
    return err;
}

static enum mw_err open_freq(struct scan_device *d, const char *root, const char *gpu_freq, struct mw_error *error)
{
    struct mw_error inner;
    enum mw_err err = mw_gpufreq_open(&d->gpufreq, root, error);
    if (err)
        return err;
    d->is_freq = true;
    err = mw_parse_freqs(gpu_freq, d->gpufreq.freqs_hz, d->gpufreq.freq_count, &d->values, &d->count, &inner);
    if (err)
        return mw_fail(error, err, "option '--gpu-freq': %s", inner.message);
    for (size_t i = 0; i < d->count && !err; i++) {
        bool offered = false;
        for (size_t k = 0; k < d->gpufreq.freq_count; k++)
            offered = offered || mw_freq_same(d->gpufreq.freqs_hz[k], d->values[i]);
        if (!offered)
            err = mw_fail(error, MW_USAGE, "option '--gpu-freq': %.6g GHz is not offered, %.6g to %.6g GHz are",
                          d->values[i] * 1e-9, d->gpufreq.freqs_hz[0] * 1e-9,
                          d->gpufreq.freqs_hz[d->gpufreq.freq_count - 1] * 1e-9);
    }
    return err;
}

enum mw_err scan_device_open(struct scan_device *device, const char *root, const char *gpus, const char *gpu_freq,
                             struct mw_error *error)
{
    if (gpus && gpu_freq)
        return mw_fail(error, MW_USAGE, "--gpus and --gpu-freq exclude each other: one axis at a time");
    if (gpus)
        return open_count(device, root, gpus, error);
    return gpu_freq ? open_freq(device, root, gpu_freq, error) : MW_OK;
}

enum mw_err scan_device_set(struct scan_device *device, double value, bool *off, struct mw_error *error)
{
    static const char *const variables[] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"};
    char list[4 * GPUS_MAX] = "";
    *off = false;
    if (device->is_freq)
        return mw_gpufreq_set(&device->gpufreq, value, off, error);
    for (unsigned i = 0; i < (unsigned)value; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%u", i ? "," : "", i);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        setenv(variables[i], list, 1);
    return MW_OK;
}

enum mw_err scan_device_close(struct scan_device *device, struct mw_error *error)
{
    enum mw_err err = device->is_freq ? mw_gpufreq_restore(&device->gpufreq, error) : MW_OK;
    if (device->is_freq)
        mw_gpufreq_close(&device->gpufreq);
    free(device->values);
    *device = (struct scan_device){0};
    return err;
}

const char *scan_device_column(const struct scan_device *device)
{
    return !device->values ? NULL : device->is_freq ? "gpu_freq_ghz" : "gpus";
}

double scan_device_unit(const struct scan_device *device)
{
    return device->is_freq ? 1e9 : 1;
}
