// SPDX-License-Identifier: GPL-3.0-or-later
// What a user does with a model, as the library has it: whatever the model, answers are numbers or there is an error.
#ifndef MW_TESTS_PIPE_H
#define MW_TESTS_PIPE_H

#include "memwall/memwall.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

static inline void pipe_predict(const struct mw_model *model)
{
    struct mw_predictor *predictor = NULL;
    struct mw_range range;
    struct mw_error error = {0};
    struct mw_answer answers[3];
    mw_model_range(model, &range);
    struct mw_config configs[3] = {{range.cores_low, range.freq_low_hz},
                                   {range.cores_high, range.freq_high_hz},
                                   {2 * range.cores_high, range.freq_high_hz}};
    enum mw_err err = mw_predictor_open(&predictor, model, NULL, &error);
    if (!err)
        err = mw_predictor_ask(predictor, configs, 3, answers, &error);
    FUZZ_HOLDS(!err || *error.message);
    for (size_t i = 0; !err && i < 3; i++) {
        FUZZ_HOLDS(answers[i].value > 0 && isfinite(answers[i].value) && !isnan(answers[i].speedup));
        FUZZ_HOLDS(answers[i].low <= answers[i].value * (1 + 1e-9) && answers[i].high >= answers[i].value * (1 - 1e-9));
        FUZZ_HOLDS(!answers[i].has_energy || (answers[i].energy_j > 0 && isfinite(answers[i].energy_j)));
    }
    mw_predictor_close(predictor);
}

static inline void pipe_recommend(const struct mw_model *model)
{
    static const struct mw_goal goals[] = {{.objective = MW_OBJECTIVE_TIME}, {.objective = MW_OBJECTIVE_ENERGY}};
    for (size_t g = 0; g < 2; g++) {
        struct mw_recommendation *recommendation = NULL;
        struct mw_outcome choice;
        struct mw_error error = {0};
        enum mw_err err = mw_recommendation_alloc(&recommendation, model, &goals[g], NULL, &error);
        FUZZ_HOLDS(!err || *error.message);
        if (err)
            continue;
        mw_recommendation_choice(recommendation, &choice);
        FUZZ_HOLDS(choice.config.cores >= 1 && isfinite(choice.config.cores) && isfinite(choice.config.freq_hz));
        FUZZ_HOLDS(!choice.has_time || (choice.time_s > 0 && isfinite(choice.time_s)));
        mw_recommendation_free(recommendation);
    }
}

static inline void pipe_diagnose(const struct mw_model *model)
{
    struct mw_report *report = NULL;
    struct mw_error error = {0};
    enum mw_err err = mw_report_alloc(&report, model, NULL, &error);
    FUZZ_HOLDS(!err || *error.message);
    if (err)
        return;
    double confidence = mw_report_confidence(report);
    FUZZ_HOLDS(confidence >= 0 && confidence <= 1 + 1e-9);
    mw_report_free(report);
}

static inline void pipe_use(const struct mw_model *model)
{
    pipe_predict(model);
    pipe_recommend(model);
    pipe_diagnose(model);
}

#endif
