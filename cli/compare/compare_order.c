// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compare/compare.h"

#include "advise/tune/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The points of the pool as candidates, and those taken so far as measured, in the order of mw_points. */
struct state {
    const struct mw_points *points;
    bool *pool, *taken;
    struct mw_config *candidates;
    size_t candidate_count;
    struct mw_points measured;
};

static enum mw_err state_init(struct state *s, const struct mw_points *points, enum mw_compare_split split,
                              struct mw_error *error)
{
    size_t n = points->count + 1;
    *s = (struct state){.points = points,
                        .pool = calloc(n, sizeof *s->pool),
                        .taken = calloc(n, sizeof *s->taken),
                        .candidates = calloc(n, sizeof *s->candidates),
                        .measured = {.items = calloc(n, sizeof *s->measured.items), .quantity = points->quantity}};
    if (!s->pool || !s->taken || !s->candidates || !s->measured.items)
        return mw_fail(error, MW_NOMEM, "out of memory");
    mw_compare_pool(points, split, s->pool);
    for (size_t i = 0; i < points->count; i++)
        if (s->pool[i])
            s->candidates[s->candidate_count++] = (struct mw_config){points->items[i].cores, points->items[i].freq_hz};
    return MW_OK;
}

static void state_release(struct state *s)
{
    free(s->pool);
    free(s->taken);
    free(s->candidates);
    free(s->measured.items);
}

/* Takes the point that a plan names; false where it was taken before or is none. */
static bool take(struct state *s, const struct mw_config *config, size_t *index)
{
    for (size_t i = 0; i < s->points->count; i++) {
        const struct mw_point *p = &s->points->items[i];
        if (!s->pool[i] || s->taken[i] || fabs(p->cores - config->cores) > 1e-9 ||
            fabs(p->freq_hz - config->freq_hz) > 1e-6 * config->freq_hz)
            continue;
        s->taken[i] = true;
        *index = i;
        s->measured.count = 0;
        for (size_t k = 0; k < s->points->count; k++)
            if (s->taken[k])
                s->measured.items[s->measured.count++] = s->points->items[k];
        return true;
    }
    return false;
}

enum mw_err compare_planned_order(const struct mw_points *points, enum mw_compare_split split, double memory_freq_hz,
                                  unsigned long seed, size_t count, size_t *order, size_t *found,
                                  struct mw_error *error)
{
    struct state s;
    enum mw_err err = state_init(&s, points, split, error);
    bool more = true;
    *found = 0;
    while (!err && more && *found < count) {
        struct mw_plan plan = {0};
        struct mw_plan_options options = {.purpose = MW_PLAN_SURFACE,
                                          .count = *found ? 0 : count,
                                          .candidates = s.candidates,
                                          .candidate_count = s.candidate_count,
                                          .memory_freq_hz = memory_freq_hz,
                                          .seed = seed};
        err = mw_plan_make(&plan, &s.measured, &options, error);
        more = false;
        for (size_t i = 0; !err && i < plan.count && *found < count; i++)
            if (take(&s, &plan.points[i].candidate, &order[*found])) {
                ++*found;
                more = true;
            }
        mw_plan_release(&plan);
    }
    state_release(&s);
    return err;
}
