// SPDX-License-Identifier: GPL-3.0-or-later
// Speedup, efficiency and its factors against tables whose answer is known: what was put in comes back, and products are exact.
#include "tests/unit/unit.h"

#include "advise/diagnose/evidence.h"

enum { COUNTS = 5 };

/* What p cores make worse: instructions, instructions a cycle, clock, time outside the kernel, and cores with work. */
static double more_instructions(double p)
{
    return 1 + .05 * log2(p);
}
static double ipc(double p)
{
    return 2 / (1 + .2 * log2(p));
}
static double clock_hz(double p)
{
    return 3e9 - .1e9 * log2(p);
}
static double kernel(double p)
{
    return .02 + .01 * log2(p);
}
static double busy(double p)
{
    return 1 - .04 * log2(p);
}

static struct mw_points simulate(struct mw_point items[COUNTS], bool knows_kernel)
{
    struct mw_points points = {.items = items, .quantity = MW_TIME};
    for (double p = 1; p <= 16; p *= 2) {
        double instructions = 1e11 * more_instructions(p), cycles = instructions / ipc(p);
        double cpu_s = cycles / clock_hz(p) / (1 - kernel(p));
        struct mw_point *at = &items[points.count++];
        *at = (struct mw_point){.cores = (unsigned)p,
                                .freq_hz = 3e9,
                                .value = cpu_s / (p * busy(p)),
                                .has_cpu_time = true,
                                .cpu_time_s = cpu_s,
                                .count = 1,
                                .noise_factor = 1};
        at->usage.has[MW_USAGE_INSTRUCTIONS] = at->usage.has[MW_USAGE_CYCLES] = true;
        at->usage.of[MW_USAGE_INSTRUCTIONS] = instructions;
        at->usage.of[MW_USAGE_CYCLES] = cycles;
        at->usage.has[MW_USAGE_SYS] = knows_kernel;
        at->usage.of[MW_USAGE_SYS] = knows_kernel ? kernel(p) * cpu_s : 0;
    }
    return points;
}

static void factors_come_back(void **state)
{
    (void)state;
    struct mw_point items[COUNTS];
    struct mw_points points = simulate(items, true);
    struct mw_scaling_row *rows = NULL;
    size_t n = 0;
    assert_int_equal(mw_scaling_table(&rows, &n, &points, true, NULL), MW_OK);
    assert_int_equal(n, COUNTS);
    for (size_t i = 0; i < n; i++) {
        const struct mw_scaling_row *r = &rows[i];
        double p = r->cores;
        assert_true(r->has_cpu && r->has_counters);
        assert_near(r->instructions, 1 / more_instructions(p), 1e-12);
        assert_near(r->ipc, ipc(p) / ipc(1), 1e-12);
        assert_near(r->clock, clock_hz(p) / clock_hz(1), 1e-12);
        assert_near(r->user, (1 - kernel(p)) / (1 - kernel(1)), 1e-12);
        assert_near(r->parallel, busy(p), 1e-12);
        assert_near(r->computation, r->instructions * r->ipc * r->clock * r->user, 1e-12);
        assert_near(r->efficiency, r->parallel * r->computation, 1e-12);
        assert_near(r->efficiency, r->speedup / p, 1e-12);
    }
    free(rows);
}

static void what_is_not_there(void **state)
{
    (void)state;
    struct mw_point items[COUNTS];
    struct mw_points points = simulate(items, false);
    struct mw_scaling_row *rows = NULL;
    size_t n = 0;
    assert_int_equal(mw_scaling_table(&rows, &n, &points, true, NULL), MW_OK);
    assert_near(rows[4].user, 1, 1e-12); /* the kernel's time is in the clock then */
    assert_near(rows[4].computation, rows[4].instructions * rows[4].ipc * rows[4].clock, 1e-12);
    free(rows);
    items[2].usage.has[MW_USAGE_CYCLES] = false;
    assert_int_equal(mw_scaling_table(&rows, &n, &points, true, NULL), MW_OK);
    assert_true(rows[2].has_cpu && !rows[2].has_counters && rows[3].has_counters);
    free(rows);
    assert_int_equal(mw_scaling_table(&rows, &n, &points, false, NULL), MW_OK);
    assert_false(rows[4].has_cpu); /* a CPU time that is not this run's */
    free(rows);
    points.count--;
    points.items++; /* no run on one core */
    assert_int_equal(mw_scaling_table(&rows, &n, &points, true, NULL), MW_OK);
    assert_int_equal(n, 0);
    free(rows);
}

/* Twice the work on twice the cores: of equal work nothing else is lost. */
static void work_that_grows(void **state)
{
    (void)state;
    struct mw_point items[COUNTS];
    struct mw_points points = simulate(items, true);
    struct mw_scaling_row *rows = NULL;
    size_t n = 0;
    points.weak = true;
    for (size_t i = 0; i < points.count; i++) {
        double p = items[i].cores;
        items[i].value *= p;
        items[i].cpu_time_s *= p;
        for (size_t k = 0; k < MW_USAGE_COUNT; k++)
            items[i].usage.of[k] *= p;
    }
    assert_int_equal(mw_scaling_table(&rows, &n, &points, true, NULL), MW_OK);
    for (size_t i = 0; i < n; i++) {
        assert_near(rows[i].instructions, 1 / more_instructions(rows[i].cores), 1e-12);
        assert_near(rows[i].computation, rows[i].instructions * rows[i].ipc * rows[i].clock * rows[i].user, 1e-12);
        assert_near(rows[i].efficiency, rows[i].parallel * rows[i].computation, 1e-12);
    }
    free(rows);
}

/* The largest loss has its sentence. */
static void it_is_said(void **state)
{
    (void)state;
    struct mw_point items[COUNTS];
    struct mw_points points = simulate(items, true);
    struct mw_diagnose_options options = {.seed = 1};
    struct mw_model model = {.points = points, .quantity = MW_TIME};
    struct mw_sentences said = {0};
    struct mw_diagnosis d;
    bool found = false;
    assert_int_equal(mw_diagnose(&d, &points, &options, NULL), MW_OK);
    assert_int_equal(mw_diagnosis_evidence(&said, &d, &model, NULL), MW_OK);
    for (size_t i = 0; i < said.count; i++)
        found |= strstr(said.items[i], "IPC 0.56 x clock 0.87") && strstr(said.items[i], "each takes more cycles");
    assert_true(found);
    mw_sentences_release(&said);
}

static void karp_flatt(void **state)
{
    (void)state;
    assert_near(mw_karp_flatt(1 / (.1 + .9 / 8), 8), .1, 1e-12); /* Amdahl's serial share comes back */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(factors_come_back), cmocka_unit_test(what_is_not_there),
                                       cmocka_unit_test(work_that_grows), cmocka_unit_test(it_is_said),
                                       cmocka_unit_test(karp_flatt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
