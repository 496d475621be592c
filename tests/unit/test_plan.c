// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "advise/tune/plan.h"
#include "model/power.h"

enum { CORES = 24, ALL = CORES * 13 };

static struct mw_config grid[ALL];
static const unsigned boundary = 12;

static double time_of(double p, double freq_hz)
{
    double f = freq_hz / 1e9;
    return 100 * ((.04 + .96 / p) / f + .08 * (.3 + .7 / p));
}

static struct mw_point point_at(unsigned p, double freq_hz)
{
    static const double w[MW_POWER_TERMS] = {38, 12, 6, 1.1, 1.4};
    double t = time_of(p, freq_hz);
    return (struct mw_point){.cores = p,
                             .freq_hz = freq_hz,
                             .value = t,
                             .count = 1,
                             .noise_factor = 1,
                             .has_energy = true,
                             .energy_j = t * mw_power_law(w, p, mw_sockets(p, 12), freq_hz / 2.4e9)};
}

static int setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < ALL; i++)
        grid[i] = (struct mw_config){(unsigned)(i % CORES + 1), 1.2e9 + 1e8 * (double)(i / CORES)};
    return 0;
}

static struct mw_plan_options options_for(enum mw_plan_purpose purpose, size_t count)
{
    return (struct mw_plan_options){.purpose = purpose,
                                    .goal = {.objective = MW_OBJECTIVE_ENERGY, .certainty = .9},
                                    .tolerance = .02,
                                    .count = count,
                                    .candidates = grid,
                                    .candidate_count = ALL,
                                    .boundaries = &boundary,
                                    .boundary_count = 1,
                                    .seed = 1};
}

static bool has(const struct mw_plan *plan, unsigned cores, double freq_hz)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->points[i].candidate.cores == cores && fabs(plan->points[i].candidate.freq_hz - freq_hz) < 1e6)
            return true;
    return false;
}

static void first_designs(void **state)
{
    (void)state;
    struct mw_points none = {.quantity = MW_TIME};
    struct mw_plan plan;
    struct mw_plan_options o = options_for(MW_PLAN_BEST, 0);
    assert_int_equal(mw_plan_make(&plan, &none, &o, NULL), MW_OK);
    assert_int_equal(plan.count, 3);
    assert_true(has(&plan, 24, 2.4e9) && has(&plan, 24, 1.2e9) && has(&plan, 12, 2.4e9));
    mw_plan_release(&plan);
    o = options_for(MW_PLAN_SURFACE, 0);
    assert_int_equal(mw_plan_make(&plan, &none, &o, NULL), MW_OK);
    assert_int_equal(plan.count, 6);
    assert_true(has(&plan, 9, 1.2e9) && has(&plan, 3, 2.4e9));
    mw_plan_release(&plan);
    /* the ten points whose figures advice is judged by */
    o = options_for(MW_PLAN_DIAGNOSIS, 0);
    static const unsigned at_high[] = {1, 4, 12, 13, 15, 18, 21, 24};
    assert_int_equal(mw_plan_make(&plan, &none, &o, NULL), MW_OK);
    assert_int_equal(plan.count, 10);
    for (size_t i = 0; i < 8; i++)
        assert_true(has(&plan, at_high[i], 2.4e9));
    assert_true(has(&plan, 4, 1.2e9) && has(&plan, 24, 1.2e9));
    mw_plan_release(&plan);
    /* one core, one frequency: one point */
    o.candidate_count = 1;
    assert_int_equal(mw_plan_make(&plan, &none, &o, NULL), MW_OK);
    assert_int_equal(plan.count, 1);
    mw_plan_release(&plan);
    o.candidate_count = 0;
    struct mw_error error;
    assert_int_equal(mw_plan_make(&plan, &none, &o, &error), MW_USAGE);
}

static struct mw_point some[8];
static struct mw_points six(void)
{
    static const unsigned p[] = {3, 9, 24, 3, 9, 24};
    for (size_t i = 0; i < 6; i++)
        some[i] = point_at(p[i], i < 3 ? 1.2e9 : 2.4e9);
    return (struct mw_points){.items = some, .count = 6, .quantity = MW_TIME};
}

