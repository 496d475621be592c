// SPDX-License-Identifier: GPL-3.0-or-later
#include "memwall/predict.h"

#include "fit/numeric/guard.h"
#include "fit/predict/predict_internal.h"

#include <stdlib.h>
#include <string.h>

struct mw_predictor {
    const struct mw_model *model;
    struct mw_predictor_options options;
    struct mw_prepared *prepared;
};

enum mw_err mw_predictor_open(struct mw_predictor **predictor, const struct mw_model *model,
                              const struct mw_predictor_options *options, struct mw_error *error)
{
    struct mw_predictor *made = calloc(1, sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory");
    made->model = model;
    if (options)
        made->options = *options;
    mw_guard_enter();
    enum mw_err err =
        mw_prepared_alloc(&made->prepared, model, made->options.baseline_freq_hz, made->options.without_speedup, error);
    mw_guard_leave();
    if (err)
        free(made);
    else
        *predictor = made;
    return err;
}

static struct mw_answer answer_of(const struct mw_prediction *p, const struct mw_predictor_options *options)
{
    struct mw_answer answer = {.value = p->value,
                               .low = p->low,
                               .high = p->high,
                               .ln_mean = p->ln_mean,
                               .ln_sd = p->ln_sd,
                               .extrapolated_cores = p->extrapolated_cores,
                               .extrapolated_freq = p->extrapolated_freq};
    if (!options->without_speedup) {
        answer.speedup = p->speedup;
        answer.speedup_low = p->speedup_low;
        answer.speedup_high = p->speedup_high;
    }
    if (p->has_energy && !options->without_energy) {
        answer.has_energy = true;
        answer.power_w = p->power_w;
        answer.energy_j = p->energy_j;
        answer.energy_low_j = p->energy_low_j;
        answer.energy_high_j = p->energy_high_j;
    }
    return answer;
}

/* Those inside the data by what is prepared, the others as `memwall predict` has them: to the front of lists of their own. */
static enum mw_err predict(const struct mw_predictor *p, const struct mw_config *configs, size_t count,
                           struct mw_config *sorted, size_t *origin, struct mw_prediction *made, struct mw_error *error)
{
    size_t inside = 0, outside = count;
    for (size_t i = 0; i < count; i++) {
        size_t at = mw_prepared_covers(p->prepared, &configs[i]) ? inside++ : --outside;
        sorted[at] = configs[i];
        origin[at] = i;
    }
    enum mw_err err = mw_prepared_predict(p->prepared, sorted, inside, made, error);
    if (!err && !p->options.without_energy)
        err = mw_prepared_energy(p->prepared, sorted, inside, made, error);
    if (!err && inside < count)
        err = mw_predict_over(p->model, sorted + inside, count - inside, p->options.baseline_freq_hz, made + inside,
                              error);
    return err;
}

enum mw_err mw_predictor_ask(const struct mw_predictor *predictor, const struct mw_config *configs, size_t count,
                             struct mw_answer *answers, struct mw_error *error)
{
    enum mw_err err = mw_predict_check(predictor->model, configs, count, predictor->options.baseline_freq_hz, error);
    if (err || !count)
        return err;
    struct mw_prediction *made = malloc(count * sizeof *made);
    struct mw_config *sorted = malloc(count * sizeof *sorted);
    size_t *origin = malloc(count * sizeof *origin);
    if (made && sorted && origin) {
        mw_guard_enter();
        err = predict(predictor, configs, count, sorted, origin, made, error);
        mw_guard_leave();
    } else {
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", count);
    }
    for (size_t i = 0; !err && i < count; i++)
        answers[origin[i]] = answer_of(&made[i], &predictor->options);
    free(made);
    free(sorted);
    free(origin);
    return err;
}

void mw_predictor_close(struct mw_predictor *predictor)
{
    if (predictor)
        mw_prepared_free(predictor->prepared);
    free(predictor);
}
