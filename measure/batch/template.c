// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/batch/batch_internal.h"
#include "measure/process/capture.h"

#include "data/bytes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Any other batch system, by a script of the user's with three placeholders, {nodes}, {cores} and {command}, and one or two
 * lines that say how it is submitted and taken back, to which the script's path or the job's id is added:
 *   #MEMWALL submit qsub
 *   #MEMWALL cancel qdel
 * What became of a job is known by its files alone.
 */
static const double answer_s = 60;

/* The rest of the line that begins with "#MEMWALL <key> "; false where there is none. */
static bool directive(const char *text, const char *key, char *value, size_t size)
{
    char start[32];
    snprintf(start, sizeof start, "#MEMWALL %s ", key);
    const char *found = text;
    while ((found = strstr(found, start)) && found != text && found[-1] != '\n')
        found++;
    if (!found)
        return false;
    found += strlen(start);
    snprintf(value, size, "%.*s", (int)strcspn(found, "\r\n"), found);
    return *value;
}

static char *fill(const char *text, const struct mw_batch_point *point, const char *command)
{
    char *result = NULL;
    size_t size;
    FILE *f = open_memstream(&result, &size);
    while (f && *text) {
        if (!strncmp(text, "{nodes}", 7)) {
            fprintf(f, "%u", point->nodes);
            text += 7;
        } else if (!strncmp(text, "{cores}", 7)) {
            fprintf(f, "%u", point->cores / point->nodes);
            text += 7;
        } else if (!strncmp(text, "{command}", 9)) {
            fputs(command, f);
            text += 9;
        } else {
            fputc(*text++, f);
        }
    }
    return f && !fclose(f) ? result : NULL;
}

/* The first word that begins with a digit: "Job <123> is submitted …", "123.server". */
static bool find_id(const char *text, char *id)
{
    for (const char *c = text; *c; c++)
        if (isdigit((unsigned char)*c) && (c == text || !isalnum((unsigned char)c[-1]))) {
            size_t length = strspn(c, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-[]");
            snprintf(id, BATCH_ID_MAX, "%.*s", (int)(length < BATCH_ID_MAX ? length : BATCH_ID_MAX - 1), c);
            return true;
        }
    return false;
}

/* sh -c "DIRECTIVE ARGUMENT"; the caller frees *text. */
static enum mw_err run_directive(const struct mw_batch *batch, const char *key, const char *argument, char **text,
                                 struct mw_error *error)
{
    struct mw_bytes template;
    char value[512], *line = NULL;
    int status;
    enum mw_err err = mw_bytes_read(&template, batch->setup.template_path, error);
    if (err)
        return err;
    bool found = directive(template.data, key, value, sizeof value);
    mw_bytes_release(&template);
    if (!found) {
        mw_fail(error, MW_DATA, "'%s' has no line '#MEMWALL %s COMMAND'", batch->setup.template_path, key);
        return mw_hint(error, "as in '#MEMWALL submit qsub' or '#MEMWALL submit bsub <', '#MEMWALL cancel qdel'");
    }
    if (asprintf(&line, "%s '%s'", value, argument) < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    const char *const words[] = {"sh", "-c", line, NULL};
    err = mw_capture(words, answer_s, batch->setup.stop, text, &status, error);
    if (!err && status) {
        err = mw_fail(error, MW_RUN, "'%s' ended with status %d: %.300s", value, status, *text);
        free(*text);
    }
    free(line);
    return err;
}

static enum mw_err template_submit(struct mw_batch *batch, size_t map, const size_t *points, size_t count, char *id,
                                   struct mw_error *error)
{
    struct mw_bytes template;
    char *command = NULL, *script = NULL, *path = NULL, *text = NULL, name[32];
    (void)count; /* one, see template_chunk */
    enum mw_err err = mw_bytes_read(&template, batch->setup.template_path, error);
    if (err)
        return err;
    if (!strstr(template.data, "{command}"))
        err = mw_fail(error, MW_DATA, "'%s' has no {command}", batch->setup.template_path);
    if (!err && (asprintf(&command, "bash '%s/run.sh' %zu %zu.0", batch->setup.folder, *points, map) < 0 ||
                 asprintf(&path, "%s/job.%zu.sh", batch->setup.folder, map) < 0 ||
                 !(script = fill(template.data, &batch->points[*points], command))))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    mw_bytes_release(&template);
    snprintf(name, sizeof name, "job.%zu.sh", map);
    if (!err)
        err = mw_batch_write(batch, name, script, error);
    if (!err)
        err = run_directive(batch, "submit", path, &text, error);
    if (!err && !find_id(text, id))
        err = mw_fail(error, MW_RUN, "the answer to the submission has no job's number: '%.200s'", text);
    free(text);
    free(script);
    free(path);
    free(command);
    return err;
}

/* Nothing can be asked: what was submitted by this process is taken for queued until its file is there. */
static enum mw_err template_ask(struct mw_batch *batch, const char *ids, struct mw_error *error)
{
    (void)batch;
    (void)ids;
    (void)error;
    return MW_OK;
}

static enum mw_err template_cancel(struct mw_batch *batch, const char *ids, struct mw_error *error)
{
    char *list = strdup(ids), *rest = list, *id, *text = NULL;
    enum mw_err err = list ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    while (!err && (id = strtok_r(rest, ",", &rest))) {
        err = run_directive(batch, "cancel", id, &text, error);
        free(text);
        text = NULL;
        if (err == MW_RUN) /* it has ended meanwhile */
            err = MW_OK;
    }
    free(list);
    return err;
}

static size_t template_chunk(struct mw_batch *batch)
{
    (void)batch;
    return 1;
}

const struct mw_batch_system mw_batch_template = {"template",      template_submit, template_ask,
                                                  template_cancel, template_chunk,  NULL};
