// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_EVIDENCE_H
#define MW_ADVISE_EVIDENCE_H

#include "advise/diagnose/diagnose.h"
#include "advise/diagnose/scaling.h"
#include "advise/recommend/recommend.h"
#include "data/model_file/model_file.h"

#include <stdbool.h>
#include <stddef.h>

/* What a diagnosis rests on and what to do about it, as sentences for people. */
struct mw_sentences {
    char **items;
    size_t count;
};
void mw_sentences_release(struct mw_sentences *sentences);
enum mw_err mw_sentences_add(struct mw_sentences *sentences, struct mw_error *error, const char *format, ...) MW_CHECKED
    MW_PRINTF(3, 4);

/*
 * Where to run it for time, as mw_recommend has it for 90 %, found when it is first asked for: what needs no choice pays for none.
 * Begins as {.model = m}; _release frees what was found. mw_diagnosis_best is NULL where no choice can be made.
 */
struct mw_diagnosis_choice {
    const struct mw_model *model; /* borrowed */
    bool asked;
    struct mw_recommendation best;
};
const struct mw_recommendation *mw_diagnosis_best(struct mw_diagnosis_choice *choice);
void mw_diagnosis_choice_release(struct mw_diagnosis_choice *choice);

/*
 * The answer in at most four sentences: what the cores did, which is always said, and on how many to run it, as
 * the choice has it (NULL: not said); why, by the verdict; then what other programs,
 * a quota or the hypervisor took, where they did.
 */
enum mw_err mw_diagnosis_headline(struct mw_sentences *lines, const struct mw_diagnosis *diagnosis,
                                  struct mw_diagnosis_choice *choice, struct mw_error *error) MW_CHECKED;

/* model gives the points, and the parameters of the variable-latency law with their status; none may be fitted. */
enum mw_err mw_diagnosis_evidence(struct mw_sentences *evidence, const struct mw_diagnosis *diagnosis,
                                  const struct mw_model *model, struct mw_error *error) MW_CHECKED;
/*
 * Two or three sentences: which change in the code or which property of hardware; what to measure where it is open. What is
 * said of core counts and frequencies is what mw_recommend chooses from the choice's model; nothing is where it can't.
 */
enum mw_err mw_diagnosis_advice(struct mw_sentences *advice, const struct mw_diagnosis *diagnosis,
                                struct mw_diagnosis_choice *choice, struct mw_error *error) MW_CHECKED;

/* Whether the shares of the time are told by the points: no interval of one is from nearly nothing to nearly all. */
bool mw_diagnosis_shares_told(const struct mw_diagnosis *diagnosis);

/* Whether the points hold one clock only, and another would change what is said. */
bool mw_diagnosis_memory_open(const struct mw_diagnosis *diagnosis);

#endif
