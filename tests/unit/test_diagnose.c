// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "advise/diagnose/diagnose.h"
#include "advise/diagnose/evidence.h"

enum { MOST = 24 * 7 };
static const double HIGH = 2.4e9;

/* A program: T and C in units of one core's work, at x = F/Fmax. */
typedef void program(double p, double x, double *t, double *c);

static double limb(double p)
{
    return fmin(p, 8) + .3 * fmax(p - 8, 0);
}

static double turbo_at(double p)
{
    return 1 - .3 * log2(p) / 4;
}

/* The eight cases, and what else the verdicts need. */
static void wait(double p, double x, double *t, double *c)
{
    *t = .1 + 1 / p / x, *c = 1 / x;
}
static void limit(double p, double x, double *t, double *c)
{
    *t = fmax(1 / p, .25) / x, *c = 1 / x;
}
static void one(double p, double x, double *t, double *c)
{
    (void)p, *t = *c = 1 / x;
}
static void spin(double p, double x, double *t, double *c)
{
    *t = (.1 + .9 / p) / x, *c = p * *t;
}
static void slow(double p, double x, double *t, double *c)
{
    *t = 1 / limb(p) / x, *c = p * *t;
}
static void turbo(double p, double x, double *t, double *c)
{
    *c = 1 / fmin(x, turbo_at(p)), *t = *c / p;
}
static void roof(double p, double x, double *t, double *c)
{
    *t = fmax((1 / x + .5) / p, .2), *c = p * *t;
}
static void launcher(double p, double x, double *t, double *c)
{
    *t = 1 / p / x, *c = .02;
}
static void scales(double p, double x, double *t, double *c)
{
    *t = (1 / x + .02) / p, *c = p * *t;
}
static void latency(double p, double x, double *t, double *c)
{
    *t = (1 / x + 2) / p, *c = p * *t;
}
static void grows(double p, double x, double *t, double *c)
{
    *t = 1 / x * (1 + .02 * log(p)), *c = p * *t;
}
static void cached(double p, double x, double *t, double *c)
{
    *t = (1 / x + 2 * (.1 + .9 / p)) / p, *c = p * *t;
}

/* One measurement with 2 % noise of T and 1 % of C. */
static struct mw_point measure(program *run, double p, double freq_hz)
{
    double t, c, wiggle = .02 * sin(12.9898 * p + 7.3 * freq_hz / 1e9);
    run(p, freq_hz / HIGH, &t, &c);
    return (struct mw_point){.cores = (unsigned)p,
                             .freq_hz = freq_hz,
                             .count = 1,
                             .noise_factor = 1,
                             .value = 100 * t * (1 + wiggle),
                             .has_cpu_time = true,
                             .cpu_time_s = 100 * c * (1 + wiggle / 2)};
}

/* 1, 2, 4, 8, 16 cores at one clock or at three. */
static size_t five_counts(struct mw_point *items, program *run, bool three)
{
    static const double clocks[] = {1, .75, .5};
    size_t n = 0;
    for (double p = 1; p <= 16; p *= 2)
        for (size_t f = 0; f < (three ? 3 : 1); f++)
            items[n++] = measure(run, p, HIGH * clocks[f]);
    return n;
}

static struct mw_diagnosis diagnose(struct mw_point *items, size_t n, unsigned boundary)
{
    struct mw_points points = {.items = items, .count = n, .quantity = MW_TIME};
    struct mw_diagnose_options options = {.boundaries = &boundary, .boundary_count = boundary > 0, .seed = 1};
    struct mw_diagnosis d;
    assert_int_equal(mw_diagnose(&d, &points, &options, NULL), MW_OK);
    return d;
}

static const struct {
    program *run;
    const char *one, *three; /* right at one clock and at three */
    unsigned boundary;
} CASES[] = {
    {wait, "idle waiting", "waiting", 0},
    {limit, "limit", "limit", 0},
    {one, "one-thread", "one-thread", 0},
    {spin, "busy", "busy-clock", 0},
    {slow, "busy boundary-step", "boundary-step", 8},
    {turbo, "busy scales-well", "clock", 0},
    {roof, "busy", "memory-bandwidth", 0},
    {launcher, "scales-well", "scales-well", 0},
    {scales, "scales-well", "scales-well", 0},
    {latency, "scales-well", "memory-latency memory", 0},
    {grows, "weak-scaling", "weak-scaling", 0},
    {cached, "cache-benefiting", "cache-benefiting", 0},
};

