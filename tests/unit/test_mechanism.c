// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "fit/hot_mechanism.h"
#include "fit/mechanism.h"

enum { DRAWS = 100000, COUNT = 1000 };

static const double CORES[] = {1, 4, 10, 12, 13, 17, 21, 24, 4, 24};
static const double FREQ[] = {1, 1, 1, 1, 1, 1, 1, 1, .5, .5};
enum { N = sizeof CORES / sizeof *CORES };

static void simulate(struct mw_mechanism_point *points, const struct mw_mechanism_draw *truth, double scale)
{
    for (size_t i = 0; i < N; i++) {
        double wiggle = .01 * sin(12.9898 * (double)(i + 1)); /* 1 % that no law explains */
        points[i] = (struct mw_mechanism_point){
            CORES[i], FREQ[i], log(scale * mw_mechanism_time(truth, CORES[i], FREQ[i], 24, NULL)) + wiggle, 1};
    }
}

static struct mw_mechanism_posterior infer(const struct mw_mechanism_point *points, size_t n)
{
    static const struct mw_mechanism_boundary half = {12, 1};
    struct mw_mechanism_bank *bank = NULL;
    struct mw_mechanism_posterior posterior = {0};
    struct mw_mechanism_data data = {points, n, false, &half, 1};
    assert_int_equal(mw_mechanism_bank_alloc(&bank, 24, DRAWS, 1, NULL), MW_OK);
    assert_int_equal(mw_mechanism_infer(&posterior, bank, &data, COUNT, NULL), MW_OK);
    mw_mechanism_bank_free(bank);
    return posterior;
}

/* The blocked single-precision surface against the plain one, for every law over its parameters. */
static void surfaces(void **state)
{
    (void)state;
    static const double extra[] = {0, .09, .003, 37, .3, .4, .07};
    for (int law = 0; law < MW_MECHANISM_COUNT; law++)
        for (int i = 0; i < 200; i++) {
            double serial = exp(-9 * (i % 10) / 10.), latency = exp(-4 + .03 * i),
                   nonscaling = law == 0 ? latency / 3 : 0;
            float c[MW_COLUMN_COUNT] = {
                (float)serial, (float)(1 - serial), (float)latency, (float)nonscaling, (float)extra[law], 0, 0};
            struct mw_mechanism_draw draw = {.law = (enum mw_mechanism)law,
                                             .serial = serial,
                                             .parallel = 1 - serial,
                                             .latency = latency,
                                             .nonscaling = nonscaling};
            if (law == MW_MECHANISM_ROOF)
                draw.roof = extra[law];
            if (law == MW_MECHANISM_OVERHEAD)
                draw.overhead_compute = extra[law];
            if (law == MW_MECHANISM_GRANULARITY)
                draw.grains = extra[law];
            if (law == MW_MECHANISM_STEP) {
                draw.step = extra[law];
                draw.step_after = 12;
                c[MW_COLUMN_EXTRA2] = 12;
            }
            if (law == MW_MECHANISM_CACHE)
                draw.cache = extra[law] * latency, c[MW_COLUMN_EXTRA] = (float)draw.cache;
            if (law == MW_MECHANISM_WEAK)
                draw.growth = extra[law];
            const float *column[MW_COLUMN_COUNT];
            for (int k = 0; k < MW_COLUMN_COUNT; k++)
                column[k] = &c[k];
            for (double p = 1; p <= 24; p++) {
                float out;
                mw_mechanism_surface(draw.law, column, 1, (float)p, .5f, 24, &out);
                assert_near((double)out, log(mw_mechanism_time(&draw, p, .5, 24, NULL)), 3e-6);
            }
        }
}

static void shares_sum(void **state)
{
    (void)state;
    struct mw_mechanism_draw draw = {
        .law = MW_MECHANISM_ADDITIVE, .serial = .1, .parallel = .9, .latency = .5, .nonscaling = .05};
    struct mw_mechanism_shares s;
    double t = mw_mechanism_time(&draw, 4, .5, 24, &s);
    assert_near(t, (.1 + .9 / 4) / .5 + .5 / 4 + .05, 1e-12);
    assert_near(s.serial + s.parallel + s.latency + s.nonscaling + s.overhead, 1, 1e-12);
    assert_near(s.nonscaling, .05 / t, 1e-12);
}

