// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/run.h"

#include "measure/run/printed.h"
#include "measure/run/run_child.h"
#include "measure/run/run_words.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mw_process {
    struct mw_run_setup setup;
    struct mw_words launcher, words, environment;
    bool was_good;                    /* some run */
    bool has_begun;                   /* --setup was run, --cleanup is to be */
    bool stale;                       /* this program's own environment has changed since */
    unsigned cores;                   /* that words and environment are made for; 0: none yet */
    char *path;                       /* of the first word */
    int null, output;                 /* output: an unlinked file, -1 where nothing reads what the program prints */
    struct mw_expression *expression; /* NULL: none */
};

static enum mw_err printed_time(const struct mw_process *process, struct mw_run_result *result, struct mw_error *error)
{
    bool found = false;
    enum mw_err err = mw_expression_time(process->expression, process->output, &found, &result->time_s, result->detail,
                                         sizeof result->detail, error);
    if (err || found) {
        result->rate = found && process->setup.rate_regexp ? 1 / result->time_s : 0;
        return err;
    }
    result->fault = MW_RUN_NO_TIME;
    result->exit_status = MW_STATUS_CHECK;
    return MW_OK;
}

void mw_process_tail(const struct mw_process *process, unsigned lines, char *text, size_t size)
{
    *text = '\0';
    if (process->output >= 0 && !process->setup.show_output)
        mw_printed_tail(process->output, lines, text, size);
}

/* `sh -c command`, {cores} replaced, unbound; standard output goes to standard error where shown. */
static enum mw_err run_shell(const struct mw_process *process, const char *text, unsigned cores, int in, int err_to,
                             bool keep_children, struct mw_stop *stop, struct mw_run_result *result,
                             struct mw_error *error)
{
    sigset_t signals;
    bool stopped = false;
    sigprocmask(SIG_BLOCK, NULL, &signals);
    char *command = mw_run_substitute(text, cores);
    if (!command)
        return mw_fail(error, MW_NOMEM, "out of memory");
    char *words[] = {"sh", "-c", command, NULL};
    struct mw_child child = {.path = "/bin/sh",
                             .words = words,
                             .environment = process->environment.items,
                             .in = in,
                             .out = process->setup.show_output ? STDERR_FILENO : process->null,
                             .err = process->setup.show_output ? STDERR_FILENO : err_to,
                             .signals = stop && stop->fd >= 0 ? &stop->before : &signals,
                             .timeout_s = process->setup.timeout_s,
                             .keep_children = keep_children};
    enum mw_err err = mw_child_run(&child, stop, result, &stopped, error);
    free(command);
    return !err && stopped ? mw_fail(error, MW_INTERRUPTED, "interrupted") : err;
}

/* --check: with what the program printed on its standard input. */
static enum mw_err run_check(const struct mw_process *process, unsigned cores, struct mw_stop *stop,
                             struct mw_run_result *result, struct mw_error *error)
{
    struct mw_run_result checked;
    lseek(process->output, 0, SEEK_SET);
    enum mw_err err =
        run_shell(process, process->setup.check, cores, process->output, process->null, false, stop, &checked, error);
    if (!err && checked.fault) {
        result->fault = MW_RUN_CHECK;
        result->exit_status = MW_STATUS_CHECK;
    }
    return err;
}

/* --setup, --prepare, --cleanup: what they start may stay (a server), what they complain of is shown, failing is an error. */
static enum mw_err run_beside(const struct mw_process *process, const char *option, const char *command, unsigned cores,
                              struct mw_stop *stop, struct mw_error *error)
{
    struct mw_run_result result;
    char what[256];
    if (!command)
        return MW_OK;
    enum mw_err err = run_shell(process, command, cores, process->null, STDERR_FILENO, true, stop, &result, error);
    if (err || result.fault == MW_RUN_GOOD)
        return err;
    mw_run_describe(&result, what, sizeof what);
    return mw_fail(error, MW_RUN, "%s '%s' failed: %s", option, command, what);
}

