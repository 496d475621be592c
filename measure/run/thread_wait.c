// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/thread_wait.h"

#include "measure/probe/clock.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PART = .25; /* of the busiest's work; the uneven programs of docs/diagnosis.md have .4 and more */
static const double OF_AGE = .02, LEAST_S = .005, OF_COST = 500;
enum { THREADS_MOST = 4096 }; /* of a process that starts threads without end */

static struct mw_thread_wait *entry(struct mw_thread_waits *waits, pid_t thread)
{
    for (size_t i = 0; i < waits->count; i++)
        if (waits->threads[i].thread == thread)
            return &waits->threads[i];
    if (waits->count == THREADS_MOST)
        return NULL;
    if ((waits->count & (waits->count - 1)) == 0) { /* 0 and the powers of two: full */
        void *more = realloc(waits->threads, (waits->count ? 2 * waits->count : 1) * sizeof *waits->threads);
        if (!more)
            return NULL;
        waits->threads = more;
    }
    waits->threads[waits->count] = (struct mw_thread_wait){.thread = thread};
    return &waits->threads[waits->count++];
}

static void look_at(struct mw_thread_waits *waits, const char *folder, pid_t thread)
{
    char path[64];
    unsigned long long run_ns, wait_ns;
    snprintf(path, sizeof path, "%s/%ld/schedstat", folder, (long)thread);
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    struct mw_thread_wait *found = fscanf(f, "%llu %llu", &run_ns, &wait_ns) == 2 ? entry(waits, thread) : NULL;
    if (found) {
        found->run_s = (double)run_ns * 1e-9;
        found->wait_s = (double)wait_ns * 1e-9;
    }
    fclose(f);
}

/* Threads of a process but `apart`, and those of the processes that they began, so far down. */
static void look_below(struct mw_thread_waits *waits, pid_t process, pid_t apart, int depth)
{
    char folder[40], path[96];
    snprintf(folder, sizeof folder, "/proc/%ld/task", (long)process);
    DIR *threads = opendir(folder);
    for (struct dirent *d; threads && (d = readdir(threads));) {
        long thread = strtol(d->d_name, NULL, 10), child;
        if (thread <= 0)
            continue;
        if (thread != (long)apart)
            look_at(waits, folder, (pid_t)thread);
        snprintf(path, sizeof path, "%s/%ld/children", folder, thread);
        FILE *f = depth > 0 ? fopen(path, "re") : NULL;
        while (f && fscanf(f, "%ld", &child) == 1)
            look_below(waits, (pid_t)child, apart, depth - 1);
        if (f)
            fclose(f);
    }
    if (threads)
        closedir(threads);
}

void mw_thread_waits_look(struct mw_thread_waits *waits, pid_t process, double age_s)
{
    enum { DEPTH = 6 }; /* a shell that starts a launcher that starts a shell that starts the program, and some more */
    double start_s = mw_now_s();
    look_below(waits, process, process, DEPTH);
    waits->next_s = age_s + fmax(fmax(LEAST_S, OF_AGE * age_s), OF_COST * (mw_now_s() - start_s));
}

bool mw_thread_waits_cost(const struct mw_thread_waits *waits, double main_run_s, double wall_s, double *wait_s)
{
    bool found = false;
    double most_s = main_run_s, longest_s = 0;
    for (size_t i = 0; i < waits->count; i++)
        most_s = fmax(most_s, waits->threads[i].run_s);
    for (size_t i = 0; i < waits->count; i++) {
        const struct mw_thread_wait *w = &waits->threads[i];
        if (w->run_s < PART * most_s)
            continue;
        longest_s = fmax(longest_s, w->wait_s);
        found = true;
    }
    *wait_s = fmax(fmin(longest_s, wall_s - most_s), 0);
    return found;
}

void mw_thread_waits_release(struct mw_thread_waits *waits)
{
    free(waits->threads);
    *waits = (struct mw_thread_waits){0};
}
