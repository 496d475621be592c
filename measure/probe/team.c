// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/team.h"

#include "measure/machine/topology.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* some ten microseconds: longer than the threads differ where each has its CPU, far shorter than a time slice */
#define SPINS_BEFORE_YIELD 4000

struct member {
    struct mw_team *team;
    size_t index;
    unsigned cpu;
    pthread_t thread;
    enum mw_err err;
    struct mw_error error;
};

struct mw_team {
    size_t count;
    mw_team_work work;
    void *shared;
    struct member *members;
    _Alignas(64) atomic_size_t waiting;
    _Alignas(64) atomic_uint round;
    _Alignas(64) atomic_bool unbound; /* some member could not be bound */
    pthread_mutex_t mutex;
    pthread_cond_t gate;
    int go; /* 0 wait, 1 run, -1 leave: a thread could not be made */
};

void mw_team_wait(struct mw_team *team)
{
    unsigned round = atomic_load_explicit(&team->round, memory_order_acquire);
    if (atomic_fetch_add_explicit(&team->waiting, 1, memory_order_acq_rel) + 1 == team->count) {
        atomic_store_explicit(&team->waiting, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&team->round, 1, memory_order_release);
        return;
    }
    for (unsigned spins = 0; atomic_load_explicit(&team->round, memory_order_acquire) == round;)
        if (++spins > SPINS_BEFORE_YIELD)
            sched_yield();
}

static void *member_main(void *arg)
{
    struct member *m = arg;
    struct mw_team *team = m->team;
    pthread_mutex_lock(&team->mutex);
    while (!team->go)
        pthread_cond_wait(&team->gate, &team->mutex);
    int go = team->go;
    pthread_mutex_unlock(&team->mutex);
    if (go < 0)
        return NULL;
    m->err = mw_bind_thread(&m->cpu, 1, &m->error);
    if (m->err)
        atomic_store(&team->unbound, true);
    mw_team_wait(team);
    if (!atomic_load(&team->unbound))
        m->err = team->work(team->shared, team, m->index, &m->error);
    return NULL;
}

static void open_gate(struct mw_team *team, int go)
{
    pthread_mutex_lock(&team->mutex);
    team->go = go;
    pthread_cond_broadcast(&team->gate);
    pthread_mutex_unlock(&team->mutex);
}

enum mw_err mw_team_run(const unsigned *cpus, size_t count, mw_team_work work, void *shared, struct mw_error *error)
{
    struct mw_team team = {.count = count,
                           .work = work,
                           .shared = shared,
                           .mutex = PTHREAD_MUTEX_INITIALIZER,
                           .gate = PTHREAD_COND_INITIALIZER};
    team.members = calloc(count + 1, sizeof *team.members);
    if (!team.members)
        return mw_fail(error, MW_NOMEM, "out of memory");
    size_t made = 0;
    int failed = 0;
    for (; made < count && !failed; made += !failed) {
        team.members[made] = (struct member){.team = &team, .index = made, .cpu = cpus[made]};
        failed = pthread_create(&team.members[made].thread, NULL, member_main, &team.members[made]);
    }
    open_gate(&team, failed ? -1 : 1);
    for (size_t i = 0; i < made; i++)
        pthread_join(team.members[i].thread, NULL);
    enum mw_err err = failed ? mw_fail_errno(error, MW_RUN, failed, "cannot make %zu threads", count) : MW_OK;
    for (size_t i = 0; i < made && !err; i++) {
        err = team.members[i].err;
        if (err && error)
            *error = team.members[i].error;
    }
    free(team.members);
    return err;
}
