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

/*
 * What a file or a program says must not move a terminal's cursor, write its title or answer for its user: control
 * characters become '?', but for those of a text. `sgr`: also the sequences that this file makes (bold, dim, reset).
 */
static void disarm_but(char *text, bool sgr)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        size_t own = sgr && c[0] == 27 && c[1] == '[' && c[2] >= '0' && c[2] <= '2' && c[3] == 'm' ? 3 : 0;
        bool c1 = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0; /* the second block of them, in UTF-8 */
        if (own)
            c += own;
        else if ((*c < ' ' && *c != '\n' && *c != '\t') || *c == 127 || c1)
            *c = *c == '\f' ? ' ' : '?'; /* gnuplot's pictures of letters begin with a form feed */
        if (c1)
            *++c = '?';
    }
}

void cli_disarm(char *text)
{
    disarm_but(text, false);
}

static ssize_t write_disarmed(void *cookie, const char *bytes, size_t size)
{
    char text[1024];
    (void)cookie;
    for (size_t done = 0; done < size;) {
        size_t n = size - done < sizeof text - 1 ? size - done : sizeof text - 1;
        memcpy(text, bytes + done, n);
        text[n] = '\0';
        for (size_t i = 0; i < n; i++)
            if (!text[i])
                text[i] = '?';
        disarm_but(text, true);
        for (size_t out = 0; out < n;) {
            ssize_t written = write(STDOUT_FILENO, text + out, n - out);
            if (written < 0 && errno != EINTR)
                return 0;
            out += written > 0 ? (size_t)written : 0;
        }
        done += n;
    }
    return (ssize_t)size;
}

void cli_terminal_open(void)
{
    if (!isatty(STDOUT_FILENO))
        return;
    FILE *filtered = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_disarmed});
    if (!filtered)
        return;
    setvbuf(filtered, NULL, _IOLBF, BUFSIZ);
    stdout = filtered;
}

static void message(const struct cli *cli, const char *kind, const char *format, va_list args)
{
    char *text = NULL;
    cli_progress_end();
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    if (text)
        cli_disarm(text);
    fprintf(stderr, "memwall%s%s: %s%s\n", cli->command ? " " : "", cli->command ? cli->command->name : "", kind,
            text ? text : "out of memory");
    free(text);
}

void cli_say(const struct cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message(cli, "", format, args);
    va_end(args);
}

/* More than three are not read. */
enum { WARNINGS_SHOWN = 3 };
static size_t warning_count;

void cli_warn(const struct cli *cli, const char *format, ...)
{
    va_list args;
    warning_count++;
    if (cli->command && cli->command->groups & CLI_VERBOSE && !cli->common.verbose && warning_count > WARNINGS_SHOWN)
        return;
    va_start(args, format);
    message(cli, "warning: ", format, args);
    va_end(args);
}

void cli_warn_end(const struct cli *cli)
{
    if (cli->command->groups & CLI_VERBOSE && !cli->common.verbose && warning_count > WARNINGS_SHOWN)
        cli_say(cli, "and %zu more warning%s: --verbose", warning_count - WARNINGS_SHOWN,
                warning_count > WARNINGS_SHOWN + 1 ? "s" : "");
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
    if (error->hint[0]) {
        char hint[sizeof error->hint];
        snprintf(hint, sizeof hint, "%s", error->hint);
        cli_disarm(hint);
        fprintf(stderr, "hint: %s\n", hint);
    }
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
    cli_disarm(text);
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
