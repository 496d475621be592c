// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_GPUFREQ_H
#define MW_MEASURE_GPUFREQ_H

#include "measure/freq/attribute.h"
#include "measure/freq/gpu_card.h"

/*
 * The clock of the one graphics processor, pinned by the files of amdgpu, i915 and xe, or by nvidia-smi. What was there goes
 * to a file beside memwall's state file before the first write, and is put back by _restore, or after a kill by _recover.
 * (nvidia-smi tells no lock of clocks that was there before: it is taken off.)
 */
#define MW_GPUFREQ_SAVED_MAX 4
struct mw_gpufreq {
    struct mw_attributes attributes;
    struct mw_card card;
    double *freqs_hz; /* that can be set, ascending */
    size_t freq_count;
    struct mw_gpufreq_saved {
        char path[160], value[48];
    } saved[MW_GPUFREQ_SAVED_MAX];
    size_t saved_count;
    bool changed;
};

/* MW_UNSUPPORTED where there is no such card, several, or no control of its clock. */
enum mw_err mw_gpufreq_open(struct mw_gpufreq *gpufreq, const char *root, struct mw_error *error) MW_CHECKED;
void mw_gpufreq_close(struct mw_gpufreq *gpufreq);
/* *off: what was read back is another frequency. MW_PERM, MW_IO with the remedy; MW_USAGE where it is not offered. */
enum mw_err mw_gpufreq_set(struct mw_gpufreq *gpufreq, double freq_hz, bool *off, struct mw_error *error) MW_CHECKED;
/* Puts back and removes the file; nothing to do where nothing was set. */
enum mw_err mw_gpufreq_restore(struct mw_gpufreq *gpufreq, struct mw_error *error) MW_CHECKED;
/* *report: what was put back, one line each; NULL where there was nothing. The caller frees. */
enum mw_err mw_gpufreq_recover(const char *root, char **report, struct mw_error *error) MW_CHECKED;
/* Of processors and of a graphics processor, in one report: mw_cpufreq_recover and mw_gpufreq_recover. */
enum mw_err mw_freq_recover(const char *root, char **report, struct mw_error *error) MW_CHECKED;

#endif
