// SPDX-License-Identifier: GPL-3.0-or-later
/* The density that a whole parameter is drawn from: it is one, it is told apart from the prior, and it finds the value. */
#include "fit/predict/lattice.h"
#include "fit/predict/mixture.h"
#include "fit/predict/predict.h"
#include "fit/predict/prior.h"
#include "tests/unit/unit.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

enum { GRAINS = 32, POINTS = 10 };
static const double memory_freq_hz = 2.133e9;
static const double truth[] = {.999, .1, 1e-4, GRAINS};

static const struct mw_law *law(void)
{
    return mw_law_find("granularity");
}

/* Two frequencies on five core counts; .3 % noise. */
static void simulate(struct mw_points *points, struct mw_point *items)
{
    static const double cores[] = {2, 6, 12, 20, 32};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    *points = (struct mw_points){.items = items, .quantity = MW_TIME};
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 5; i++) {
            double freq_hz = j ? 2.4e9 : 1.2e9, h = mw_law_h(law(), truth, cores[i], freq_hz / memory_freq_hz);
            items[points->count++] = (struct mw_point){.cores = (unsigned)cores[i],
                                                       .freq_hz = freq_hz,
                                                       .count = 1,
                                                       .noise_factor = 1,
                                                       .value = 1e11 * h / freq_hz * exp(gsl_ran_gaussian(rng, .003))};
        }
    gsl_rng_free(rng);
}

static void the_density_is_one_and_knows_the_prior(void **state)
{
    (void)state;
    struct mw_point items[POINTS];
    struct mw_points points;
    struct mw_problem problem;
    struct mw_prior_map map;
    struct mw_lattice lattice;
    simulate(&points, items);
    assert_int_equal(mw_problem_init(&problem, &points, MW_LOSS_LOG, memory_freq_hz, NULL), MW_OK);
    mw_problem_law(&problem, law());
    mw_prior_map_init(&map, law(), MW_PRIOR_ROOT, 32, &(struct mw_law_limits){0});
    assert_int_equal(mw_lattice_init(&lattice, &problem, mw_prior_whole_mass, &map, NULL), MW_OK);
    assert_int_equal(lattice.param, 3);
    assert_near(lattice.edge[lattice.count - 1], 1, 1e-12);
    double prior = 0, at_truth = 0;
    for (size_t i = 0; i < lattice.count; i++) {
        double density = lattice.edge[i] - (i ? lattice.edge[i - 1] : 0), ratio = exp(lattice.ln_ratio[i]);
        double mass = mw_prior_whole_mass(lattice.low + (double)i, 3, &map) / log(512. / 8);
        assert_near(density * ratio, mass, 1e-12);
        assert_true(ratio <= 2 + 1e-12);
        prior += density * ratio;
        if (lattice.low + (double)i == GRAINS)
            at_truth = density / mass;
    }
    assert_near(prior, 1, 1e-9);
    assert_true(at_truth > 5);
    /* the inverse of the cumulative sum */
    double before = lattice.low;
    for (int k = 0; k <= 1000; k++) {
        double ln_ratio = 0, value = mw_lattice_value(&lattice, k / 1000., &ln_ratio);
        assert_true(value >= before && value <= 512);
        assert_near(ln_ratio, lattice.ln_ratio[(size_t)(value - lattice.low)], 0);
        before = value;
    }
    mw_lattice_release(&lattice);
    mw_problem_release(&problem);
}

/* Between the measured core counts: 16 cores need two rounds, which no prediction shows that has another count of grains. */
static void the_grains_are_found(void **state)
{
    (void)state;
    struct mw_point items[POINTS];
    struct mw_config query[] = {{16, 2.4e9}, {24, 2.4e9}, {8, 1.2e9}};
    for (unsigned long seed = 1; seed <= 3; seed++) {
        struct mw_model model = {
            .law = "granularity", .quantity = MW_TIME, .memory_freq_hz = memory_freq_hz, .seed = seed};
        struct mw_prediction out[3];
        simulate(&model.points, items);
        assert_int_equal(mw_mixture_fit(&model, NULL), MW_OK);
        assert_int_equal(mw_predict(&model, query, 3, out, NULL), MW_OK);
        for (int i = 0; i < 3; i++) {
            double h = mw_law_h(law(), truth, query[i].cores, query[i].freq_hz / memory_freq_hz);
            assert_near(out[i].value, 1e11 * h / query[i].freq_hz, .06 * out[i].value);
        }
        model.points = (struct mw_points){0};
        mw_model_release(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_density_is_one_and_knows_the_prior),
        cmocka_unit_test(the_grains_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
