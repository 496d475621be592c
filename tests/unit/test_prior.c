// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "data/units.h"
#include "fit/predict/outlier.h"
#include "fit/predict/prior.h"
#include "fit/predict/sites.h"
#include "model/laws.h"

/* What docs/prediction.md says of weights beyond the measured cores: costs flat in their square root count half, Amdahl's law
   with memory half as much again as the others; nothing else matters. */
static void weights_beyond_the_cores(void **state)
{
    (void)state;
    const struct mw_prior_member *members;
    size_t count = mw_prior_members(&members);
    double amdahl = 0, all = 0;
    assert_true(count > 8);
    for (size_t i = 0; i < count; i++) {
        bool root = members[i].prior == MW_PRIOR_ROOT, free_of_contention = !strcmp(members[i].law, "amdahl-memory");
        double weight = mw_prior_beyond(members[i].law, members[i].prior);
        assert_near(weight, (root ? .5 : 1) * (free_of_contention ? 1.5 : 1), 1e-12);
        all += weight;
        amdahl += free_of_contention ? weight : 0;
    }
    assert_in_range(100 * amdahl / all, 10, 30); /* one voice among several */
}

/* The mappings of one cost: u^2 and u^4 of the bound, and the logarithm. */
static void priors_of_a_cost(void **state)
{
    (void)state;
    const struct mw_law *law = mw_law_find("amdahl-memory");
    const struct mw_law_limits none = {0};
    struct mw_prior_map map;
    double u[MW_LAW_MAX_PARAMS], root[MW_LAW_MAX_PARAMS], fourth[MW_LAW_MAX_PARAMS];
    for (size_t j = 0; j < law->param_count; j++)
        u[j] = .5;
    mw_prior_map_init(&map, law, MW_PRIOR_ROOT, 24, &none);
    assert_near(mw_prior_apply(&map, u, root), 0, 0);
    mw_prior_map_init(&map, law, MW_PRIOR_FOURTH, 24, &none);
    assert_near(mw_prior_apply(&map, u, fourth), 0, 0);
    for (size_t j = 0; j < law->param_count; j++) {
        double low = law->params[j].low, high = law->params[j].high;
        if (!strcmp(law->params[j].name, "f")) { /* the serial share flat in its root, whatever the prior */
            assert_near(root[j], high - (high - low) / 4, 1e-12);
            assert_near(fourth[j], root[j], 1e-12);
        } else if (!strcmp(law->params[j].name, "a")) {
            assert_near(root[j], low + (high - low) / 4, 1e-12);
            assert_near(fourth[j], low + (high - low) / 16, 1e-12);
        }
    }
}

/* data/units.h: 2500 MHz pinned is 2489 observed; .6 % and no more. */
static void frequencies_that_are_one(void **state)
{
    (void)state;
    assert_true(mw_freq_same(2.5e9, 2.489e9));
    assert_true(mw_freq_same(2.489e9, 2.5e9));
    assert_true(mw_freq_same(1e9, 1e9 * 1.0055));
    assert_false(mw_freq_same(1e9, 1e9 * 1.0065));
    assert_false(mw_freq_same(2.4e9, 2.3e9));
    assert_true(mw_freq_same(0, 0));
    assert_false(mw_freq_same(0, 1e9));
}

/*
 * Twelve core counts at four frequencies; residuals of one standard deviation by a fixed pattern, one point off by so many of
 * them. A point is an outlier where it is off by more than 4.5 robust deviations of the rest (docs/quality.md), and by a quarter
 * in ln.
 */
static bool is_outlier(double sd, double off, double *factor)
{
    enum { CORES = 12, FREQS = 4, N = CORES * FREQS, AT = 18 };
    struct mw_site sites[N];
    double residual[N], factors[N];
    uint64_t state = 12345;
    for (size_t i = 0; i < N; i++) {
        sites[i] = mw_site_at(1 + (double)(i % CORES), 1.2e9 + 4e8 * (double)(i / CORES), 2.133e9);
        double sum = 0;
        for (int k = 0; k < 12; k++) { /* near to normal */
            state = state * 6364136223846793005u + 1442695040888963407u;
            sum += (double)(state >> 40) / 16777216 - .5;
        }
        residual[i] = sd * sum;
    }
    residual[AT] = off;
    assert_int_equal(mw_outlier_screen(MW_TIME, sites, residual, N, factors, NULL), MW_OK);
    for (size_t i = 0; i < N; i++)
        assert_true(factors[i] >= 1 && (i == AT || factors[i] == 1));
    *factor = factors[AT];
    return factors[AT] > 1;
}

static void outliers_by_their_limits(void **state)
{
    (void)state;
    double factor, least = 0;
    assert_false(is_outlier(.02, .15, &factor)); /* far off in deviations: but a sixth is not broken */
    assert_false(is_outlier(.1, .1, &factor));
    assert_true(is_outlier(.02, .6, &factor));
    assert_true(factor > 20);
    for (double off = .1; off < 3 && !least; off += .01) /* noise of a tenth: where an outlier begins */
        if (is_outlier(.1, off, &factor))
            least = off;
    assert_near(least, .55, .045); /* with 3 deviations .38, with 6 .71 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_beyond_the_cores),
        cmocka_unit_test(priors_of_a_cost),
        cmocka_unit_test(frequencies_that_are_one),
        cmocka_unit_test(outliers_by_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
