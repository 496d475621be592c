// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/sequence.h"

#include "data/stats.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum mw_err mw_sequence_init(struct mw_sequence *sequence, const struct mw_sequence_plan *plan, struct mw_error *error)
{
    struct mw_sequence s = {.plan = *plan, .order_round = UINT_MAX};
    size_t freqs = plan->freqs_hz ? plan->freq_count : 1, devices = plan->devices ? plan->device_count : 1;
    s.count = devices * freqs * plan->core_count;
    s.configs = calloc(s.count + 1, sizeof *s.configs);
    s.order = calloc(s.count + 1, sizeof *s.order);
    bool good = s.configs && s.order;
    for (size_t i = 0; good && i < s.count; i++) {
        s.configs[i].cores = (unsigned)plan->cores[i % plan->core_count];
        s.configs[i].freq_hz = plan->freqs_hz ? plan->freqs_hz[i / plan->core_count % freqs] : 0;
        s.configs[i].device = plan->devices ? plan->devices[i / plan->core_count / freqs] : 0;
        s.configs[i].times_s = calloc(plan->max_runs, sizeof *s.configs[i].times_s);
        good = s.configs[i].times_s != NULL;
    }
    if (!good) {
        mw_sequence_release(&s);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    *sequence = s;
    return MW_OK;
}

void mw_sequence_release(struct mw_sequence *sequence)
{
    for (size_t i = 0; sequence->configs && i < sequence->count; i++)
        free(sequence->configs[i].times_s);
    free(sequence->configs);
    free(sequence->order);
    *sequence = (struct mw_sequence){0};
}

struct mw_sequence_entry *mw_sequence_find(struct mw_sequence *sequence, unsigned cores, double freq_hz, double device)
{
    for (size_t i = 0; i < sequence->count; i++) {
        struct mw_sequence_entry *c = &sequence->configs[i];
        if (c->cores == cores && fabs(c->freq_hz - freq_hz) <= 1e-6 * c->freq_hz &&
            fabs(c->device - device) <= 1e-6 * c->device)
            return c;
    }
    return NULL;
}

void mw_sequence_record(struct mw_sequence_entry *config, bool good, double time_s)
{
    config->done++;
    if (good)
        config->times_s[config->good++] = time_s;
}

bool mw_sequence_done(const struct mw_sequence *sequence, const struct mw_sequence_entry *config)
{
    const struct mw_sequence_plan *plan = &sequence->plan;
    if (config->done >= plan->max_runs)
        return true;
    if (config->done < plan->min_runs || plan->precision <= 0 || !config->good)
        return false;
    double low, high, middle = mw_median(config->times_s, config->good);
    if (mw_median_interval(config->times_s, config->good, MW_SEQUENCE_LEVEL, &low, &high) < MW_SEQUENCE_LEVEL)
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

/* The configuration with the most cores, at the highest frequency. */
static size_t largest(const struct mw_sequence *sequence)
{
    size_t best = 0;
    for (size_t i = 1; i < sequence->count; i++) {
        const struct mw_sequence_entry *a = &sequence->configs[i], *b = &sequence->configs[best];
        if (a->cores > b->cores || (a->cores == b->cores && a->freq_hz > b->freq_hz))
            best = i;
    }
    return best;
}

static void order_round(struct mw_sequence *sequence, unsigned round)
{
    enum mw_sequence_kind kind = sequence->plan.kind;
    size_t n = sequence->count, *order = sequence->order;
    sequence->order_round = round;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    if (kind == MW_SEQUENCE_LISTED)
        return;
    uint64_t state = sequence->plan.seed * 0x100000001b3u + (kind == MW_SEQUENCE_BALANCED ? round / 2 : round);
    for (size_t i = n; i > 1; i--) { /* Fisher-Yates; the bias of % is below n / 2^64 */
        size_t j = (size_t)(split_mix(&state) % i), swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
    /* first of all the run that says most of what lies behind a boundary, should no other come of it; the next round ends so */
    for (size_t i = 0, all = largest(sequence); kind == MW_SEQUENCE_BALANCED && round < 2 && i < n; i++)
        if (order[i] == all) {
            order[i] = order[0];
            order[0] = all;
            break;
        }
    for (size_t i = 0; kind == MW_SEQUENCE_BALANCED && round % 2 && i < n / 2; i++) {
        size_t swap = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = swap;
    }
}

struct mw_sequence_entry *mw_sequence_next(struct mw_sequence *sequence)
{
    unsigned round = UINT_MAX; /* the earliest that some configuration still lacks */
    for (size_t i = 0; i < sequence->count; i++)
        if (!mw_sequence_done(sequence, &sequence->configs[i]) && sequence->configs[i].done < round)
            round = sequence->configs[i].done;
    if (round == UINT_MAX)
        return NULL;
    if (round != sequence->order_round)
        order_round(sequence, round);
    for (size_t i = 0; i < sequence->count; i++) {
        struct mw_sequence_entry *config = &sequence->configs[sequence->order[i]];
        if (config->done == round && !mw_sequence_done(sequence, config))
            return config;
    }
    return NULL;
}

void mw_sequence_progress(const struct mw_sequence *sequence, size_t *done, size_t *left)
{
    *done = *left = 0;
    for (size_t i = 0; i < sequence->count; i++) {
        const struct mw_sequence_entry *c = &sequence->configs[i];
        *done += c->done;
        if (!mw_sequence_done(sequence, c))
            *left += c->done < sequence->plan.min_runs ? sequence->plan.min_runs - c->done : 1;
    }
}