static void verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (int three = 0; three < 2; three++) {
            struct mw_point items[15];
            size_t n = five_counts(items, CASES[i].run, three);
            struct mw_diagnosis d = diagnose(items, n, CASES[i].boundary);
            const char *want = three ? CASES[i].three : CASES[i].one, *name = mw_verdict_name(d.verdict);
            if (!strstr(want, name))
                fail_msg("case %zu, %d clocks: %s (%.2f), not %s", i, three ? 3 : 1, name, d.confidence, want);
            assert_true(d.confidence >= .85);
            assert_int_equal(d.memory_open, !three);
        }
}

static void observation(void **state)
{
    (void)state;
    struct mw_point items[15];
    struct mw_diagnosis d = diagnose(items, five_counts(items, limit, false), 0);
    assert_near(d.seen.speedup, 4, .2);
    assert_near(d.seen.busy_cores, 4, .2);
    assert_near(d.seen.idle.median, log(4), .1);
    assert_near(d.seen.busy.median, 0, .05);
    assert_near(d.seen.idle.median + d.seen.busy.median, -log(d.seen.efficiency), 1e-9);
    assert_true(d.seen.idle.low < d.seen.idle.median && d.seen.idle.median < d.seen.idle.high);
    assert_false(d.seen.one_core);
    d = diagnose(items, five_counts(items, one, false), 0);
    assert_true(d.seen.one_core);
    /* with two core counts it is seen, though no cause can be */
    d = diagnose(items, 2, 0);
    assert_true(d.seen.one_core);
    assert_int_equal(d.verdict, MW_VERDICT_IDLE);
}

/* A clock that is known to fall is no loss: the cores do as much in as many cycles. */
static void effective_clock(void **state)
{
    (void)state;
    struct mw_point items[15];
    size_t n = five_counts(items, turbo, true);
    for (size_t i = 0; i < n; i++) {
        items[i].has_freq_effective = true;
        items[i].freq_effective_hz = HIGH * fmin(items[i].freq_hz / HIGH, turbo_at(items[i].cores));
    }
    struct mw_diagnosis d = diagnose(items, n, 0);
    assert_int_equal(d.witness.effective_clock.state, MW_WITNESS_USED);
    assert_int_equal(d.verdict, MW_VERDICT_SCALES_WELL);
}

static void guards(void **state)
{
    (void)state;
    struct mw_point items[15];
    size_t n = five_counts(items, launcher, false);
    assert_int_equal(diagnose(items, n, 0).witness.cpu_time.state, MW_WITNESS_IGNORED);
    n = five_counts(items, scales, false);
    assert_int_equal(diagnose(items, n, 0).witness.cpu_time.state, MW_WITNESS_USED);
    for (size_t i = 0; i < n; i++)
        items[i].cpu_time_s *= 1.2; /* more than the cores have */
    assert_int_equal(diagnose(items, n, 0).witness.cpu_time.state, MW_WITNESS_IGNORED);
    items[2].has_cpu_time = false;
    assert_int_equal(diagnose(items, n, 0).witness.cpu_time.state, MW_WITNESS_IGNORED);
    for (size_t i = 0; i < n; i++)
        items[i].has_cpu_time = false;
    assert_int_equal(diagnose(items, n, 0).witness.cpu_time.state, MW_WITNESS_ABSENT);
}

/* Others' load that can't be taken off the times leaves no verdict, and says so. */
static void disturbed(void **state)
{
    (void)state;
    struct mw_point items[15];
    size_t n = five_counts(items, wait, true);
    for (size_t i = 0; i < n; i++)
        mw_usage_set(&items[i].usage, MW_USAGE_OTHER_CPU, .4 * items[i].cores * items[i].value);
    struct mw_diagnosis d = diagnose(items, n, 0);
    assert_true(d.disturbed);
    assert_int_equal(d.verdict, MW_VERDICT_UNDETERMINED);
    struct mw_sentences lines = {0};
    assert_int_equal(mw_diagnosis_headline(&lines, &d, NULL, NULL), MW_OK);
    assert_non_null(strstr(lines.items[0], "other programs had 40 %"));
    mw_sentences_release(&lines);
}

