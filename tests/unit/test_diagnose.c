// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "advise/diagnose/diagnose_internal.h"

static const unsigned HIGH[] = {1, 4, 10, 12, 13, 17, 21, 24}, LOW[] = {4, 24};
static const unsigned BOUNDARY = 12;

static struct mw_point measure(const struct mw_mechanism_draw *truth, unsigned cores, double freq_hz)
{
    double wiggle = .01 * sin(12.9898 * cores + freq_hz / 1e9);
    return (struct mw_point){.cores = cores,
                             .freq_hz = freq_hz,
                             .count = 1,
                             .noise_factor = 1,
                             .value = 100 * exp(wiggle) * mw_mechanism_time(truth, cores, freq_hz / 2.4e9, 24, NULL)};
}

static struct mw_diagnosis diagnose(struct mw_point *items, size_t count)
{
    struct mw_points points = {items, count, MW_TIME};
    struct mw_diagnose_options options = {.boundaries = &BOUNDARY, .boundary_count = 1, .seed = 1};
    struct mw_diagnosis d;
    assert_int_equal(mw_diagnose(&d, &points, &options, NULL), MW_OK);
    return d;
}

static size_t ten_points(struct mw_point *items, const struct mw_mechanism_draw *truth)
{
    size_t n = 0;
    for (size_t i = 0; i < 2; i++)
        items[n++] = measure(truth, LOW[i], 1.2e9);
    for (size_t i = 0; i < 8; i++)
        items[n++] = measure(truth, HIGH[i], 2.4e9);
    return n;
}

static const struct {
    struct mw_mechanism_draw truth;
    enum mw_verdict verdict;
} CASES[] = {
    {{.law = MW_MECHANISM_ADDITIVE, .serial = 1e-4, .latency = .02}, MW_VERDICT_SCALES_WELL},
    {{.law = MW_MECHANISM_ADDITIVE, .serial = .08, .latency = .02}, MW_VERDICT_SERIAL},
    {{.law = MW_MECHANISM_ADDITIVE, .serial = 1e-4, .latency = 2}, MW_VERDICT_MEMORY_LATENCY},
    {{.law = MW_MECHANISM_ADDITIVE, .serial = 1e-4, .latency = .4, .nonscaling = .2}, MW_VERDICT_MEMORY_BANDWIDTH},
    {{.law = MW_MECHANISM_ROOF, .serial = 1e-4, .latency = .4, .roof = .2}, MW_VERDICT_MEMORY_BANDWIDTH},
    {{.law = MW_MECHANISM_CACHE, .serial = 1e-4, .latency = 2, .cache = 1.8}, MW_VERDICT_CACHE},
    {{.law = MW_MECHANISM_GRANULARITY, .serial = 1e-4, .latency = .02, .grains = 36}, MW_VERDICT_GRANULARITY},
    {{.law = MW_MECHANISM_STEP, .serial = 1e-3, .latency = .05, .step = .4, .step_after = 12, .step_persists = true},
     MW_VERDICT_STEP},
    {{.law = MW_MECHANISM_WEAK, .latency = .1, .growth = .02}, MW_VERDICT_FLAT},
    {{.law = MW_MECHANISM_OVERHEAD, .serial = 1e-3, .latency = .05, .overhead_fixed = .01}, MW_VERDICT_SLOWS_DOWN},
};

static void verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct mw_mechanism_draw truth = CASES[i].truth;
        truth.parallel = 1 - truth.serial;
        assert_int_equal(mw_diagnose_class(&truth, 24, 1.05), CASES[i].verdict);
        struct mw_point items[10];
        struct mw_diagnosis d = diagnose(items, ten_points(items, &truth));
        if (d.verdict != CASES[i].verdict)
            fail_msg("case %zu: %s, not %s (%.2f)", i, mw_verdict_name(d.verdict), mw_verdict_name(CASES[i].verdict),
                     d.confidence);
        assert_int_equal(d.points_used, 10);
        assert_int_equal(d.end_count, CASES[i].verdict == MW_VERDICT_FLAT ? 0 : 4);
    }
}

static void same_twice(void **state)
{
    (void)state;
    struct mw_point items[10];
    struct mw_mechanism_draw truth = {.law = MW_MECHANISM_ADDITIVE, .serial = .03, .parallel = .97, .latency = .2};
    size_t n = ten_points(items, &truth);
    struct mw_diagnosis a = diagnose(items, n), b = diagnose(items, n);
    for (int c = 0; c < MW_VERDICT_CLASSES; c++)
        assert_true(a.chance[c] == b.chance[c]);
}

/* At one frequency memory and computing, serial work and bandwidth are not told apart. */
static void one_frequency(void **state)
{
    (void)state;
    struct mw_mechanism_draw truth = {.law = MW_MECHANISM_ADDITIVE, .serial = .08, .parallel = .92, .latency = .02};
    struct mw_point items[12];
    for (unsigned i = 0; i < 12; i++)
        items[i] = measure(&truth, 2 * i + 1 + (i == 11), 2.4e9);
    struct mw_diagnosis d = diagnose(items, 12);
    assert_int_equal(d.verdict, MW_VERDICT_UNDETERMINED);
    assert_true(d.memory_open);
    assert_true(d.stops_coarse);
}

