// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"
#include "tests/unit/simulate.h"

#include "fit/predict/combine.h"
#include "model/laws.h"
#include "model/time.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

static const double memory_freq_hz = 2e9;
static const unsigned cores[] = {1, 2, 4, 8, 12, 16, 24, 32};
enum { CORES = 8, FREQS = 4 };

static struct mw_points simulate(const struct mw_law *law, const double *params, size_t freqs, double noise,
                                 unsigned long seed, struct mw_point *items)
{
    const struct simulated_grid grid = {cores, CORES, freqs, .4e9, memory_freq_hz};
    return simulate_grid(law, params, &grid, noise, seed, items);
}

/* Everything that a fit says of parameters, from simulated times. */
struct said {
    struct mw_model_param params[MW_LAW_MAX_PARAMS];
    struct mw_combination *combinations;
    size_t combination_count;
};

static struct said say(const struct mw_law *law, const double *truth, size_t freqs, unsigned long seed, double k_max)
{
    struct mw_knowledge knowledge = {.memory_freq_hz = memory_freq_hz, .limits.k_max = k_max};
    struct mw_point items[FREQS * CORES];
    struct mw_points points = simulate(law, truth, freqs, .02, seed, items);
    struct mw_problem problem;
    struct mw_optimum best;
    struct mw_region region;
    struct mw_domain domain;
    struct said said = {0};
    mw_domain_of(&domain, &points);
    assert_int_equal(mw_problem_init(&problem, &points, MW_LOSS_LOG, memory_freq_hz, NULL), MW_OK);
    mw_problem_law(&problem, law);
    mw_knowledge_apply(&knowledge, &problem);
    assert_int_equal(mw_search(&best, &problem, MW_METHOD_CSA, 1, NULL), MW_OK);
    assert_int_equal(mw_intervals(said.params, &region, &best, &problem, NULL), MW_OK);
    mw_params_judge(said.params, &region, &problem, &domain);
    assert_int_equal(mw_combinations(&said.combinations, &said.combination_count, &region, &best, &problem, &domain,
                                     &knowledge, 1, NULL),
                     MW_OK);
    for (size_t j = 0; j < law->param_count; j++) {
        const struct mw_model_param *p = &said.params[j];
        assert_true(p->low <= p->value && p->value <= p->high);
        assert_true(p->low >= law->params[j].low && p->high <= law->params[j].high);
    }
    mw_region_release(&region);
    mw_problem_release(&problem);
    return said;
}

/* Three parameters, 60 seeds: 180 intervals, of which 90 % hold the truth; 5 % would be seen. */
static void coverage(void **state)
{
    (void)state;
    static const double truth[] = {.97, .5, .6};
    unsigned covered = 0;
    for (unsigned long seed = 1; seed <= 60; seed++) {
        struct said said = say(&mw_law_amdahl_memory, truth, FREQS, seed, 0);
        for (size_t j = 0; j < 3; j++)
            covered += truth[j] >= said.params[j].low && truth[j] <= said.params[j].high;
        free(said.combinations);
    }
    assert_in_range(covered, 148, 175);
}

/* Times of `law` that miss by 4 % at each core count, alike at all frequencies: how many of d intervals hold the truth. */
static unsigned held_in_spite(const struct mw_law *law, const double *truth, unsigned long seed)
{
    struct mw_point items[FREQS * CORES];
    struct mw_points points = simulate(law, truth, FREQS, .02, seed, items);
    struct mw_problem problem;
    struct mw_optimum best;
    struct mw_region region;
    struct mw_model_param params[MW_LAW_MAX_PARAMS];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, seed);
    for (size_t c = 0; c < CORES; c++) {
        double factor = exp(gsl_ran_gaussian(rng, .04));
        for (size_t f = 0; f < FREQS; f++)
            items[f * CORES + c].value *= factor;
    }
    gsl_rng_free(rng);
    assert_int_equal(mw_problem_init(&problem, &points, MW_LOSS_LOG, memory_freq_hz, NULL), MW_OK);
    mw_problem_law(&problem, law);
    assert_int_equal(mw_search(&best, &problem, MW_METHOD_CSA, 1, NULL), MW_OK);
    assert_int_equal(mw_intervals(params, &region, &best, &problem, NULL), MW_OK);
    unsigned held = 0;
    for (size_t j = 0; j < law->param_count; j++)
        held += params[j].low <= truth[j] && truth[j] <= params[j].high;
    mw_region_release(&region);
    mw_problem_release(&problem);
    return held;
}

/* 150 intervals, 90 % of which hold the truth; taken for independent residuals 112 do. */
static void shared_misfit(void **state)
{
    (void)state;
    static const double truth[] = {.03, 4e-4, .5};
    unsigned held = 0;
    for (unsigned long seed = 1; seed <= 50; seed++)
        held += held_in_spite(&mw_law_usl_memory, truth, seed);
    assert_in_range(held, 126, 147);
}

