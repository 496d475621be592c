// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/machine/state_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the folder where its parent lets us; only one's own is safe where everybody may write (/tmp). */
static int make_own(const char *folder, bool make)
{
    struct stat info;
    if (make && mkdir(folder, 0755) && errno != EEXIST)
        return errno;
    if (lstat(folder, &info))
        return errno;
    if (!S_ISDIR(info.st_mode))
        return ENOTDIR;
    return info.st_uid == geteuid() ? access(folder, W_OK) ? errno : 0 : EACCES;
}

const char *mw_state_folder_given(const char *root)
{
    const char *given = getenv("MEMWALL_RUN_DIR");
    return !*root && given && *given ? given : NULL;
}

static int below_root(const char *root, bool make, char *folder, size_t size)
{
    int length = snprintf(folder, size, "%s/run", root);
    if (length < 0 || (size_t)length + sizeof "/memwall" > size)
        return ENAMETOOLONG;
    if (make && mkdir(folder, 0755) && errno != EEXIST)
        return errno;
    snprintf(folder + length, size - (size_t)length, "/memwall");
    return make_own(folder, make);
}

int mw_state_folder(const char *root, bool make, char *folder, size_t size)
{
    const char *given = mw_state_folder_given(root), *session = getenv("XDG_RUNTIME_DIR");
    if (*root)
        return below_root(root, make, folder, size);
    if (given)
        return snprintf(folder, size, "%s", given) >= (int)size ? ENAMETOOLONG : make_own(folder, make);
    snprintf(folder, size, "/run/memwall");
    if (!make_own(folder, make))
        return 0;
    if (session && *session && snprintf(folder, size, "%s/memwall", session) < (int)size && !make_own(folder, make))
        return 0;
    snprintf(folder, size, "/tmp/memwall-%u", (unsigned)geteuid());
    return make_own(folder, make);
}