/*
 * Two cores as measured beside three other processes, the main thread on the quieter one: it hardly waited, and slept until the
 * thread on the other core was done. What the others had is no idle core; where they had little, it is.
 */
static void held_up_elsewhere(void **state)
{
    (void)state;
    struct mw_point items[] = {{.cores = 1, .value = .178, .cpu_time_s = .177},
                               {.cores = 2, .value = .240, .cpu_time_s = .187}};
    struct mw_points points = {.items = items, .count = 2, .quantity = MW_TIME, .main_wait_taken = true};
    struct mw_diagnose_options options = {.seed = 1};
    struct mw_diagnosis d;
    for (size_t i = 0; i < 2; i++) {
        items[i].count = 3;
        items[i].noise_factor = 1;
        items[i].has_cpu_time = true;
        mw_usage_set(&items[i].usage, MW_USAGE_MAIN_WAIT, i ? .015 : .182);
        mw_usage_set(&items[i].usage, MW_USAGE_OTHER_CPU, i ? .29 : .18);
    }
    assert_int_equal(mw_diagnose(&d, &points, &options, NULL), MW_OK);
    assert_true(d.disturbed);
    assert_int_equal(d.verdict, MW_VERDICT_UNDETERMINED);
    mw_usage_set(&items[1].usage, MW_USAGE_THREAD_WAIT,
                 .010); /* the other thread did not wait either: the core was idle */
    assert_int_equal(mw_diagnose(&d, &points, &options, NULL), MW_OK);
    assert_int_equal(d.verdict, MW_VERDICT_IDLE);
    items[1].usage.has[MW_USAGE_THREAD_WAIT] = false;
    mw_usage_set(&items[1].usage, MW_USAGE_OTHER_CPU, .03);
    assert_int_equal(mw_diagnose(&d, &points, &options, NULL), MW_OK);
    assert_int_equal(d.verdict, MW_VERDICT_IDLE);
}

static void same_twice(void **state)
{
    (void)state;
    struct mw_point items[15];
    size_t n = five_counts(items, wait, true);
    struct mw_diagnosis a = diagnose(items, n, 0), b = diagnose(items, n, 0);
    assert_memory_equal(a.chance, b.chance, sizeof a.chance);
}

/* Times alone: one thread and work that grows look alike, power tells where the others hardly draw any. */
static void flat_facts(void **state)
{
    (void)state;
    struct mw_point items[15];
    size_t n = five_counts(items, one, true);
    for (size_t i = 0; i < n; i++)
        items[i].has_cpu_time = false;
    assert_int_equal(diagnose(items, n, 0).verdict, MW_VERDICT_FLAT);
    for (size_t i = 0; i < n; i++) {
        items[i].has_power = true;
        items[i].power_w = 86 + .03 * items[i].cores;
    }
    struct mw_diagnosis d = diagnose(items, n, 0);
    assert_int_equal(d.verdict, MW_VERDICT_SERIAL);
    assert_int_equal(d.flat_fact, MW_FLAT_POWER);
    for (size_t i = 0; i < n; i++)
        items[i].power_w = 86 + 4. * items[i].cores;
    assert_int_equal(diagnose(items, n, 0).verdict, MW_VERDICT_FLAT);
}

/* Readings alone settle a slowdown; two core counts show no shape. */
static void slowdown(void **state)
{
    (void)state;
    struct mw_point items[3] = {measure(one, 1, HIGH), measure(one, 4, HIGH), measure(one, 8, HIGH)};
    const double times[] = {64, 28, 120};
    for (size_t i = 0; i < 3; i++) {
        items[i].value = times[i];
        items[i].has_cpu_time = false;
    }
    struct mw_diagnosis d = diagnose(items, 3, 0);
    assert_int_equal(d.verdict, MW_VERDICT_SLOWS_DOWN);
    assert_true(diagnose(items, 2, 0).verdict != MW_VERDICT_SLOWS_DOWN);
}

