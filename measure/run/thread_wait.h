// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_THREAD_WAIT_H
#define MW_MEASURE_THREAD_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * How long each thread of a process, and of those that it began (a shell and a launcher do nothing themselves), was ready to run and had
 * no CPU (2nd number of /proc/PID/task/TID/schedstat; children by /proc/PID/task/TID/children), looked at while they live: a thread takes its figures along when it ends. A main thread that sleeps until one on a loaded core is done has waited for
 * nothing itself. Zeroed before the first look.
 */
struct mw_thread_waits {
    struct mw_thread_wait {
        pid_t thread;
        double run_s, wait_s;
    } * threads;
    size_t count;
    double next_s; /* when to look next, after the process' start; 0: at once */
};

/*
 * Takes the figures of all threads but the process' main one that live now, age_s after the process' start. Looks follow one another at 2 % of the age, not
 * under 5 ms, and so that they take .2 % of one CPU at most. What can't be read or held in memory is left out.
 */
void mw_thread_waits_look(struct mw_thread_waits *waits, pid_t process, double age_s);
/*
 * What the longest wait of a thread that does its part of the work can have cost of wall_s: the busiest thread, the main one
 * (main_run_s) included, would have taken its own time on a quiet machine too. false where no other thread was seen at work.
 */
bool mw_thread_waits_cost(const struct mw_thread_waits *waits, double main_run_s, double wall_s, double *wait_s);
void mw_thread_waits_release(struct mw_thread_waits *waits);

#endif