static enum mw_err find_program(struct mw_process *process, struct mw_error *error)
{
    const char *name = process->launcher.count ? process->launcher.items[0] : process->setup.program[0];
    const char *path = getenv("PATH");
    if (strchr(name, '/')) {
        process->path = strdup(name);
        if (!process->path)
            return mw_fail(error, MW_NOMEM, "out of memory");
        return access(name, X_OK) ? mw_fail_errno(error, MW_RUN, errno, "cannot run '%s'", name) : MW_OK;
    }
    char *copy = strdup(path ? path : "/usr/local/bin:/usr/bin:/bin"), *rest = copy, *folder;
    while (copy && !process->path && (folder = strsep(&rest, ":"))) {
        char *candidate = NULL;
        if (asprintf(&candidate, "%s/%s", *folder ? folder : ".", name) < 0)
            break;
        if (access(candidate, X_OK) == 0)
            process->path = candidate;
        else
            free(candidate);
    }
    free(copy);
    if (process->path)
        return MW_OK;
    mw_fail(error, MW_RUN, "cannot run '%s': no such command", name);
    return mw_hint(error, "a shell's own words and pipes need: -- sh -c '…'");
}

static enum mw_err open_expression(struct mw_process *process, struct mw_error *error)
{
    const struct mw_run_setup *setup = &process->setup;
    const char *text = setup->time_regexp ? setup->time_regexp : setup->rate_regexp;
    return text ? mw_expression_open(&process->expression, text, setup->rate_regexp != NULL,
                                     setup->unit_s > 0 ? setup->unit_s : 1, error)
                : MW_OK;
}

/* What the program prints is kept where something reads it, and until a run was good: its last lines say why one was not. */
static enum mw_err open_files(struct mw_process *process, struct mw_error *error)
{
    struct mw_error ignored;
    process->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (process->null < 0)
        return mw_fail_errno(error, MW_IO, errno, "cannot open '/dev/null'");
    bool needed = process->expression || process->setup.check;
    if (!needed && process->setup.show_output)
        return MW_OK;
    enum mw_err err = mw_printed_open(&process->output, needed ? error : &ignored);
    return needed ? err : MW_OK;
}

enum mw_err mw_process_open(struct mw_process **result, const struct mw_run_setup *setup, struct mw_error *error)
{
    struct mw_process *process = calloc(1, sizeof *process);
    if (!process)
        return mw_fail(error, MW_NOMEM, "out of memory");
    process->setup = *setup;
    process->null = process->output = -1;
    enum mw_err err = setup->launcher ? mw_words_split(&process->launcher, setup->launcher, error) : MW_OK;
    for (size_t i = 0; i < setup->env_count && !err; i++)
        if (setup->env[i][0] == '=' || !strchr(setup->env[i], '='))
            err = mw_fail(error, MW_USAGE, "'%s' is not NAME=VALUE", setup->env[i]);
    if (!err)
        err = open_expression(process, error);
    if (!err && !setup->prepare_once) /* which may make it */
        err = find_program(process, error);
    if (!err)
        err = open_files(process, error);
    if (err)
        mw_process_close(process);
    else
        *result = process;
    return err;
}

void mw_process_close(struct mw_process *process)
{
    if (!process)
        return;
    mw_words_release(&process->launcher);
    mw_words_release(&process->words);
    mw_words_release(&process->environment);
    free(process->path);
    mw_expression_close(process->expression);
    if (process->null >= 0)
        close(process->null);
    if (process->output >= 0)
        close(process->output);
    free(process);
}

static enum mw_err prepare_words(struct mw_process *process, unsigned cores, struct mw_error *error)
{
    const struct mw_run_setup *setup = &process->setup;
    if (process->cores == cores && !process->stale)
        return MW_OK;
    mw_words_release(&process->words);
    mw_words_release(&process->environment);
    process->cores = 0;
    unsigned threads = setup->launcher && strstr(setup->launcher, "{cores}") ? 1 : cores;
    enum mw_err err = mw_words_command(&process->words, &process->launcher, setup->program, cores, error);
    if (!err)
        err = mw_words_environment(&process->environment, cores, threads, setup->env, setup->env_count, error);
    if (!err) {
        process->cores = cores;
        process->stale = false;
    }
    return err;
}

void mw_process_renew(struct mw_process *process)
{
    process->stale = true;
}

/* What goes before a run, the first one and each. */
static enum mw_err prepare_run(struct mw_process *process, unsigned cores, struct mw_stop *stop, struct mw_error *error)
{
    enum mw_err err = prepare_words(process, cores, error);
    if (!err && !process->has_begun) {
        process->has_begun = true; /* also where it fails: what it has begun is cleaned up */
        err = run_beside(process, "--setup", process->setup.prepare_once, cores, stop, error);
    }
    if (!err && !process->path)
        err = find_program(process, error);
    return err ? err : run_beside(process, "--prepare", process->setup.prepare, cores, stop, error);
}

