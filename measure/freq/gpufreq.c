// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/freq/gpufreq.h"

#include "data/output.h"
#include "data/units.h"
#include "measure/freq/cpufreq.h"
#include "measure/machine/state_folder.h"
#include "measure/process/capture.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* i915 and xe round to multiples of 50/3 and 50 MHz */
#define STEP_MHZ 50
static const char first_line[] = "memwall-gpu-state 1";
static const char nvidia_path[] = "nvidia-smi";
static const double answer_s =
    20; /* it takes seconds where it has to load the driver; without an answer there are no clocks */

/* Files of a driver below the card's folder: limits of the hardware, what is set; in the order of writing. */
static const struct layout {
    enum mw_card_driver driver;
    const char *least, *most, *min, *max, *boost;
} layouts[] = {
    {MW_CARD_I915, "gt_RPn_freq_mhz", "gt_RP0_freq_mhz", "gt_min_freq_mhz", "gt_max_freq_mhz", "gt_boost_freq_mhz"},
    {MW_CARD_XE, "device/tile0/gt0/freq0/rpn_freq", "device/tile0/gt0/freq0/rp0_freq",
     "device/tile0/gt0/freq0/min_freq", "device/tile0/gt0/freq0/max_freq", NULL},
};
static const char amd_level[] = "device/power_dpm_force_performance_level", amd_clock[] = "device/pp_dpm_sclk";

static const struct layout *layout_of(const struct mw_gpufreq *g)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].driver == g->card.driver)
            return &layouts[i];
    return NULL;
}

static void path_of(const struct mw_gpufreq *g, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", g->card.folder, name);
}

static bool number_at(const struct mw_gpufreq *g, const char *name, long *value)
{
    char path[160];
    path_of(g, name, path, sizeof path);
    return !mw_attribute_number(&g->attributes, path, value);
}

static enum mw_err write_at(struct mw_gpufreq *g, const char *name, const char *value, struct mw_error *error)
{
    char path[160];
    path_of(g, name, path, sizeof path);
    int failed = mw_attribute_write(&g->attributes, path, value);
    return failed ? mw_attribute_fail(failed, path, value, error) : MW_OK;
}