static void flat_facts(void **state)
{
    (void)state;
    struct mw_mechanism_draw truth = {.law = MW_MECHANISM_WEAK, .latency = .1, .growth = 0};
    struct mw_point items[10];
    size_t n = ten_points(items, &truth);
    assert_int_equal(diagnose(items, n).verdict, MW_VERDICT_FLAT);
    for (size_t i = 0; i < n; i++) {
        items[i].has_cpu_time = true;
        items[i].cpu_time_s = items[i].value;
    }
    struct mw_diagnosis d = diagnose(items, n);
    assert_int_equal(d.verdict, MW_VERDICT_SERIAL);
    assert_near(d.busy_cores, 1, 1e-9);
    for (size_t i = 0; i < n; i++)
        items[i].cpu_time_s = items[i].cores * items[i].value;
    assert_int_equal(diagnose(items, n).verdict, MW_VERDICT_WEAK_SCALING);
    for (size_t i = 0; i < n; i++) {
        items[i].has_cpu_time = false;
        items[i].has_power = true;
        items[i].power_w = 86 + .03 * items[i].cores;
    }
    d = diagnose(items, n);
    assert_int_equal(d.verdict, MW_VERDICT_SERIAL);
    assert_int_equal(d.flat_fact, MW_FLAT_POWER);
    for (size_t i = 0; i < n; i++)
        items[i].power_w = 86 + 4. * items[i].cores;
    assert_int_equal(diagnose(items, n).verdict, MW_VERDICT_FLAT);
}

static void whole_table(void **state)
{
    (void)state;
    struct mw_mechanism_draw truth = {.law = MW_MECHANISM_ADDITIVE, .serial = 1e-4, .parallel = 1, .latency = 2};
    struct mw_point items[24 * 7];
    size_t n = 0;
    for (int f = 0; f < 7; f++)
        for (unsigned p = 1; p <= 24; p++)
            items[n++] = measure(&truth, p, 1.2e9 + .2e9 * f);
    struct mw_diagnosis d = diagnose(items, n);
    assert_int_equal(d.verdict, MW_VERDICT_MEMORY_LATENCY);
    assert_in_range(d.points_used, 24, 48);
    assert_int_equal(d.points_given, n);
}

/* A sequential diagnosis of the truth: three design points, then what tells the classes apart, until the verdict stands. */
static struct mw_diagnosis in_sequence(const struct mw_mechanism_draw *truth, struct mw_points *points)
{
    static const struct mw_config design[] = {{24, 2.4e9}, {24, 1.2e9}, {6, 2.4e9}};
    struct mw_config candidates[48];
    size_t n = 0;
    for (unsigned p = 1; p <= 24; p++) {
        candidates[n++] = (struct mw_config){p, 1.2e9};
        candidates[n++] = (struct mw_config){p, 2.4e9};
    }
    struct mw_diagnose_options options = {
        .cores = 24, .freq_max_hz = 2.4e9, .boundaries = &BOUNDARY, .boundary_count = 1, .seed = 1};
    struct mw_diagnoser *diagnoser = NULL;
    struct mw_diagnosis d;
    assert_int_equal(mw_diagnoser_alloc(&diagnoser, &options, NULL), MW_OK);
    for (;;) {
        struct mw_diagnose_step step;
        assert_int_equal(mw_diagnoser_next(diagnoser, &step, &d, points, candidates, n, NULL), MW_OK);
        if (step.done)
            break;
        const struct mw_config *chosen = &candidates[step.candidate];
        if (points->count < 3) {
            assert_near(chosen->cores, design[points->count].cores, 0);
            assert_near(chosen->freq_hz, design[points->count].freq_hz, 0);
        }
        assert_true(points->count < 20);
        points->items[points->count++] = measure(truth, (unsigned)chosen->cores, chosen->freq_hz);
    }
    mw_diagnoser_free(diagnoser);
    return d;
}

static bool has_cores(const struct mw_points *points, unsigned from, unsigned to)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].cores >= from && points->items[i].cores <= to)
            return true;
    return false;
}

static void next_points(void **state)
{
    (void)state;
    struct mw_point items[20];
    struct mw_points points = {items, 0, MW_TIME};
    struct mw_mechanism_draw latency = {.law = MW_MECHANISM_ADDITIVE, .serial = 1e-4, .parallel = 1, .latency = 2};
    struct mw_diagnosis d = in_sequence(&latency, &points);
    assert_true(has_cores(&points, 12, 12) && has_cores(&points, 13, 13)); /* both sides of the boundary */
    assert_true(d.verdict == MW_VERDICT_MEMORY_LATENCY || d.verdict == MW_VERDICT_MEMORY);
    /* uneven pieces are excluded by a count between half and all of the cores */
    struct mw_mechanism_draw scales = {.law = MW_MECHANISM_ADDITIVE, .serial = 1e-4, .parallel = 1, .latency = .02};
    points.count = 0;
    d = in_sequence(&scales, &points);
    assert_true(has_cores(&points, 16, 22));
    assert_int_equal(d.verdict, MW_VERDICT_SCALES_WELL);
}

static void refusals(void **state)
{
    (void)state;
    struct mw_point item = {.cores = 4, .value = 1, .noise_factor = 1};
    struct mw_points points = {&item, 1, MW_TIME};
    struct mw_diagnose_options options = {.seed = 1};
    struct mw_diagnosis d;
    struct mw_error error;
    assert_int_equal(mw_diagnose(&d, &points, &options, &error), MW_NOFIT);
    assert_non_null(strstr(error.message, "two points"));
    points.quantity = MW_ENERGY;
    assert_int_equal(mw_diagnose(&d, &points, &options, &error), MW_DATA);
}

static void karp_flatt(void **state)
{
    (void)state;
    assert_near(mw_karp_flatt(1 / (.1 + .9 / 8), 8), .1, 1e-12); /* Amdahl's serial share comes back */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),   cmocka_unit_test(same_twice),  cmocka_unit_test(one_frequency),
        cmocka_unit_test(flat_facts), cmocka_unit_test(whole_table), cmocka_unit_test(next_points),
        cmocka_unit_test(refusals),   cmocka_unit_test(karp_flatt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
