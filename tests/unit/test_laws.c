// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "model/laws.h"

/* A small generator of its own, so that the points are the same everywhere (Numerical Recipes' ranqd1). */
static double draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state / 4294967296.0;
}

/* The speedup as the paper prints it, (1) to (7): an implementation apart from the law in time. */
static double paper_speedup(double f, double k, double m1, double m2, double p, double phi)
{
    double rho = 1 + k * phi, mu_1 = fmin(m1 + m2, 1), mu_p = fmin(m1 + m2 / p, 1);
    double slow = ((1 - mu_p) + rho * mu_p) * ((1 - f) + f / p), wall = rho * mu_p;
    return ((1 - mu_1) + rho * mu_1) / (slow > wall ? slow : wall);
}

static void vls_is_the_papers(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int i = 0; i < 1000; i++) {
        double v[] = {draw(&seed), 10 * draw(&seed), draw(&seed), draw(&seed)};
        double p = 1 + floor(64 * draw(&seed)), phi = .3 + draw(&seed);
        double speedup = mw_law_h(&mw_law_vls, v, 1, phi) / mw_law_h(&mw_law_vls, v, p, phi);
        assert_near(speedup, paper_speedup(v[0], v[1], v[2], v[3], p, phi), 1e-12);
    }
}

static void known_answers(void **state)
{
    (void)state;
    assert_near(1 / mw_law_h(&mw_law_amdahl, (double[]){.9}, 8, 1), 1 / (.1 + .9 / 8), 1e-14);
    /* Gustafson's own example: 1024 processors, serial share .004: 1020 */
    assert_near(1024 / mw_law_h(&mw_law_gustafson, (double[]){.996}, 1024, 1), 1019.908, 1e-9);
    /* USL: the speedup turns down at sqrt((1 - alpha)/beta) = 30 */
    double usl[] = {.1, .001};
    assert_true(mw_law_h(&mw_law_usl, usl, 30, 1) < mw_law_h(&mw_law_usl, usl, 29, 1));
    assert_true(mw_law_h(&mw_law_usl, usl, 30, 1) < mw_law_h(&mw_law_usl, usl, 31, 1));
    /* Sun-Ni lies between Amdahl (g = 0) and constant time (g = 1) */
    assert_near(mw_law_h(&mw_law_sun_ni, (double[]){.7, 0}, 5, 1), .3 + .7 / 5, 1e-14);
    assert_near(mw_law_h(&mw_law_sun_ni, (double[]){.7, 1}, 5, 1), 1, 1e-14);
}

static void special_cases_agree(void **state)
{
    (void)state;
    double vls[] = {.95, 3, .02, .3}, more[] = {.95, 3, .02, .3, 0}, one[] = {.95, 3, .02, .3, 1};
    for (double p = 1; p <= 32; p++) {
        double h = mw_law_h(&mw_law_vls, vls, p, .8);
        assert_near(mw_law_h(&mw_law_vls_contention, more, p, .8), h, 1e-15);
        assert_near(mw_law_h(&mw_law_vls_onecore, one, p, .8), h, 1e-15);
        double amdahl = mw_law_h(&mw_law_amdahl, vls, p, .8);
        assert_near(mw_law_h(&mw_law_vls, (double[]){.95, 3, 0, 0}, p, .8), amdahl, 1e-15);
        assert_near(mw_law_h(&mw_law_socket, (double[]){.95, 0, 1, 8}, p, .8), amdahl, 1e-15);
        assert_near(mw_law_h(&mw_law_tiers, (double[]){.95, 0, .5, .1, .5}, p, .8), amdahl, 1e-15);
    }
    double step[] = {1, 1, 1, 8.7};
    assert_near(8 * mw_law_h(&mw_law_socket, step, 8, 1), 2, 1e-14);
    assert_near(9 * mw_law_h(&mw_law_socket, step, 9, 1), 2.5, 1e-14);
}

/* Every value of the table keeps its promises over its own bounds. */
static void table_is_sound(void **state)
{
    (void)state;
    unsigned seed = 7;
    for (const struct mw_law *const *l = mw_laws; *l; l++) {
        const struct mw_law *law = *l;
        assert_ptr_equal(mw_law_find(law->name), law);
        assert_in_range(law->param_count, 1, MW_LAW_MAX_PARAMS);
        for (int i = 0; i < 300; i++) {
            double low[MW_LAW_MAX_PARAMS], high[MW_LAW_MAX_PARAMS], v[MW_LAW_MAX_PARAMS];
            for (size_t j = 0; j < law->param_count; j++) {
                low[j] = law->params[j].low;
                high[j] = law->params[j].high;
            }
            if (law->bound)
                law->bound(low, high, 64);
            for (size_t j = 0; j < law->param_count; j++) {
                assert_true(low[j] < high[j]);
                v[j] = i == 0 ? low[j] : i == 1 ? high[j] : low[j] + (high[j] - low[j]) * draw(&seed);
            }
            double h = mw_law_h(law, v, 1 + floor(64 * draw(&seed)), .3 + draw(&seed));
            assert_true(isfinite(h) && h > 0);
        }
    }
    assert_null(mw_law_find("no such law"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vls_is_the_papers),
        cmocka_unit_test(known_answers),
        cmocka_unit_test(special_cases_agree),
        cmocka_unit_test(table_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
