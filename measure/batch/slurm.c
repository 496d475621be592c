// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/batch/batch_internal.h"
#include "measure/process/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A controller that is busy answers within seconds; sbatch itself goes on asking for two minutes where the queue is full. */
static const double answer_s = 60, submit_s = 150;

enum { WORDS_MAX = 32, DEFAULT_CHUNK = 1000 }; /* MaxArraySize is 1001 unless a site says otherwise */

/* Runs a client of Slurm; its words become the error where it fails. The caller frees *text. */
static enum mw_err ask_slurm(const char *const *words, double within_s, struct mw_stop *stop, char **text,
                             struct mw_error *error)
{
    int status;
    enum mw_err err = mw_capture(words, within_s, stop, text, &status, error);
    if (err == MW_UNSUPPORTED)
        mw_hint(error,
                "--slurm needs the Slurm commands (sbatch, squeue, scancel); --batch-template is for other systems");
    if (err || !status)
        return err;
    const char *newline = strrchr(*text, '\n'); /* the last line is what went wrong, those before are warnings */
    mw_fail(error, MW_RUN, "%s: %.400s", words[0], newline ? newline + 1 : *text);
    free(*text);
    *text = NULL;
    return MW_RUN;
}

/* The number behind NAME = in scontrol's text; 0 where there is none. */
static unsigned long limit_of(const char *text, const char *name)
{
    const char *found = strstr(text, name);
    return found && (found = strchr(found, '=')) ? strtoul(found + 1, NULL, 10) : 0;
}

/* Elements of an array, of which each is a job to the queue. */
static size_t slurm_chunk(struct mw_batch *batch)
{
    const char *const words[] = {"scontrol", "show", "config", NULL};
    struct mw_error ignored;
    char *text;
    if (ask_slurm(words, answer_s, batch->setup.stop, &text, &ignored))
        return DEFAULT_CHUNK;
    unsigned long elements = limit_of(text, "MaxArraySize"), jobs = limit_of(text, "MaxJobCount");
    free(text);
    size_t most = elements > 1 ? elements - 1 : DEFAULT_CHUNK;
    return jobs > 1 && jobs - 1 < most ? jobs - 1 : most;
}

/* Elements count from 0; which point each is stands in the map. */
static enum mw_err write_job(const struct mw_batch *batch, size_t map, struct mw_error *error)
{
    char *text = NULL, name[32];
    if (asprintf(&text,
                 "#!/bin/bash\n"
                 "# Written by memwall: element of a job array -> point.\n"
                 "point=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" '%s/map.%zu')\n"
                 "exec bash '%s/run.sh' \"$point\" \"%zu.${SLURM_RESTART_COUNT:-0}\"\n",
                 batch->setup.folder, map, batch->setup.folder, map) < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    snprintf(name, sizeof name, "job.%zu.sh", map);
    enum mw_err err = mw_batch_write(batch, name, text, error);
    free(text);
    return err;
}

/* Whole nodes, or the cores of the point with one thread each; returns how many words. */
static size_t add_size(const struct mw_batch_setup *setup, const struct mw_batch_point *point, char text[2][48],
                       const char **words)
{
    if (!setup->shared) {
        words[0] = "--exclusive";
        return 1;
    }
    bool one = point->nodes == 1;
    snprintf(text[0], 48, "--ntasks-per-node=%u", one ? 1 : point->cores / point->nodes);
    snprintf(text[1], 48, "--cpus-per-task=%u", one ? point->cores : 1);
    words[0] = text[0];
    words[1] = text[1];
    words[2] = "--threads-per-core=1";
    return 3;
}

static enum mw_err slurm_submit(struct mw_batch *batch, size_t map, const size_t *points, size_t count, char *id,
                                struct mw_error *error)
{
    const struct mw_batch_setup *s = &batch->setup;
    const struct {
        const char *option, *value;
    } texts[] = {{"--job-name", s->name},
                 {"--partition", s->partition},
                 {"--constraint", s->constraint},
                 {"--time", s->time_limit}};
    const char *words[WORDS_MAX] = {"sbatch", "--parsable", "--requeue", "--output=/dev/null"};
    char array[64], nodes[32], size[2][48], *path = NULL, *text = NULL;
    size_t n = 4;
    enum mw_err err = write_job(batch, map, error);
    if (err)
        return err;
    snprintf(array, sizeof array, "--array=0-%zu", count - 1);
    snprintf(nodes, sizeof nodes, "--nodes=%u", batch->points[points[0]].nodes);
    words[n++] = array;
    words[n++] = nodes;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value) {
            words[n++] = texts[i].option;
            words[n++] = texts[i].value;
        }
    n += add_size(s, &batch->points[points[0]], size, words + n);
    if (asprintf(&path, "%s/job.%zu.sh", s->folder, map) < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    words[n] = path;
    err = ask_slurm(words, submit_s, s->stop, &text, error);
    free(path);
    batch->queue_full =
        err == MW_RUN && (strstr(error->message, "queue full") || strstr(error->message, "temporarily unable"));
    if (err)
        return err;
    const char *line = strrchr(text, '\n'); /* sbatch may warn first */
    line = line ? line + 1 : text;
    size_t length = strspn(line, "0123456789");
    if (!length || length >= BATCH_ID_MAX)
        err = mw_fail(error, MW_RUN, "sbatch: '%.200s' is no job's number", line);
    else
        snprintf(id, BATCH_ID_MAX, "%.*s", (int)length, line);
    free(text);
    return err;
}

