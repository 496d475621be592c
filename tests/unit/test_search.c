// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"
#include "tests/unit/simulate.h"

#include "fit/numeric/polish.h"
#include "fit/search/score.h"
#include "fit/search/starts.h"
#include "model/laws.h"
#include "model/time.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <string.h>

static const double memory_freq_hz = 2e9;
static const struct mw_knowledge knowledge = {.memory_freq_hz = 2e9};

enum { CORES = 9, FREQS = 4, N = CORES * FREQS };
static const unsigned cores[CORES] = {1, 2, 3, 4, 6, 8, 12, 16, 24};

/* Times of a law with normal noise on their logarithm. */
static struct mw_points simulate(const struct mw_law *law, const double *params, double noise, unsigned long seed,
                                 struct mw_point *items)
{
    const struct simulated_grid grid = {cores, CORES, FREQS, .4e9, memory_freq_hz};
    return simulate_grid(law, params, &grid, noise, seed, items);
}

static struct mw_optimum fit(const struct mw_points *points, const struct mw_law *law, enum mw_loss loss,
                             unsigned long seed)
{
    struct mw_problem problem;
    struct mw_optimum found;
    assert_int_equal(mw_problem_init(&problem, points, loss, memory_freq_hz, NULL), MW_OK);
    mw_problem_law(&problem, law);
    assert_int_equal(mw_search(&found, &problem, MW_METHOD_CSA, seed, NULL), MW_OK);
    mw_problem_release(&problem);
    return found;
}

