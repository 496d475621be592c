// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_DESCENDANTS_H
#define MW_MEASURE_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Processes by descent, from /proc/PID/stat alone, never by name. A snapshot: what starts or ends meanwhile may be missed.
 * Cost: one small file a process of the machine.
 */
struct mw_descendant {
    pid_t pid, parent;
    unsigned threads;
    char state; /* as in /proc/PID/stat; 'Z': ended, not yet collected */
    char name[16];
    bool has_children;
};

/* Descendants of `ancestor` (not itself), parents before children, into a new array; its length. NULL and 0: none. */
size_t mw_descendants_find(pid_t ancestor, struct mw_descendant **found);

/*
 * Threads of `process` and of its descendants that can do work: a process of one thread that has children is not counted,
 * since that is what launchers and shells are. 0 where /proc cannot be read.
 */
unsigned mw_descendants_threads(pid_t process);

#endif
