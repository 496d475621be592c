// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool color_on;
static bool progress_shown;
static volatile sig_atomic_t interrupted;

void cli_color_init(const char *when)
{
    const char *term = getenv("TERM");
    const char *no_color = getenv("NO_COLOR");
    if (!strcmp(when, "auto"))
        color_on = isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
    else
        color_on = !strcmp(when, "always");
}

const char *cli_bold(void)
{
    return color_on ? "\033[1m" : "";
}

const char *cli_dim(void)
{
    return color_on ? "\033[2m" : "";
}

const char *cli_reset(void)
{
    return color_on ? "\033[0m" : "";
}

static void message(const struct cli *cli, const char *kind, const char *format, va_list args)
{
    cli_progress_end();
    fprintf(stderr, "memwall%s%s: %s", cli->command ? " " : "", cli->command ? cli->command->name : "", kind);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void cli_say(const struct cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message(cli, "", format, args);
    va_end(args);
}

void cli_warn(const struct cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message(cli, "warning: ", format, args);
    va_end(args);
}

int cli_usage(const struct cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message(cli, "", format, args);
    va_end(args);
    fprintf(stderr, "hint: memwall help%s%s\n", cli->command ? " " : "", cli->command ? cli->command->name : "");
    return mw_err_exit_status(MW_USAGE);
}

int cli_fail(const struct cli *cli, const struct mw_error *error)
{
    if (error->sys_errno == EPIPE) /* the reader has seen enough: `memwall … | head` */
        return 0;
    cli_say(cli, "%s", error->message);
    if (error->hint[0])
        fprintf(stderr, "hint: %s\n", error->hint);
    return mw_err_exit_status(error->code);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_progress(const struct cli *cli, size_t done, size_t total, const char *format, ...)
{
    static double start = -1;
    static size_t first_done;
    double now = seconds();
    if (start < 0 || done < first_done) {
        start = now;
        first_done = done;
    }
    const char *term = getenv("TERM");
    if (!isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb") || now - start < 1)
        return;
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "\r\033[Kmemwall %s: %s", cli->command->name, text);
    if (total) {
        fprintf(stderr, " (%zu of %zu", done, total);
        if (done > first_done && done < total) {
            double left = (now - start) / (double)(done - first_done) * (double)(total - done);
            fprintf(stderr, left < 90 ? ", %.0f s left" : ", %.0f min left", left < 90 ? left : left / 60);
        }
        fputc(')', stderr);
    }
    fflush(stderr);
    progress_shown = true;
}

void cli_progress_end(void)
{
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
}

static void on_signal(int number)
{
    if (interrupted) { /* the second one: the default action ends the process at once */
        signal(number, SIG_DFL);
        raise(number);
    }
    interrupted = 1;
}

void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

bool cli_interrupted(void)
{
    return interrupted != 0;
}
