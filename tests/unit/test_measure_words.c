// SPDX-License-Identifier: GPL-3.0-or-later
// What `measure loaded` and `measure bandwidth` say of rates: left-out points, withheld scores, conflicts of offsets, a rate
// that depends on the size. The sentences of the shipped code on made rates; the measurement, the caches and the terminal are this file's.
#include "tests/unit/unit.h"

#include "cli/measure/bandwidth_round.h"
#include "cli/measure/measure.h"
#include "measure/probe/loaded.h"

#include <limits.h>

static char said[4000];
static double left_s = 50; /* of the time asked for */

static void say(const char *format, va_list args)
{
    size_t used = strlen(said);
    vsnprintf(said + used, sizeof said - used, format, args);
    strcat(said, "\n");
}

void cli_say(const struct cli *cli, const char *format, ...)
{
    (void)cli;
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

void cli_warn(const struct cli *cli, const char *format, ...)
{
    (void)cli;
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

bool cli_interrupted(void)
{
    return false;
}

void measure_row(struct measure_run *run, unsigned cores, double effective_hz)
{
    (void)effective_hz;
    fprintf(run->rows, "%u,", cores);
}

void measure_peak_cells(struct measure_run *run, double rate_bps, double in_order_bps, bool memory)
{
    (void)rate_bps, (void)in_order_bps, (void)memory;
    fputs(",,0\n", run->rows);
}

double measure_effective_hz(const struct measure_run *run, unsigned cores)
{
    (void)run, (void)cores;
    return 0;
}

double measure_max_time_s(const struct measure_run *run)
{
    (void)run;
    return left_s;
}

/* A gigabyte in a second. */
enum mw_err mw_pace_measure(const unsigned *list, size_t count, size_t size_bytes, struct mw_pace *pace,
                            struct mw_error *error)
{
    (void)list, (void)count, (void)size_bytes, (void)error;
    *pace = (struct mw_pace){1e9, 1e9, 1e9};
    return MW_OK;
}

enum mw_err measure_llc_resolve(struct measure_run *run, struct mw_error *error)
{
    (void)run, (void)error;
    return MW_OK;
}

size_t measure_llc_bytes(const struct measure_run *run, const unsigned *cpus, size_t count)
{
    (void)run, (void)cpus, (void)count;
    return 1 << 20;
}

/* What the next `measure loaded` measures. */
static struct {
    size_t points, windows, half_windows;
    double half_faster;
} made;

enum mw_err mw_loaded_measure(const unsigned *cpus, size_t count, const struct mw_loaded_options *options,
                              struct mw_loaded_point *points, size_t *point_count, struct mw_loaded_point *half,
                              struct mw_error *error)
{
    (void)cpus, (void)count, (void)options, (void)error;
    for (size_t i = 0; i < made.points; i++)
        points[i] = (struct mw_loaded_point){.reads_percent = i < 13 ? 100 : 50,
                                             .delay = i % 13 ? (unsigned)(12 - i % 13) : UINT_MAX,
                                             .latency_s = 100e-9,
                                             .bandwidth_bps = i % 13 ? 1e9 * (double)(i % 13) : 0,
                                             .windows = made.windows};
    *point_count = made.points;
    *half = (struct mw_loaded_point){.reads_percent = 100,
                                     .latency_s = 100e-9,
                                     .bandwidth_bps = 12e9 * made.half_faster,
                                     .windows = made.half_windows};
    return MW_OK;
}

static struct cli cli;
static unsigned cores[] = {2}, cpus[] = {0, 1};
static struct measure_options options;
static char *rows;
static size_t rows_size;

static struct measure_run new_run(void)
{
    struct mw_error error;
    struct measure_run run = {
        .cli = &cli, .options = &options, .cores = cores, .cores_count = 1, .cpus = cpus, .freqs_left = 1};
    run.topology.core_count = 2;
    *said = 0;
    assert_int_equal(mw_provenance_init(&run.provenance, 0, NULL, &error), MW_OK);
    run.rows = open_memstream(&rows, &rows_size);
    assert_non_null(run.rows);
    return run;
}

/* The record, which the caller frees. */
static char *record_of(struct measure_run *run)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    mw_provenance_print(&run->provenance, f);
    fclose(f);
    return text;
}

static void close_run(struct measure_run *run)
{
    fclose(run->rows);
    free(rows);
    mw_provenance_release(&run->provenance);
}

#define assert_says(text, words)                                                                                       \
    do {                                                                                                               \
        if (!strstr(text, words))                                                                                      \
            fail_msg("'%s' is not in: %s", words, text);                                                               \
    } while (0)
#define assert_silent(text, words)                                                                                     \
    do {                                                                                                               \
        if (strstr(text, words))                                                                                       \
            fail_msg("'%s' is in: %s", words, text);                                                                   \
    } while (0)

static void check_size(double whole_bps, double half_bps, bool depends, const char *words)
{
    struct measure_run run = new_run();
    struct mw_error error;
    assert_int_equal(measure_size_check(&run, 1, "read", whole_bps, half_bps, &error), MW_OK);
    char *record = record_of(&run);
    assert_says(record, "size_check (1 core): read on half the size");
    assert_says(record, words);
    assert_int_equal(run.depends_on_size, depends);
    assert_int_equal(*said != 0, depends);
    free(record);
    close_run(&run);
}

static void test_size(void **state)
{
    (void)state;
    check_size(10e9, 10.9e9, false, "1.09 of the rate, which doesn't depend on the size");
    check_size(10e9, 5e9, false, "doesn't depend on the size");
    check_size(10e9, 11.5e9, true, "1.15 of the rate, which depends on the size: caches still help");
    check_size(10e9, 0, false, "it can't be told");
    check_size(0, 10e9, false, "it can't be told");
}

static struct measure_run run_loaded(void)
{
    struct measure_run run = new_run();
    struct mw_error error;
    assert_int_equal(measure_loaded.run(&run, &error), MW_OK);
    return run;
}

static void test_loaded(void **state)
{
    (void)state;
    made.points = MW_LOADED_POINTS, made.windows = made.half_windows = 40, made.half_faster = 1;
    struct measure_run run = run_loaded();
    assert_string_equal(said, "");
    assert_false(run.disturbed || run.depends_on_size);
    close_run(&run);

    made.points = MW_LOADED_POINTS - 3, made.half_faster = 1.5;
    run = run_loaded();
    assert_says(said, "3 of 52 points are left out: other work had the cores in every window of theirs");
    assert_says(said, "2 cores: the heaviest reading traffic is 1.50 times as fast on half the size");
    assert_true(run.disturbed && run.depends_on_size);
    close_run(&run);

    made.points = MW_LOADED_POINTS, made.half_windows = 9; /* under a quarter of 40 */
    run = run_loaded();
    assert_string_equal(said, "");
    assert_false(run.disturbed || run.depends_on_size);
    char *record = record_of(&run);
    assert_says(record, "it can't be told whether the rate depends on the size");
    free(record);
    close_run(&run);

    made.windows = 9, made.half_windows = 40;
    run = run_loaded();
    assert_true(run.disturbed);
    fflush(run.rows);
    assert_says(rows, ",9,1,,0\n");
    assert_silent(rows, ",9,0,,0\n");
    close_run(&run);
}

#define STRIDES 7

static struct bandwidth_round rates_of(struct measure_run *run)
{
    struct bandwidth_round r = {.run = run, .cores = 1, .stride_log = STRIDES * log(2e9), .stride_count = STRIDES};
    r.memory.size_bytes = 64 << 20;
    r.rate_bps[MW_BW_MEMSET] = r.rate_bps[MW_BW_READ] = 8e9;
    r.rate_bps[MW_BW_MEMCPY] = 32e9;
    return r;
}

/* The score of rates that `spoil` changed. */
static void check_score(void (*spoil)(struct bandwidth_round *r), bool withheld)
{
    struct measure_run run = new_run();
    struct bandwidth_round r = rates_of(&run);
    if (spoil)
        spoil(&r);
    bandwidth_score(&r, STRIDES);
    fflush(run.rows);
    if (withheld) {
        assert_says(said,
                    "score on 1 core: withheld, since a rate in it is missing, disturbed by other work, or a cache's");
        assert_string_equal(rows, "");
    } else {
        assert_says(said, "at 64 MiB = 8000 MB/s");
        assert_says(rows, "score,67108864,,,8000,");
    }
    close_run(&run);
}

static void no_read(struct bandwidth_round *r)
{
    r->rate_bps[MW_BW_READ] = 0;
}

static void no_memcpy(struct bandwidth_round *r)
{
    r->rate_bps[MW_BW_MEMCPY] = 0;
}

static void a_stride_less(struct bandwidth_round *r)
{
    r->stride_count--;
}

static void of_a_cache(struct bandwidth_round *r)
{
    r->cached = true;
}

static void test_score(void **state)
{
    (void)state;
    check_score(NULL, false); /* (8 x 8 x 32 x 2)^(1/4) = 8 */
    check_score(no_read, true);
    check_score(no_memcpy, true);
    check_score(a_stride_less, true);
    check_score(of_a_cache, true);
}

/* A machine that is slow from one visit to another, slow to copy to one offset, and that has time for some visits only. */
static struct {
    unsigned visit, slow_from, slow_to, time_up, disturbed_from;
    size_t conflict_bytes;
    double half_faster; /* what is less than the whole memory; 0: not */
} machine;

enum mw_err bandwidth_visit(struct bandwidth_round *r, const char *name, const struct mw_bandwidth_case *c,
                            struct mw_bandwidth_rate *rate, struct mw_error *error)
{
    (void)name, (void)error;
    unsigned n = machine.visit++;
    bool slow = n >= machine.slow_from && n < machine.slow_to;
    double bps =
        30e9 * (1 + 0.002 * (n % 7)) * (slow ? 0.6 : 1) * (c->offset_bytes == machine.conflict_bytes ? 0.7 : 1);
    if (machine.half_faster > 0 && c->size_bytes < r->memory.size_bytes)
        bps *= machine.half_faster;
    *rate = (struct mw_bandwidth_rate){0};
    if (n < machine.time_up)
        *rate = (struct mw_bandwidth_rate){.best_bps = bps, .windows = 2, .disturbed = n >= machine.disturbed_from};
    return MW_OK;
}

static unsigned rows_printed, rows_disturbed, rows_empty;

double bandwidth_row(struct bandwidth_round *r, const char *name, const struct mw_bandwidth_case *c,
                     const struct mw_bandwidth_rate *rate)
{
    (void)r, (void)name, (void)c;
    rows_printed++;
    rows_disturbed += rate->disturbed;
    rows_empty += !rate->windows;
    return rate->disturbed ? 0 : rate->best_bps;
}

#define ALL_OFFSETS 29
#define NONE        1

static void check_offsets(size_t conflict_bytes, unsigned slow_from, unsigned slow_to, unsigned time_up,
                          unsigned disturbed_from, const char *words)
{
    struct measure_run run = new_run();
    struct mw_error error;
    struct bandwidth_round r = {.run = &run, .cores = 1};
    machine.visit = rows_printed = rows_disturbed = rows_empty = 0;
    machine.conflict_bytes = conflict_bytes;
    machine.slow_from = slow_from, machine.slow_to = slow_to;
    machine.time_up = time_up, machine.disturbed_from = disturbed_from;
    assert_int_equal(bandwidth_offsets(&r, &error), MW_OK);
    assert_int_equal(rows_printed, ALL_OFFSETS);
    assert_int_equal(bandwidth_verdicts(&r, &error), MW_OK);
    assert_says(said, words);
    close_run(&run);
}

static void test_offsets(void **state)
{
    (void)state;
    const unsigned never = UINT_MAX;
    check_offsets(NONE, 0, 0, never, never, "no conflict beyond 10 %");
    check_offsets(0x3000, 0, 0, never, never, "worst 0x3000");
    assert_says(said, "a conflict costs 3");
    /* slow for longer than a pass, wherever it starts */
    for (unsigned from = 0; from < 60; from++) {
        check_offsets(NONE, from, from + ALL_OFFSETS + 10, never, never, "no conflict beyond 10 %");
        check_offsets(0x3000, from, from + ALL_OFFSETS + 10, never, never, "worst 0x3000");
        assert_says(said, "a conflict costs 3");
    }
    /* slow in all visits of some: they are visited once more */
    check_offsets(NONE, ALL_OFFSETS - 3, 3 * ALL_OFFSETS, never, never, "no conflict beyond 10 %");
    /* a single pass doesn't tell what is slow from what was slow for a while */
    check_offsets(NONE, 5, 10, ALL_OFFSETS, never, "whether it is a conflict can't be told");
    check_offsets(NONE, 0, 0, ALL_OFFSETS, never, "no conflict beyond 10 %");
    /* a disturbed visit doesn't replace an undisturbed one, and counts as none */
    check_offsets(NONE, 0, 0, never, ALL_OFFSETS, "no conflict beyond 10 %");
    assert_int_equal(rows_disturbed, 0);
    check_offsets(0x3000, 0, 0, never, ALL_OFFSETS, "whether it is a conflict can't be told");
    check_offsets(NONE, 0, 0, never, ALL_OFFSETS - 10, "no conflict beyond 10 %");
    assert_int_equal(rows_disturbed, 10);
    check_offsets(NONE, 0, 0, ALL_OFFSETS - 10, never, "no conflict beyond 10 %");
    assert_int_equal(rows_empty, 10);
}

static void check_confirm(double whole_bps, double half_faster, unsigned disturbed_from, bool cached, const char *words)
{
    struct measure_run run = new_run();
    struct mw_error error;
    struct bandwidth_round r = rates_of(&run);
    memset(&machine, 0, sizeof machine);
    machine.time_up = UINT_MAX, machine.disturbed_from = disturbed_from, machine.half_faster = half_faster;
    machine.conflict_bytes = NONE;
    r.rate_bps[MW_BW_READ] = whole_bps;
    assert_int_equal(bandwidth_confirm(&r, &error), MW_OK);
    char *record = record_of(&run);
    assert_says(record, words);
    assert_int_equal(r.cached, cached);
    assert_int_equal(run.depends_on_size, cached && strstr(words, "caches") != NULL);
    free(record);
    close_run(&run);
    memset(&machine, 0, sizeof machine);
}

/* A whole that met a slow moment is read again; half is faster only where it stays so in enough undisturbed windows. */
static void test_confirm(void **state)
{
    (void)state;
    check_confirm(30e9, 0, UINT_MAX, false, "doesn't depend on the size");
    check_confirm(18e9, 0, UINT_MAX, false, "doesn't depend on the size");
    check_confirm(18e9, 1.5, UINT_MAX, true, "which depends on the size: caches still help");
    check_confirm(18e9, 0, 1, true, "it can't be told whether the rate depends on the size");
    check_confirm(30e9, 0, 0, false, "it can't be told whether the rate depends on the size");
}

/* The least against what is left: within a fifth it is held, and nothing is said. */
static void test_least(void **state)
{
    (void)state;
    struct measure_run run = new_run();
    measure_say_least(&run, 55, "--cores 1");
    assert_string_equal(said, "");
    measure_say_least(&run, 65, "--cores 1");
    assert_says(
        said, "the time asked for can't be held: what is left of it is 50 s, and the least that gives each row a value "
              "takes about 65 s here; what would fit: --cores 1, or --max-time ");
    assert_true(run.overrun_said);
    close_run(&run);
}

/* Arrays of 4 MiB are ready at once, but 52 points take a third of a second. */
static void test_loaded_least(void **state)
{
    (void)state;
    made.points = MW_LOADED_POINTS, made.windows = made.half_windows = 40, made.half_faster = 1;
    left_s = 0.2;
    struct measure_run run = run_loaded();
    assert_says(said, "can't be held");
    assert_says(said, "what would fit: --max-time ");
    close_run(&run);
    left_s = 50;
    run = run_loaded();
    assert_string_equal(said, "");
    close_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offsets),      cmocka_unit_test(test_confirm), cmocka_unit_test(test_size),
        cmocka_unit_test(test_loaded),       cmocka_unit_test(test_score),   cmocka_unit_test(test_least),
        cmocka_unit_test(test_loaded_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
