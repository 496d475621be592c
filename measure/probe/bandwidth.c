// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/bandwidth.h"

#include "data/stats.h"
#include "measure/probe/clock.h"
#include "measure/probe/kernels/stream.h"
#include "measure/probe/kernels/walk.h"
#include "measure/probe/switches.h"
#include "measure/probe/team.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MIB       ((size_t)1 << 20)
#define ALIGNMENT (2 * MIB) /* of both buffers, so that the offset alone decides how they lie to each other */
#define GRAIN     (MW_STREAM_BLOCK * sizeof(double))
/* a window is short against a time slice and long against the start of the threads */
#define WINDOW_S 1e-3
#define TRIALS   3
/* enough to leave most caches, short enough for three instruction sets */
#define TRIAL_BYTES  (64 * MIB)
#define SOURCE_VALUE 1.0
#define FILL_VALUE   2.0
#define MEMSET_BYTE  2
/* words looked at after a test, spread over the buffer */
#define CHECKED_WORDS 65536

static const struct test {
    const char *name;
    unsigned passes; /* buffers read or written */
    enum mw_op op;   /* with a kernel of stream.h; MW_OP_COUNT: without */
    bool nt, writes;
} tests[MW_BW_TESTS] = {
    [MW_BW_MEMSET] = {"memset", 1, MW_OP_COUNT, false, true},
    [MW_BW_READ] = {"read", 1, MW_OP_READ, false, false},
    [MW_BW_MEMCPY] = {"memcpy", 2, MW_OP_COUNT, false, true},
    [MW_BW_FILL] = {"fill", 1, MW_OP_FILL, false, true},
    [MW_BW_FILL_NT] = {"fill-nt", 1, MW_OP_FILL, true, true},
    [MW_BW_COPY] = {"copy", 2, MW_OP_COPY, false, true},
    [MW_BW_COPY_NT] = {"copy-nt", 2, MW_OP_COPY, true, true},
    [MW_BW_STRIDED_READ] = {"strided-read", 1, MW_OP_COUNT, false, false},
    [MW_BW_RANDOM_READ] = {"random-read", 1, MW_OP_COUNT, false, false},
    [MW_BW_READ_BESIDE_FILL] = {"read-beside-fill", 1, MW_OP_READ, false, true},
};

struct shared {
    const struct mw_bandwidth *bandwidth;
    const struct mw_bandwidth_case *c;
    const char *isa;
    mw_stream_fn kernel, beside; /* beside: of every other core, MW_BW_READ_BESIDE_FILL only */
    uint64_t repeats;
    double *start_s, *end_s; /* MW_BW_MOST_WINDOWS x cores */
    bool *switched;          /* likewise */
    size_t windows;
    bool go_on;
};

const char *mw_bandwidth_name(enum mw_bandwidth_test test)
{
    return tests[test].name;
}

/* Lines of MW_BW_RANDOM_READ: 2 to this power. */
static unsigned line_bits(size_t size_bytes)
{
    unsigned bits = 0;
    while ((size_t)2 << bits <= size_bytes / MW_BW_LINE)
        bits++;
    return bits;
}

size_t mw_bandwidth_bytes(enum mw_bandwidth_test test, size_t size_bytes)
{
    if (test == MW_BW_RANDOM_READ)
        return (size_t)MW_BW_LINE << line_bits(size_bytes);
    return tests[test].passes * size_bytes;
}

static mw_stream_fn kernel_of(const struct test *test, const struct mw_stream_isa *isa)
{
    if (test->op == MW_OP_COUNT || !isa->supported())
        return NULL;
    return test->nt ? isa->nt[test->op] : isa->plain[test->op];
}

bool mw_bandwidth_exists(enum mw_bandwidth_test test)
{
    bool exists = tests[test].op == MW_OP_COUNT;
    for (const struct mw_stream_isa *const *isa = mw_stream_isas; *isa && !exists; isa++)
        exists = kernel_of(&tests[test], *isa) != NULL;
    return exists;
}