static const struct {
    const char *word;
    enum mw_batch_state state;
} states[] = {{"PENDING", MW_BATCH_QUEUED},      {"CONFIGURING", MW_BATCH_QUEUED},  {"REQUEUED", MW_BATCH_QUEUED},
              {"REQUEUE_HOLD", MW_BATCH_QUEUED}, {"REQUEUE_FED", MW_BATCH_QUEUED},  {"SPECIAL_EXIT", MW_BATCH_QUEUED},
              {"RUNNING", MW_BATCH_RUNNING},     {"COMPLETING", MW_BATCH_RUNNING},  {"SUSPENDED", MW_BATCH_RUNNING},
              {"STOPPED", MW_BATCH_RUNNING},     {"STAGE_OUT", MW_BATCH_RUNNING},   {"RESIZING", MW_BATCH_RUNNING},
              {"SIGNALING", MW_BATCH_RUNNING},   {"CANCELLED", MW_BATCH_CANCELLED}, {"REVOKED", MW_BATCH_CANCELLED},
              {"TIMEOUT", MW_BATCH_TIMEOUT},     {"DEADLINE", MW_BATCH_TIMEOUT},    {"NODE_FAIL", MW_BATCH_NEW},
              {"PREEMPTED", MW_BATCH_NEW},       {"BOOT_FAIL", MW_BATCH_NEW}};

/* "JOB|ELEMENT|STATE|REASON" of squeue. A job of which the system no longer knows is not listed: its points stay as they are. */
static enum mw_err take_line(struct mw_batch *batch, char *line, struct mw_error *error)
{
    char *id = strtok_r(line, "|", &line), *element = strtok_r(NULL, "|", &line), *state = strtok_r(NULL, "|", &line),
         *reason = strtok_r(NULL, "|", &line);
    struct mw_batch_job_state *job;
    size_t map;
    if (!id || !element || !state)
        return MW_OK;
    enum mw_err err = mw_batch_element(batch, id, strtoul(element, NULL, 10), &job, &map, error);
    if (err || !job || job->measured || map < job->map)
        return err;
    bool told = reason && strcmp(reason, "None");
    job->state = MW_BATCH_FAILED;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (!strcmp(states[i].word, state))
            job->state = states[i].state;
    job->held = job->state == MW_BATCH_QUEUED || job->state == MW_BATCH_RUNNING;
    job->map = map;
    snprintf(job->reason, sizeof job->reason, "%.30s%s%.30s", state, told ? ", " : "", told ? reason : "");
    return MW_OK;
}

static enum mw_err slurm_ask(struct mw_batch *batch, const char *ids, struct mw_error *error)
{
    const char *const words[] = {"squeue", "--noheader",           "--array", "--states=all", "--jobs",
                                 ids,      "--format=%F|%K|%T|%r", NULL};
    char *text;
    enum mw_err err = ask_slurm(words, answer_s, batch->setup.stop, &text, error);
    if (err == MW_RUN && strstr(error->message, "Invalid job id")) { /* all of them ended long ago */
        text = strdup("");
        err = text ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    }
    if (err)
        return err;
    for (size_t i = 0; i < batch->count; i++) { /* queued or running is what the queue says now; else the job is lost */
        batch->jobs[i].held = false;
        if (batch->jobs[i].state == MW_BATCH_QUEUED || batch->jobs[i].state == MW_BATCH_RUNNING)
            batch->jobs[i].state = MW_BATCH_NEW;
    }
    char *rest = text, *line;
    while (!err && (line = strtok_r(rest, "\n", &rest)))
        err = take_line(batch, line, error);
    free(text);
    return err;
}

static enum mw_err slurm_cancel(struct mw_batch *batch, const char *ids, struct mw_error *error)
{
    char *list = strdup(ids), *rest = list, *id, *text = NULL;
    (void)batch;
    enum mw_err err = list ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    while (!err && (id = strtok_r(rest, ",", &rest))) {
        const char *const words[] = {"scancel", "--quiet", id, NULL};
        err = ask_slurm(words, answer_s, NULL, &text, error);
        free(text);
        text = NULL;
        if (err == MW_RUN && strstr(error->message, "Invalid job id"))
            err = MW_OK;
    }
    free(list);
    return err;
}

static enum mw_err slurm_account(struct mw_batch *batch, const char *ids, struct mw_error *error)
{
    const char *const words[] = {"sacct", "--noheader", "--parsable2",    "--jobs",
                                 ids,     "--format",   mw_sacct_columns, NULL};
    char *text;
    enum mw_err err = ask_slurm(words, answer_s, batch->setup.stop, &text, error);
    if (err)
        return err;
    err = mw_sacct_take(batch, text, error);
    free(text);
    return err;
}

enum mw_err mw_slurm_node_cores(const char *partition, struct mw_stop *stop, unsigned *cores, struct mw_error *error)
{
    const char *words[] = {"sinfo",   "--noheader", "--Node", "--format=%c", partition ? "--partition" : NULL,
                           partition, NULL};
    char *text;
    unsigned long least = 0;
    enum mw_err err = ask_slurm(words, answer_s, stop, &text, error);
    if (err)
        return err;
    char *rest = text, *line;
    while ((line = strtok_r(rest, "\n", &rest))) {
        unsigned long here = strtoul(line, NULL, 10);
        least = here && (!least || here < least) ? here : least;
    }
    free(text);
    if (!least)
        return mw_fail(error, MW_RUN, "sinfo lists no node%s%s", partition ? " of partition " : "",
                       partition ? partition : "");
    *cores = (unsigned)least;
    return MW_OK;
}

const struct mw_batch_system mw_batch_slurm = {"Slurm",      slurm_submit, slurm_ask,
                                               slurm_cancel, slurm_chunk,  slurm_account};