static void recovers(void **state)
{
    (void)state;
    struct mw_mechanism_draw truth = {
        .law = MW_MECHANISM_ADDITIVE, .serial = .01, .parallel = .99, .latency = .8, .nonscaling = .04};
    struct mw_mechanism_point points[N];
    struct mw_mechanism_shares want;
    (void)mw_mechanism_time(&truth, 24, 1, 24, &want);
    simulate(points, &truth, 1);
    struct mw_mechanism_posterior posterior = infer(points, N);
    double memory = 0, sum = 0;
    for (size_t i = 0; i < posterior.count; i++) {
        struct mw_mechanism_shares s;
        (void)mw_mechanism_time(&posterior.draws[i], 24, 1, 24, &s);
        memory += (s.latency + s.nonscaling) / COUNT;
    }
    assert_near(memory, want.latency + want.nonscaling, .06);
    for (int law = 0; law < MW_MECHANISM_COUNT; law++)
        sum += posterior.law_chance[law];
    assert_near(sum, 1, 1e-9);
    assert_true(posterior.law_chance[MW_MECHANISM_WEAK] < .01);
    assert_true(posterior.effective > 10);
    mw_mechanism_posterior_release(&posterior);
}

static void finds_grains(void **state)
{
    (void)state;
    struct mw_mechanism_draw truth = {
        .law = MW_MECHANISM_GRANULARITY, .serial = .001, .parallel = .999, .latency = .05, .grains = 36};
    struct mw_mechanism_point points[N];
    simulate(points, &truth, 1);
    struct mw_mechanism_posterior posterior = infer(points, N);
    assert_true(posterior.law_chance[MW_MECHANISM_GRANULARITY] > .9);
    mw_mechanism_posterior_release(&posterior);
}

/* Other units and another order give the same chances; the level moves with the unit. */
static void invariant(void **state)
{
    (void)state;
    struct mw_mechanism_draw truth = {.law = MW_MECHANISM_STEP,
                                      .serial = .002,
                                      .parallel = .998,
                                      .latency = .1,
                                      .step = .3,
                                      .step_after = 12,
                                      .step_persists = true};
    struct mw_mechanism_point points[N], other[N];
    simulate(points, &truth, 1);
    simulate(other, &truth, 1000);
    for (size_t i = 0; i < N / 2; i++) {
        struct mw_mechanism_point swap = other[i];
        other[i] = other[N - 1 - i];
        other[N - 1 - i] = swap;
    }
    struct mw_mechanism_posterior a = infer(points, N), b = infer(other, N);
    for (int law = 0; law < MW_MECHANISM_COUNT; law++)
        assert_near(a.law_chance[law], b.law_chance[law], 1e-4);
    assert_near(b.draws[0].ln_scale - a.draws[0].ln_scale, log(1000), .05);
    assert_true(a.law_chance[MW_MECHANISM_STEP] > .9);
    mw_mechanism_posterior_release(&a);
    mw_mechanism_posterior_release(&b);
}

static void refuses(void **state)
{
    (void)state;
    struct mw_mechanism_bank *bank = NULL;
    struct mw_error error;
    assert_int_equal(mw_mechanism_bank_alloc(&bank, 0, 10, 1, &error), MW_USAGE);
    assert_int_equal(mw_mechanism_bank_alloc(&bank, 4, 10, 1, &error), MW_OK);
    struct mw_mechanism_posterior posterior = {0};
    struct mw_mechanism_data none = {0};
    assert_int_equal(mw_mechanism_infer(&posterior, bank, &none, 10, &error), MW_USAGE);
    mw_mechanism_bank_free(bank);
    mw_mechanism_bank_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces),     cmocka_unit_test(shares_sum), cmocka_unit_test(recovers),
        cmocka_unit_test(finds_grains), cmocka_unit_test(invariant),  cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
