// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "fit/predict/stack.h"

static const double memory_freq_hz = 2.133e9;

static struct mw_stack stack_of(enum mw_quantity quantity, const unsigned *cores, const double *freq_ghz,
                                const double *value, size_t n)
{
    struct mw_points points = {.items = calloc(n, sizeof *points.items), .count = n, .quantity = quantity};
    struct mw_sites sites = {0};
    struct mw_stack stack;
    for (size_t i = 0; i < n; i++)
        points.items[i] = (struct mw_point){
            .cores = cores[i], .freq_hz = freq_ghz[i] * 1e9, .value = value[i], .count = 1, .noise_factor = 1};
    assert_int_equal(mw_sites_init(&sites, &points, memory_freq_hz, MW_SITES_SAMPLE, INFINITY, NULL), MW_OK);
    assert_int_equal(mw_stack_fit(&stack, &sites, quantity, NULL), MW_OK);
    mw_sites_release(&sites);
    free(points.items);
    return stack;
}

static void is_stack(const struct mw_stack *stack, double noise, const double *weight)
{
    assert_near(stack->noise, noise, 2e-4);
    for (size_t l = 0; l < MW_STACK_LAWS; l++)
        assert_near(stack->weight[l], weight[l], 1e-3);
}

/* Figures by SciPy's least_squares of the same sums, written apart. */
static void two_frequencies(void **state)
{
    (void)state;
    static const unsigned cores[] = {1, 2, 4, 8, 1, 2, 4, 8};
    static const double freq[] = {1.2, 1.2, 1.2, 1.2, 2.4, 2.4, 2.4, 2.4};
    static const double time_s[] = {100, 52, 28.5, 17, 61, 32.5, 18.6, 11.9};
    static const double weight[] = {.169695, .169937, .170123, .170043, .148241, .17196};
    struct mw_stack s = stack_of(MW_TIME, cores, freq, time_s, 8);
    is_stack(&s, .0441295, weight);
    struct mw_site far = mw_site_at(16, 2.4e9, memory_freq_hz), farther = mw_site_at(32, 1.8e9, memory_freq_hz);
    assert_near(mw_stack_spread(&s, &far), .01326455, 3e-4);
    assert_near(mw_stack_spread(&s, &farther), .03405727, 5e-4);
    assert_near(mw_stack_power(&s, &far), 1.82544, 1e-3);
    assert_near(mw_stack_power(&s, &farther), 1.42441, 1e-3);
}

static void one_frequency(void **state)
{
    (void)state;
    static const unsigned cores[] = {1, 2, 3, 4, 6, 8, 12};
    static const double freq[] = {1, 1, 1, 1, 1, 1, 1};
    static const double time_s[] = {40, 20.9, 14.2, 11.1, 8.05, 6.4, 5.2};
    static const double weight[] = {.166633, .16523, .172101, .169181, .147709, .179146};
    struct mw_stack s = stack_of(MW_TIME, cores, freq, time_s, 7);
    is_stack(&s, .0187693, weight);
    struct mw_site far = mw_site_at(24, 1e9, memory_freq_hz), farther = mw_site_at(48, 1e9, memory_freq_hz);
    assert_near(mw_stack_spread(&s, &far), .0925282, 2e-3);
    assert_near(mw_stack_spread(&s, &farther), .303414, 5e-3);
    assert_near(mw_stack_power(&s, &far), .965994, 1e-3);
    assert_false(s.no_floor); /* it bends */
}

/* p^-.6 to the last digit has no floor; of perfect scaling nobody says so. */
static void a_power_has_no_floor(void **state)
{
    (void)state;
    static const unsigned cores[] = {1, 2, 4, 8};
    static const double freq[] = {1, 1, 1, 1};
    double power[4], perfect[4], speedup[3];
    for (int i = 0; i < 4; i++) {
        power[i] = 100 * pow(cores[i], -.6);
        perfect[i] = 100. / cores[i];
        if (i)
            speedup[i - 1] = pow(cores[i], .6);
    }
    struct mw_stack s = stack_of(MW_TIME, cores, freq, power, 4);
    assert_true(s.no_floor);
    assert_near(s.exponent, .6, 1e-9);
    struct mw_site far = mw_site_at(16, 1e9, memory_freq_hz);
    assert_near(mw_stack_power(&s, &far), log(power[3]) - .6 * log(2), .02);
    s = stack_of(MW_TIME, cores, freq, perfect, 4);
    assert_false(s.no_floor);
    s = stack_of(MW_SPEEDUP, cores + 1, freq, speedup, 3);
    assert_near(mw_stack_power(&s, &far), .6 * log(16), .08);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_frequencies),
        cmocka_unit_test(one_frequency),
        cmocka_unit_test(a_power_has_no_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
