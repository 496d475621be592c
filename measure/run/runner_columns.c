// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/runner_columns.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct mw_runner_result, field)
enum { TIME_DIGITS = 9, COUNT_DIGITS = 15 };
#define NO_ITEM MW_USAGE_COUNT

const struct mw_runner_column mw_runner_columns[] = {
    {"time_s", 0, AT(run.time_s), 1, TIME_DIGITS, NO_ITEM},
    {"rate", MW_RUNNER_RATE, AT(run.rate), 1, TIME_DIGITS, NO_ITEM},
    {"cpu_s", MW_RUNNER_CPU_TIME, AT(run.cpu_time_s), 1, TIME_DIGITS, NO_ITEM},
    {"energy_j", MW_RUNNER_ENERGY, AT(energy_j), 1, TIME_DIGITS, NO_ITEM},
    {"exit_status", 0, 0, 0, 0, NO_ITEM},
    {"freq_effective_ghz", MW_RUNNER_EFFECTIVE, AT(freq_effective_hz), 1e9, 6, NO_ITEM},
    {"sys_s", MW_RUNNER_USAGE, AT(run.sys_time_s), 1, TIME_DIGITS, MW_USAGE_SYS},
    {"wall_s", MW_RUNNER_WALL, AT(run.wall_s), 1, TIME_DIGITS, MW_USAGE_WALL},
    {"main_wait_s", MW_RUNNER_MAIN_WAIT, AT(run.main_wait_s), 1, TIME_DIGITS, MW_USAGE_MAIN_WAIT},
    {"thread_wait_s", MW_RUNNER_THREAD_WAIT, AT(run.thread_wait_s), 1, TIME_DIGITS, MW_USAGE_THREAD_WAIT},
    {"other_cpu_s", MW_RUNNER_OTHERS, AT(other_cpu_s), 1, 6, MW_USAGE_OTHER_CPU},
    {"steal_s", MW_RUNNER_STEAL, AT(steal_s), 1, 6, MW_USAGE_STEAL},
    {"throttled_s", MW_RUNNER_THROTTLED, AT(throttled_s), 1, TIME_DIGITS, MW_USAGE_THROTTLED},
    {"switches", MW_RUNNER_USAGE, AT(run.switches), 1, COUNT_DIGITS, MW_USAGE_SWITCHES},
    {"preempted", MW_RUNNER_USAGE, AT(run.preempted), 1, COUNT_DIGITS, MW_USAGE_PREEMPTED},
    {"faults", MW_RUNNER_USAGE, AT(run.faults), 1, COUNT_DIGITS, MW_USAGE_FAULTS},
    {"threads", MW_RUNNER_THREADS, AT(run.threads), 1, COUNT_DIGITS, MW_USAGE_THREADS},
    {"peak_memory_bytes", MW_RUNNER_PEAK_MEMORY, AT(run.peak_memory_bytes), 1, COUNT_DIGITS, MW_USAGE_PEAK_MEMORY},
    {"cycles", MW_RUNNER_EVENT << MW_EVENT_CYCLES, AT(run.events.count[MW_EVENT_CYCLES]), 1, COUNT_DIGITS,
     MW_USAGE_CYCLES},
    {"instructions", MW_RUNNER_EVENT << MW_EVENT_INSTRUCTIONS, AT(run.events.count[MW_EVENT_INSTRUCTIONS]), 1,
     COUNT_DIGITS, MW_USAGE_INSTRUCTIONS},
    {"cache_misses", MW_RUNNER_EVENT << MW_EVENT_CACHE_MISSES, AT(run.events.count[MW_EVENT_CACHE_MISSES]), 1,
     COUNT_DIGITS, MW_USAGE_CACHE_MISSES},
    {"stalls", MW_RUNNER_EVENT << MW_EVENT_STALLS, AT(run.events.count[MW_EVENT_STALLS]), 1, COUNT_DIGITS, NO_ITEM},
    {"counted_share", MW_RUNNER_COUNTED, AT(run.events.share), 1, 4, NO_ITEM},
    {"disturbed", MW_RUNNER_DISTURBED, AT(disturbed), 1, 1, MW_USAGE_DISTURBED},
};
const size_t mw_runner_column_count = sizeof mw_runner_columns / sizeof *mw_runner_columns;

void mw_runner_columns_head(FILE *f, unsigned set)
{
    for (size_t i = 0; i < mw_runner_column_count; i++)
        if (!mw_runner_columns[i].bit || set & mw_runner_columns[i].bit)
            fprintf(f, ",%s", mw_runner_columns[i].name);
}

