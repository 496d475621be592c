// SPDX-License-Identifier: GPL-3.0-or-later
// Waits of threads: what the longest can have cost, and a live process whose second thread shares its CPU with another.
#include "tests/unit/unit.h"

#include "measure/run/thread_wait.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void cost(void **state)
{
    (void)state;
    struct mw_thread_wait threads[] = {{11, .10, .15}, {12, .02, 9}, {13, .09, .05}};
    struct mw_thread_waits waits = {.threads = threads, .count = 3};
    double wait_s;
    assert_true(
        mw_thread_waits_cost(&waits, .10, .30, &wait_s)); /* the second does a fifth of the busiest's work: aside */
    assert_near(wait_s, .15, 1e-12);
    assert_true(
        mw_thread_waits_cost(&waits, .22, .30, &wait_s)); /* the main thread's own .22 s would be needed anyhow */
    assert_near(wait_s, .08, 1e-12);
    assert_true(mw_thread_waits_cost(&waits, .32, .30, &wait_s)); /* clocks that differ by a little */
    assert_near(wait_s, 0, 0);
    assert_false(mw_thread_waits_cost(&waits, 2, 3, &wait_s)); /* none does its part */
    waits.count = 0;
    assert_false(mw_thread_waits_cost(&waits, 1, 1, &wait_s));
}

static void *sleeper(void *go)
{
    sem_wait(go);
    return NULL;
}

/* Threads are found while they live and kept when they are gone; the main one is not among them. */
static void looks(void **state)
{
    (void)state;
    enum { N = 5 };
    struct mw_thread_waits waits = {0};
    pthread_t threads[N];
    sem_t go;
    sem_init(&go, 0, 0);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, sleeper, &go), 0);
    mw_thread_waits_look(&waits, getpid(), 10);
    size_t count = waits.count;
    assert_true(waits.next_s >= 10.2);
    for (size_t i = 0; i < N; i++)
        sem_post(&go);
    for (size_t i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    mw_thread_waits_look(&waits, getpid(), 20);
    if (!count)
        skip();              /* a kernel without schedstat */
    assert_true(count >= N); /* an emulator has threads of its own */
    assert_true(waits.count >= count);
    for (size_t i = 0; i < N; i++)
        assert_true(waits.threads[i].thread != getpid());
    mw_thread_waits_release(&waits);
    assert_int_equal(waits.count, 0);
}

/* A shell does nothing itself: what it started is looked at, two generations down. */
static void below(void **state)
{
    (void)state;
    struct mw_thread_waits waits = {0};
    int at_rest[2], told[2];
    pid_t inner = 0;
    assert_int_equal(pipe(at_rest) | pipe(told), 0);
    pid_t outer = fork();
    if (!outer) {
        inner = fork();
        char end;
        if (inner)
            (void)!write(told[1], &inner, sizeof inner);
        (void)!read(at_rest[0], &end, 1);
        if (inner)
            waitpid(inner, NULL, 0);
        _exit(0);
    }
    assert_int_equal(read(told[0], &inner, sizeof inner), sizeof inner);
    mw_thread_waits_look(&waits, getpid(), 1);
    size_t found = 0;
    for (size_t i = 0; i < waits.count; i++)
        found += waits.threads[i].thread == outer || waits.threads[i].thread == inner;
    (void)!write(at_rest[1], "..", 2);
    waitpid(outer, NULL, 0);
    mw_thread_waits_release(&waits);
    char children[64];
    snprintf(children, sizeof children, "/proc/self/task/%ld/children", (long)getpid());
    if (access(children, F_OK))
        skip(); /* a kernel, or an emulator, without lists of children */
    assert_int_equal(found, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cost), cmocka_unit_test(looks), cmocka_unit_test(below)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