static void not_measured(const struct mw_plan *plan, const struct mw_points *points)
{
    for (size_t i = 0; i < plan->count; i++) {
        for (size_t k = 0; k < points->count; k++)
            assert_false(plan->points[i].candidate.cores == points->items[k].cores &&
                         fabs(plan->points[i].candidate.freq_hz - points->items[k].freq_hz) < 1e6);
        for (size_t k = 0; k < i; k++)
            assert_false(plan->points[i].candidate.cores == plan->points[k].candidate.cores &&
                         fabs(plan->points[i].candidate.freq_hz - plan->points[k].candidate.freq_hz) < 1e6);
        assert_true(plan->points[i].reason[0] && plan->points[i].settles[0]);
    }
}

/* The costs are the run times, within a tenth; the points are new ones; the best is near what will be found. */
static void next_points(void **state)
{
    (void)state;
    struct mw_points points = six();
    for (enum mw_plan_purpose purpose = MW_PLAN_BEST; purpose <= MW_PLAN_DIAGNOSIS; purpose++) {
        struct mw_plan_options o = options_for(purpose, 4);
        struct mw_plan plan;
        assert_int_equal(mw_plan_make(&plan, &points, &o, NULL), MW_OK);
        assert_true(plan.count <= 4 && (plan.count > 0) != plan.settled);
        not_measured(&plan, &points);
        for (size_t i = 0; i < plan.count; i++) {
            double truth = time_of(plan.points[i].candidate.cores, plan.points[i].candidate.freq_hz);
            assert_near(plan.points[i].time_s / truth, 1, .1);
        }
        mw_plan_release(&plan);
    }
}

/* Measuring what is proposed lowers the error of the surface: the proposal falls together with the error. */
static void surface_shrinks(void **state)
{
    (void)state;
    struct mw_points points = six();
    struct mw_plan_options o = options_for(MW_PLAN_SURFACE, 3);
    struct mw_plan plan;
    double before = 0, after = 0;
    assert_int_equal(mw_plan_make(&plan, &points, &o, NULL), MW_OK);
    assert_int_equal(sscanf(plan.points[2].settles,
                            "known to %*f %% here; the mean over the surface falls from %lf to %lf", &before, &after),
                     2);
    assert_true(after < before);
    mw_plan_release(&plan);
}

/* All cores come first where nothing was measured beyond half of them, and behind a boundary; else the cheaper points do. */
static void far_from_the_measured(void **state)
{
    (void)state;
    static const unsigned most[] = {12, 13, 13}, boundaries[] = {12, 12, 16};
    static const char *const why[] = {"beyond 12 of 24 cores", NULL, "boundary after 16 cores"};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < 4; i++)
            some[i] = point_at(i < 2 ? 4 : most[k], i % 2 ? 1.2e9 : 2.4e9);
        struct mw_points points = {.items = some, .count = 4, .quantity = MW_TIME};
        struct mw_plan_options o = options_for(MW_PLAN_SURFACE, 2);
        o.boundaries = &boundaries[k];
        o.boundary_count = k > 0; /* the first: none known */
        struct mw_plan plan;
        assert_int_equal(mw_plan_make(&plan, &points, &o, NULL), MW_OK);
        if (why[k]) {
            assert_true(plan.points[0].candidate.cores == CORES && plan.points[0].candidate.freq_hz > 2.39e9);
            assert_non_null(strstr(plan.points[0].reason, why[k]));
        }
        for (size_t i = why[k] != NULL; i < plan.count; i++)
            assert_non_null(strstr(plan.points[i].reason, "lowers the uncertainty"));
        mw_plan_release(&plan);
    }
}

static void a_limit_that_nothing_keeps(void **state)
{
    (void)state;
    struct mw_points points = six();
    struct mw_plan_options o = options_for(MW_PLAN_BEST, 1);
    o.goal.power_cap_w = 30;
    struct mw_plan plan;
    assert_int_equal(mw_plan_make(&plan, &points, &o, NULL), MW_OK);
    assert_non_null(strstr(plan.state, "none of 6 measured keeps the limits"));
    mw_plan_release(&plan);
    for (size_t i = 0; i < points.count; i++)
        points.items[i].has_energy = false;
    struct mw_error error;
    assert_int_equal(mw_plan_make(&plan, &points, &o, &error), MW_DATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_designs),
        cmocka_unit_test(next_points),
        cmocka_unit_test(surface_shrinks),
        cmocka_unit_test(far_from_the_measured),
        cmocka_unit_test(a_limit_that_nothing_keeps),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
