// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/run_words.h"

#include "measure/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* OpenMP; MKL, OpenBLAS, BLIS; TBB; Julia, Go, Rust, Python, Cilk, Kokkos, .NET, TensorFlow, Numba, NumExpr, joblib. */
const char *const mw_run_thread_variables[] = {
    "OMP_NUM_THREADS",    "MKL_NUM_THREADS",        "OPENBLAS_NUM_THREADS",   "GOTO_NUM_THREADS",
    "BLIS_NUM_THREADS",   "TBB_NUM_THREADS",        "JULIA_NUM_THREADS",      "GOMAXPROCS",
    "RAYON_NUM_THREADS",  "POLARS_MAX_THREADS",     "PYTHON_CPU_COUNT",       "LOKY_MAX_CPU_COUNT",
    "NUMBA_NUM_THREADS",  "NUMEXPR_NUM_THREADS",    "NUMEXPR_MAX_THREADS",    "CILK_NWORKERS",
    "KOKKOS_NUM_THREADS", "DOTNET_PROCESSOR_COUNT", "TF_NUM_INTRAOP_THREADS", NULL,
};

/* A runtime that chooses fewer threads by itself would be measured on other core counts than the file says. */
static const char *const fixed_settings[] = {"OMP_DYNAMIC=false", "MKL_DYNAMIC=false"};

enum mw_err mw_words_add(struct mw_words *words, const char *text, struct mw_error *error)
{
    char **items = text ? realloc(words->items, (words->count + 2) * sizeof *items) : NULL;
    if (items)
        words->items = items;
    char *copy = items ? strdup(text) : NULL;
    if (!copy)
        return mw_fail(error, MW_NOMEM, "out of memory");
    words->items[words->count++] = copy;
    words->items[words->count] = NULL;
    return MW_OK;
}

void mw_words_release(struct mw_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct mw_words){0};
}

char *mw_run_substitute(const char *text, unsigned cores)
{
    static const char mark[] = "{cores}";
    char *result = NULL;
    size_t size;
    FILE *f = open_memstream(&result, &size);
    if (!f)
        return NULL;
    for (const char *at; (at = strstr(text, mark)); text = at + sizeof mark - 1)
        fprintf(f, "%.*s%u", (int)(at - text), text, cores);
    fputs(text, f);
    if (fclose(f)) {
        free(result);
        return NULL;
    }
    return result;
}

static enum mw_err add_substituted(struct mw_words *words, const char *text, unsigned cores, struct mw_error *error)
{
    char *copy = mw_run_substitute(text, cores);
    enum mw_err err = mw_words_add(words, copy, error);
    free(copy);
    return err;
}

/* One word from *text into `word` (has room for all of text); false at the end of the text. */
static bool next_word(const char **text, char *word, bool *unclosed)
{
    const char *s = *text + strspn(*text, " \t\n");
    char quote = 0;
    if (!*s)
        return false;
    for (; *s && (quote || !strchr(" \t\n", *s)); s++) {
        if (quote ? *s == quote : *s == '\'' || *s == '"')
            quote = quote ? 0 : *s;
        else if (*s == '\\' && quote != '\'' && s[1])
            *word++ = *++s;
        else
            *word++ = *s;
    }
    *word = '\0';
    *text = s;
    *unclosed = quote != 0;
    return true;
}

enum mw_err mw_words_split(struct mw_words *words, const char *text, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    struct mw_words found = {0};
    bool unclosed = false;
    const char *rest = text;
    char *word = malloc(strlen(text) + 1);
    if (!word)
        return mw_fail(error, MW_NOMEM, "out of memory");
    while (!err && !unclosed && next_word(&rest, word, &unclosed))
        err = mw_words_add(&found, word, error);
    if (!err && unclosed)
        err = mw_fail(error, MW_USAGE, "'%s': a quote is not closed", text);
    free(word);
    if (err)
        mw_words_release(&found);
    else
        *words = found;
    return err;
}

enum mw_err mw_words_command(struct mw_words *words, const struct mw_words *launcher, char *const *program,
                             unsigned cores, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < launcher->count && !err; i++)
        err = add_substituted(words, launcher->items[i], cores, error);
    for (char *const *word = program; *word && !err; word++)
        err = add_substituted(words, *word, cores, error);
    return err;
}

/* Sets NAME=VALUE in place of the same name. */
static enum mw_err set_variable(struct mw_words *words, const char *setting, struct mw_error *error)
{
    size_t length = strcspn(setting, "=") + 1;
    for (size_t i = 0; i < words->count; i++) {
        if (strncmp(words->items[i], setting, length))
            continue;
        char *copy = strdup(setting);
        if (!copy)
            return mw_fail(error, MW_NOMEM, "out of memory");
        free(words->items[i]);
        words->items[i] = copy;
        return MW_OK;
    }
    return mw_words_add(words, setting, error);
}

enum mw_err mw_words_environment(struct mw_words *words, unsigned cores, unsigned threads, const char *const *settings,
                                 size_t setting_count, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    for (char **e = environ; *e && !err; e++)
        err = mw_words_add(words, *e, error);
    for (const char *const *name = mw_run_thread_variables; *name && !err; name++) {
        char setting[64];
        snprintf(setting, sizeof setting, "%s=%u", *name, threads);
        err = set_variable(words, setting, error);
    }
    for (size_t i = 0; i < sizeof fixed_settings / sizeof *fixed_settings && !err; i++)
        err = set_variable(words, fixed_settings[i], error);
    char own[64];
    snprintf(own, sizeof own, "MEMWALL_CORES=%u", cores);
    if (!err)
        err = set_variable(words, own, error);
    for (size_t i = 0; i < setting_count && !err; i++) {
        char *copy = mw_run_substitute(settings[i], cores);
        err = copy ? set_variable(words, copy, error) : mw_fail(error, MW_NOMEM, "out of memory");
        free(copy);
    }
    return err;
}