/* Output of a program that is found in PATH, MHz line by line, or the lines of pp_dpm_sclk. */
static size_t read_mhz(FILE *f, const char *format, double *freqs_hz, size_t room)
{
    char line[128];
    double mhz;
    size_t count = 0;
    while (f && fgets(line, sizeof line, f) && count < room)
        if (sscanf(line, format, &mhz) == 1 && mhz > 0)
            freqs_hz[count++] = mhz * 1e6;
    return count;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

enum { OFFERED_MAX = 1024 };

static void list_offered(struct mw_gpufreq *g)
{
    const struct layout *l = layout_of(g);
    char path[PATH_MAX];
    long least = 0, most = 0;
    if (l && number_at(g, l->least, &least) && number_at(g, l->most, &most) && least > 0)
        for (long mhz = least; mhz <= most && g->freq_count < OFFERED_MAX; mhz += STEP_MHZ)
            g->freqs_hz[g->freq_count++] = 1e6 * (double)mhz;
    if (g->card.driver == MW_CARD_AMDGPU) {
        snprintf(path, sizeof path, "%s%s/%s", g->attributes.root, g->card.folder, amd_clock);
        FILE *f = fopen(path, "re");
        g->freq_count = read_mhz(f, "%*d: %lfMhz", g->freqs_hz, OFFERED_MAX);
        if (f)
            fclose(f);
    }
    if (g->card.driver == MW_CARD_NVIDIA) {
        static const char *const words[] = {nvidia_path, "--query-supported-clocks=graphics",
                                            "--format=csv,noheader,nounits", NULL};
        struct mw_error ignored;
        char *text = NULL;
        int status;
        bool answered = !mw_capture(words, answer_s, NULL, &text, &status, &ignored) && !status && *text;
        FILE *f = answered ? fmemopen(text, strlen(text), "r") : NULL;
        g->freq_count = read_mhz(f, "%lf", g->freqs_hz, OFFERED_MAX);
        if (f)
            fclose(f);
        free(text);
    }
    qsort(g->freqs_hz, g->freq_count, sizeof *g->freqs_hz, by_value);
    size_t kept = 0; /* nvidia-smi lists them once for each memory clock */
    for (size_t i = 0; i < g->freq_count; i++)
        if (!kept || g->freqs_hz[i] > g->freqs_hz[kept - 1])
            g->freqs_hz[kept++] = g->freqs_hz[i];
    g->freq_count = kept;
}

enum mw_err mw_gpufreq_open(struct mw_gpufreq *gpufreq, const char *root, struct mw_error *error)
{
    struct mw_gpufreq g = {0};
    if (!mw_card_find(root, NULL, &g.card))
        return mw_fail(
            error, MW_UNSUPPORTED,
            "the clock of a graphics processor can't be set: no card of amdgpu, i915, xe or NVIDIA, or several");
    enum mw_err err = mw_attributes_init(&g.attributes, root, false, error);
    if (err)
        return err;
    g.freqs_hz = calloc(OFFERED_MAX, sizeof *g.freqs_hz);
    if (g.freqs_hz)
        list_offered(&g);
    if (!g.freq_count) {
        err = g.freqs_hz ? mw_fail(error, MW_UNSUPPORTED, "the graphics processor's driver offers no frequencies")
                         : mw_fail(error, MW_NOMEM, "out of memory");
        mw_gpufreq_close(&g);
        return err;
    }
    *gpufreq = g;
    return MW_OK;
}

void mw_gpufreq_close(struct mw_gpufreq *gpufreq)
{
    mw_attributes_release(&gpufreq->attributes);
    free(gpufreq->freqs_hz);
    *gpufreq = (struct mw_gpufreq){0};
}

static int state_path(const char *root, bool make, char *path, size_t size)
{
    char folder[PATH_MAX];
    int failed = mw_state_folder(root, make, folder, sizeof folder);
    if (!failed && snprintf(path, size, "%s/gpu-state", folder) >= (int)size)
        failed = ENAMETOOLONG;
    return failed;
}

static void boot_id(const struct mw_gpufreq *g, char *id, size_t size)
{
    if (mw_attribute_read(&g->attributes, "/proc/sys/kernel/random/boot_id", id, size))
        snprintf(id, size, "unknown");
}

/* What can be changed, as it stands. */
static void read_saved(struct mw_gpufreq *g)
{
    const struct layout *l = layout_of(g);
    const char *names[3] = {l                                  ? l->min
                            : g->card.driver == MW_CARD_AMDGPU ? amd_level
                                                               : NULL,
                            l ? l->max : NULL, l ? l->boost : NULL};
    g->saved_count = 0;
    if (g->card.driver == MW_CARD_NVIDIA)
        g->saved[g->saved_count++] = (struct mw_gpufreq_saved){"nvidia-smi", "reset"};
    for (size_t i = 0; i < 3 && names[i]; i++) {
        struct mw_gpufreq_saved *s = &g->saved[g->saved_count];
        path_of(g, names[i], s->path, sizeof s->path);
        g->saved_count += !mw_attribute_read(&g->attributes, s->path, s->value, sizeof s->value);
    }
}

static enum mw_err save(struct mw_gpufreq *g, struct mw_error *error)
{
    char path[PATH_MAX], id[64];
    struct mw_output output;
    if (g->changed)
        return MW_OK;
    read_saved(g);
    int failed = state_path(g->attributes.root, true, path, sizeof path);
    if (failed)
        return mw_fail_errno(error, failed == EACCES || failed == EROFS ? MW_PERM : MW_IO, failed,
                             "no place for the file that brings the graphics processor's clock back after a crash");
    enum mw_err err = mw_output_open(&output, path, true, error);
    if (err)
        return err;
    boot_id(g, id, sizeof id);
    fprintf(output.stream, "%s\nboot %s\n", first_line, id);
    for (size_t i = 0; i < g->saved_count; i++)
        fprintf(output.stream, "set %s %s\n", g->saved[i].path, g->saved[i].value);
    err = mw_output_commit(&output, error);
    g->changed = !err;
    return err;
}

static enum mw_err nvidia(const char *what, struct mw_error *error)
{
    char command[128];
    snprintf(command, sizeof command, "nvidia-smi %s >/dev/null 2>&1", what);
    if (system(command) == 0)
        return MW_OK;
    mw_fail(error, MW_PERM, "'nvidia-smi %s' failed", what);
    return mw_hint(error, "locking clocks needs root");
}

/* The whole range first, so that the lower limit never stands above the upper one. */
static enum mw_err set_limits(struct mw_gpufreq *g, const struct layout *l, double freq_hz, bool *off,
                              struct mw_error *error)
{
    char value[32], least[32];
    long least_mhz = 0, min = 0, max = 0;
    snprintf(value, sizeof value, "%.0f", freq_hz * 1e-6);
    number_at(g, l->least, &least_mhz);
    snprintf(least, sizeof least, "%ld", least_mhz);
    enum mw_err err = write_at(g, l->min, least, error);
    if (!err)
        err = write_at(g, l->max, value, error);
    if (!err && l->boost)
        err = write_at(g, l->boost, value, error);
    if (!err)
        err = write_at(g, l->min, value, error);
    *off = !err && (!number_at(g, l->min, &min) || !number_at(g, l->max, &max) ||
                    !mw_freq_same(1e6 * (double)min, freq_hz) || !mw_freq_same(1e6 * (double)max, freq_hz));
    return err;
}

enum mw_err mw_gpufreq_set(struct mw_gpufreq *g, double freq_hz, bool *off, struct mw_error *error)
{
    const struct layout *l = layout_of(g);
    char value[48];
    size_t at = 0;
    while (at < g->freq_count && !mw_freq_same(g->freqs_hz[at], freq_hz))
        at++;
    if (at == g->freq_count)
        return mw_fail(error, MW_USAGE, "%.6g GHz is not offered by the graphics processor, %.6g to %.6g GHz are",
                       freq_hz * 1e-9, g->freqs_hz[0] * 1e-9, g->freqs_hz[g->freq_count - 1] * 1e-9);
    enum mw_err err = save(g, error);
    *off = false;
    if (err)
        return err;
    if (l)
        return set_limits(g, l, g->freqs_hz[at], off, error);
    if (g->card.driver == MW_CARD_NVIDIA) {
        snprintf(value, sizeof value, "--lock-gpu-clocks=%.0f,%.0f", freq_hz * 1e-6, freq_hz * 1e-6);
        return nvidia(value, error);
    }
    snprintf(value, sizeof value, "%zu", at); /* amdgpu: the number of the line */
    err = write_at(g, amd_level, "manual", error);
    if (!err)
        err = write_at(g, amd_clock, value, error);
    *off = !err && !mw_freq_same(mw_card_clock(g->attributes.root, &g->card), freq_hz);
    return err;
}

static enum mw_err put_back(struct mw_gpufreq *g, struct mw_error *error)
{
    enum { PASSES = 2 }; /* limits of one another: the second pass writes what the first could not */
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < g->saved_count; i++)
            if (strcmp(g->saved[i].path, nvidia_path) != 0)
                (void)!mw_attribute_write(&g->attributes, g->saved[i].path, g->saved[i].value);
    for (size_t i = 0; i < g->saved_count; i++) {
        char now[48] = "";
        if (!strcmp(g->saved[i].path, nvidia_path)) {
            enum mw_err err = nvidia("--reset-gpu-clocks", error);
            if (err)
                return err;
        } else if (mw_attribute_read(&g->attributes, g->saved[i].path, now, sizeof now) ||
                   strcmp(now, g->saved[i].value) != 0) {
            mw_fail(error, MW_IO, "cannot put back '%s': it reads '%s', and was '%s'", g->saved[i].path, now,
                    g->saved[i].value);
            return mw_hint(error, "memwall restore tries again");
        }
    }
    return MW_OK;
}

