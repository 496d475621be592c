// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Small real programs, each with one way to lose time: `mechanisms KIND THREADS`. Every kind takes some .2 s on one core; the
 * test scans them and asks diagnose. Exit status 2 for a kind that is none.
 */
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { UNITS = 200, UNIT = 900000 }; /* a unit takes about a millisecond */
static volatile unsigned long sink;

static void work(double units)
{
    unsigned long x = 1;
    for (long i = 0, n = (long)(units * UNIT); i < n; i++)
        x = x * 6364136223846793005UL + 1442695040888963407UL;
    sink = x;
}

/* `serial` of the work by one thread, the rest evenly; what the others do meanwhile is the library's business. */
static void omp_serial(int threads, double serial, int regions)
{
    for (int r = 0; r < regions; r++) {
        work(serial * UNITS / regions);
#pragma omp parallel num_threads(threads)
        work((1 - serial) * UNITS / regions / threads);
    }
}

static void compute(int threads)
{
    omp_serial(threads, 0, 1);
}
static void serial(int threads)
{
    work(UNITS); /* before there is another thread that could spin */
    omp_serial(threads, 0, 1);
}
static void omp_regions(int threads)
{
    omp_serial(threads, .5, 20);
}

struct team {
    pthread_barrier_t sleeping;
    pthread_mutex_t mutex;
    atomic_int lock, arrived, turn;
    int threads;
    void (*body)(struct team *team, int me);
};
struct member {
    struct team *team;
    int me;
};

static void *enter(void *opaque)
{
    struct member *member = opaque;
    member->team->body(member->team, member->me);
    return NULL;
}

/* The main thread is one of them, as OpenMP has it; those that are done end, so that nobody spins at the end. */
static void run_team(int threads, void (*body)(struct team *team, int me))
{
    struct team team = {.threads = threads, .body = body, .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct member members[64];
    pthread_t ids[64];
    pthread_barrier_init(&team.sleeping, NULL, (unsigned)threads);
    for (int i = 1; i < threads; i++) {
        members[i] = (struct member){&team, i};
        if (pthread_create(&ids[i], NULL, enter, &members[i]))
            exit(1);
    }
    body(&team, 0);
    for (int i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
}

static void imbalance_body(struct team *t, int me)
{
    work(t->threads == 1 ? UNITS : (me == 0 ? .75 : .25 / (t->threads - 1)) * UNITS);
}
static void imbalance(int threads)
{
    run_team(threads, imbalance_body);
}

static void grains_body(struct team *t, int me)
{
    for (int piece = me; piece < 3; piece += t->threads)
        work(UNITS / 3.);
}
static void grains(int threads)
{
    run_team(threads, grains_body);
}

static void one_told(int threads)
{
    (void)threads;
    work(UNITS);
}

static void spin_barrier(struct team *t)
{
    int turn = atomic_load(&t->turn);
    if (atomic_fetch_add(&t->arrived, 1) == t->threads - 1) {
        atomic_store(&t->arrived, 0);
        atomic_fetch_add(&t->turn, 1);
    } else {
        while (atomic_load(&t->turn) == turn)
            ;
    }
}

static void spin_lock_body(struct team *t, int me)
{
    (void)me;
    for (int i = 0; i < UNITS / 2 / t->threads; i++) {
        while (atomic_exchange(&t->lock, 1))
            ;
        work(2 * .8);
        atomic_store(&t->lock, 0);
        work(2 * .2);
    }
}
static void spin_lock(int threads)
{
    run_team(threads, spin_lock_body);
}

static void barrier_body(struct team *t, int me, int spinning)
{
    for (int i = 0; i < 20; i++) {
        if (me == 0)
            work(.5 * UNITS / 20);
        if (spinning)
            spin_barrier(t);
        else
            pthread_barrier_wait(&t->sleeping);
        work(.5 * UNITS / 20 / t->threads);
        if (spinning)
            spin_barrier(t);
        else
            pthread_barrier_wait(&t->sleeping);
    }
}
static void spin_barrier_body(struct team *t, int me)
{
    barrier_body(t, me, 1);
}
static void sleep_barrier_body(struct team *t, int me)
{
    barrier_body(t, me, 0);
}
static void barrier_spin(int threads)
{
    run_team(threads, spin_barrier_body);
}
static void barrier_sleep(int threads)
{
    run_team(threads, sleep_barrier_body);
}

static void startup(int threads)
{
    usleep(250000);
    omp_serial(threads, 0, 1);
}

static void mutex_body(struct team *t, int me)
{
    (void)me;
    for (int i = 0; i < 20 / t->threads; i++) {
        pthread_mutex_lock(&t->mutex);
        work(UNITS / 20.);
        pthread_mutex_unlock(&t->mutex);
        sched_yield();
    }
}
static void mutex(int threads)
{
    run_team(threads, mutex_body);
}

static void faults_body(struct team *t, int me)
{
    (void)me;
    size_t size = ((size_t)64 << 20) / (size_t)t->threads;
    char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t k = 0; p != MAP_FAILED && k < size; k += 4096) {
        p[k] = 1;
        work(.01);
    }
}
static void faults(int threads)
{
    run_team(threads, faults_body);
}

/* First touch of all arrays by one thread takes nearly all of the time. */
static void stream(int threads)
{
    size_t n = (size_t)4 << 20;
    double sum = 0;
    for (int again = 0; again < 6; again++) {
        double *a = malloc(n * sizeof *a); /* large enough to be mapped anew each time */
        if (!a)
            exit(1);
        for (size_t i = 0; i < n; i++)
            a[i] = 1;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
        for (size_t i = 0; i < n; i++)
            sum += a[i];
        free(a);
    }
    sink = (unsigned long)sum;
}

static void extra_body(struct team *t, int me)
{
    (void)me;
    work((double)UNITS / t->threads * (1 + .7 * (t->threads - 1)));
}
static void extra(int threads)
{
    run_team(threads, extra_body);
}

static void chase_body(struct team *t, int me)
{
    enum { N = 1 << 18 };
    static _Thread_local unsigned next[N];
    unsigned at = (unsigned)me;
    for (unsigned i = 0; i < N; i++)
        next[i] = (i * 179426549u + 17) & (N - 1);
    for (long i = 0; i < 30000000L / t->threads; i++)
        at = next[at];
    sink = at;
}
static void chase(int threads)
{
    run_team(threads, chase_body);
}

static void write_sync(int threads)
{
    char name[] = "/var/tmp/mechanismsXXXXXX", block[1 << 16] = {1};
    int fd = mkstemp(name);
    unlink(name);
    for (int i = 0; fd >= 0 && i < 40; i++)
        if (write(fd, block, sizeof block) < 0 || fdatasync(fd))
            exit(1);
    close(fd);
    omp_serial(threads, 0, 1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int threads);
    } kinds[] = {
        {"compute", compute},
        {"serial", serial},
        {"imbalance", imbalance},
        {"grains", grains},
        {"one", one_told},
        {"spin-lock", spin_lock},
        {"barrier-spin", barrier_spin},
        {"omp-regions", omp_regions},
        {"barrier-sleep", barrier_sleep},
        {"startup", startup},
        {"mutex", mutex},
        {"faults", faults},
        {"stream", stream},
        {"extra", extra},
        {"chase", chase},
        {"write-sync", write_sync},
    };
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, argv[1])) {
            kinds[i].run(threads < 1 ? 1 : threads > 64 ? 64 : threads);
            return 0;
        }
    fprintf(stderr, "usage: mechanisms KIND THREADS\n");
    return 2;
}
