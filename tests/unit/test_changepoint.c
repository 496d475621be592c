// SPDX-License-Identifier: GPL-3.0-or-later
// The rules that read steps off curves, on curves whose answers are known.
#include "tests/unit/unit.h"

#include "measure/probe/changepoint.h"

#define KIB    1024.0
#define MIB    (1024.0 * 1024.0)
#define POINTS 400

struct curve {
    double x[POINTS], y[POINTS];
    size_t n;
};

/* Sizes as the scan takes them: sixteen steps an octave. */
static void sizes(struct curve *c, double low, double high)
{
    c->n = 0;
    for (double x = low, octave = low; x <= high; x += octave / 16) {
        if (x >= 2 * octave)
            octave *= 2;
        c->x[c->n++] = x;
    }
}

static unsigned long random_state = 1;
static double uniform(void)
{
    random_state = random_state * 6364136223846793005ul + 1442695040888963407ul;
    return (double)(random_state >> 33) / 2147483648.0;
}

static double sharp(double x)
{
    return x <= 48 * KIB ? 1.67 : x <= 2 * MIB ? 5.3 : x <= 32 * MIB ? 17 : 97;
}

static void test_sharp_steps(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 50; seed++) {
        struct curve c;
        struct mw_step steps[MW_STEP_MAX];
        struct mw_error error;
        size_t count;
        random_state = (unsigned long)seed;
        sizes(&c, 2 * KIB, 512 * MIB);
        for (size_t i = 0; i < c.n; i++)
            c.y[i] = sharp(c.x[i]) * (1 + 0.02 * uniform());
        assert_int_equal(mw_steps_find(c.x, c.y, c.n, steps, &count, &error), MW_OK);
        assert_int_equal(count, 3);
        assert_near(steps[0].x, 48 * KIB, 0);
        assert_near(steps[1].x, 2 * MIB, 0);
        assert_near(steps[2].x, 32 * MIB, 0);
        assert_near(steps[1].before, 5.3, 0.2);
        assert_near(steps[1].after, 17, 0.5);
    }
}

/* One point in ten spoiled by another program, by up to a factor of three: never downwards. */
static void test_spoiled_points(void **state)
{
    (void)state;
    int exact = 0, seeds = 50;
    for (int seed = 1; seed <= seeds; seed++) {
        struct curve c;
        struct mw_step steps[MW_STEP_MAX];
        struct mw_error error;
        size_t count;
        random_state = (unsigned long)seed;
        sizes(&c, 2 * KIB, 512 * MIB);
        for (size_t i = 0; i < c.n; i++)
            c.y[i] = sharp(c.x[i]) * (uniform() < 0.1 ? 1 + 2 * uniform() : 1);
        assert_int_equal(mw_steps_find(c.x, c.y, c.n, steps, &count, &error), MW_OK);
        exact += count == 3 && fabs(steps[0].x / (48 * KIB) - 1) < 0.1 && fabs(steps[1].x / (2 * MIB) - 1) < 0.1;
    }
    if (exact < seeds * 8 / 10)
        fail_msg("right in %d of %d", exact, seeds);
}

/* Random replacement: beyond the capacity C, a share 1 - C/x of the accesses misses. */
static void test_gradual_step(void **state)
{
    (void)state;
    struct curve c;
    struct mw_step steps[MW_STEP_MAX];
    struct mw_error error;
    size_t count;
    sizes(&c, 2 * KIB, 64 * MIB);
    for (size_t i = 0; i < c.n; i++) {
        double miss = c.x[i] > 512 * KIB ? 1 - 512 * KIB / c.x[i] : 0;
        c.y[i] = c.x[i] <= 32 * KIB ? 1.5 : 7 + miss * 93;
    }
    assert_int_equal(mw_steps_find(c.x, c.y, c.n, steps, &count, &error), MW_OK);
    assert_int_equal(count, 2);
    assert_near(steps[0].x, 32 * KIB, 0);
    assert_near(steps[1].x / KIB, 512, 64);
    assert_true(steps[1].onset <= steps[1].x && steps[1].x < steps[1].end);
}

