// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "fit/posterior/posterior.h"

enum { DRAWS = 5000, COUNT = 1000, N = 10 };
static const double COUNTS[] = {1, 2, 4, 8, 16};
static const struct mw_frame FRAME = {.cores = 16, .measured = COUNTS, .measured_count = 5};

/* Two clocks at five core counts; 1 % that no law explains. */
static size_t simulate(struct mw_posterior_point *points, void (*law)(double p, double x, double *t, double *c),
                       double scale)
{
    for (size_t i = 0; i < N; i++) {
        double p = COUNTS[i / 2], x = i % 2 ? .5 : 1, t, c, wiggle = .01 * sin(12.9898 * (double)(i + 1));
        law(p, x, &t, &c);
        points[i] = (struct mw_posterior_point){p, x, log(scale * t) + wiggle, log(scale * c) - wiggle / 2, 1};
    }
    return N;
}

static void limited(double p, double x, double *t, double *c)
{
    *t = fmax(1 / p, .25) / x;
    *c = 1 / x;
}

static void spinning(double p, double x, double *t, double *c)
{
    *t = (.1 + .9 / p) / x;
    *c = p * *t;
}

static void at_roof(double p, double x, double *t, double *c)
{
    *t = fmax((1 / x + .5) / p, .2);
    *c = p * *t;
}

/* No law: time and CPU time go up and down with the cores. */
static void wild(double p, double x, double *t, double *c)
{
    *t = (1 + .8 * sin(3 * p)) / x;
    *c = (1 + .7 * cos(5 * p)) / (x * x);
}

static struct mw_posterior infer(const struct mw_posterior_point *points, bool has_cpu, unsigned long seed)
{
    struct mw_posterior_bank *bank = NULL;
    struct mw_posterior posterior = {0};
    struct mw_posterior_data data = {points, N, has_cpu, false};
    assert_int_equal(mw_posterior_bank_alloc(&bank, &FRAME, DRAWS, seed, NULL), MW_OK);
    assert_int_equal(mw_posterior_infer(&posterior, bank, &data, COUNT, NULL), MW_OK);
    mw_posterior_bank_free(bank);
    return posterior;
}

static double chance(const struct mw_posterior *posterior, enum mw_cause cause)
{
    double n = 0;
    for (size_t i = 0; i < posterior->count; i++)
        n += posterior->draws[i].outcome.cause == cause;
    return n / (double)posterior->count;
}

static void recovers(void **state)
{
    (void)state;
    struct mw_posterior_point points[N];
    simulate(points, limited, 7);
    struct mw_posterior posterior = infer(points, true, 1);
    assert_true(chance(&posterior, MW_CAUSE_LIMIT) > .9);
    double level = 0, most = 0;
    for (size_t i = 0; i < COUNT; i++) {
        level += posterior.draws[i].ln_level / COUNT;
        most +=
            posterior.draws[i].outcome.cause == MW_CAUSE_LIMIT ? posterior.draws[i].q[MW_MECHANISM_COMMON] / COUNT : 0;
    }
    assert_near(level, log(7), .1);
    assert_near(most, 4, .4);
    mw_posterior_release(&posterior);
}

/* The same times: CPU time says whether the others slept. */
static void second_response(void **state)
{
    (void)state;
    struct mw_posterior_point points[N];
    simulate(points, spinning, 1);
    struct mw_posterior with = infer(points, true, 1), without = infer(points, false, 1);
    size_t busy = 0, open = 0;
    for (size_t i = 0; i < COUNT; i++) {
        busy += with.draws[i].outcome.family == MW_FAMILY_BUSY;
        open += without.draws[i].outcome.family == MW_FAMILY_BUSY;
    }
    assert_in_range(busy, .99 * COUNT, COUNT);
    assert_in_range(open, .05 * COUNT, .9 * COUNT);
    mw_posterior_release(&with);
    mw_posterior_release(&without);
}

static void cautious(void **state)
{
    (void)state;
    struct mw_posterior_point points[N];
    simulate(points, at_roof, 1);
    struct mw_posterior posterior = infer(points, true, 1); /* few draws have this corner: more of them are let in */
    assert_true(posterior.power < 1);
    assert_true(posterior.effective >= 30);
    simulate(points, wild, 1);
    mw_posterior_release(&posterior);
    posterior = infer(points, true, 1);
    assert_true(posterior.other > .5);
    mw_posterior_release(&posterior);
}

/* Another unit and another order of the points change nothing but the level. */
static void invariant(void **state)
{
    (void)state;
    struct mw_posterior_point points[N], other[N];
    simulate(points, limited, 1);
    simulate(other, limited, 1000);
    for (size_t i = 0; i < N / 2; i++) {
        struct mw_posterior_point swap = other[i];
        other[i] = other[N - 1 - i];
        other[N - 1 - i] = swap;
    }
    struct mw_posterior a = infer(points, true, 1), b = infer(other, true, 1);
    assert_near(chance(&a, MW_CAUSE_LIMIT), chance(&b, MW_CAUSE_LIMIT), 2. / COUNT);
    assert_near(a.effective, b.effective, 1e-3 * a.effective);
    assert_near(b.draws[0].ln_level - a.draws[0].ln_level, log(1000), .05);
    mw_posterior_release(&a);
    mw_posterior_release(&b);
}

static void same_twice(void **state)
{
    (void)state;
    struct mw_posterior_point points[N];
    simulate(points, spinning, 1);
    struct mw_posterior a = infer(points, true, 2), b = infer(points, true, 2);
    for (size_t i = 0; i < COUNT; i++)
        assert_memory_equal(a.draws[i].q, b.draws[i].q, sizeof a.draws[i].q);
    assert_true(a.effective == b.effective);
    mw_posterior_release(&a);
    mw_posterior_release(&b);
}

static void refuses(void **state)
{
    (void)state;
    struct mw_posterior_bank *bank = NULL;
    struct mw_posterior posterior = {0};
    struct mw_error error;
    struct mw_frame none = {.cores = 0};
    assert_int_equal(mw_posterior_bank_alloc(&bank, &none, 10, 1, &error), MW_USAGE);
    assert_int_equal(mw_posterior_bank_alloc(&bank, &FRAME, 10, 1, &error), MW_OK);
    struct mw_posterior_data empty = {0};
    assert_int_equal(mw_posterior_infer(&posterior, bank, &empty, 10, &error), MW_USAGE);
    mw_posterior_bank_free(bank);
    mw_posterior_bank_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers),  cmocka_unit_test(second_response), cmocka_unit_test(cautious),
        cmocka_unit_test(invariant), cmocka_unit_test(same_twice),      cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
