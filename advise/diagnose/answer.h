// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_ANSWER_H
#define MW_ADVISE_ANSWER_H

#include "advise/diagnose/evidence.h"

/* What a model answers before anything is asked: the diagnosis of its points, and its words. */
struct mw_answer {
    bool diagnosed; /* false: the points are too few, and the sentences are none */
    struct mw_diagnosis diagnosis;
    struct mw_sentences headline, evidence, advice;
};

/* Deterministic for a seed. MW_NOMEM. _release frees the sentences. Tests: tests/cli/answer.sh. */
enum mw_err mw_answer_find(struct mw_answer *answer, const struct mw_model *model, unsigned long seed,
                           struct mw_error *error) MW_CHECKED;
/* The words of a diagnosis made already, which points and model are of; on failure it has none. MW_NOMEM. */
enum mw_err mw_answer_words(struct mw_answer *answer, const struct mw_model *model, struct mw_error *error) MW_CHECKED;
void mw_answer_release(struct mw_answer *answer);

#endif
