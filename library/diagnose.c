// SPDX-License-Identifier: GPL-3.0-or-later
#include "memwall/diagnose.h"

#include "advise/diagnose/diagnose.h"
#include "advise/diagnose/evidence.h"
#include "fit/numeric/guard.h"

#include <stdlib.h>

struct mw_report {
    struct mw_diagnosis diagnosis;
    struct mw_sentences evidence, advice;
};

static enum mw_err fill(struct mw_report *report, const struct mw_model *model,
                        const struct mw_diagnose_options *options, struct mw_error *error)
{
    const struct mw_diagnose_options usual = mw_diagnose_options_of(model, 0);
    enum mw_err err = mw_diagnose(&report->diagnosis, &model->points, options ? options : &usual, error);
    if (!err)
        err = mw_diagnosis_evidence(&report->evidence, &report->diagnosis, model, error);
    if (!err)
        err = mw_diagnosis_advice(&report->advice, &report->diagnosis, model, error);
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
    if (report) {
        mw_sentences_release(&report->evidence);
        mw_sentences_release(&report->advice);
    }
    free(report);
}

enum mw_verdict mw_report_verdict(const struct mw_report *report)
{
    return report->diagnosis.verdict;
}

double mw_report_confidence(const struct mw_report *report)
{
    return report->diagnosis.confidence;
}

const char *mw_report_evidence(const struct mw_report *report, size_t i)
{
    return i < report->evidence.count ? report->evidence.items[i] : NULL;
}

const char *mw_report_advice(const struct mw_report *report, size_t i)
{
    return i < report->advice.count ? report->advice.items[i] : NULL;
}
