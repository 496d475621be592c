// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "fit/numeric/csa.h"

enum { D = 3 };

/* Rastrigin's function on the cube, optimum at .7 in each direction, a local optimum each tenth. */
static double rastrigin(void *context, const double *u)
{
    unsigned *calls = context;
    double sum = 1e-3;
    for (size_t j = 0; j < D; j++) {
        double x = 10 * (u[j] - .7);
        sum += x * x + 10 * (1 - cos(2 * M_PI * x));
    }
    if (calls)
        ++*calls;
    return log(sum);
}

static void scatter(double *u)
{
    for (size_t i = 0; i < MW_CSA_ANNEALERS * D; i++)
        u[i] = fmod(.137 + .618034 * (double)i, 1);
}

static double best(const double *energy)
{
    double low = energy[0];
    for (size_t i = 1; i < MW_CSA_ANNEALERS; i++)
        low = fmin(low, energy[i]);
    return low;
}

static void finds_the_valley(void **state)
{
    (void)state;
    unsigned found = 0;
    for (unsigned long seed = 1; seed <= 20; seed++) {
        double u[MW_CSA_ANNEALERS * D], energy[MW_CSA_ANNEALERS];
        struct mw_anneal a = {D, rastrigin, NULL, seed};
        scatter(u);
        assert_int_equal(mw_csa_run(&a, 4000, u, energy, NULL, NULL), MW_OK);
        found += best(energy) < log(1); /* the next best valleys have a value of 1 or more */
    }
    assert_in_range(found, 14, 20);
}

/* What the paper's control is for: the acceptances' variance stays near 99 % of its largest value. */
static void variance_is_steered(void **state)
{
    (void)state;
    double u[MW_CSA_ANNEALERS * D], energy[MW_CSA_ANNEALERS], variance;
    struct mw_anneal a = {D, rastrigin, NULL, 1};
    scatter(u);
    assert_int_equal(mw_csa_run(&a, 4000, u, energy, &variance, NULL), MW_OK);
    assert_true(variance > .9 && variance < 1);
}

static void same_seed_same_bits(void **state)
{
    (void)state;
    double u[2][MW_CSA_ANNEALERS * D], energy[2][MW_CSA_ANNEALERS];
    for (int method = 0; method < 2; method++) {
        for (int i = 0; i < 2; i++) {
            struct mw_anneal a = {D, rastrigin, NULL, 5};
            scatter(u[i]);
            assert_int_equal(method ? mw_siman_run(&a, 300, u[i], energy[i], NULL)
                                    : mw_csa_run(&a, 300, u[i], energy[i], NULL, NULL),
                             MW_OK);
        }
        assert_memory_equal(u[0], u[1], sizeof u[0]);
    }
}

static void counts_and_cube(void **state)
{
    (void)state;
    unsigned calls = 0;
    double u[MW_CSA_ANNEALERS * D], energy[MW_CSA_ANNEALERS];
    struct mw_anneal a = {D, rastrigin, &calls, 1};
    scatter(u);
    assert_int_equal(mw_csa_run(&a, 100, u, energy, NULL, NULL), MW_OK);
    assert_int_equal(calls, MW_CSA_ANNEALERS * 101);
    for (size_t i = 0; i < MW_CSA_ANNEALERS * D; i++)
        assert_true(u[i] >= 0 && u[i] <= 1);
    for (size_t i = 0; i < MW_CSA_ANNEALERS; i++)
        assert_near(energy[i], rastrigin(NULL, u + i * D), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_valley),
        cmocka_unit_test(variance_is_steered),
        cmocka_unit_test(same_seed_same_bits),
        cmocka_unit_test(counts_and_cube),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