/* From half of the cores on the page cache is too small: they wait for the disk, the more the more there are. */
static double disk_s;
static void evicted(double p, double x, double *t, double *c)
{
    *t = 1 / p / x + (p > 8 ? disk_s * (p / 8 - 1) : 0), *c = 1 / x;
}

/* What holds at four cores can't have had eight at work: fewer and fewer work, so that is no limit. */
static void receding(void **state)
{
    static const double waits[] = {1.5 / 16, 3. / 16};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct mw_point items[16];
        disk_s = waits[k];
        for (unsigned p = 1; p <= 16; p++)
            items[p - 1] = measure(evicted, p, HIGH);
        struct mw_diagnosis d = diagnose(items, 16, 0);
        assert_near(d.seen.busiest, 8, .4);
        assert_true(d.verdict == MW_VERDICT_IDLE || d.verdict == MW_VERDICT_SLOWS_DOWN);
        for (unsigned p = 1; p <= 16; p++)
            items[p - 1] = measure(limit, p, HIGH); /* four, from four on: it is one */
        assert_int_equal(diagnose(items, 16, 0).verdict, MW_VERDICT_LIMIT);
    }
}

static void whole_table(void **state)
{
    (void)state;
    struct mw_point items[MOST];
    size_t n = 0;
    for (int f = 0; f < 7; f++)
        for (unsigned p = 1; p <= 24; p++)
            items[n++] = measure(latency, p, 1.2e9 + .2e9 * f);
    struct mw_diagnosis d = diagnose(items, n, 12);
    assert_true(d.verdict == MW_VERDICT_MEMORY_LATENCY || d.verdict == MW_VERDICT_MEMORY);
    assert_in_range(d.points_used, 24, 48);
    assert_int_equal(d.points_given, n);
}

/* A sequential diagnosis: three design points, then what tells the causes apart, until the verdict stands. */
static struct mw_diagnosis in_sequence(program *run, struct mw_points *points)
{
    static const struct mw_config design[] = {{24, 2.4e9}, {24, 1.2e9}, {6, 2.4e9}};
    static const unsigned boundary = 12;
    struct mw_config candidates[48];
    size_t n = 0;
    for (unsigned p = 1; p <= 24; p++) {
        candidates[n++] = (struct mw_config){p, 1.2e9};
        candidates[n++] = (struct mw_config){p, 2.4e9};
    }
    struct mw_diagnose_options options = {
        .cores = 24, .freq_max_hz = 2.4e9, .boundaries = &boundary, .boundary_count = 1, .seed = 1};
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
        points->items[points->count++] = measure(run, chosen->cores, chosen->freq_hz);
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
    struct mw_points points = {.items = items, .count = 0, .quantity = MW_TIME};
    struct mw_diagnosis d = in_sequence(latency, &points);
    assert_true(has_cores(&points, 12, 12) && has_cores(&points, 13, 13)); /* both sides of the boundary */
    assert_true(d.verdict == MW_VERDICT_MEMORY_LATENCY || d.verdict == MW_VERDICT_MEMORY);
    points.count = 0;
    d = in_sequence(scales, &points);
    assert_true(has_cores(&points, 16, 22)); /* excludes uneven pieces */
    assert_int_equal(d.verdict, MW_VERDICT_SCALES_WELL);
}

static void refusals(void **state)
{
    (void)state;
    struct mw_point item = {.cores = 4, .value = 1, .noise_factor = 1};
    struct mw_points points = {.items = &item, .count = 1, .quantity = MW_TIME};
    struct mw_diagnose_options options = {.seed = 1};
    struct mw_diagnosis d;
    struct mw_error error;
    assert_int_equal(mw_diagnose(&d, &points, &options, &error), MW_NOFIT);
    assert_non_null(strstr(error.message, "two points"));
    points.quantity = MW_ENERGY;
    assert_int_equal(mw_diagnose(&d, &points, &options, &error), MW_DATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),   cmocka_unit_test(observation), cmocka_unit_test(effective_clock),
        cmocka_unit_test(guards),     cmocka_unit_test(disturbed),   cmocka_unit_test(held_up_elsewhere),
        cmocka_unit_test(same_twice), cmocka_unit_test(flat_facts),  cmocka_unit_test(slowdown),
        cmocka_unit_test(receding),   cmocka_unit_test(whole_table), cmocka_unit_test(next_points),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
