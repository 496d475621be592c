// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "measure/probe/flops.h"

/* 40 windows of 5 ms: some of them fall between time slices of other work; a result takes a quarter of a second. */
#define WINDOWS 40

static size_t kernel_count(void)
{
    size_t count = 0;
    for (size_t k = 0; k < mw_flops_kernel_count; k++)
        count += mw_flops_kernels[k].supported();
    return count;
}

static enum mw_err run_flops(struct measure_run *run, struct mw_error *error)
{
    size_t windows = run->options->runs ? run->options->runs : WINDOWS;
    size_t total = run->cores_count * kernel_count(), done = 0, left_out = 0;
    enum mw_err err =
        mw_provenance_add(&run->provenance, error, "flops_rule",
                          "a multiply-add is 2 operations; rate = operations of all cores / (last end - first "
                          "start), best of %zu windows of %.0f ms without a context switch",
                          windows, MW_FLOPS_WINDOW_S * 1e3);
    if (run->cli->common.dry_run) {
        cli_say(run->cli, "%zu kernels on %zu core counts, about %.0f s", kernel_count(), run->cores_count,
                (double)total * ((double)windows * MW_FLOPS_WINDOW_S + MW_FLOPS_WARM_UP_S));
        return err;
    }
    for (size_t c = 0; c < run->cores_count && !err; c++) {
        double freq_hz = measure_effective_hz(run, run->cores[c]);
        for (size_t k = 0; k < mw_flops_kernel_count && !err; k++) {
            const struct mw_flops_kernel *kernel = &mw_flops_kernels[k];
            struct mw_flops flops;
            if (!kernel->supported())
                continue;
            if (measure_max_time_s(run) <= 0) {
                left_out++;
                continue;
            }
            if (cli_interrupted())
                return mw_fail(error, MW_INTERRUPTED, "interrupted");
            cli_progress(run->cli, done, total, "%s %s on %u cores", kernel->precision, kernel->variant, run->cores[c]);
            err = mw_flops_measure(kernel, run->cpus, run->cores[c], windows,
                                   measure_max_time_s(run) / (double)(total - done++), &flops, error);
            if (err)
                break;
            measure_row(run, run->cores[c], freq_hz);
            fprintf(run->rows, "%s,%s," MEASURE_CELL "," MEASURE_CELL ",%d\n", kernel->precision, kernel->variant,
                    flops.best_per_s * 1e-9, flops.median_per_s * 1e-9, flops.disturbed);
            run->disturbed = run->disturbed || flops.disturbed;
        }
    }
    if (!err && left_out)
        cli_warn(run->cli, "the time was up: %zu of %zu rows are left out; a longer --max-time has them", left_out,
                 total);
    return err;
}

static const char *const takes[] = {NULL};

const struct measure_probe measure_flops = {
    .name = "flops",
    .summary = "multiply-adds from registers",
    .columns = "precision,variant,gflop_s,gflop_s_median,disturbed",
    .takes = takes,
    .all_core_counts = true,
    .run = run_flops,
};
