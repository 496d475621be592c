// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/freq/knob.h"

#include "measure/machine/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum mw_err mw_knobs_init(struct mw_knobs *knobs, const char *root, bool dry, struct mw_error *error)
{
    if (strlen(root) >= sizeof knobs->root)
        return mw_fail(error, MW_USAGE, "'%s': the name is too long", root);
    *knobs = (struct mw_knobs){.dry = dry};
    snprintf(knobs->root, sizeof knobs->root, "%s", root);
    return MW_OK;
}

void mw_knobs_release(struct mw_knobs *knobs)
{
    free(knobs->writes);
    *knobs = (struct mw_knobs){0};
}

int mw_knob_read(const struct mw_knobs *knobs, const char *path, char *value, size_t size)
{
    for (size_t i = knobs->write_count; i-- > 0;) {
        if (strcmp(knobs->writes[i].path, path))
            continue;
        snprintf(value, size, "%s", knobs->writes[i].value);
        return 0;
    }
    int failed = mw_sysfile_text(knobs->root, value, size, "%s", path);
    if (!failed)
        value[strcspn(value, "\n")] = '\0';
    return failed;
}

int mw_knob_number(const struct mw_knobs *knobs, const char *path, long *value)
{
    char text[64], *end;
    int failed = mw_knob_read(knobs, path, text, sizeof text);
    if (failed)
        return failed;
    errno = 0;
    long parsed = strtol(text, &end, 10);
    if (end == text || *end || errno)
        return EINVAL;
    *value = parsed;
    return 0;
}

static int note_write(struct mw_knobs *knobs, const char *path, const char *value)
{
    struct mw_knob_write *writes = realloc(knobs->writes, (knobs->write_count + 1) * sizeof *writes);
    if (!writes)
        return ENOMEM;
    knobs->writes = writes;
    snprintf(writes[knobs->write_count].path, sizeof writes->path, "%s", path);
    snprintf(writes[knobs->write_count].value, sizeof writes->value, "%s", value);
    knobs->write_count++;
    return 0;
}

int mw_knob_write(struct mw_knobs *knobs, const char *path, const char *value)
{
    char full[PATH_MAX], line[64];
    int length = snprintf(line, sizeof line, "%s\n", value);
    int path_length = snprintf(full, sizeof full, "%s%s", knobs->root, path);
    if (length < 0 || (size_t)length >= sizeof line || path_length < 0 || (size_t)path_length >= sizeof full)
        return ENAMETOOLONG;
    if (knobs->dry)
        return note_write(knobs, path, value);
    int fd = open(full, O_WRONLY | O_CLOEXEC), failed = 0;
    if (fd < 0)
        return errno;
    ssize_t written;
    do
        written = write(fd, line, (size_t)length);
    while (written < 0 && errno == EINTR);
    if (written < 0)
        failed = errno;
    else if (written < length)
        failed = EIO;
    /* a plain file of a tree keeps the rest of a longer old value; the kernel's files take this without effect */
    if (!failed && *knobs->root && ftruncate(fd, length))
        failed = errno;
    close(fd);
    return failed;
}

enum mw_err mw_knob_fail(int failed, const char *path, const char *value, struct mw_error *error)
{
    enum mw_err code = failed == EACCES || failed == EPERM || failed == EROFS ? MW_PERM
                       : failed == EBUSY                                      ? MW_BUSY
                                                                              : MW_IO;
    mw_fail_errno(error, code, failed, "cannot write '%s' to '%s'", value, path);
    switch (failed) {
    case EACCES:
        return mw_hint(error, "setting frequencies needs root: run memwall with sudo, or leave out --freq");
    case EPERM:
        return mw_hint(error,
                       "the kernel forbids it even here (firmware setting, lockdown or a container): leave out --freq "
                       "or --boost, or run on the host as root");
    case EROFS:
        return mw_hint(error,
                       "/sys is mounted read-only, as in a container, where even root cannot change it: run on the "
                       "host, or leave out --freq");
    case EBUSY:
        return mw_hint(error,
                       "another owner holds this setting (power-profiles-daemon, tuned, TLP, auto-cpufreq, or the "
                       "driver's active mode): stop it for the time of the scan");
    case EINVAL:
        return mw_hint(error, "the driver does not take this value; memwall machine lists what it offers");
    case ENOENT:
        return mw_hint(error, "the driver of this machine does not have it");
    default:
        return error->code;
    }
}
