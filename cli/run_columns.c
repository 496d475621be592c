// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run_columns.h"

#include <stddef.h>

#define AT(field) offsetof(struct mw_runner_result, field)
enum { TIME_DIGITS = 9, COUNT_DIGITS = 15 };

const struct run_column run_columns[] = {
    {"time_s", 0, AT(run.time_s), 1, TIME_DIGITS},
    {"rate", MW_RUNNER_RATE, AT(run.rate), 1, TIME_DIGITS},
    {"cpu_s", MW_RUNNER_CPU_TIME, AT(run.cpu_time_s), 1, TIME_DIGITS},
    {"energy_j", MW_RUNNER_ENERGY, AT(energy_j), 1, TIME_DIGITS},
    {"exit_status", 0, 0, 0, 0},
    {"freq_effective_ghz", MW_RUNNER_EFFECTIVE, AT(freq_effective_hz), 1e9, 6},
    {"sys_s", MW_RUNNER_USAGE, AT(run.sys_time_s), 1, TIME_DIGITS},
    {"wall_s", MW_RUNNER_WALL, AT(run.wall_s), 1, TIME_DIGITS},
    {"main_wait_s", MW_RUNNER_MAIN_WAIT, AT(run.main_wait_s), 1, TIME_DIGITS},
    {"thread_wait_s", MW_RUNNER_THREAD_WAIT, AT(run.thread_wait_s), 1, TIME_DIGITS},
    {"other_cpu_s", MW_RUNNER_OTHERS, AT(other_cpu_s), 1, 6},
    {"steal_s", MW_RUNNER_STEAL, AT(steal_s), 1, 6},
    {"throttled_s", MW_RUNNER_THROTTLED, AT(throttled_s), 1, TIME_DIGITS},
    {"switches", MW_RUNNER_USAGE, AT(run.switches), 1, COUNT_DIGITS},
    {"preempted", MW_RUNNER_USAGE, AT(run.preempted), 1, COUNT_DIGITS},
    {"faults", MW_RUNNER_USAGE, AT(run.faults), 1, COUNT_DIGITS},
    {"threads", MW_RUNNER_THREADS, AT(run.threads), 1, COUNT_DIGITS},
    {"peak_memory_bytes", MW_RUNNER_PEAK_MEMORY, AT(run.peak_memory_bytes), 1, COUNT_DIGITS},
    {"cycles", MW_RUNNER_EVENT << MW_EVENT_CYCLES, AT(run.events.count[MW_EVENT_CYCLES]), 1, COUNT_DIGITS},
    {"instructions", MW_RUNNER_EVENT << MW_EVENT_INSTRUCTIONS, AT(run.events.count[MW_EVENT_INSTRUCTIONS]), 1,
     COUNT_DIGITS},
    {"cache_misses", MW_RUNNER_EVENT << MW_EVENT_CACHE_MISSES, AT(run.events.count[MW_EVENT_CACHE_MISSES]), 1,
     COUNT_DIGITS},
    {"stalls", MW_RUNNER_EVENT << MW_EVENT_STALLS, AT(run.events.count[MW_EVENT_STALLS]), 1, COUNT_DIGITS},
    {"counted_share", MW_RUNNER_COUNTED, AT(run.events.share), 1, 4},
    {"disturbed", MW_RUNNER_DISTURBED, AT(disturbed), 1, 1},
};
const size_t run_column_count = sizeof run_columns / sizeof *run_columns;

void run_columns_head(FILE *f, unsigned set)
{
    for (size_t i = 0; i < run_column_count; i++)
        if (!run_columns[i].bit || set & run_columns[i].bit)
            fprintf(f, ",%s", run_columns[i].name);
}

void run_columns_write(FILE *f, unsigned set, const struct mw_runner_result *result)
{
    for (size_t i = 0; i < run_column_count; i++) {
        const struct run_column *c = &run_columns[i];
        unsigned bit = c->offset == AT(run.time_s) ? (unsigned)MW_RUNNER_TIME : c->bit;
        const double *value = (const double *)(const void *)((const char *)result + c->offset);
        if (c->bit && !(set & c->bit))
            continue;
        fputc(',', f);
        if (!(c->unit > 0))
            fprintf(f, "%d", result->run.exit_status);
        else if (result->has & bit)
            fprintf(f, "%.*g", c->digits, *value / c->unit);
    }
}
