// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_RUN_WORDS_H
#define MW_MEASURE_RUN_WORDS_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/* NULL-terminated arrays of owned strings: a command's words, an environment. */
struct mw_words {
    char **items;
    size_t count;
};
enum mw_err mw_words_add(struct mw_words *words, const char *text, struct mw_error *error) MW_CHECKED;
void mw_words_release(struct mw_words *words);

/* Splits as a shell does: blanks, '…', "…" and \ ; no expansions. MW_USAGE for a quote that is not closed. */
enum mw_err mw_words_split(struct mw_words *words, const char *text, struct mw_error *error) MW_CHECKED;

/* launcher words, then the program's, each with {cores} replaced. */
enum mw_err mw_words_command(struct mw_words *words, const struct mw_words *launcher, char *const *program,
                             unsigned cores, struct mw_error *error) MW_CHECKED;

/* This process's environment with thread counts of `threads`, then the settings ({cores} replaced) on top. */
enum mw_err mw_words_environment(struct mw_words *words, unsigned cores, unsigned threads, const char *const *settings,
                                 size_t setting_count, struct mw_error *error) MW_CHECKED;

#endif
