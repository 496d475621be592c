// SPDX-License-Identifier: GPL-3.0-or-later
#include "memwall/diagnose.h"

#include "advise/diagnose/answer.h"
#include "fit/numeric/guard.h"

#include <stdlib.h>

struct mw_report {
    struct mw_answer answer;
};

static enum mw_err fill(struct mw_report *report, const struct mw_model *model,
                        const struct mw_diagnose_options *options, struct mw_error *error)
{
    const struct mw_diagnose_options usual = mw_diagnose_options_of(model, 0);
    struct mw_answer *answer = &report->answer;
    struct mw_diagnosis_choice choice = {.model = model};
    enum mw_err err = mw_diagnose(&answer->diagnosis, &model->points, options ? options : &usual, error);
    if (!err)
        err = mw_diagnosis_evidence(&answer->evidence, &answer->diagnosis, model, error);
    if (!err)
        err = mw_diagnosis_advice(&answer->advice, &answer->diagnosis, &choice, error);
    mw_diagnosis_choice_release(&choice);
    return err;
}

enum mw_err mw_report_alloc(struct mw_report **report, const struct mw_model *model,
                            const struct mw_diagnose_options *options, struct mw_error *error)
{
    struct mw_report *made = calloc(1, sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory");
    mw_guard_enter();
    enum mw_err err = fill(made, model, options, error);
    mw_guard_leave();
    if (err)
        mw_report_free(made);
    else
        *report = made;
    return err;
}

void mw_report_free(struct mw_report *report)
{
    if (report)
        mw_answer_release(&report->answer);
    free(report);
}

enum mw_verdict mw_report_verdict(const struct mw_report *report)
{
    return report->answer.diagnosis.verdict;
}

double mw_report_confidence(const struct mw_report *report)
{
    return report->answer.diagnosis.confidence;
}

const char *mw_report_evidence(const struct mw_report *report, size_t i)
{
    return i < report->answer.evidence.count ? report->answer.evidence.items[i] : NULL;
}

const char *mw_report_advice(const struct mw_report *report, size_t i)
{
    return i < report->answer.advice.count ? report->answer.advice.items[i] : NULL;
}
