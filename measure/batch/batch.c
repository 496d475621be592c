// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/batch/batch_internal.h"

#include "data/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct mw_batch_system *system_of(const struct mw_batch *batch)
{
    return batch->setup.template_path ? &mw_batch_template : &mw_batch_slurm;
}

enum mw_err mw_batch_write(const struct mw_batch *batch, const char *name, const char *text, struct mw_error *error)
{
    struct mw_output output;
    char *path = NULL;
    if (asprintf(&path, "%s/%s", batch->setup.folder, name) < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = mw_output_open(&output, path, true, error);
    free(path);
    if (err)
        return err;
    fputs(text, output.stream);
    return mw_output_commit(&output, error);
}

static FILE *open_read(const struct mw_batch *batch, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", batch->setup.folder, name) < 0)
        return NULL;
    FILE *f = fopen(path, "re");
    free(path);
    return f;
}

static enum mw_err write_points(const struct mw_batch *batch, struct mw_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (size_t i = 0; f && i < batch->count; i++)
        fprintf(f, "%u %u %.0f\n", batch->points[i].nodes, batch->points[i].cores, batch->points[i].freq_hz / 1e3);
    enum mw_err err =
        f && !fclose(f) ? mw_batch_write(batch, "points", text, error) : mw_fail(error, MW_NOMEM, "out of memory");
    free(text);
    return err;
}

/* The exit status goes out last and whole: a result without it is that of an attempt that did not end. */
static enum mw_err write_script(const struct mw_batch *batch, struct mw_error *error)
{
    char *text = NULL;
    if (asprintf(&text,
                 "#!/bin/bash\n"
                 "# Written by memwall: measures the point of line $1 (from 0) as attempt $2.\n"
                 "folder=${BASH_SOURCE[0]%%/*}\n"
                 "read -r nodes cores khz <<<\"$(sed -n \"$(($1 + 1))p\" \"$folder/points\")\"\n"
                 "out=$folder/$1.$2\n"
                 "{ %s\n"
                 "} >\"$out.log\" 2>&1\n"
                 "status=$?\n"
                 "echo $status >\"$out.new\" && mv \"$out.new\" \"$out.done\"\n"
                 "exit $status\n",
                 batch->setup.command) < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = mw_batch_write(batch, "run.sh", text, error);
    free(text);
    return err;
}

/* The map of a job, by the file `jobs`; false where it has none of that id. */
static bool job_map(const struct mw_batch *batch, const char *id, size_t *map)
{
    char line[BATCH_ID_MAX + 32], have[BATCH_ID_MAX];
    bool found = false;
    FILE *f = open_read(batch, "jobs");
    while (f && !found && fgets(line, sizeof line, f))
        found = sscanf(line, "%63s %zu", have, map) == 2 && !strcmp(have, id);
    if (f)
        fclose(f);
    return found;
}

/* The points of map file number `map`; the caller frees. */
static enum mw_err map_read(const struct mw_batch *batch, size_t map, size_t **points, size_t *count,
                            struct mw_error *error)
{
    char name[32];
    size_t n = 0, point, *list = calloc(batch->count + 1, sizeof *list);
    snprintf(name, sizeof name, "map.%zu", map);
    FILE *f = list ? open_read(batch, name) : NULL;
    if (!f) {
        free(list);
        return mw_fail_errno(error, MW_IO, errno, "cannot open '%s/%s'", batch->setup.folder, name);
    }
    while (n < batch->count && fscanf(f, "%zu", &point) == 1)
        if (point < batch->count)
            list[n++] = point;
    fclose(f);
    *points = list;
    *count = n;
    return MW_OK;
}

enum mw_err mw_batch_element(struct mw_batch *batch, const char *id, size_t element, struct mw_batch_job_state **job,
                             size_t *map, struct mw_error *error)
{
    size_t *points = NULL, count = 0;
    *job = NULL;
    if (!job_map(batch, id, map))
        return MW_OK;
    enum mw_err err = map_read(batch, *map, &points, &count, error);
    if (err)
        return err;
    if (element < count)
        *job = &batch->jobs[points[element]];
    free(points);
    return MW_OK;
}

/*
 * A file POINT.MAP.RESTART.done: how an attempt ended. One that measured counts whenever it was made,
 * any other only while nothing was submitted after it and the system does not start it anew.
 */
static enum mw_err take_done(struct mw_batch *batch, const char *name, struct mw_error *error)
{
    size_t point, map, restart;
    int status, end = 0;
    if (sscanf(name, "%zu.%zu.%zu.done%n", &point, &map, &restart, &end) != 3 || !end || name[end] ||
        point >= batch->count)
        return MW_OK;
    FILE *f = open_read(batch, name);
    bool read = f && fscanf(f, "%d", &status) == 1;
    if (f)
        fclose(f);
    struct mw_batch_job_state *job = &batch->jobs[point];
    char *path = NULL;
    if (asprintf(&path, "%s/%.*s.csv", batch->setup.folder, end - 5, name) < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    bool measured = read && (status == 0 || status == 1) && !access(path, R_OK);
    if (!read || job->measured || (!measured && (map != job->map || job->held))) {
        free(path);
        return MW_OK;
    }
    path[strlen(path) - strlen(".csv")] = '\0';
    free(job->result);
    job->state = MW_BATCH_DONE;
    job->map = map;
    job->status = status;
    job->measured = measured;
    job->result = path;
    return MW_OK;
}

static enum mw_err read_folder(struct mw_batch *batch, struct mw_error *error)
{
    struct dirent *entry;
    DIR *folder = opendir(batch->setup.folder);
    enum mw_err err = folder ? MW_OK : mw_fail_errno(error, MW_IO, errno, "cannot read '%s'", batch->setup.folder);
    while (!err && (entry = readdir(folder)))
        err = take_done(batch, entry->d_name, error);
    if (folder)
        closedir(folder);
    return err;
}

/* The ids of all jobs of the folder, with commas; NULL where there are none. The caller frees. */
static char *job_ids(struct mw_batch *batch)
{
    char line[BATCH_ID_MAX + 32], id[BATCH_ID_MAX], *text = NULL;
    size_t size, map, n = 0;
    FILE *f = open_read(batch, "jobs"), *out = f ? open_memstream(&text, &size) : NULL;
    while (out && fgets(line, sizeof line, f))
        if (sscanf(line, "%63s %zu", id, &map) == 2) {
            fprintf(out, "%s%s", n++ ? "," : "", id);
            batch->submissions = map >= batch->submissions ? map + 1 : batch->submissions;
        }
    if (f)
        fclose(f);
    if (out)
        fclose(out);
    if (!n) {
        free(text);
        text = NULL;
    }
    return text;
}

enum mw_err mw_batch_poll(struct mw_batch *batch, size_t *active, struct mw_error *error)
{
    char *ids = job_ids(batch);
    enum mw_err err = ids ? system_of(batch)->ask(batch, ids, error) : MW_OK;
    free(ids);
    if (!err) /* after the question: a job that has just ended has left its file by then */
        err = read_folder(batch, error);
    *active = 0;
    for (size_t i = 0; i < batch->count; i++)
        *active += batch->jobs[i].state == MW_BATCH_QUEUED || batch->jobs[i].state == MW_BATCH_RUNNING;
    return err;
}

enum mw_err mw_batch_open(struct mw_batch *batch, const struct mw_batch_setup *setup,
                          const struct mw_batch_point *points, size_t count, struct mw_error *error)
{
    size_t active;
    struct mw_batch b = {.setup = *setup, .points = points, .count = count, .jobs = calloc(count, sizeof *b.jobs)};
    enum mw_err err = b.jobs ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = write_points(&b, error);
    if (!err)
        err = write_script(&b, error);
    if (!err)
        err = mw_batch_poll(&b, &active, error);
    for (size_t i = 0; !err && i < count; i++) { /* what failed or was taken back before is asked for again now */
        bool waits = b.jobs[i].state == MW_BATCH_QUEUED || b.jobs[i].state == MW_BATCH_RUNNING;
        if (!waits && !b.jobs[i].measured)
            b.jobs[i].state = MW_BATCH_NEW;
    }
    if (!err)
        b.chunk_max = system_of(&b)->chunk(&b);
    if (err)
        mw_batch_close(&b);
    else
        *batch = b;
    return err;
}

void mw_batch_close(struct mw_batch *batch)
{
    for (size_t i = 0; batch->jobs && i < batch->count; i++)
        free(batch->jobs[i].result);
    free(batch->jobs);
    *batch = (struct mw_batch){0};
}

/* Notes a job before anything else is done with it: one that is not noted could not be taken back. */
static enum mw_err note_job(const struct mw_batch *batch, const char *id, size_t map, struct mw_error *error)
{
    struct mw_append append;
    char *path = NULL;
    if (asprintf(&path, "%s/jobs", batch->setup.folder) < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = mw_append_open(&append, path, true, false, error);
    free(path);
    if (err)
        return err;
    err = mw_append_line(&append, error, "%s %zu", id, map);
    mw_append_close(&append);
    return err;
}

static enum mw_err submit_chunk(struct mw_batch *batch, const size_t *points, size_t count, struct mw_error *error)
{
    char name[32], id[BATCH_ID_MAX], *text = NULL;
    size_t size, map = batch->submissions++;
    FILE *f = open_memstream(&text, &size);
    for (size_t i = 0; f && i < count; i++)
        fprintf(f, "%zu\n", points[i]);
    snprintf(name, sizeof name, "map.%zu", map);
    enum mw_err err =
        f && !fclose(f) ? mw_batch_write(batch, name, text, error) : mw_fail(error, MW_NOMEM, "out of memory");
    free(text);
    if (!err)
        err = system_of(batch)->submit(batch, map, points, count, id, error);
    if (!err)
        err = note_job(batch, id, map, error);
    for (size_t i = 0; !err && i < count; i++) {
        batch->jobs[points[i]].state = MW_BATCH_QUEUED;
        batch->jobs[points[i]].map = map;
        batch->jobs[points[i]].attempts++;
    }
    return err;
}

/* Whether two points may be elements of one array: all elements ask for the same. */
static bool asks_same(const struct mw_batch *batch, size_t a, size_t b)
{
    const struct mw_batch_point *p = &batch->points[a], *q = &batch->points[b];
    return p->nodes == q->nodes && (!batch->setup.shared || p->cores == q->cores);
}

/* The next points to submit together: NEW, asking for the same, no more than may go at once. */
static size_t next_chunk(const struct mw_batch *batch, size_t *points)
{
    size_t n = 0;
    for (size_t i = 0; i < batch->count && n < batch->chunk_max; i++)
        if (batch->jobs[i].state == MW_BATCH_NEW && (!n || asks_same(batch, i, points[0])))
            points[n++] = i;
    return n;
}

static bool has_active(const struct mw_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->jobs[i].state == MW_BATCH_QUEUED || batch->jobs[i].state == MW_BATCH_RUNNING)
            return true;
    return false;
}

enum mw_err mw_batch_submit(struct mw_batch *batch, bool *full, struct mw_error *error)
{
    size_t n, *points = calloc(batch->count + 1, sizeof *points);
    enum mw_err err = points ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    *full = false;
    while (!err && !*full && (n = next_chunk(batch, points))) {
        err = submit_chunk(batch, points, n, error);
        if (err != MW_RUN)
            continue;
        if (n > 1) { /* a queue that is short of places may take some */
            batch->chunk_max = n / 2;
            err = MW_OK;
        } else if (has_active(batch) || batch->queue_full) { /* ended jobs keep their places for a while */
            *full = true;
            err = MW_OK;
        }
    }
    free(points);
    return err;
}

enum mw_err mw_batch_cancel(struct mw_batch *batch, struct mw_error *error)
{
    char *ids = job_ids(batch);
    enum mw_err err = ids ? system_of(batch)->cancel(batch, ids, error) : MW_OK;
    free(ids);
    return err;
}

enum mw_err mw_batch_account(struct mw_batch *batch, size_t *pending, struct mw_error *error)
{
    *pending = 0;
    if (batch->setup.shared || !system_of(batch)->account) /* Slurm's figure is that of the whole node */
        return MW_OK;
    char *ids = job_ids(batch);
    enum mw_err err = ids ? system_of(batch)->account(batch, ids, error) : MW_OK;
    free(ids);
    for (size_t i = 0; !err && i < batch->count; i++)
        *pending += batch->jobs[i].measured && batch->points[i].nodes == 1 && !batch->jobs[i].accounted;
    return err;
}