static unsigned bit_of(const struct mw_runner_column *c)
{
    return c->offset == AT(run.time_s) ? (unsigned)MW_RUNNER_TIME : c->bit;
}

void mw_runner_columns_set(struct mw_runner_result *result, const struct mw_runner_column *column, double value)
{
    if (!(column->unit > 0)) {
        result->run.exit_status = (int)value;
        return;
    }
    *(double *)(void *)((char *)result + column->offset) = value * column->unit;
    result->has |= bit_of(column);
}

/* The cell's text; empty where the result has none. */
static void format_cell(const struct mw_runner_column *c, const struct mw_runner_result *result, char text[32])
{
    *text = '\0';
    if (!(c->unit > 0))
        snprintf(text, 32, "%d", result->run.exit_status);
    else if (result->has & bit_of(c))
        snprintf(text, 32, "%.*g", c->digits,
                 *(const double *)(const void *)((const char *)result + c->offset) / c->unit);
}

void mw_runner_columns_write(FILE *f, unsigned set, const struct mw_runner_result *result)
{
    for (size_t i = 0; i < mw_runner_column_count; i++) {
        const struct mw_runner_column *c = &mw_runner_columns[i];
        char text[32];
        if (c->bit && !(set & c->bit))
            continue;
        format_cell(c, result, text);
        fprintf(f, ",%s", text);
    }
}

unsigned mw_runner_columns_of(const char *head)
{
    unsigned set = 0;
    for (size_t i = 0; i < mw_runner_column_count; i++) {
        const char *name = mw_runner_columns[i].name;
        size_t length = strlen(name);
        for (const char *at = head; (at = strstr(at, name)); at += length)
            if (at > head && at[-1] == ',' && (at[length] == ',' || at[length] == '\0' || at[length] == '\n'))
                set |= mw_runner_columns[i].bit;
    }
    return set;
}

void mw_runner_columns_round(struct mw_runner_result *result, unsigned set)
{
    for (size_t i = 0; i < mw_runner_column_count; i++) {
        const struct mw_runner_column *c = &mw_runner_columns[i];
        char text[32];
        if (!(c->unit > 0) || (c->bit && !(set & c->bit)))
            continue;
        format_cell(c, result, text);
        if (*text)
            mw_runner_columns_set(result, c, strtod(text, NULL));
    }
    result->has &= set | MW_RUNNER_TIME;
}

struct mw_row mw_runner_row(const struct mw_runner_result *result, double cores, double freq_hz)
{
    const struct mw_run_result *run = &result->run;
    struct mw_row row = {.cores = (unsigned)cores, .freq_hz = freq_hz, .exit_status = run->exit_status};
    const struct {
        unsigned from, to;
        double value, *member;
    } members[] = {{MW_RUNNER_TIME, MW_HAS_VALUE, run->time_s, &row.value},
                   {MW_RUNNER_CPU_TIME, MW_HAS_CPU_TIME, run->cpu_time_s, &row.cpu_time_s},
                   {MW_RUNNER_ENERGY, MW_HAS_ENERGY, result->energy_j, &row.energy_j},
                   {MW_RUNNER_EFFECTIVE, MW_HAS_FREQ_EFFECTIVE, result->freq_effective_hz, &row.freq_effective_hz}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (result->has & members[i].from) {
            row.has |= members[i].to;
            *members[i].member = members[i].value;
        }
    for (size_t i = 0; i < mw_runner_column_count; i++) {
        const struct mw_runner_column *c = &mw_runner_columns[i];
        if (c->item != NO_ITEM && result->has & c->bit)
            mw_usage_set(&row.usage, c->item, *(const double *)(const void *)((const char *)result + c->offset));
    }
    return row;
}

void mw_runner_result_from(struct mw_runner_result *result, const struct mw_row *row)
{
    unsigned lacks = 0; /* a bit stands for all its columns */
    result->run.cpu_time_s = row->cpu_time_s;
    result->freq_effective_hz = row->freq_effective_hz;
    result->has |= (row->has & MW_HAS_CPU_TIME ? MW_RUNNER_CPU_TIME : 0u) |
                   (row->has & MW_HAS_FREQ_EFFECTIVE ? MW_RUNNER_EFFECTIVE : 0u);
    for (size_t i = 0; i < mw_runner_column_count; i++) {
        const struct mw_runner_column *c = &mw_runner_columns[i];
        if (c->item == NO_ITEM)
            continue;
        *(double *)(void *)((char *)result + c->offset) = row->usage.of[c->item];
        *(row->usage.has[c->item] ? &result->has : &lacks) |= c->bit;
    }
    result->has &= ~lacks;
}
