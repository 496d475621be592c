// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include "data/output.h"

static double run_number(const struct mw_import_run *run, unsigned bit)
{
    switch (bit) {
    case MW_RUN_CORES:
        return run->cores;
    case MW_RUN_FREQ:
        return run->freq_hz / 1e9;
    case MW_RUN_FREQ_EFFECTIVE:
        return run->freq_effective_hz / 1e9;
    case MW_RUN_TIME:
        return run->time_s;
    case MW_RUN_RATE:
        return run->rate;
    case MW_RUN_SPEEDUP:
        return run->speedup;
    case MW_RUN_ENERGY:
        return run->energy_j;
    case MW_RUN_POWER:
        return run->power_w;
    case MW_RUN_CPU_TIME:
        return run->cpu_time_s;
    default:
        return run->exit_status;
    }
}

/* The columns after workload and input, in their order; bit 0 is the repetition. */
static const struct {
    unsigned bit;
    const char *name;
} columns[] = {
    {MW_RUN_CORES, "cores"},
    {MW_RUN_FREQ, "freq_ghz"},
    {0, "repetition"},
    {MW_RUN_TIME, "time_s"},
    {MW_RUN_RATE, NULL},
    {MW_RUN_SPEEDUP, "speedup"},
    {MW_RUN_CPU_TIME, "cpu_s"},
    {MW_RUN_ENERGY, "energy_j"},
    {MW_RUN_POWER, "power_w"},
    {MW_RUN_EXIT_STATUS, "exit_status"},
    {MW_RUN_FREQ_EFFECTIVE, "freq_effective_ghz"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void print_numbers(const struct mw_import_run *run, unsigned has, const bool *usage, FILE *stream)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        if (columns[c].bit && !(has & columns[c].bit))
            continue;
        fputs(c ? "," : "", stream);
        if (!columns[c].bit)
            fprintf(stream, "%u", run->repetition);
        else if (run->has & columns[c].bit)
            fprintf(stream, "%.12g", run_number(run, columns[c].bit));
    }
    for (size_t u = 0; u < MW_USAGE_COUNT; u++) {
        if (usage[u])
            fputc(',', stream);
        if (run->usage.has[u])
            fprintf(stream, "%.12g", run->usage.of[u]);
    }
    fputc('\n', stream);
}

void mw_import_print(const struct mw_import *import, FILE *stream)
{
    bool workload = false, input = false, usage[MW_USAGE_COUNT] = {false};
    unsigned has = 0;
    for (size_t i = 0; i < import->count; i++) {
        workload |= import->runs[i].workload != NULL;
        input |= import->runs[i].input != NULL;
        has |= import->runs[i].has;
        for (size_t u = 0; u < MW_USAGE_COUNT; u++)
            usage[u] |= import->runs[i].usage.has[u];
    }
    if (workload)
        fprintf(stream, "%s,", import->workload_column ? import->workload_column : "workload");
    fputs(input ? "input," : "", stream);
    for (size_t c = 0; c < COLUMNS; c++) {
        const char *rate = import->rate_column ? import->rate_column : "throughput_per_s";
        if (!columns[c].bit || has & columns[c].bit)
            fprintf(stream, "%s%s", c ? "," : "", columns[c].name ? columns[c].name : rate);
    }
    for (enum mw_usage_item u = 0; u < MW_USAGE_COUNT; u++)
        if (usage[u])
            fprintf(stream, ",%s", mw_usage_name(u));
    fputc('\n', stream);
    for (size_t i = 0; i < import->count; i++) {
        const struct mw_import_run *run = &import->runs[i];
        if (workload) {
            mw_output_cell(stream, run->workload ? run->workload : "");
            fputc(',', stream);
        }
        if (input) {
            mw_output_cell(stream, run->input ? run->input : "");
            fputc(',', stream);
        }
        print_numbers(run, has, usage, stream);
    }
}
