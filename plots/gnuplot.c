// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/gnuplot.h"

#include "plots/scripts.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Reads a whole file; NULL on failure. */
static char *slurp(const char *path)
{
    FILE *f = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    if (!f)
        return NULL;
    if (getdelim(&text, &size, '\0', f) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(f);
    return text;
}

/* Runs gnuplot on a script file, its messages to `log`; exit status, or -1 with errno. */
static int run(const char *script_path, const char *log_path)
{
    /* gnuplot prints and reads numbers in the locale of its environment: always the C one */
    char *const argv[] = {"env", "LC_ALL=C.UTF-8", "gnuplot", (char *)script_path, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int failed = posix_spawnp(&child, "env", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        errno = failed;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A folder for script, data, log and picture. */
struct workdir {
    char folder[256], script[264], data[264], log[264], picture[264];
};

static enum mw_err workdir_open(struct workdir *workdir, struct mw_error *error)
{
    const char *base = getenv("TMPDIR");
    snprintf(workdir->folder, sizeof workdir->folder, "%s/memwall-plot-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(workdir->folder))
        return mw_fail_errno(error, MW_IO, errno, "cannot create a folder '%s'", workdir->folder);
    snprintf(workdir->script, sizeof workdir->script, "%s/s", workdir->folder);
    snprintf(workdir->data, sizeof workdir->data, "%s/d", workdir->folder);
    snprintf(workdir->log, sizeof workdir->log, "%s/l", workdir->folder);
    snprintf(workdir->picture, sizeof workdir->picture, "%s/p", workdir->folder);
    return MW_OK;
}

static void workdir_close(const struct workdir *workdir)
{
    unlink(workdir->script);
    unlink(workdir->data);
    unlink(workdir->log);
    unlink(workdir->picture);
    rmdir(workdir->folder);
}

static enum mw_err write_text(const char *path, struct mw_error *error, const char *const *parts)
{
    FILE *f = fopen(path, "we");
    bool failed = !f;
    for (; f && *parts; parts++)
        failed |= fputs(*parts, f) == EOF;
    if (f)
        failed |= fclose(f) != 0;
    return failed ? mw_fail_errno(error, MW_IO, errno, "cannot write '%s'", path) : MW_OK;
}

/* Runs a finished workdir. */
static enum mw_err workdir_run(const struct workdir *workdir, struct mw_error *error)
{
    int status = run(workdir->script, workdir->log);
    if (status == 127) {
        mw_fail(error, MW_UNSUPPORTED, "gnuplot is not installed");
        return mw_hint(error, "install it (Debian: gnuplot-nox, Fedora and Arch: gnuplot)");
    }
    if (status == 0)
        return MW_OK;
    char *log = slurp(workdir->log), *rest = log, *line, *why = NULL;
    while ((line = strsep(&rest, "\n"))) /* the last complaint that is no warning is what ended it */
        if (line[strspn(line, " ^")] && !strstr(line, "warning:"))
            why = line;
    mw_fail(error, MW_RUN, "gnuplot failed: %s", why ? why : "no message");
    free(log);
    return MW_RUN;
}

static bool has_terminal(const char *terminal)
{
    struct workdir workdir;
    if (workdir_open(&workdir, NULL))
        return false;
    const char *const parts[] = {"set terminal ", terminal, "\n", NULL};
    bool there = !write_text(workdir.script, NULL, parts) && run(workdir.script, workdir.log) == 0;
    workdir_close(&workdir);
    return there;
}

enum mw_err mw_gnuplot_terminal(const char **terminal, const char *kind, struct mw_error *error)
{
    static const char *const choices[][3] = {
        {"svg", "svg"}, {"png", "pngcairo", "png"}, {"pdf", "pdfcairo", "pdf"}, {"dumb", "dumb"}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (strcmp(choices[i][0], kind) != 0)
            continue;
        for (size_t j = 1; j < 3 && choices[i][j]; j++)
            if (has_terminal(choices[i][j])) {
                *terminal = choices[i][j];
                return MW_OK;
            }
        if (!has_terminal("unknown")) {
            mw_fail(error, MW_UNSUPPORTED, "gnuplot is not installed");
            return mw_hint(error, "install it (Debian: gnuplot-nox, Fedora and Arch: gnuplot)");
        }
        mw_fail(error, MW_UNSUPPORTED, "this gnuplot has no terminal for %s", kind);
        return mw_hint(error, "svg and dumb are in every gnuplot");
    }
    mw_fail(error, MW_USAGE, "'%s' is not a format that can be drawn", kind);
    return mw_hint(error, "the valid ones are svg, png, pdf and dumb");
}

/*
 * Draws into workdir->picture, or to standard output for dumb without a path. hover: with texts for whoever points at a reading,
 * which mw_figure_print makes titles of.
 */
static enum mw_err draw(const struct workdir *workdir, const struct mw_plot *plot, const char *kind, bool to_file,
                        bool hover, struct mw_error *error)
{
    const char *terminal;
    enum mw_err err = mw_gnuplot_terminal(&terminal, kind, error);
    if (err)
        return err;
    const char *const data[] = {plot->data, NULL};
    const char *const script[] = {"mw_terminal = '",
                                  terminal,
                                  "'\noutfile = '",
                                  to_file ? workdir->picture : "",
                                  "'\ndatafile = '",
                                  workdir->data,
                                  hover ? "'\nmw_hover = 1\n" : "'\n",
                                  plot->variables ? plot->variables : "",
                                  mw_script_find("common"),
                                  mw_script_find(plot->script),
                                  NULL};
    err = write_text(workdir->data, error, data);
    if (!err)
        err = write_text(workdir->script, error, script);
    return err ? err : workdir_run(workdir, error);
}

/* Copies the finished picture beside its place, then renames it there. */
static enum mw_err deliver(const struct workdir *workdir, const char *path, struct mw_error *error)
{
    char *part = NULL, buffer[65536];
    if (asprintf(&part, "%s.part%ld", path, (long)getpid()) < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    FILE *in = fopen(workdir->picture, "re"), *out = in ? fopen(part, "we") : NULL;
    size_t n, total = 0;
    bool failed = !in || !out;
    while (!failed && (n = fread(buffer, 1, sizeof buffer, in)) > 0) {
        failed = fwrite(buffer, 1, n, out) != n;
        total += n;
    }
    int saved = errno;
    if (in)
        fclose(in);
    if (out && fclose(out) && !failed) {
        failed = true;
        saved = errno;
    }
    if (!failed && total && rename(part, path)) {
        failed = true;
        saved = errno;
    }
    if (failed || !total)
        unlink(part);
    free(part);
    if (failed)
        return mw_fail_errno(error, MW_IO, saved, "cannot write '%s'", path);
    return total ? MW_OK : mw_fail(error, MW_RUN, "gnuplot drew nothing");
}

static const char *kind_of(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && !strchr(dot, '/') ? dot + 1 : "";
}

enum mw_err mw_gnuplot_draw(const struct mw_plot *plot, const char *kind, const char *path, bool force,
                            struct mw_error *error)
{
    struct workdir workdir;
    struct stat info;
    if (path && !strcmp(path, "-"))
        path = NULL;
    if (!kind)
        kind = path ? kind_of(path) : "dumb";
    if (path && !force && stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        mw_fail(error, MW_IO, "'%s' exists", path);
        return mw_hint(error, "--force overwrites it");
    }
    enum mw_err err = workdir_open(&workdir, error);
    if (err)
        return err;
    err = draw(&workdir, plot, kind, path != NULL, false, error);
    if (!err && path)
        err = deliver(&workdir, path, error);
    workdir_close(&workdir);
    return err;
}

enum mw_err mw_gnuplot_svg(const struct mw_plot *plot, char **svg, struct mw_error *error)
{
    struct workdir workdir;
    enum mw_err err = workdir_open(&workdir, error);
    if (err)
        return err;
    err = draw(&workdir, plot, "svg", true, true, error);
    char *text = err ? NULL : slurp(workdir.picture);
    if (!err && (!text || !*text))
        err = mw_fail(error, MW_RUN, "gnuplot drew nothing");
    if (err)
        free(text);
    else
        *svg = text;
    workdir_close(&workdir);
    return err;
}
