// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/freq/attribute.h"

#include "measure/machine/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum mw_err mw_attributes_init(struct mw_attributes *attributes, const char *root, bool dry, struct mw_error *error)
{
    if (strlen(root) >= sizeof attributes->root)
        return mw_fail(error, MW_USAGE, "'%s': the name is too long", root);
    *attributes = (struct mw_attributes){.dry = dry};
    snprintf(attributes->root, sizeof attributes->root, "%s", root);
    return MW_OK;
}

void mw_attributes_release(struct mw_attributes *attributes)
{
    free(attributes->writes);
    *attributes = (struct mw_attributes){0};
}

int mw_attribute_read(const struct mw_attributes *attributes, const char *path, char *value, size_t size)
{
    for (size_t i = attributes->write_count; i-- > 0;) {
        if (strcmp(attributes->writes[i].path, path))
            continue;
        snprintf(value, size, "%s", attributes->writes[i].value);
        return 0;
    }
    int failed = mw_sysfile_text(attributes->root, value, size, "%s", path);
    if (!failed)
        value[strcspn(value, "\n")] = '\0';
    return failed;
}

int mw_attribute_number(const struct mw_attributes *attributes, const char *path, long *value)
{
    char text[64], *end;
    int failed = mw_attribute_read(attributes, path, text, sizeof text);
    if (failed)
        return failed;
    errno = 0;
    long parsed = strtol(text, &end, 10);
    if (end == text || *end || errno)
        return EINVAL;
    *value = parsed;
    return 0;
}

static int note_write(struct mw_attributes *attributes, const char *path, const char *value)
{
    struct mw_attribute_write *writes = realloc(attributes->writes, (attributes->write_count + 1) * sizeof *writes);
    if (!writes)
        return ENOMEM;
    attributes->writes = writes;
    snprintf(writes[attributes->write_count].path, sizeof writes->path, "%s", path);
    snprintf(writes[attributes->write_count].value, sizeof writes->value, "%s", value);
    attributes->write_count++;
    return 0;
}

/* Whether the file lies in the tree once links are followed: what somebody else packed must not write outside it. */
static bool is_inside(const char *root, const char *full)
{
    char *folder = realpath(root, NULL), *file = realpath(full, NULL);
    size_t length = folder ? strlen(folder) : 0;
    bool inside = folder && file && !strncmp(folder, file, length) && (length == 1 || file[length] == '/');
    free(folder);
    free(file);
    return inside;
}

int mw_attribute_write(struct mw_attributes *attributes, const char *path, const char *value)
{
    char full[PATH_MAX], line[64];
    int length = snprintf(line, sizeof line, "%s\n", value);
    int path_length = snprintf(full, sizeof full, "%s%s", attributes->root, path);
    if (length < 0 || (size_t)length >= sizeof line || path_length < 0 || (size_t)path_length >= sizeof full)
        return ENAMETOOLONG;
    if (attributes->dry)
        return note_write(attributes, path, value);
    if (*attributes->root && access(full, F_OK) == 0 && !is_inside(attributes->root, full))
        return EXDEV;
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
    if (!failed && *attributes->root && ftruncate(fd, length))
        failed = errno;
    close(fd);
    return failed;
}

enum mw_err mw_attribute_fail(int failed, const char *path, const char *value, struct mw_error *error)
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