/* A shared last level that is no plateau, only a slope: the step of the second level stays where it is. */
static void test_missing_plateau(void **state)
{
    (void)state;
    struct curve c;
    struct mw_step steps[MW_STEP_MAX];
    struct mw_error error;
    size_t count;
    sizes(&c, 2 * KIB, 512 * MIB);
    for (size_t i = 0; i < c.n; i++) {
        double slope = 12 * pow(c.x[i] / MIB, 0.6);
        c.y[i] = c.x[i] <= 32 * KIB ? 1 : c.x[i] <= MIB ? 4 : slope < 100 ? slope : 100;
    }
    assert_int_equal(mw_steps_find(c.x, c.y, c.n, steps, &count, &error), MW_OK);
    assert_int_equal(count, 2);
    assert_near(steps[1].x, MIB, 0);
}

static void test_no_step(void **state)
{
    (void)state;
    struct curve c;
    struct mw_step steps[MW_STEP_MAX];
    struct mw_error error;
    size_t count = 9;
    sizes(&c, 2 * KIB, 512 * MIB);
    for (size_t i = 0; i < c.n; i++)
        c.y[i] = 3 * (1 + 0.3 * (double)i / (double)c.n);
    assert_int_equal(mw_steps_find(c.x, c.y, c.n, steps, &count, &error), MW_OK);
    assert_int_equal(count, 0);
    count = 9;
    assert_int_equal(mw_steps_find(c.x, c.y, 1, steps, &count, &error), MW_DATA);
    c.y[3] = 0;
    assert_int_equal(mw_steps_find(c.x, c.y, c.n, steps, &count, &error), MW_DATA);
    assert_int_equal(count, 9);
}

/* Minima measured on a processor with 48 KiB and 2 MiB; the cache behind is shared with other machines. */
static void test_measured(void **state)
{
    (void)state;
    static const double kib[] = {8,     16,    24,    32,    40,     44,     46,     48,     50,    52,
                                 56,    64,    96,    128,   256,    512,    1024,   1280,   1472,  1536,
                                 1664,  1792,  1920,  2048,  2176,   2304,   2432,   2560,   2816,  3072,
                                 3584,  4096,  5632,  7168,  9216,   12288,  15360,  20480,  26624, 32768,
                                 45056, 57344, 73728, 98304, 122880, 163840, 262144, 360448, 589824};
    static const double ns[] = {1.67,  1.67,   1.67,   1.669,  1.671,  1.673,  1.68,   1.687,   3.588,  5.29,
                                5.305, 5.316,  5.33,   5.34,   5.34,   5.34,   5.6,    6.1,     6.627,  6.536,
                                7.343, 8.932,  8.918,  8.852,  11.055, 12.106, 13.693, 15.153,  16.327, 17.011,
                                17.37, 13.525, 16.25,  18.025, 20.21,  22.5,   25.86,  27.849,  32.123, 47.566,
                                78.13, 84.797, 85.121, 83.092, 91.171, 93.282, 99.249, 108.567, 99.174};
    struct mw_step steps[MW_STEP_MAX];
    struct mw_error error;
    size_t count, n = sizeof kib / sizeof *kib;
    assert_int_equal(mw_steps_find(kib, ns, n, steps, &count, &error), MW_OK);
    assert_int_equal(count, 3);
    assert_near(steps[0].x, 48, 0);
    assert_near(steps[1].x, 2048, 0);
    assert_in_range((unsigned long)steps[2].x, 20480, 45056);
}

static void test_isotonic(void **state)
{
    (void)state;
    double y[] = {1, 3, 2, 4, 3, 2, 6}, w[7];
    const double want[] = {1, 2.5, 2.5, 3, 3, 3, 6};
    mw_isotonic(y, w, 7);
    for (int i = 0; i < 7; i++)
        assert_near(y[i], want[i], 1e-12);
}