static size_t destination_at(const struct mw_bandwidth *b)
{
    return (b->size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t mw_bandwidth_memory(size_t cpu_count, size_t size_bytes)
{
    struct mw_bandwidth b = {.size_bytes = size_bytes};
    return cpu_count * (2 * destination_at(&b) + MW_BW_OFFSET_MAX);
}

static void run_once(const struct shared *s, size_t index, char *source, char *destination, size_t size_bytes)
{
    const struct mw_bandwidth_case *c = s->c;
    mw_stream_fn kernel = index % 2 && s->beside ? s->beside : s->kernel;
    volatile double sink = 0;
    if (kernel)
        sink = kernel((double *)(void *)source, NULL, (double *)(void *)destination, FILL_VALUE,
                      size_bytes / sizeof(double));
    else if (c->test == MW_BW_MEMSET)
        memset(destination, MEMSET_BYTE, size_bytes);
    else if (c->test == MW_BW_MEMCPY)
        memcpy(destination, source, size_bytes);
    else if (c->test == MW_BW_RANDOM_READ)
        mw_kernel_sweep_random(source, line_bits(size_bytes), MW_BW_LINE);
    else
        mw_kernel_sweep_strided(source, size_bytes, MW_BW_LINE, c->stride_bytes);
    (void)sink;
    __asm__ volatile("" : : "r"(destination) : "memory");
}

static double time_once(const struct shared *s, char *source, char *destination, size_t size_bytes)
{
    double least = HUGE_VAL;
    for (int t = 0; t < TRIALS; t++) {
        double start = mw_now_s();
        run_once(s, 0, source, destination, size_bytes);
        least = fmin(least, mw_now_s() - start);
    }
    return least;
}

/* The fastest kernel of a test in a short trial, in s->kernel; NULL where the C library or a plain loop does it. */
static double choose_kernel(struct shared *s, const struct test *test, char *source, char *destination, size_t bytes)
{
    double best = HUGE_VAL;
    mw_stream_fn chosen = NULL;
    for (const struct mw_stream_isa *const *isa = mw_stream_isas; *isa; isa++) {
        s->kernel = kernel_of(test, *isa);
        double time_s = s->kernel ? time_once(s, source, destination, bytes) : HUGE_VAL;
        if (time_s < best) {
            best = time_s;
            chosen = s->kernel;
            s->isa = (*isa)->name;
        }
    }
    s->kernel = chosen;
    return chosen ? best : time_once(s, source, destination, bytes);
}

/* By the first core, while the others wait: instruction set, and passes that fill a window. */
static void choose(struct shared *s, char *source, char *destination)
{
    size_t trial_bytes = s->c->size_bytes < TRIAL_BYTES ? s->c->size_bytes : TRIAL_BYTES;
    mw_stream_fn beside = NULL;
    s->isa = s->c->test == MW_BW_STRIDED_READ || s->c->test == MW_BW_RANDOM_READ ? "word" : "libc";
    if (s->c->test == MW_BW_READ_BESIDE_FILL) {
        choose_kernel(s, &tests[MW_BW_FILL], source, destination, trial_bytes);
        beside = s->kernel;
    }
    double best = choose_kernel(s, &tests[s->c->test], source, destination, trial_bytes);
    s->beside = beside;
    s->repeats = best < WINDOW_S ? (uint64_t)(WINDOW_S / fmax(best, 1e-9)) + 1 : 1;
}

/* Clears the words that are looked at afterwards, or looks whether they hold what the test must have written. */
static bool check_words(const struct shared *s, char *destination, bool clear)
{
    const struct test *test = &tests[s->c->test];
    size_t n = s->c->size_bytes / sizeof(double), step = n / CHECKED_WORDS + 1;
    double want = clear ? 0 : test->passes == 2 ? SOURCE_VALUE : FILL_VALUE;
    if (!clear && s->c->test == MW_BW_MEMSET)
        memset(&want, MEMSET_BYTE, sizeof want);
    for (size_t i = 0; test->writes && i < n; i += step) {
        char *word = destination + i * sizeof want;
        if (clear)
            memcpy(word, &want, sizeof want);
        else if (memcmp(word, &want, sizeof want))
            return false;
    }
    return true;
}

static enum mw_err member(void *opaque, struct mw_team *team, size_t index, struct mw_error *error)
{
    struct shared *s = opaque;
    char *source = s->bandwidth->arenas[index].data;
    char *destination = source + destination_at(s->bandwidth) + s->c->offset_bytes;
    if (!index)
        choose(s, source, destination);
    mw_team_wait(team);
    bool writes = s->c->test != MW_BW_READ_BESIDE_FILL || index % 2;
    check_words(s, destination, true);
    if (s->c->size_bytes <= TRIAL_BYTES) /* larger ones don't stay in any cache */
        run_once(s, index, source, destination, s->c->size_bytes);
    double begin = mw_now_s();
    do {
        mw_team_wait(team);
        size_t at = s->windows * s->c->cores + index;
        struct mw_switches before = mw_switches_now();
        s->start_s[at] = mw_now_s();
        for (uint64_t r = 0; r < s->repeats; r++)
            run_once(s, index, source, destination, s->c->size_bytes);
        s->end_s[at] = mw_now_s();
        s->switched[at] = mw_switched_since(&before);
        mw_team_wait(team);
        if (!index) {
            s->windows++;
            s->go_on = s->windows < MW_BW_LEAST_WINDOWS ||
                       (s->windows < MW_BW_MOST_WINDOWS && mw_now_s() - begin < s->c->time_s);
        }
        mw_team_wait(team);
    } while (s->go_on);
    if (writes && !check_words(s, destination, false))
        return mw_fail(error, MW_UNTRUSTED, "%s over %zu bytes did not write what it should", tests[s->c->test].name,
                       s->c->size_bytes);
    return MW_OK;
}

/* Rates of the windows in which no thread lost its CPU, of all where there is none. */
static struct mw_bandwidth_rate summarise(const struct shared *s)
{
    size_t cores = s->c->cores, clean = 0;
    double rates[MW_BW_MOST_WINDOWS], all[MW_BW_MOST_WINDOWS];
    for (size_t w = 0; w < s->windows; w++) {
        const double *start_s = s->start_s + w * cores, *end_s = s->end_s + w * cores;
        double bytes = (double)mw_bandwidth_bytes(s->c->test, s->c->size_bytes) * (double)s->repeats;
        bool switched = false;
        for (size_t i = 0; i < cores; i++)
            switched = switched || s->switched[w * cores + i];
        all[w] = bytes * (double)cores / (mw_maximum(end_s, cores) - mw_minimum(start_s, cores));
        if (!switched)
            rates[clean++] = all[w];
    }
    const double *kept = clean ? rates : all;
    size_t count = clean ? clean : s->windows;
    return (struct mw_bandwidth_rate){.best_bps = mw_maximum(kept, count),
                                      .median_bps = mw_median(kept, count),
                                      .windows = count,
                                      .disturbed = clean < MW_BW_LEAST_WINDOWS,
                                      .isa = s->isa};
}

enum mw_err mw_bandwidth_run(const struct mw_bandwidth *bandwidth, const struct mw_bandwidth_case *c,
                             struct mw_bandwidth_rate *rate, struct mw_error *error)
{
    struct shared s = {.bandwidth = bandwidth, .c = c};
    s.start_s = calloc(MW_BW_MOST_WINDOWS * c->cores, sizeof *s.start_s);
    s.end_s = calloc(MW_BW_MOST_WINDOWS * c->cores, sizeof *s.end_s);
    s.switched = calloc(MW_BW_MOST_WINDOWS * c->cores, sizeof *s.switched);
    enum mw_err err = s.start_s && s.end_s && s.switched ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_team_run(bandwidth->cpus, c->cores, member, &s, error);
    if (!err)
        *rate = summarise(&s);
    free(s.start_s);
    free(s.end_s);
    free(s.switched);
    return err;
}

static enum mw_err touch(void *opaque, struct mw_team *team, size_t index, struct mw_error *error)
{
    const struct mw_bandwidth *b = opaque;
    double *source = b->arenas[index].data;
    (void)team;
    (void)error;
    for (size_t i = 0; i < b->size_bytes / sizeof *source; i++)
        source[i] = SOURCE_VALUE;
    memset((char *)b->arenas[index].data + destination_at(b), 0, b->arenas[index].size_bytes - destination_at(b));
    return MW_OK;
}

enum mw_err mw_bandwidth_open(struct mw_bandwidth *bandwidth, const unsigned *cpus, size_t cpu_count, size_t size_bytes,
                              struct mw_error *error)
{
    struct mw_bandwidth b = {
        .cpus = cpus, .cpu_count = cpu_count, .size_bytes = (size_bytes + GRAIN - 1) / GRAIN * GRAIN};
    b.arenas = calloc(cpu_count, sizeof *b.arenas);
    if (!b.arenas)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < cpu_count && !err; i++)
        err = mw_arena_open(&b.arenas[i], mw_bandwidth_memory(1, b.size_bytes), MW_PAGES_HUGE, MW_NODE_FIRST_TOUCH,
                            error);
    if (!err)
        err = mw_team_run(cpus, cpu_count, touch, &b, error);
    if (err)
        mw_bandwidth_close(&b);
    else
        *bandwidth = b;
    return err;
}

void mw_bandwidth_close(struct mw_bandwidth *bandwidth)
{
    for (size_t i = 0; i < bandwidth->cpu_count && bandwidth->arenas; i++)
        mw_arena_close(&bandwidth->arenas[i]);
    free(bandwidth->arenas);
    *bandwidth = (struct mw_bandwidth){0};
}