static void wall_in_the_data(void **state)
{
    (void)state;
    static const double truth[] = {.99, 2, .015, .4};
    struct said said = say(&mw_law_vls, truth, FREQS, 1, 0);
    for (size_t j = 0; j < 4; j++)
        assert_int_equal(said.params[j].status, MW_PARAM_IDENTIFIED);
    assert_int_equal(said.combination_count, 2);
    double want[] = {mw_vls_wall_cores(truth, 1.2, 128), mw_vls_speedup_limit(truth, 1.2)};
    for (size_t i = 0; i < 2; i++) {
        assert_true(said.combinations[i].low <= want[i] && want[i] <= said.combinations[i].high);
        assert_true(said.combinations[i].identified);
    }
    free(said.combinations);
}

/* Without the wall only products are seen: k is never called identified, and the words say what would settle it. */
static void wall_beyond_the_data(void **state)
{
    (void)state;
    static const double truth[] = {.97, 1, .004, .3};
    for (unsigned long seed = 1; seed <= 5; seed++) {
        struct said said = say(&mw_law_vls, truth, FREQS, seed, 0);
        for (size_t j = MW_VLS_K; j <= MW_VLS_M2; j++)
            assert_int_not_equal(said.params[j].status, MW_PARAM_IDENTIFIED);
        assert_non_null(strstr(said.params[MW_VLS_K].settle, "32 cores"));
        free(said.combinations);
    }
}

static void one_frequency(void **state)
{
    (void)state;
    static const double truth[] = {.99, 2, .015, .4};
    struct said said = say(&mw_law_vls, truth, 1, 1, 0);
    assert_int_equal(said.params[MW_VLS_K].status, MW_PARAM_NOT_IDENTIFIABLE);
    assert_near(said.params[MW_VLS_K].high, 10, 0);
    assert_non_null(strstr(said.params[MW_VLS_K].settle, "second frequency"));
    free(said.combinations);
    for (unsigned long seed = 2; seed <= 40; seed++) { /* m1 and m2 are no better known than k */
        said = say(&mw_law_vls, truth, 1, seed, 0);
        assert_int_not_equal(said.params[MW_VLS_M1].status, MW_PARAM_IDENTIFIED);
        assert_int_not_equal(said.params[MW_VLS_M2].status, MW_PARAM_IDENTIFIED);
        free(said.combinations);
    }
}

/*
 * Grains of work: staircases of far apart counts are alike. The best of all counts is found, and the intervals hold every
 * count that is about as good, with its parallel share.
 */
static void grains(void **state)
{
    (void)state;
    enum { SHARE, GRAINS = 3, FEW = 2 };
    static const double truth[] = {.98, .5, 1e-3, 48};
    for (unsigned long seed = 1; seed <= 4; seed++) {
        struct said said = say(&mw_law_granularity, truth, FEW, seed, 0);
        struct mw_point items[FEW * CORES];
        struct mw_points points = simulate(&mw_law_granularity, truth, FEW, .02, seed, items);
        struct mw_problem problem;
        assert_int_equal(mw_problem_init(&problem, &points, MW_LOSS_LOG, memory_freq_hz, NULL), MW_OK);
        mw_problem_law(&problem, &mw_law_granularity);
        struct mw_optimum all[513], best = {.loss = HUGE_VAL};
        for (size_t n = 8; n <= 512; n++) {
            all[n] = (struct mw_optimum){.params = {.98, .5, 1e-3, (double)n}};
            assert_int_equal(mw_search_near(&all[n], &problem, 60, NULL), MW_OK);
            best = all[n].loss < best.loss ? all[n] : best;
        }
        assert_near(said.params[GRAINS].value, best.params[GRAINS], 0);
        double freedom = FEW * CORES - 5, limit = best.loss * (1 + 3.1 / freedom); /* a little inside t^2 = 3.23 */
        for (size_t n = 8; n <= 512; n++) {
            const double *p = all[n].params;
            if (all[n].loss > limit)
                continue;
            assert_true(said.params[GRAINS].low <= p[GRAINS] && p[GRAINS] <= said.params[GRAINS].high);
            assert_true(said.params[SHARE].low <= p[SHARE] && p[SHARE] <= said.params[SHARE].high);
        }
        mw_problem_release(&problem);
        free(said.combinations);
    }
}

/* A measured latency bounds k; where data say nothing of k that narrows its interval, and the truth stays inside. */
static void latency_narrows(void **state)
{
    (void)state;
    static const double truth[] = {.97, 1, .004, .3};
    struct said without = say(&mw_law_vls, truth, FREQS, 2, 0), with = say(&mw_law_vls, truth, FREQS, 2, 2);
    const struct mw_model_param *a = &without.params[MW_VLS_K], *b = &with.params[MW_VLS_K];
    if (!(b->high - b->low < a->high - a->low))
        fail_msg("k in %g to %g with, %g to %g without a latency", b->low, b->high, a->low, a->high);
    assert_true(b->low <= 1 && 1 <= b->high && b->high <= 2);
    free(without.combinations);
    free(with.combinations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coverage),      cmocka_unit_test(wall_in_the_data), cmocka_unit_test(wall_beyond_the_data),
        cmocka_unit_test(one_frequency), cmocka_unit_test(latency_narrows),  cmocka_unit_test(grains),
        cmocka_unit_test(shared_misfit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
