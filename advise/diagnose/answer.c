// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/answer.h"

void mw_answer_release(struct mw_answer *answer)
{
    mw_sentences_release(&answer->headline);
    mw_sentences_release(&answer->evidence);
    mw_sentences_release(&answer->advice);
    answer->diagnosed = false;
}

enum mw_err mw_answer_find(struct mw_answer *answer, const struct mw_model *model, unsigned long seed,
                           struct mw_error *error)
{
    struct mw_answer found = {0};
    struct mw_diagnose_options how = mw_diagnose_options_of(model, seed);
    struct mw_error too_few;
    enum mw_err err = mw_diagnose(&found.diagnosis, &model->points, &how, &too_few);
    found.diagnosed = !err;
    if (err == MW_NOMEM)
        return mw_fail(error, err, "%s", too_few.message);
    if (found.diagnosed)
        err = mw_diagnosis_headline(&found.headline, &found.diagnosis, model, error);
    if (found.diagnosed && !err)
        err = mw_diagnosis_evidence(&found.evidence, &found.diagnosis, model, error);
    if (found.diagnosed && !err)
        err = mw_diagnosis_advice(&found.advice, &found.diagnosis, model, error);
    if (found.diagnosed && err) {
        mw_answer_release(&found);
        return err;
    }
    *answer = found;
    return MW_OK;
}
