// SPDX-License-Identifier: GPL-3.0-or-later
#include "memwall/predict.h"

#include "fit/numeric/guard.h"
#include "fit/predict/predict.h"

#include <stdlib.h>

struct mw_predictor {
    const struct mw_model *model;
    struct mw_predictor_options options;
};

enum mw_err mw_predictor_open(struct mw_predictor **predictor, const struct mw_model *model,
                              const struct mw_predictor_options *options, struct mw_error *error)
{
    struct mw_predictor *made = calloc(1, sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory");
    if (!model->ensemble.count) {
        free(made);
        return mw_fail(error, MW_NOFIT, "the model has no ensemble to predict from");
    }
    *made = (struct mw_predictor){.model = model};
    if (options)
        made->options = *options;
    *predictor = made;
    return MW_OK;
}

static struct mw_answer answer_of(const struct mw_prediction *p, const struct mw_predictor_options *options)
{
    struct mw_answer answer = {.value = p->value,
                               .low = p->low,
                               .high = p->high,
                               .ln_mean = p->ln_mean,
                               .ln_sd = p->ln_sd,
                               .speedup = p->speedup,
                               .speedup_low = p->speedup_low,
                               .speedup_high = p->speedup_high,
                               .extrapolated_cores = p->extrapolated_cores,
                               .extrapolated_freq = p->extrapolated_freq};
    if (p->has_energy && !options->without_energy) {
        answer.has_energy = true;
        answer.power_w = p->power_w;
        answer.energy_j = p->energy_j;
        answer.energy_low_j = p->energy_low_j;
        answer.energy_high_j = p->energy_high_j;
    }
    return answer;
}

enum mw_err mw_predictor_ask(const struct mw_predictor *predictor, const struct mw_config *configs, size_t count,
                             struct mw_answer *answers, struct mw_error *error)
{
    struct mw_prediction *made = malloc((count + 1) * sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", count);
    mw_guard_enter();
    enum mw_err err =
        mw_predict_over(predictor->model, configs, count, predictor->options.baseline_freq_hz, made, error);
    mw_guard_leave();
    for (size_t i = 0; !err && i < count; i++)
        answers[i] = answer_of(&made[i], &predictor->options);
    free(made);
    return err;
}

void mw_predictor_close(struct mw_predictor *predictor)
{
    free(predictor);
}