enum mw_err mw_process_finish(struct mw_process *process, struct mw_stop *stop, struct mw_error *error)
{
    if (!process->has_begun)
        return MW_OK;
    process->has_begun = false;
    return run_beside(process, "--cleanup", process->setup.cleanup, process->cores, stop, error);
}

/* Masks with room for the highest CPU and for all that the kernel may give back (it refuses smaller ones). */
static enum mw_err make_masks(const unsigned *cpus, size_t count, struct mw_child *child, cpu_set_t **mask,
                              cpu_set_t **mask_read, struct mw_error *error)
{
    enum { LEAST_CPUS = 8192 }; /* NR_CPUS of the largest distribution kernels */
    unsigned highest = LEAST_CPUS - 1;
    for (size_t i = 0; i < count; i++)
        highest = cpus[i] > highest ? cpus[i] : highest;
    child->mask_size = CPU_ALLOC_SIZE(highest + 1);
    *mask = CPU_ALLOC(highest + 1);
    *mask_read = CPU_ALLOC(highest + 1);
    if (!*mask || !*mask_read)
        return mw_fail(error, MW_NOMEM, "out of memory");
    CPU_ZERO_S(child->mask_size, *mask);
    CPU_ZERO_S(child->mask_size, *mask_read);
    for (size_t i = 0; i < count; i++)
        CPU_SET_S(cpus[i], child->mask_size, *mask);
    child->mask = *mask;
    child->mask_read = *mask_read;
    return MW_OK;
}

enum mw_err mw_process_run(struct mw_process *process, unsigned cores, const unsigned *cpus, size_t cpu_count,
                           struct mw_stop *stop, struct mw_run_result *result, struct mw_error *error)
{
    cpu_set_t *mask = NULL, *mask_read = NULL;
    sigset_t signals;
    struct mw_run_result r;
    bool stopped = false;
    bool kept = process->output >= 0 && (process->expression || process->setup.check || !process->was_good);
    int out = kept ? process->output : process->setup.show_output ? STDERR_FILENO : process->null;
    sigprocmask(SIG_BLOCK, NULL, &signals);
    enum mw_err err = prepare_run(process, cores, stop, error);
    struct mw_child child = {.path = process->path,
                             .words = process->words.items,
                             .environment = process->environment.items,
                             .in = process->null,
                             .out = out,
                             .err = out,
                             .signals = stop && stop->fd >= 0 ? &stop->before : &signals,
                             .timeout_s = process->setup.timeout_s,
                             .keep_children = process->setup.keep_children,
                             .count_events = process->setup.count_events};
    if (!err && cpu_count)
        err = make_masks(cpus, cpu_count, &child, &mask, &mask_read, error);
    if (!err && process->output >= 0 && ftruncate(process->output, 0))
        err = mw_fail_errno(error, MW_IO, errno, "cannot empty the file that takes the program's output");
    if (!err)
        err = mw_child_run(&child, stop, &r, &stopped, error);
    if (!err && stopped)
        err = mw_fail(error, MW_INTERRUPTED, "interrupted");
    if (!err && process->output >= 0 && process->setup.show_output)
        mw_printed_copy(process->output, STDERR_FILENO);
    if (!err && kept && r.fault != MW_RUN_GOOD && r.fault != MW_RUN_TIMEOUT)
        err = mw_printed_check(process->output, error);
    if (!err && r.fault == MW_RUN_GOOD && process->expression)
        err = printed_time(process, &r, error);
    if (!err && r.fault == MW_RUN_GOOD && process->setup.check)
        err = run_check(process, cores, stop, &r, error);
    process->was_good = process->was_good || (!err && r.fault == MW_RUN_GOOD);
    CPU_FREE(mask);
    CPU_FREE(mask_read);
    if (!err)
        *result = r;
    return err;
}

void mw_run_describe(const struct mw_run_result *result, char *text, size_t size)
{
    int number = result->exit_status - MW_STATUS_SIGNAL;
    switch (result->fault) {
    case MW_RUN_GOOD:
        snprintf(text, size, "ended well");
        break;
    case MW_RUN_EXIT:
        snprintf(text, size, "exit status %d", result->exit_status);
        break;
    case MW_RUN_SIGNAL:
        snprintf(text, size, "killed by signal %d (%s)", number, strsignal(number));
        break;
    case MW_RUN_TIMEOUT:
        snprintf(text, size, "timed out after %.3g s", result->wall_s);
        break;
    case MW_RUN_CHECK:
        snprintf(text, size, "its check failed");
        break;
    case MW_RUN_NO_TIME:
        snprintf(text, size, "printed no time: %s", result->detail);
        break;
    }
}