/* Without noise every law gives back its own curve: the loss is that of rounding. */
static void exact_data(void **state)
{
    (void)state;
    static const struct {
        const char *law;
        double params[5];
    } cases[] = {
        {"vls", {.97, 1.5, .02, .4}},
        {"vls-contention", {.99, 1, .01, .3, .002}},
        {"amdahl", {.93}},
        {"usl", {.04, 1e-3}},
        {"amdahl-memory", {.95, .4, .3}},
        {"gustafson", {.9}},
        {"sun-ni", {.8, .6}},
        {"socket", {.96, .5, .8, 8}},
        {"tiers", {.98, .6, .4, .2, .3}},
        {"granularity", {.99, .4, .001, 48}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mw_point items[N];
        const struct mw_law *law = mw_law_find(cases[i].law);
        struct mw_points points = simulate(law, cases[i].params, 0, 1, items);
        struct mw_optimum found = fit(&points, law, MW_LOSS_ROBUST, 1);
        if (!(found.loss < 1e-8))
            fail_msg("%s: loss %g", law->name, found.loss);
        for (size_t j = 0; j < law->param_count; j++)
            if (law->whole & 1u << j)
                assert_near(found.params[j], floor(found.params[j]), 0);
        static const double elsewhere[] = {5, 12, 24}; /* at a frequency that was not measured */
        for (size_t k = 0; k < 3; k++) {
            double ratio =
                mw_law_h(law, found.params, elsewhere[k], .75) / mw_law_h(law, cases[i].params, elsewhere[k], .75);
            if (!(fabs(ratio * exp(found.b) / 30e9 - 1) < 1e-3))
                fail_msg("%s: off by a factor of %g on %g cores", law->name, ratio * exp(found.b) / 30e9, elsewhere[k]);
        }
    }
}

/* The optimum does not depend on the seed, and no start near the truth is better. */
static void seeds_agree(void **state)
{
    (void)state;
    static const double truth[] = {.97, 1.5, .02, .4};
    struct mw_point items[N];
    struct mw_points points = simulate(&mw_law_vls, truth, .03, 7, items);
    for (int loss = MW_LOSS_ROBUST; loss <= MW_LOSS_SPEEDUP_MSE; loss++) {
        struct mw_optimum first = fit(&points, &mw_law_vls, (enum mw_loss)loss, 1),
                          near = {.params = {.97, 1.5, .02, .4}};
        struct mw_problem problem;
        assert_int_equal(mw_problem_init(&problem, &points, (enum mw_loss)loss, memory_freq_hz, NULL), MW_OK);
        mw_problem_law(&problem, &mw_law_vls);
        assert_int_equal(mw_search_near(&near, &problem, 200, NULL), MW_OK);
        assert_true(first.loss <= near.loss * (1 + 1e-6));
        mw_problem_release(&problem);
        for (unsigned long seed = 2; seed <= 6; seed++)
            assert_near(fit(&points, &mw_law_vls, (enum mw_loss)loss, seed).loss / first.loss, 1, 1e-6);
    }
}

/* Losses take in every point, whatever their number: the inner loop goes by eights. */
static void every_point_counts(void **state)
{
    (void)state;
    enum { MOST = 19 };
    const double c = .05;
    double r[MOST], cauchy = 0, squares = 0;
    for (size_t n = 1; n <= MOST; n++) {
        r[n - 1] = .02 * sin((double)n);
        squares += r[n - 1] * r[n - 1];
        cauchy += c * c * log(1 + r[n - 1] * r[n - 1] / (c * c));
        assert_near(mw_loss_mean(r, n, c) / (cauchy / (double)n), 1, 1e-12);
        assert_near(mw_loss_mean(r, n, 0) / (squares / (double)n), 1, 1e-12);
    }
}

/* A tenth of the rows wrong by a factor of three moves the robust answer little. */
static void outliers_are_tamed(void **state)
{
    (void)state;
    static const double truth[] = {.97, .3};
    struct mw_point items[N];
    struct mw_points points = simulate(&mw_law_amdahl, truth, .02, 3, items);
    double clean = fit(&points, &mw_law_amdahl, MW_LOSS_ROBUST, 1).params[0];
    for (size_t i = 4; i < N; i += 10)
        items[i].value *= i % 20 == 4 ? 3 : 1. / 3;
    double robust = fit(&points, &mw_law_amdahl, MW_LOSS_ROBUST, 1).params[0];
    double squares = fit(&points, &mw_law_amdahl, MW_LOSS_LOG, 1).params[0];
    assert_near(robust, clean, .003);
    assert_true(fabs(squares - clean) > 2 * fabs(robust - clean));
}

/* A common factor on all times goes into A alone. */
static void factor_is_scale(void **state)
{
    (void)state;
    static const double truth[] = {.97, 1.5, .02, .4};
    struct mw_point items[N];
    struct mw_points points = simulate(&mw_law_vls, truth, .02, 5, items);
    struct mw_optimum a = fit(&points, &mw_law_vls, MW_LOSS_ROBUST, 1);
    for (size_t i = 0; i < N; i++)
        items[i].value *= 60;
    struct mw_optimum b = fit(&points, &mw_law_vls, MW_LOSS_ROBUST, 1);
    assert_near(b.loss / a.loss, 1, 1e-9);
    assert_near(b.b - a.b, log(60), 1e-6);
    for (size_t j = 0; j < 4; j++)
        assert_near(a.params[j], b.params[j], 1e-5);
}

/*
 * Gunther's ray tracer (Guerrilla Capacity Planning, 2007; data of the R package usl), speedup over one processor. The
 * package's regression on deviations from linearity prints sigma .05002, kappa 4.708e-6; the least squares of speedup
 * itself, by a direct search of its own, are at .0497973, 1.14344e-5.
 */
static void published_usl(void **state)
{
    (void)state;
    static const unsigned processors[] = {1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64};
    static const double rate[] = {20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310};
    struct mw_point items[11];
    for (size_t i = 0; i < 11; i++)
        items[i] = (struct mw_point){.cores = processors[i], .value = 1 / rate[i], .count = 1, .noise_factor = 1};
    struct mw_points points = {.items = items, .count = 11, .quantity = MW_TIME};
    struct mw_optimum found = fit(&points, &mw_law_usl, MW_LOSS_SPEEDUP_MSE, 1);
    assert_near(found.params[0], .0497973, 1e-7);
    assert_near(found.params[1], 1.14344e-5, 1e-9);
    struct mw_problem problem;
    struct mw_scratch scratch;
    double published[] = {.05002, 4.708e-6};
    assert_int_equal(mw_problem_init(&problem, &points, MW_LOSS_SPEEDUP_MSE, memory_freq_hz, NULL), MW_OK);
    mw_problem_law(&problem, &mw_law_usl);
    assert_int_equal(mw_scratch_init(&scratch, &problem, NULL), MW_OK);
    double loss = mw_problem_loss(&problem, published, NULL, &scratch);
    assert_true(found.loss < loss && loss < 1.01 * found.loss);
    mw_scratch_release(&scratch);
    mw_problem_release(&problem);
}

static void plain_annealing_too(void **state)
{
    (void)state;
    static const double truth[] = {.97, 1.5, .02, .4};
    struct mw_point items[N];
    struct mw_points points = simulate(&mw_law_vls, truth, .02, 5, items);
    struct mw_score csa = {.law = &mw_law_vls}, siman = {.law = &mw_law_vls};
    struct mw_score_options options = {MW_LOSS_LOG, MW_METHOD_CSA, .05, 1, &knowledge, NULL};
    assert_int_equal(mw_score_laws(&csa, 1, &points, &options, NULL), MW_OK);
    options.method = MW_METHOD_SIMAN;
    assert_int_equal(mw_score_laws(&siman, 1, &points, &options, NULL), MW_OK);
    assert_near(siman.optimum.loss / csa.optimum.loss, 1, 1e-6);
    assert_true(csa.has_cv && csa.cv_mape_percent > 1 && csa.cv_mape_percent < 4); /* 2 % noise */
    assert_true(csa.rmse_log < .025);
}

/* Points are left out of a fit of speedups too; those on one core, which are 1 by definition, don't count. */
static void left_out_speedups(void **state)
{
    (void)state;
    static const double truth[] = {.97, 1.5, .02, .4};
    struct mw_point items[N];
    struct mw_points points = simulate(&mw_law_vls, truth, .02, 5, items);
    struct mw_score score = {.law = &mw_law_vls};
    struct mw_score_options options = {MW_LOSS_SPEEDUP_MSE, MW_METHOD_CSA, .05, 1, &knowledge, NULL};
    assert_int_equal(mw_score_laws(&score, 1, &points, &options, NULL), MW_OK);
    assert_true(score.has_cv && score.cv_mape_percent > 1 && score.cv_mape_percent < 6);
}

/* Starts of one block have the wall at the same core counts, by the law itself; and there is a block for many ways in which it can lie. */
static void starts_of_a_block_are_alike(void **state)
{
    (void)state;
    enum { BLOCKS_MOST = 4096 };
    static const double truth[] = {.97, 1.5, .02, .4};
    static unsigned char seen[BLOCKS_MOST][CORES];
    static bool known[BLOCKS_MOST];
    struct mw_point items[N];
    struct mw_points points = simulate(&mw_law_vls, truth, 0, 1, items);
    struct mw_problem problem;
    struct mw_starts starts;
    double p[CORES], phi[CORES];
    size_t used = 0;
    assert_int_equal(mw_problem_init(&problem, &points, MW_LOSS_LOG, memory_freq_hz, NULL), MW_OK);
    mw_problem_law(&problem, &mw_law_vls);
    assert_int_equal(mw_starts_init(&starts, &problem, NULL), MW_OK);
    assert_true(starts.count > 1000 && starts.block_count <= BLOCKS_MOST);
    for (size_t i = 0; i < CORES; i++) {
        p[i] = cores[i];
        phi[i] = problem.phi[problem.n / 2];
    }
    for (size_t i = 0; i < starts.count; i++) {
        const double *v = starts.params + i * MW_LAW_MAX_PARAMS;
        unsigned char branch[CORES];
        size_t block = starts.block[i];
        for (size_t j = 0; j < mw_law_vls.param_count; j++)
            assert_true(v[j] >= problem.low[j] && v[j] <= problem.high[j]);
        mw_law_vls.branch(v, CORES, p, phi, branch);
        branch[0] = 0; /* one core: both are the same where mu is 1 */
        assert_true(block < starts.block_count);
        if (!known[block])
            memcpy(seen[block], branch, sizeof branch);
        used += !known[block];
        known[block] = true;
        assert_memory_equal(seen[block], branch, sizeof branch);
    }
    assert_true(used > 50);
    mw_starts_release(&starts);
    mw_problem_release(&problem);
}

/* A law that is only compared gets a cheaper search: no worse than the reported law that it contains, and about the best. */
static void compared_laws(void **state)
{
    (void)state;
    static const double truth[] = {.99, 1, .01, .3, .002};
    static const struct mw_law *const laws[] = {&mw_law_vls, &mw_law_vls_contention, &mw_law_vls_onecore};
    struct mw_point items[N];
    for (unsigned long seed = 1; seed <= 3; seed++) {
        struct mw_points points = simulate(&mw_law_vls_contention, truth, .02, seed, items);
        struct mw_score scores[] = {{.law = laws[1]}, {.law = laws[0]}, {.law = laws[2]}};
        struct mw_score_options options = {MW_LOSS_LOG, MW_METHOD_CSA, .05, seed, &knowledge, &mw_law_vls};
        assert_int_equal(mw_score_laws(scores, 3, &points, &options, NULL), MW_OK);
        for (size_t i = 0; i < 3; i += 2) {
            assert_true(scores[i].optimum.loss <= scores[1].optimum.loss * (1 + 1e-9));
            assert_true(scores[i].optimum.loss <= 1.01 * fit(&points, scores[i].law, MW_LOSS_LOG, seed).loss);
        }
        assert_near(scores[1].optimum.loss / fit(&points, &mw_law_vls, MW_LOSS_LOG, seed).loss, 1, 1e-9);
        assert_true(scores[0].optimum.loss < .9 * scores[1].optimum.loss);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_data),         cmocka_unit_test(seeds_agree),
        cmocka_unit_test(outliers_are_tamed), cmocka_unit_test(factor_is_scale),
        cmocka_unit_test(published_usl),      cmocka_unit_test(plain_annealing_too),
        cmocka_unit_test(compared_laws),      cmocka_unit_test(every_point_counts),
        cmocka_unit_test(left_out_speedups),  cmocka_unit_test(starts_of_a_block_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
