// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The process that holds a lock on the inode, 0 where the kernel does not tell. */
static long holder(ino_t inode)
{
    char line[256];
    long found = 0;
    FILE *f = fopen("/proc/locks", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        long pid;
        unsigned long at;
        if (sscanf(line, "%*d: FLOCK %*s WRITE %ld %*x:%*x:%lu", &pid, &at) == 2 && at == (unsigned long)inode)
            found = pid;
    }
    if (f)
        fclose(f);
    return found;
}

enum mw_err mw_lock_take(int *fd, const char *root, struct mw_error *error)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/sys/devices/system/cpu", root);
    if (length < 0 || (size_t)length >= sizeof path)
        return mw_fail(error, MW_USAGE, "'%s': the name is too long", root);
    int made = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (made < 0)
        return mw_fail_errno(error, MW_IO, errno, "cannot open '%s'", path);
    if (flock(made, LOCK_EX | LOCK_NB) == 0) {
        *fd = made;
        return MW_OK;
    }
    int saved = errno;
    struct stat info;
    long pid = saved == EWOULDBLOCK && fstat(made, &info) == 0 ? holder(info.st_ino) : 0;
    close(made);
    if (saved != EWOULDBLOCK)
        return mw_fail_errno(error, MW_IO, saved, "cannot lock '%s'", path);
    if (pid)
        mw_fail(error, MW_BUSY, "another memwall (process %ld) is measuring on this machine", pid);
    else
        mw_fail(error, MW_BUSY, "another memwall is measuring on this machine");
    return mw_hint(error, "wait until it is done, or end it with SIGTERM: it then restores the machine");
}

void mw_lock_drop(int fd)
{
    if (fd >= 0)
        close(fd);
}
