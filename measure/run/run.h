// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_RUN_H
#define MW_MEASURE_RUN_H

#include "data/error.h"
#include "measure/run/events.h"
#include "measure/process/stop.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Running the user's program. Texts are borrowed and must outlive the runner; "{cores}" in the program's words, the
 * launcher and the values of env is replaced by the number of cores of the run.
 */
struct mw_run_setup {
    char *const *program; /* ends in NULL, at least one word */
    const char *launcher; /* goes before the program, split into words as a shell does without expansions; NULL: none */
    const char *const *env; /* "NAME=VALUE", after the thread counts that are set anyway */
    size_t env_count;
    double timeout_s;  /* 0: none */
    const char *check; /* `sh -c` after each run, with what the program printed on its standard input; NULL: none */
    const char
        *time_regexp; /* POSIX extended; the last match's first group is the time (as in 12.5, 1m3s); NULL: wall time */
    const char *rate_regexp; /* the same for a rate: the time recorded is 1/rate */
    const char *prepare_once, *prepare,
        *cleanup;       /* `sh -c` before the first run, before each, after the last; or NULL */
    double unit_s;      /* of a printed time without a unit, in seconds; 0: seconds */
    bool show_output;   /* the program's output goes to standard error; otherwise it is dropped */
    bool keep_children; /* processes that a run leaves behind are not ended */
    bool count_events;  /* cycles, instructions, …: measure/run/events.h */
};

/* Why a run counts as failed. */
enum mw_run_fault {
    MW_RUN_GOOD,
    MW_RUN_EXIT,    /* exit status other than 0 */
    MW_RUN_SIGNAL,  /* killed: exit_status is 128 + the signal's number, as in a shell */
    MW_RUN_TIMEOUT, /* exit_status 124, as `timeout` gives */
    MW_RUN_CHECK,   /* the program ended well, --check did not: exit_status 125 */
    MW_RUN_NO_TIME, /* the expression matched nothing that is a positive number: exit_status 125 */
};

#define MW_RUN_DETAIL_SIZE 160

/*
 * What one run gave. CPU times and counts are the kernel's (wait4) of the process and the children that it waited for; what
 * is not known is 0 with its has_… false.
 */
struct mw_run_result {
    double time_s;                  /* wall time, or what the program printed */
    double rate;                    /* what it printed, where the time is its inverse; else 0 */
    double wall_s;                  /* from just before the fork to the end of the process */
    double cpu_time_s, sys_time_s;  /* user + system; system alone */
    bool has_main_wait;             /* of the main thread, from /proc/PID/schedstat: */
    double main_run_s, main_wait_s; /* its own time on a CPU; ready to run and waiting for one */
    bool has_thread_wait;           /* of the other threads: */
    double thread_wait_s;           /* what the longest wait of one that does its part can have cost */
    double switches, preempted;     /* voluntary and involuntary context switches */
    double faults;                  /* major page faults */
    double peak_memory_bytes;       /* of the largest process; 0 where it is below what this process itself has */
    double threads;                 /* most at once, seen after 50 ms and then at doubling times; 0: not seen */
    struct mw_event_counts events;  /* where mw_run_setup asks for them */
    unsigned left;                  /* processes that it left running */
    char left_names[64];            /* of the first of them */
    int exit_status;
    enum mw_run_fault fault;
    char detail[MW_RUN_DETAIL_SIZE]; /* of MW_RUN_NO_TIME: what the expression found, and why that is no time */
};

struct mw_process;

/*
 * Finds the program (or the launcher) in PATH, compiles the expressions.
 * Returns MW_USAGE for a bad expression or an unclosed quote, MW_RUN where there is no such command, MW_IO, MW_NOMEM.
 */
enum mw_err mw_process_open(struct mw_process **process, const struct mw_run_setup *setup,
                            struct mw_error *error) MW_CHECKED;
void mw_process_close(struct mw_process *process);
/* This program's environment has changed: the next run is given it anew. */
void mw_process_renew(struct mw_process *process);

/*
 * Runs the program once on `cores` cores, bound to the CPUs given (the mask is read back and compared before exec).
 * The thread counts of the common runtimes (mw_run_thread_variables) are set to `cores`, or to 1 where the launcher
 * has {cores} and so starts as many processes. The process leads a group of its own, which a timeout or an order to stop
 * ends as a whole, and dies with this process. Standard input is empty.
 * Returns MW_OK also for a failed run (see fault), MW_RUN where the program could not be started or bound,
 * MW_INTERRUPTED after MW_STOP_AT_ONCE (the run is lost), MW_IO (also where the disk was too full for its output), MW_NOMEM. `stop` may be NULL.
 * Cost beside the run itself: one vfork, about 0.2 ms. Tests: tests/unit/test_run.c.
 */
enum mw_err mw_process_run(struct mw_process *process, unsigned cores, const unsigned *cpus, size_t cpu_count,
                           struct mw_stop *stop, struct mw_run_result *result, struct mw_error *error) MW_CHECKED;

/* Runs what is to be run after the last run, where any was begun. MW_RUN where it fails. */
enum mw_err mw_process_finish(struct mw_process *process, struct mw_stop *stop, struct mw_error *error) MW_CHECKED;

/* The last lines that the last run printed (measure/run/printed.h), where they were kept: until a run was good, at least. */
void mw_process_tail(const struct mw_process *process, unsigned lines, char *text, size_t size);

/* Names of the variables that give a runtime its number of threads; ends in NULL. */
extern const char *const mw_run_thread_variables[];

/* "timed out", "exit status 3", "killed by signal 9 (Killed)", …: what the fault of a result was. Into text[size]. */
void mw_run_describe(const struct mw_run_result *result, char *text, size_t size);

/* `text` with each "{cores}" replaced; the caller frees; NULL when out of memory. */
char *mw_run_substitute(const char *text, unsigned cores);

#endif
