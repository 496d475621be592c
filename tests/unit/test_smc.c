// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "fit/numeric/smc.h"

struct gaussian {
    size_t dims;
    double mean, sd, correlation; /* of neighbouring pairs (0,1), (2,3), … */
};

/* A density that integrates to 1 over the plane, so to nearly 1 over the cube when it is narrow. */
static double log_density(const double *u, void *context)
{
    const struct gaussian *g = context;
    double sum = 0, r = g->correlation;
    for (size_t j = 0; j + 1 < g->dims; j += 2) {
        double a = (u[j] - g->mean) / g->sd, b = (u[j + 1] - g->mean) / g->sd;
        sum -= (a * a - 2 * r * a * b + b * b) / (2 * (1 - r * r)) + log(2 * M_PI * g->sd * g->sd * sqrt(1 - r * r));
    }
    return sum;
}

static void evidence_and_moments_of_gaussians(void **state)
{
    (void)state;
    static const struct gaussian cases[] = {{2, .5, .05, 0}, {4, .5, .02, .9}, {6, .4, .05, .5}, {2, .5, .002, -.95}};
    enum { N = 1000 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct gaussian g = cases[c];
        double u[N * 6], log_evidence, mean = 0, variance = 0, product = 0;
        struct mw_smc smc = {g.dims, N, 8, 16, 3, log_density, &g};
        assert_int_equal(mw_smc_sample(&smc, u, &log_evidence, NULL), MW_OK);
        assert_near(log_evidence, 0, .5);
        for (size_t i = 0; i < N; i++)
            mean += u[i * g.dims] / N;
        for (size_t i = 0; i < N; i++) {
            variance += pow(u[i * g.dims] - mean, 2) / N;
            product += (u[i * g.dims] - g.mean) * (u[i * g.dims + 1] - g.mean) / N;
        }
        assert_near(mean, g.mean, .15 * g.sd);
        assert_near(sqrt(variance), g.sd, .12 * g.sd);
        assert_near(product / variance, g.correlation, .1);
    }
}

/* Mass beyond the cube is cut off: a Gaussian centred on a face has evidence one half. */
static void the_cube_cuts(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct gaussian g = {2, 0, .05, 0};
    double u[N * 2], log_evidence;
    struct mw_smc smc = {g.dims, N, 8, 16, 5, log_density, &g};
    assert_int_equal(mw_smc_sample(&smc, u, &log_evidence, NULL), MW_OK);
    assert_near(log_evidence, log(.25), .4);
    for (size_t i = 0; i < N * 2; i++)
        assert_true(u[i] >= 0 && u[i] <= 1);
}

static void a_seed_settles_it(void **state)
{
    (void)state;
    enum { N = 100 };
    struct gaussian g = {4, .5, .1, .3};
    double a[N * 4], b[N * 4], log_a, log_b;
    struct mw_smc smc = {g.dims, N, 3, 8, 1, log_density, &g};
    assert_int_equal(mw_smc_sample(&smc, a, &log_a, NULL), MW_OK);
    assert_int_equal(mw_smc_sample(&smc, b, &log_b, NULL), MW_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_true(log_a == log_b);
    smc.seed = 2;
    assert_int_equal(mw_smc_sample(&smc, b, &log_b, NULL), MW_OK);
    assert_memory_not_equal(a, b, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_and_moments_of_gaussians),
        cmocka_unit_test(the_cube_cuts),
        cmocka_unit_test(a_seed_settles_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