enum mw_err mw_gpufreq_restore(struct mw_gpufreq *g, struct mw_error *error)
{
    char path[PATH_MAX];
    if (!g->changed)
        return MW_OK;
    enum mw_err err = put_back(g, error);
    if (!err && !state_path(g->attributes.root, false, path, sizeof path))
        unlink(path);
    g->changed = err != MW_OK;
    return err;
}

/* Only files that this card has and memwall writes, and values that they can have had: the file may be damaged. */
static bool is_possible(const struct mw_gpufreq *g, const struct mw_gpufreq_saved *saved)
{
    struct mw_gpufreq now = *g;
    bool known = false;
    read_saved(&now);
    for (size_t i = 0; i < now.saved_count; i++)
        known = known || !strcmp(now.saved[i].path, saved->path);
    return known && !saved->value[strspn(saved->value, "0123456789abcdefghijklmnopqrstuvwxyz_")];
}

static enum mw_err read_state(struct mw_gpufreq *g, FILE *f, const char *path, bool *stale, struct mw_error *error)
{
    char line[256], id[64], now[64];
    boot_id(g, now, sizeof now);
    if (!fgets(line, sizeof line, f) || strncmp(line, first_line, strlen(first_line)) != 0)
        return mw_fail(error, MW_DATA, "%s: not a state file of memwall", path);
    while (fgets(line, sizeof line, f)) {
        struct mw_gpufreq_saved saved;
        if (sscanf(line, "boot %63s", id) == 1) {
            *stale = strcmp(id, now) != 0;
        } else if (sscanf(line, "set %159s %47s", saved.path, saved.value) == 2 &&
                   g->saved_count < MW_GPUFREQ_SAVED_MAX) {
            if (!is_possible(g, &saved))
                return mw_fail(error, MW_DATA, "%s: no setting of this graphics processor: %s", path, saved.path);
            g->saved[g->saved_count++] = saved;
        }
    }
    return MW_OK;
}

