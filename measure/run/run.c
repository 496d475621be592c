// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/run.h"

#include "data/units.h"
#include "measure/run/run_child.h"
#include "measure/run/run_words.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mw_process {
    struct mw_run_setup setup;
    struct mw_words launcher, words, environment;
    unsigned cores;   /* that words and environment are made for; 0: none yet */
    char *path;       /* of the first word */
    int null, output; /* output: an unlinked file, -1 where nothing reads what the program prints */
    regex_t expression;
    bool has_expression;
};

/* The last match of the expression in what the program printed; its first group, else all of it. */
static bool last_match(const regex_t *expression, const char *text, char *found, size_t size)
{
    regmatch_t match[2];
    bool any = false;
    int flags = 0;
    while (regexec(expression, text, 2, match, flags) == 0) {
        regmatch_t m = match[1].rm_so >= 0 ? match[1] : match[0];
        while (m.rm_so < m.rm_eo && strchr(" \t", text[m.rm_so]))
            m.rm_so++;
        while (m.rm_eo > m.rm_so && strchr(" \t", text[m.rm_eo - 1]))
            m.rm_eo--;
        snprintf(found, size, "%.*s", (int)(m.rm_eo - m.rm_so), text + m.rm_so);
        any = true;
        regoff_t end = match[0].rm_eo > 0 ? match[0].rm_eo : 1;
        if (!text[end - 1] || !text[end])
            break;
        text += end;
        flags = text[-1] == '\n' ? 0 : REG_NOTBOL;
    }
    return any;
}

/* All that lies in the output file, with a zero behind; NULL when it cannot be read. */
static char *read_output(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    ssize_t got = text ? pread(fd, text, (size_t)size, 0) : -1;
    if (got < 0) {
        free(text);
        return NULL;
    }
    text[got] = '\0';
    for (ssize_t i = 0; i < got; i++) /* a zero byte would hide what follows from the expression */
        if (!text[i])
            text[i] = ' ';
    return text;
}

static void printed_time(const struct mw_process *process, struct mw_run_result *result)
{
    char found[64];
    char *text = read_output(process->output);
    double value = 0;
    bool good = text && last_match(&process->expression, text, found, sizeof found);
    if (good && process->setup.rate_regexp)
        good = !mw_parse_number(found, &value, NULL) && value > 0;
    else if (good)
        good = !mw_parse_duration(found, &value, NULL) && value > 0;
    free(text);
    if (good) {
        result->time_s = process->setup.rate_regexp ? 1 / value : value;
        return;
    }
    result->fault = MW_RUN_NO_TIME;
    result->exit_status = MW_STATUS_CHECK;
}

/* `sh -c command`, {cores} replaced, unbound; its output goes to standard error where shown. */
static enum mw_err run_check(const struct mw_process *process, unsigned cores, struct mw_stop *stop,
                             struct mw_run_result *result, struct mw_error *error)
{
    sigset_t signals;
    sigprocmask(SIG_BLOCK, NULL, &signals);
    char *command = mw_run_substitute(process->setup.check, cores);
    if (!command)
        return mw_fail(error, MW_NOMEM, "out of memory");
    char *words[] = {"sh", "-c", command, NULL};
    int shown = process->setup.show_output ? STDERR_FILENO : process->null;
    struct mw_child child = {.path = "/bin/sh",
                             .words = words,
                             .environment = process->environment.items,
                             .in = process->output,
                             .out = shown,
                             .err = shown,
                             .signals = stop && stop->fd >= 0 ? &stop->before : &signals,
                             .timeout_s = process->setup.timeout_s};
    struct mw_run_result checked;
    bool stopped = false;
    lseek(process->output, 0, SEEK_SET);
    enum mw_err err = mw_child_run(&child, stop, &checked, &stopped, error);
    free(command);
    if (!err && stopped)
        return mw_fail(error, MW_INTERRUPTED, "interrupted");
    if (!err && checked.fault) {
        result->fault = MW_RUN_CHECK;
        result->exit_status = MW_STATUS_CHECK;
    }
    return err;
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

static enum mw_err compile_expression(struct mw_process *process, struct mw_error *error)
{
    const char *text = process->setup.time_regexp ? process->setup.time_regexp : process->setup.rate_regexp;
    if (!text)
        return MW_OK;
    int code = regcomp(&process->expression, text, REG_EXTENDED | REG_NEWLINE);
    if (code) {
        char why[128];
        regerror(code, &process->expression, why, sizeof why);
        return mw_fail(error, MW_USAGE, "bad expression '%s': %s", text, why);
    }
    process->has_expression = true;
    return MW_OK;
}

static enum mw_err open_files(struct mw_process *process, struct mw_error *error)
{
    process->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (process->null < 0)
        return mw_fail_errno(error, MW_IO, errno, "cannot open '/dev/null'");
    if (!process->has_expression && !process->setup.check)
        return MW_OK;
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/memwall-output-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    process->output = mkostemp(path, O_CLOEXEC | O_APPEND);
    enum mw_err err = process->output < 0 ? mw_fail_errno(error, MW_IO, errno, "cannot create '%s'", path) : MW_OK;
    if (!err)
        unlink(path);
    free(path);
    return err;
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
        err = compile_expression(process, error);
    if (!err)
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
    if (process->has_expression)
        regfree(&process->expression);
    if (process->null >= 0)
        close(process->null);
    if (process->output >= 0)
        close(process->output);
    free(process);
}

static enum mw_err prepare_words(struct mw_process *process, unsigned cores, struct mw_error *error)
{
    const struct mw_run_setup *setup = &process->setup;
    if (process->cores == cores)
        return MW_OK;
    mw_words_release(&process->words);
    mw_words_release(&process->environment);
    process->cores = 0;
    unsigned threads = setup->launcher && strstr(setup->launcher, "{cores}") ? 1 : cores;
    enum mw_err err = mw_words_command(&process->words, &process->launcher, setup->program, cores, error);
    if (!err)
        err = mw_words_environment(&process->environment, cores, threads, setup->env, setup->env_count, error);
    if (!err)
        process->cores = cores;
    return err;
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
    int out = process->output >= 0 ? process->output : process->setup.show_output ? STDERR_FILENO : process->null;
    sigprocmask(SIG_BLOCK, NULL, &signals);
    enum mw_err err = prepare_words(process, cores, error);
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
    if (!err && r.fault == MW_RUN_GOOD && process->has_expression)
        printed_time(process, &r);
    if (!err && r.fault == MW_RUN_GOOD && process->setup.check)
        err = run_check(process, cores, stop, &r, error);
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
        snprintf(text, size, "printed no time that the expression finds");
        break;
    }
}
