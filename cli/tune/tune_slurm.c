// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/tune/tune.h"
#include "measure/batch/batch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options that say where: srun's. What else was asked for goes to the tune on the node. */
static const struct {
    const char *name, *of_srun; /* NULL: a flag */
} places[] = {{"slurm", NULL}, {"partition", "--partition"}, {"constraint", "--constraint"}, {"time", "--time"}};
enum { PLACES = sizeof places / sizeof *places };

/* The number of the option that a word is, PLACES where it is another; *value where it stands behind "=". */
static size_t place_of(const char *word, const char **value)
{
    *value = NULL;
    for (size_t i = 0; i < PLACES && !strncmp(word, "--", 2); i++) {
        size_t length = strlen(places[i].name);
        if (strncmp(word + 2, places[i].name, length) || (word[2 + length] && word[2 + length] != '='))
            continue;
        *value = word[2 + length] ? word + 3 + length : NULL;
        return i;
    }
    return PLACES;
}

/* Fills words with those of srun and of memwall behind it; `rest` is room for argc. */
static void make_words(const struct cli *cli, const char **words, const char **rest, const char *cpus, const char *self)
{
    const char *const srun[] = {"srun",        "--job-name=memwall", "--nodes=1", "--ntasks=1",
                                "--exclusive", "--cpu-bind=none",    cpus};
    size_t n = 0, left = 0;
    bool options = true;
    for (size_t i = 0; i < sizeof srun / sizeof *srun; i++)
        words[n++] = srun[i];
    for (int i = 2; i < cli->argc; i++) {
        const char *value;
        options = options && strcmp(cli->argv[i], "--");
        size_t place = options ? place_of(cli->argv[i], &value) : PLACES;
        if (place == PLACES) {
            rest[left++] = cli->argv[i];
        } else if (places[place].of_srun) {
            words[n++] = places[place].of_srun;
            words[n++] = value ? value : cli->argv[++i];
        }
    }
    words[n++] = self;
    words[n++] = "tune";
    memcpy(words + n, rest, left * sizeof *rest);
}

enum mw_err tune_by_slurm(const struct cli *cli, const char *partition, struct mw_error *error)
{
    enum { OURS = 16 }; /* words that are neither srun's places nor the user's */
    char self[PATH_MAX], cpus[48];
    unsigned all = 0;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return mw_fail(error, MW_IO, "cannot find the path of memwall itself");
    self[length] = '\0';
    enum mw_err err = mw_slurm_node_cores(partition, NULL, &all, error); /* a task has one unless it asks for more */
    if (err)
        return err;
    snprintf(cpus, sizeof cpus, "--cpus-per-task=%u", all);
    const char **words = calloc(OURS + 2 * PLACES + (size_t)cli->argc, sizeof *words);
    const char **rest = calloc((size_t)cli->argc + 1, sizeof *rest);
    err = words && rest ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err) {
        make_words(cli, words, rest, cpus, self);
        execvp(words[0], (char **)words);
        err = mw_fail_errno(error, MW_RUN, errno, "cannot run srun");
    }
    free(words);
    free(rest);
    return err;
}