enum mw_err mw_gpufreq_recover(const char *root, char **report, struct mw_error *error)
{
    struct mw_gpufreq g;
    char path[PATH_MAX], *text = NULL;
    size_t size;
    bool stale = false;
    *report = NULL;
    FILE *f = state_path(root, false, path, sizeof path) ? NULL : fopen(path, "re");
    if (!f)
        return MW_OK;
    enum mw_err err = mw_gpufreq_open(&g, root, error);
    if (err) {
        fclose(f);
        return err;
    }
    err = read_state(&g, f, path, &stale, error);
    fclose(f);
    g.changed = true;
    if (stale) /* the boot has put it back */
        g.saved_count = 0;
    if (!err)
        err = mw_gpufreq_restore(&g, error);
    FILE *out = err || stale ? NULL : open_memstream(&text, &size);
    for (size_t i = 0; out && i < g.saved_count; i++)
        fprintf(out, "%s: %s\n", g.saved[i].path, g.saved[i].value);
    if (out)
        fclose(out);
    *report = text;
    mw_gpufreq_close(&g);
    return err;
}

enum mw_err mw_freq_recover(const char *root, char **report, struct mw_error *error)
{
    char *cpu = NULL, *gpu = NULL, *both = NULL;
    enum mw_err err = mw_cpufreq_recover(root, &cpu, error);
    if (!err)
        err = mw_gpufreq_recover(root, &gpu, error);
    if (!err && (cpu || gpu) && asprintf(&both, "%s%s", cpu ? cpu : "", gpu ? gpu : "") < 0)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    free(cpu);
    free(gpu);
    *report = err ? NULL : both;
    return err;
}
