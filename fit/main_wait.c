// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/main_wait.h"

#include <math.h>

static const double LEAST = .03; /* of the time: less is within the noise of a quiet machine */
static const double HOLDS = .95; /* of C/p: CPU time is counted in ticks */

/* What is left of the time holds the CPU time: the other threads did not work on, or spin, while the main one waited. */
static bool holds(const struct mw_row *row, double wait)
{
    double left = row->value - wait, work = row->has & MW_HAS_CPU_TIME ? row->cpu_time_s / row->cores : 0;
    return left > 0 && left >= HOLDS * work;
}

static bool takes(const struct mw_row *row, double wait)
{
    return row->has & MW_HAS_VALUE && !row->usage.has[MW_USAGE_WALL] && wait >= LEAST * row->value && holds(row, wait);
}

/* Disturbed by others, and nothing tells by how much: what is taken off the other runs would make this one look slow. */
static bool is_blind(const struct mw_row *row)
{
    bool waits = row->usage.has[MW_USAGE_MAIN_WAIT] || row->usage.has[MW_USAGE_THREAD_WAIT];
    bool told = waits && holds(row, mw_usage_wait(&row->usage));
    return row->has & MW_HAS_VALUE && row->usage.has[MW_USAGE_OTHER_CPU] && !told &&
           row->usage.of[MW_USAGE_OTHER_CPU] >= MW_OTHERS_MOST * row->cores * row->value;
}

bool mw_main_wait_blind(const struct mw_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_blind(&rows[i]))
            return true;
    return false;
}

double mw_main_wait_without(const struct mw_row *row)
{
    double wait = mw_usage_wait(&row->usage);
    return takes(row, wait) ? row->value - wait : row->value;
}

size_t mw_main_wait_take(struct mw_row *rows, size_t count, double *most)
{
    size_t taken = 0;
    *most = 0;
    if (mw_main_wait_blind(rows, count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        struct mw_row *row = &rows[i];
        double wait = mw_usage_wait(&row->usage);
        if (!takes(row, wait))
            continue;
        if (row->has & MW_HAS_ENERGY && !(row->has & MW_HAS_POWER)) {
            row->power_w = row->energy_j / row->value;
            row->has |= MW_HAS_POWER;
        }
        *most = fmax(*most, wait / row->value);
        row->value -= wait;
        taken++;
    }
    return taken;
}
