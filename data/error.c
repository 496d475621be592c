// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/error.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int exit_status;
    const char *text;
} errors[] = {
#define X(name, status, text) [MW_##name] = {#name, status, text},
    MW_ERR_MAP(X)
#undef X
};

static void fill(struct mw_error *error, enum mw_err code, int saved_errno, const char *format, va_list args)
{
    if (!error)
        return;
    error->code = code;
    error->sys_errno = saved_errno;
    error->hint[0] = '\0';
    vsnprintf(error->message, sizeof error->message, format, args);
    if (saved_errno) {
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, ": %s", strerror(saved_errno));
    }
}

enum mw_err mw_fail(struct mw_error *error, enum mw_err code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(error, code, 0, format, args);
    va_end(args);
    return code;
}

enum mw_err mw_fail_errno(struct mw_error *error, enum mw_err code, int saved_errno, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(error, code, saved_errno, format, args);
    va_end(args);
    return code;
}

enum mw_err mw_hint(struct mw_error *error, const char *format, ...)
{
    if (!error)
        return MW_IO;
    va_list args;
    va_start(args, format);
    vsnprintf(error->hint, sizeof error->hint, format, args);
    va_end(args);
    return error->code;
}

int mw_err_exit_status(enum mw_err code)
{
    return errors[code].exit_status;
}

const char *mw_err_name(enum mw_err code)
{
    return errors[code].name;
}

const char *mw_err_text(enum mw_err code)
{
    return errors[code].text;
}
