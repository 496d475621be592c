// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/schedule.h"

#include "data/stats.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum mw_err mw_schedule_init(struct mw_schedule *schedule, const struct mw_schedule_plan *plan, struct mw_error *error)
{
    struct mw_schedule s = {.plan = *plan, .order_round = UINT_MAX};
    size_t freqs = plan->freqs_hz ? plan->freq_count : 1;
    s.count = freqs * plan->core_count;
    s.configs = calloc(s.count + 1, sizeof *s.configs);
    s.order = calloc(s.count + 1, sizeof *s.order);
    bool good = s.configs && s.order;
    for (size_t i = 0; good && i < s.count; i++) {
        s.configs[i].cores = (unsigned)plan->cores[i % plan->core_count];
        s.configs[i].freq_hz = plan->freqs_hz ? plan->freqs_hz[i / plan->core_count] : 0;
        s.configs[i].times_s = calloc(plan->max_runs, sizeof *s.configs[i].times_s);
        good = s.configs[i].times_s != NULL;
    }
    if (!good) {
        mw_schedule_release(&s);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    *schedule = s;
    return MW_OK;
}

void mw_schedule_release(struct mw_schedule *schedule)
{
    for (size_t i = 0; schedule->configs && i < schedule->count; i++)
        free(schedule->configs[i].times_s);
    free(schedule->configs);
    free(schedule->order);
    *schedule = (struct mw_schedule){0};
}

struct mw_config *mw_schedule_find(struct mw_schedule *schedule, unsigned cores, double freq_hz)
{
    for (size_t i = 0; i < schedule->count; i++) {
        struct mw_config *c = &schedule->configs[i];
        if (c->cores == cores && fabs(c->freq_hz - freq_hz) <= 1e-6 * c->freq_hz)
            return c;
    }
    return NULL;
}

void mw_schedule_record(struct mw_config *config, bool good, double time_s)
{
    config->done++;
    if (good)
        config->times_s[config->good++] = time_s;
}

bool mw_schedule_done(const struct mw_schedule *schedule, const struct mw_config *config)
{
    const struct mw_schedule_plan *plan = &schedule->plan;
    if (config->done >= plan->max_runs)
        return true;
    if (config->done < plan->min_runs || plan->precision <= 0 || !config->good)
        return false;
    double low, high, middle = mw_median(config->times_s, config->good);
    if (mw_median_interval(config->times_s, config->good, MW_SCHEDULE_LEVEL, &low, &high) < MW_SCHEDULE_LEVEL)
        return false;
    return fmax(high - middle, middle - low) <= plan->precision * middle;
}

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): one step, the mixed state. */
static uint64_t split_mix(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void order_round(struct mw_schedule *schedule, unsigned round)
{
    enum mw_sequence sequence = schedule->plan.sequence;
    size_t n = schedule->count, *order = schedule->order;
    schedule->order_round = round;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    if (sequence == MW_SEQUENCE_LISTED)
        return;
    uint64_t state = schedule->plan.seed * 0x100000001b3u + (sequence == MW_SEQUENCE_BALANCED ? round / 2 : round);
    for (size_t i = n; i > 1; i--) { /* Fisher-Yates; the bias of % is below n / 2^64 */
        size_t j = (size_t)(split_mix(&state) % i), swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
    for (size_t i = 0; sequence == MW_SEQUENCE_BALANCED && round % 2 && i < n / 2; i++) {
        size_t swap = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = swap;
    }
}

struct mw_config *mw_schedule_next(struct mw_schedule *schedule)
{
    unsigned round = UINT_MAX; /* the earliest that some configuration still lacks */
    for (size_t i = 0; i < schedule->count; i++)
        if (!mw_schedule_done(schedule, &schedule->configs[i]) && schedule->configs[i].done < round)
            round = schedule->configs[i].done;
    if (round == UINT_MAX)
        return NULL;
    if (round != schedule->order_round)
        order_round(schedule, round);
    for (size_t i = 0; i < schedule->count; i++) {
        struct mw_config *config = &schedule->configs[schedule->order[i]];
        if (config->done == round && !mw_schedule_done(schedule, config))
            return config;
    }
    return NULL;
}

void mw_schedule_progress(const struct mw_schedule *schedule, size_t *done, size_t *left)
{
    *done = *left = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct mw_config *c = &schedule->configs[i];
        *done += c->done;
        if (!mw_schedule_done(schedule, c))
            *left += c->done < schedule->plan.min_runs ? schedule->plan.min_runs - c->done : 1;
    }
}
