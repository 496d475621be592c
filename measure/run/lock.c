// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/lock.h"

#include "measure/machine/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* how often a waiting memwall looks */
#define LOOK_EVERY_S .2

/* The process that holds a lock on the inode, 0 where the kernel does not tell. */
static long holder(ino_t inode)
{
    char line[256];
    long found = 0;
    FILE *f = fopen("/proc/locks", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        long pid;
        unsigned long at;
        if (sscanf(line, "%*d: FLOCK %*s %*s %ld %*x:%*x:%lu", &pid, &at) == 2 && at == (unsigned long)inode)
            found = pid;
    }
    if (f)
        fclose(f);
    return found;
}

static enum mw_err busy(int fd, struct mw_error *error)
{
    struct stat info;
    long pid = fstat(fd, &info) == 0 ? holder(info.st_ino) : 0;
    if (pid)
        mw_fail(error, MW_BUSY, "another memwall (process %ld) is measuring on this machine", pid);
    else
        mw_fail(error, MW_BUSY, "another memwall is measuring on this machine");
    return mw_hint(error, "--wait waits until it is done; SIGTERM ends it, and it then restores the machine");
}

/* Locks a folder; *fd stays -1 where the folder isn't there. */
static enum mw_err take(int *fd, const char *path, int how, enum mw_lock_mode mode, struct mw_stop *stop,
                        struct mw_error *error)
{
    int made = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (made < 0)
        return errno == ENOENT ? MW_OK : mw_fail_errno(error, MW_IO, errno, "cannot open '%s'", path);
    enum mw_err err = MW_OK;
    while (!err && flock(made, how | LOCK_NB)) {
        if (errno != EWOULDBLOCK)
            err = mw_fail_errno(error, MW_IO, errno, "cannot lock '%s'", path);
        else if (mode != MW_LOCK_WAIT)
            err = busy(made, error);
        else if (mw_stop_sleep(stop, LOOK_EVERY_S) != MW_STOP_NONE)
            err = mw_fail(error, MW_INTERRUPTED, "interrupted while another memwall was measuring");
    }
    if (err)
        close(made);
    else
        *fd = made;
    return err;
}

enum mw_err mw_lock_take(struct mw_lock *lock, const char *root, bool sets, enum mw_lock_mode mode,
                         struct mw_stop *stop, struct mw_error *error)
{
    char path[PATH_MAX];
    struct mw_lock made = MW_LOCK_NONE;
    enum mw_err err = MW_OK;
    if (mode == MW_LOCK_OFF) {
        *lock = made;
        return MW_OK;
    }
    int length = snprintf(path, sizeof path, "%s/sys/devices/system/cpu", root);
    if (length < 0 || (size_t)length >= sizeof path)
        return mw_fail(error, MW_USAGE, "'%s': the name is too long", root);
    if (!mw_state_folder_given(root))
        err = take(&made.machine, path, sets || *root ? LOCK_EX : LOCK_SH, mode, stop, error);
    if (!err && !*root) {
        int failed = mw_state_folder(root, true, path, sizeof path);
        if (failed && mw_state_folder_given(root))
            err = mw_fail_errno(error, MW_IO, failed, "MEMWALL_RUN_DIR: cannot use '%s'", path);
        else if (!failed) /* a user with no place to write has the machine's lock alone */
            err = take(&made.user, path, LOCK_EX, mode, stop, error);
    }
    if (err)
        mw_lock_drop(&made);
    else
        *lock = made;
    return err;
}

void mw_lock_drop(struct mw_lock *lock)
{
    if (lock->machine >= 0)
        close(lock->machine);
    if (lock->user >= 0)
        close(lock->user);
    *lock = MW_LOCK_NONE;
}
