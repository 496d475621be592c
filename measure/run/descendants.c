// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "PID (NAME) STATE PPID … THREADS …"; the name may hold blanks and brackets, so it ends at the last bracket. */
static bool read_process(pid_t pid, struct mw_descendant *process)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return false;
    text[size] = '\0';
    char *open_at = strchr(text, '('), *close_at = strrchr(text, ')');
    long parent, threads;
    if (!open_at || !close_at || close_at < open_at)
        return false;
    *process = (struct mw_descendant){.pid = pid};
    if (sscanf(close_at + 1, " %c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld", &process->state,
               &parent, &threads) != 3)
        return false;
    snprintf(process->name, sizeof process->name, "%.*s", (int)(close_at - open_at - 1), open_at + 1);
    for (char *c = process->name; *c; c++) /* a program may call itself anything; this goes into messages */
        if (!isprint((unsigned char)*c))
            *c = '?';
    process->parent = (pid_t)parent;
    process->threads = threads > 0 ? (unsigned)threads : 0;
    return true;
}

/* All processes of the machine. */
static size_t read_all(struct mw_descendant **all)
{
    DIR *proc = opendir("/proc");
    struct mw_descendant *list = NULL;
    size_t count = 0, room = 0;
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end || pid <= 0)
            continue;
        if (count == room) {
            room = room ? 2 * room : 256;
            struct mw_descendant *grown = realloc(list, room * sizeof *grown);
            if (!grown)
                break;
            list = grown;
        }
        count += read_process((pid_t)pid, &list[count]);
    }
    if (proc)
        closedir(proc);
    *all = list;
    return count;
}

size_t mw_descendants_find(pid_t ancestor, struct mw_descendant **found)
{
    struct mw_descendant *all = NULL;
    size_t count = read_all(&all), kept = 0;
    /* the ones found are moved to the front; each is then the parent to look for in turn */
    pid_t parent = ancestor;
    for (size_t next = 0; all; parent = all[next++].pid) {
        for (size_t i = kept; i < count; i++) {
            if (all[i].parent != parent || all[i].pid == ancestor)
                continue;
            struct mw_descendant child = all[i];
            all[i] = all[kept];
            all[kept++] = child;
            if (parent != ancestor)
                all[next - 1].has_children = true;
        }
        if (next >= kept)
            break;
    }
    if (!kept) {
        free(all);
        all = NULL;
    }
    *found = all;
    return kept;
}

unsigned mw_descendants_threads(pid_t process)
{
    struct mw_descendant self, *found;
    if (!read_process(process, &self) || self.state == 'Z')
        return 0;
    size_t count = mw_descendants_find(process, &found);
    unsigned threads = self.threads == 1 && count ? 0 : self.threads;
    for (size_t i = 0; i < count; i++)
        if (found[i].state != 'Z' && !(found[i].threads == 1 && found[i].has_children))
            threads += found[i].threads;
    free(found);
    return threads;
}