static void test_line(void **state)
{
    (void)state;
    static const size_t stride[] = {8, 16, 32, 64, 128, 256, 512};
    bool sure;
    for (size_t line = 16; line <= 256; line *= 2) {
        double t[7];
        for (int i = 0; i < 7; i++)
            t[i] = 1.7e-9 + 3.8e-9 * fmin(1, (double)stride[i] / (double)line) + 1e-10 * uniform();
        assert_int_equal(mw_line_find(stride, t, 7, &sure), line);
        assert_true(sure);
    }
    static const double measured[] = {2.146, 2.631, 3.586, 5.480, 5.562, 5.688, 6.219};
    assert_int_equal(mw_line_find(stride, measured, 7, &sure), 64);
    assert_true(sure);
    static const double falling[] = {7, 6, 5, 4, 3, 2, 1};
    assert_int_equal(mw_line_find(stride, falling, 7, &sure), 0);
    assert_false(sure);
}

static void test_ways(void **state)
{
    (void)state;
    size_t first = 9;
    static const unsigned l1[] = {48, 24, 12, 12, 12, 6}, none[] = {32, 16, 0, 0}, strange[] = {40, 31, 22, 17};
    assert_int_equal(mw_ways_find(l1, 6, &first), 12);
    assert_int_equal(first, 2);
    assert_int_equal(mw_ways_find(none, 4, &first), 0);
    assert_int_equal(mw_ways_find(strange, 4, &first), 0);
}

/* One slow number is no border; the border needs slow ones behind it, and all that were measured. */
static void test_conflict_limit(void **state)
{
    (void)state;
    static const double clean[] = {1, 1.02, 1, 1.01, 3, 3.1, 3, 3.2}, spike[] = {1, 1, 3, 1, 1, 3, 3, 3, 3, 3};
    static const double short_one[] = {1, 1, 3, 3, 3}, unmeasured[] = {1, 1, 3, 3, INFINITY, INFINITY};
    assert_int_equal(mw_conflict_limit(clean, 8, 1.2), 4);
    assert_int_equal(mw_conflict_limit(spike, 10, 1.2), 0);
    assert_int_equal(mw_conflict_limit(short_one, 5, 1.2), 0);
    assert_int_equal(mw_conflict_limit(unmeasured, 6, 1.2), 0);
    assert_int_equal(mw_conflict_limit(clean, 8, 4), 0);
}

/* With w ways each 1/w beyond the capacity makes all sets overflow; random replacement takes 1.39 times it for half. */
static void test_refine(void **state)
{
    (void)state;
    double x[64], lru[64], random[64], scratch[128];
    for (int i = 0; i < 64; i++) {
        double r = 0.8 + i / 64., m = 0;
        for (int k = 0; k < 200 && r > 1; k++) /* share that misses: 1 - m = exp(-m r) */
            m = k ? 1 - exp(-m * r) : 0.5;
        x[i] = 32768 * r;
        lru[i] = 1 + 3 * fmin(1, fmax(0, (r - 1) * 8));
        random[i] = 1 + 3 * m;
    }
    struct mw_step step = {.x = 1, .onset = x[0], .end = x[63], .before = 1, .after = 4};
    double width = mw_step_refine(&step, x, lru, 64, scratch);
    assert_near(step.x / 32768, 1, 0.02);
    assert_true(width < MW_STEP_SHARP);
    width = mw_step_refine(&step, x, random, 64, scratch);
    assert_true(width > MW_STEP_SHARP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sharp_steps),  cmocka_unit_test(test_spoiled_points),
        cmocka_unit_test(test_gradual_step), cmocka_unit_test(test_missing_plateau),
        cmocka_unit_test(test_no_step),      cmocka_unit_test(test_measured),
        cmocka_unit_test(test_isotonic),     cmocka_unit_test(test_line),
        cmocka_unit_test(test_ways),         cmocka_unit_test(test_conflict_limit),
        cmocka_unit_test(test_refine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
