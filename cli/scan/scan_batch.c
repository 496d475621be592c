// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/scan/scan_batch.h"

#include "data/table.h"
#include "measure/probe/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A job whose node dies is submitted again; one that dies each time is not the node's fault. */
enum { ATTEMPTS_MAX = 3 };

/* The controller is asked once a second at first, and every quarter of a minute in the long run. */
static const double poll_first_s = 1, poll_last_s = 15, poll_growth = 1.3;

struct tally {
    size_t done, queued, running;
};

static struct tally count_states(const struct scan_batch *scan)
{
    struct tally t = {0};
    for (size_t i = 0; i < scan->count; i++) {
        const struct mw_batch_job_state *job = &scan->batch.jobs[i];
        t.done += job->measured;
        t.queued += job->state == MW_BATCH_QUEUED;
        t.running += job->state == MW_BATCH_RUNNING;
    }
    return t;
}

static void point_name(const struct mw_batch_point *point, char *text, size_t size)
{
    int used = snprintf(text, size, "%u core%s", point->cores, point->cores == 1 ? "" : "s");
    if (point->nodes > 1)
        used += snprintf(text + used, size - (size_t)used, " on %u nodes", point->nodes);
    if (point->freq_hz > 0)
        snprintf(text + used, size - (size_t)used, " at %.4g GHz", point->freq_hz / 1e9);
}

/* The last line that a job left that says what was wrong, without the name of the command. */
static void last_words(const char *result, char *text, size_t size)
{
    char line[512], *path = NULL;
    *text = '\0';
    FILE *f = result && asprintf(&path, "%s.log", result) >= 0 ? fopen(path, "re") : NULL;
    free(path);
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "hint:", 5) && strncmp(line, "srun:", 5) && strncmp(line, "slurmstepd:", 11) &&
            line[strspn(line, " \t\r\n")])
            snprintf(text, size, "%.*s", (int)strcspn(line, "\r\n"), line);
    if (!strncmp(text, "memwall scan: ", 14))
        memmove(text, text + 14, strlen(text + 14) + 1);
    if (f)
        fclose(f);
}

/* Names the points that have no rows, with what is known of the reason. */
static enum mw_err say_missing(const struct scan_batch *scan, struct mw_error *error)
{
    static const char *const states[] = {[MW_BATCH_NEW] = "not run",
                                         [MW_BATCH_QUEUED] = "still in the queue",
                                         [MW_BATCH_RUNNING] = "still running",
                                         [MW_BATCH_DONE] = "failed",
                                         [MW_BATCH_CANCELLED] = "its job was cancelled",
                                         [MW_BATCH_TIMEOUT] = "its job reached the time limit",
                                         [MW_BATCH_FAILED] = "its job failed"};
    enum { NAMED_MAX = 10 };
    size_t missing = 0, limits = 0;
    for (size_t i = 0; i < scan->count; i++) {
        const struct mw_batch_job_state *job = &scan->batch.jobs[i];
        char name[64], words[300];
        if (job->measured)
            continue;
        limits += job->state == MW_BATCH_TIMEOUT;
        if (missing++ >= NAMED_MAX)
            continue;
        point_name(&scan->points[i], name, sizeof name);
        last_words(job->result, words, sizeof words);
        cli_warn(scan->cli, "%s: %s%s%s%s%s%s", name, states[job->state], *job->reason ? " (" : "", job->reason,
                 *job->reason ? ")" : "", *words ? ": " : "", words);
    }
    if (missing > NAMED_MAX)
        cli_warn(scan->cli, "and %zu further points", missing - NAMED_MAX);
    if (!missing)
        return MW_OK;
    mw_fail(error, MW_RUN, "%zu of %zu points have no rows; the others are in '%s'", missing, scan->count,
            scan->cli->common.output);
    return mw_hint(error, "the same command with --resume submits them again%s; what the jobs printed is in '%.120s'",
                   limits ? ", with a longer --time" : "", scan->folder);
}

/* A point whose runs all failed has rows, which no fit takes. */
static enum mw_err say_failed(const struct scan_batch *scan, struct mw_error *error)
{
    size_t failed = 0;
    for (size_t i = 0; i < scan->count; i++) {
        char name[64], words[300];
        if (!scan->batch.jobs[i].measured || scan->batch.jobs[i].status == 0)
            continue;
        point_name(&scan->points[i], name, sizeof name);
        last_words(scan->batch.jobs[i].result, words, sizeof words);
        cli_warn(scan->cli, "%s: %s", name, words);
        failed++;
    }
    if (failed < scan->count)
        return MW_OK;
    mw_fail(error, MW_RUN, "no run succeeded: every one of %zu points failed", failed);
    return mw_hint(error, "the rows are kept, and fit sets them aside; run the command on a node to see why");
}

