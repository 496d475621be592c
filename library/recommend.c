// SPDX-License-Identifier: GPL-3.0-or-later
#include "memwall/recommend.h"

#include "advise/recommend/recommend.h"
#include "fit/numeric/guard.h"

#include <stdlib.h>

enum mw_err mw_recommendation_alloc(struct mw_recommendation **recommendation, const struct mw_model *model,
                                    const struct mw_goal *goal, const struct mw_recommend_options *options,
                                    struct mw_error *error)
{
    static const struct mw_recommend_options usual;
    struct mw_recommendation *made = calloc(1, sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory");
    mw_guard_enter();
    enum mw_err err = mw_recommend(made, model, goal, options ? options : &usual, error);
    mw_guard_leave();
    if (err)
        free(made);
    else
        *recommendation = made;
    return err;
}

void mw_recommendation_free(struct mw_recommendation *recommendation)
{
    if (recommendation)
        mw_recommendation_release(recommendation);
    free(recommendation);
}

bool mw_recommendation_feasible(const struct mw_recommendation *recommendation)
{
    return recommendation->feasible;
}

const char *mw_recommendation_obstacle(const struct mw_recommendation *recommendation)
{
    return recommendation->obstacle;
}

static void fill(const struct mw_option *o, struct mw_outcome *outcome)
{
    *outcome = (struct mw_outcome){.config = o->candidate,
                                   .measured = o->measured,
                                   .extrapolated = o->extrapolated,
                                   .has_time = o->has_time,
                                   .has_energy = o->has_energy,
                                   .objective = o->objective.value,
                                   .chance = o->chance};
    if (o->has_time) {
        outcome->time_s = o->time_s.value;
        outcome->time_low_s = o->time_s.low;
        outcome->time_high_s = o->time_s.high;
    }
    if (o->has_energy) {
        outcome->power_w = o->power_w.value;
        outcome->energy_j = o->energy_j.value;
        outcome->energy_low_j = o->energy_j.low;
        outcome->energy_high_j = o->energy_j.high;
    }
}

void mw_recommendation_choice(const struct mw_recommendation *recommendation, struct mw_outcome *outcome)
{
    fill(&recommendation->options[recommendation->choice], outcome);
}

void mw_recommendation_reference(const struct mw_recommendation *recommendation, struct mw_outcome *outcome)
{
    fill(&recommendation->reference, outcome);
}

size_t mw_recommendation_count(const struct mw_recommendation *recommendation)
{
    return recommendation->count;
}

void mw_recommendation_option(const struct mw_recommendation *recommendation, size_t i, struct mw_outcome *outcome)
{
    if (i < recommendation->count)
        fill(&recommendation->options[i], outcome);
}
