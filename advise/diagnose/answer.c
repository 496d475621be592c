// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/answer.h"

void mw_answer_release(struct mw_answer *answer)
{
    mw_sentences_release(&answer->headline);
    mw_sentences_release(&answer->evidence);
    mw_sentences_release(&answer->advice);
    answer->diagnosed = false;
}

enum mw_err mw_answer_words(struct mw_answer *answer, const struct mw_model *model, struct mw_error *error)
{
    const struct mw_diagnosis *d = &answer->diagnosis;
    struct mw_diagnosis_choice choice = {.model = model};
    enum mw_err err = mw_diagnosis_headline(&answer->headline, d, &choice, error);
    if (!err)
        err = mw_diagnosis_evidence(&answer->evidence, d, model, error);
    if (!err)
        err = mw_diagnosis_advice(&answer->advice, d, &choice, error);
    mw_diagnosis_choice_release(&choice);
    if (err)
        mw_answer_release(answer);
    return err;
}

enum mw_err mw_answer_find(struct mw_answer *answer, const struct mw_model *model, unsigned long seed,
                           struct mw_error *error)
{
    struct mw_answer found = {0};
    struct mw_diagnose_options how = mw_diagnose_options_of(model, seed);
    struct mw_error too_few;
    enum mw_err err = mw_diagnose(&found.diagnosis, &model->points, &how, &too_few);
    if (err == MW_NOMEM)
        return mw_fail(error, err, "%s", too_few.message);
    found.diagnosed = !err;
    err = found.diagnosed ? mw_answer_words(&found, model, error) : MW_OK;
    if (!err)
        *answer = found;
    return err;
}