static bool is_done_plan(const struct scan_batch *scan, bool *other)
{
    struct mw_table table;
    struct mw_error ignored;
    if (access(scan->cli->common.output, F_OK) || mw_table_read(&table, scan->cli->common.output, &ignored))
        return false;
    const char *plan = mw_table_meta(&table, "scan_batch");
    bool same = plan && !strcmp(plan, scan->plan);
    *other = !same;
    mw_table_release(&table);
    return same;
}

/* The folder's plan against this one's. */
static enum mw_err check_plan(const struct scan_batch *scan, const char *path, struct mw_error *error)
{
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen(path, "re");
    ssize_t length = f ? getline(&line, &room, f) : -1;
    if (f)
        fclose(f);
    if (length > 0)
        line[strcspn(line, "\n")] = '\0';
    bool same = length > 0 && !strcmp(line, scan->plan);
    free(line);
    if (same)
        return MW_OK;
    mw_fail(error, MW_USAGE, "'%s' belongs to a scan with other options", scan->folder);
    return mw_hint(error, "--resume needs the same options; another -o begins another scan");
}

/* Removes the files of the folder, then itself; what is no file of ours (a folder) stays, and so does it then. */
static void remove_folder(const struct scan_batch *scan)
{
    struct dirent *entry;
    DIR *folder = opendir(scan->folder);
    while (folder && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(scan->folder);
}

/* Makes the folder, or finds the one to go on with. *done: there is nothing left to do. */
static enum mw_err open_folder(struct scan_batch *scan, bool *done, struct mw_error *error)
{
    const char *path = scan->cli->common.output;
    char *plan = NULL;
    struct stat info;
    bool exists = !stat(scan->folder, &info), resume = scan->options->resume, other = false;
    enum mw_err err = MW_OK;
    *done = false;
    if (asprintf(&plan, "%s/plan", scan->folder) < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    if (resume && exists)
        err = check_plan(scan, plan, error);
    else if (resume && is_done_plan(scan, &other))
        *done = true;
    else if (resume && other)
        err = mw_fail(error, MW_USAGE, "'%s' is no file of this scan: --resume needs the same options", path);
    else if (!scan->cli->common.force && (exists || !access(path, F_OK))) {
        mw_fail(error, MW_IO, "'%s' exists", exists ? scan->folder : path);
        err = mw_hint(error, "--resume goes on with it, --force overwrites it");
    } else if (exists)
        remove_folder(scan);
    if (!err && !*done && mkdir(scan->folder, 0777) && errno != EEXIST)
        err = mw_fail_errno(error, MW_IO, errno, "cannot make '%s'", scan->folder);
    FILE *f = err || *done ? NULL : fopen(plan, "we");
    if (f && (fprintf(f, "%s\n", scan->plan) < 0 || fclose(f)))
        err = mw_fail_errno(error, MW_IO, errno, "cannot write '%s'", plan);
    free(plan);
    return err;
}

static enum mw_err interrupted(struct scan_batch *scan, struct mw_error *error)
{
    struct mw_error closing;
    if (mw_batch_cancel(&scan->batch, &closing))
        cli_fail(scan->cli, &closing);
    mw_fail(error, MW_INTERRUPTED, "interrupted: the jobs are taken back, %zu of %zu points are in '%s'", scan->merged,
            scan->count, scan->cli->common.output);
    return mw_hint(error, "the same command with --resume goes on");
}

/* Submits what is new; a point that was lost with its node too often is left alone. */
static enum mw_err submit(struct scan_batch *scan, bool *was_full, struct mw_error *error)
{
    bool full;
    for (size_t i = 0; i < scan->count; i++) {
        struct mw_batch_job_state *job = &scan->batch.jobs[i];
        if (job->state == MW_BATCH_NEW && job->attempts >= ATTEMPTS_MAX)
            job->state = MW_BATCH_FAILED;
    }
    enum mw_err err = mw_batch_submit(&scan->batch, &full, error);
    if (!err && full && !*was_full)
        cli_say(scan->cli, "the queue takes no more jobs now: the rest is submitted as they end");
    *was_full = full;
    return err;
}

/* Rows of points that have ended since the last time go into the file. */
static enum mw_err take_rows(struct scan_batch *scan, size_t *off, struct mw_error *error)
{
    return count_states(scan).done > scan->merged ? scan_batch_merge(scan, off, error) : MW_OK;
}

/* A controller that is restarted answers again within minutes; one that is gone does not. */
static enum mw_err poll_states(struct scan_batch *scan, size_t *active, unsigned *unanswered, struct mw_error *error)
{
    enum { UNANSWERED_MAX = 40 }; /* ten minutes at the longest pause */
    enum mw_err err = mw_batch_poll(&scan->batch, active, error);
    if (err != MW_RUN || *unanswered >= UNANSWERED_MAX) {
        *unanswered = 0;
        return err;
    }
    if (!(*unanswered)++)
        cli_say(scan->cli, "%s: asking again", error->message);
    *active = 1;
    return MW_OK;
}

static bool any_new(const struct scan_batch *scan)
{
    for (size_t i = 0; i < scan->count; i++)
        if (scan->batch.jobs[i].state == MW_BATCH_NEW)
            return true;
    return false;
}

static enum mw_err follow(struct scan_batch *scan, size_t *off, struct mw_error *error)
{
    double start_s = mw_now_s(), pause_s = poll_first_s, limit_s = scan->options->max_time_s;
    bool was_full = false, settled = false;
    unsigned unanswered = 0;
    for (;;) {
        size_t active;
        enum mw_err err = unanswered ? MW_OK : submit(scan, &was_full, error);
        if (!err)
            err = poll_states(scan, &active, &unanswered, error);
        if (!err)
            err = take_rows(scan, off, error);
        if (err)
            return err == MW_INTERRUPTED ? interrupted(scan, error) : err;
        struct tally t = count_states(scan);
        cli_progress(scan->cli, t.done, scan->count, "%zu running, %zu in the queue", t.running, t.queued);
        bool idle = !active && !any_new(scan);
        if (idle && (settled || t.done == scan->count))
            return MW_OK;
        settled = idle; /* once more: a file may be late on a shared file system */
        if (limit_s > 0 && mw_now_s() - start_s > limit_s) {
            cli_say(scan->cli, "the time of --max-time is over");
            return mw_batch_cancel(&scan->batch, error);
        }
        if (mw_stop_sleep(&scan->stop, pause_s) != MW_STOP_NONE)
            return interrupted(scan, error);
        pause_s = fmin(poll_last_s, poll_growth * pause_s);
    }
}

static void print_plan(const struct scan_batch *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        char name[64];
        point_name(&scan->points[i], name, sizeof name);
        printf("%s\n", name);
    }
    printf("%zu jobs, each with\n%s\n", scan->count, scan->command);
}

static enum mw_err measure(struct scan_batch *scan, size_t *off, struct mw_error *error)
{
    const struct scan_options *o = scan->options;
    struct mw_batch_setup setup = {.folder = scan->folder,
                                   .name = "memwall",
                                   .command = scan->command,
                                   .partition = o->partition,
                                   .constraint = o->constraint,
                                   .time_limit = o->time_limit,
                                   .shared = !o->exclusive,
                                   .template_path = o->batch_template,
                                   .stop = &scan->stop};
    bool done;
    enum mw_err err = open_folder(scan, &done, error);
    if (err || done)
        return err;
    err = mw_batch_open(&scan->batch, &setup, scan->points, scan->count, error);
    if (err)
        return err;
    err = follow(scan, off, error);
    cli_progress_end();
    if (!err)
        err = scan_batch_energy(scan, off, error);
    if (!err)
        err = say_missing(scan, error);
    if (!err)
        err = say_failed(scan, error);
    if (!err)
        remove_folder(scan);
    mw_batch_close(&scan->batch);
    return err;
}

int scan_batch_run(struct cli *cli, const struct scan_options *options)
{
    struct scan_batch scan = {.cli = cli, .options = options};
    size_t off = 0;
    enum mw_err err = mw_stop_open(&scan.stop, &cli->error);
    if (err)
        return cli_fail(cli, &cli->error);
    err = scan_batch_plan(&scan, &cli->error);
    if (!err)
        err = mw_provenance_init(&scan.facts, cli->argc, cli->argv, &cli->error);
    if (!err && cli->common.dry_run)
        print_plan(&scan);
    else if (!err)
        err = measure(&scan, &off, &cli->error);
    mw_stop_close(&scan.stop);
    mw_provenance_release(&scan.facts);
    free(scan.points);
    free(scan.folder);
    free(scan.command);
    free(scan.plan);
    if (err)
        return cli_fail(cli, &cli->error);
    if (off)
        cli_warn(
            cli,
            "%zu rows did not run at the clock that was asked for: Slurm's --cpu-freq is not honoured on these nodes",
            off);
    return off && cli->common.strict ? mw_err_exit_status(MW_UNTRUSTED) : 0;
}
