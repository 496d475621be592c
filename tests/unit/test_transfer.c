// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "advise/transfer/transfer.h"
#include "advise/transfer/whatif.h"

/* A model that holds points only: all that is asked here lies within them, so no ensemble is needed. */
static struct mw_point POINTS[] = {
    {.cores = 1, .freq_hz = 2e9, .value = 100, .count = 1, .noise_factor = 1},
    {.cores = 2, .freq_hz = 2e9, .value = 50, .count = 1, .noise_factor = 1},
    {.cores = 4, .freq_hz = 2e9, .value = 30, .count = 1, .noise_factor = 1},
    {.cores = 8, .freq_hz = 2e9, .value = 20, .count = 1, .noise_factor = 1},
};
static const struct mw_model MODEL = {.quantity = MW_TIME, .points = {POINTS, 4, MW_TIME}};

static struct mw_transfer_source source_of(const struct mw_profile *machine, enum mw_transfer_memory memory)
{
    struct mw_transfer_source source = {.model = &MODEL, .machine = machine, .memory = memory};
    assert_int_equal(mw_transfer_source_init(&source, 8, NULL), MW_OK);
    return source;
}

static struct mw_transfer_estimate one_answer(const struct mw_transfer_source *source, const struct mw_profile *b,
                                              const struct mw_points *runs, double cores)
{
    struct mw_transfer_target target = {.profile = b, .runs = runs};
    struct mw_transfer_result result;
    assert_int_equal(mw_transfer_predict(&result, source, &target, &cores, 1, NULL), MW_OK);
    struct mw_transfer_estimate e = result.estimates[0];
    mw_transfer_result_release(&result);
    return e;
}

static void same_machine(void **state)
{
    (void)state;
    struct mw_profile machine = {.cores = 8};
    struct mw_profile_clock clock = {1, 2e9};
    machine.clock = &clock;
    machine.clock_count = 1;
    struct mw_transfer_source source = source_of(&machine, MW_TRANSFER_MEMORY_YES);
    struct mw_transfer_estimate e = one_answer(&source, &machine, NULL, 4);
    assert_near(e.speedup, 100 / 30., 1e-9);
    assert_near(e.time_s, 30, 1e-9);
    assert_true(!e.beyond);
    assert_near(mw_transfer_efficiency(&source, sqrt(8.)), sqrt(100 / 30. / 4),
                1e-9); /* halfway between 2 and 4 in ln p */
    mw_transfer_source_release(&source);
}

/* A machine that clocks down as cores come in: 4 GHz on one, 2 GHz on eight. */
static struct mw_profile_clock TURBO[] = {{1, 4e9}, {8, 2e9}};

static void the_clock_between_the_entries_of_its_table(void **state)
{
    (void)state;
    const struct mw_profile machine = {.cores = 8, .clock = TURBO, .clock_count = 2};
    assert_near(mw_profile_clock_at(&machine, 1), 4e9, 0);
    assert_near(mw_profile_clock_at(&machine, 4.5), 3e9, 1);
    assert_near(mw_profile_clock_at(&machine, 8), 2e9, 0);
    assert_near(mw_profile_clock_at(&machine, 12), 2e9, 0);
    assert_near(mw_profile_clock_at(&(struct mw_profile){0}, 4), 0, 0);
}

/* The target's speedup takes its turbo clock down with it; A's own is taken out where both are known. */
static void the_target_clocks_down(void **state)
{
    (void)state;
    struct mw_profile_clock flat = {1, 2e9};
    struct mw_profile plain = {.cores = 8, .clock = &flat, .clock_count = 1};
    struct mw_profile turbo = {.cores = 8, .clock = TURBO, .clock_count = 2};
    struct mw_transfer_source source = source_of(&plain, MW_TRANSFER_MEMORY_NO);
    struct mw_transfer_estimate e = one_answer(&source, &turbo, NULL, 8);
    assert_near(e.speedup, 100 / 20. / 2, 1e-9);
    assert_near(e.time_s, 100 / 2. / e.speedup, 1e-9); /* one core runs at 4 GHz, twice A's clock */
    e = one_answer(&source, &turbo, NULL, 4);
    assert_near(e.speedup, 100 / 30. * (4 - 2 * 3 / 7.) / 4, 1e-9);
    mw_transfer_source_release(&source);
    source = source_of(&turbo, MW_TRANSFER_MEMORY_NO);
    e = one_answer(&source, &turbo, NULL, 8);
    assert_near(e.speedup, 100 / 20., 1e-9);
    mw_transfer_source_release(&source);
}

/* kappa = (16/8)^.6 where memory binds; the clock halves the time on one core. */
static void memory_shift(void **state)
{
    (void)state;
    struct mw_profile a = {.cores = 8}, b = {.cores = 16};
    struct mw_profile_clock slow = {1, 2e9}, fast = {1, 4e9};
    a.clock = &slow;
    b.clock = &fast;
    a.clock_count = b.clock_count = 1;
    struct mw_transfer_source source = source_of(&a, MW_TRANSFER_MEMORY_YES);
    double at = 8 / pow(2, .6);
    double weight = log(at / 4) / log(2);
    double efficiency = exp((1 - weight) * log(100 / 30. / 4) + weight * log(100 / 20. / 8));
    struct mw_transfer_estimate e = one_answer(&source, &b, NULL, 8);
    assert_near(e.speedup, 8 * efficiency, 1e-9);
    assert_near(e.time_s, 50 / (8 * efficiency), 1e-9);
    mw_transfer_source_release(&source);
    source = source_of(&a, MW_TRANSFER_MEMORY_UNKNOWN); /* both answers: the middle */
    e = one_answer(&source, &b, NULL, 8);
    assert_near(e.serial_first, 5, 1e-9);
    assert_near(e.memory_first, 8 * efficiency, 1e-9);
    assert_near(e.speedup, sqrt(5 * 8 * efficiency), 1e-9);
    mw_transfer_source_release(&source);
}

static void widths(void **state)
{
    (void)state;
    assert_near(mw_transfer_half_width(1, 0, 0, false), 1.76 * .03, 1e-12);
    assert_near(exp(mw_transfer_half_width(4, 0, .3, false)), 1.6, .05); /* x/÷1.6 on 4 cores, 2.7 to 4 on 48 */
    assert_true(mw_transfer_half_width(48, 1, .3, false) > mw_transfer_half_width(48, 0, .3, false));
    assert_true(mw_transfer_half_width(48, 0, .3, true) < mw_transfer_half_width(48, 0, .3, false));
}

static void one_point_there(void **state)
{
    (void)state;
    struct mw_profile b = {.cores = 8};
    struct mw_point run = {.cores = 8, .value = 7, .count = 1, .noise_factor = 1};
    struct mw_points runs = {.items = &run, .count = 1, .quantity = MW_TIME};
    struct mw_transfer_source source = source_of(NULL, MW_TRANSFER_MEMORY_NO);
    assert_near(one_answer(&source, &b, &runs, 8).time_s, 7, 1e-9);
    assert_near(one_answer(&source, &b, &runs, 4).time_s, 10.5, 1e-9); /* A's ratio of 30 to 20 */
    struct mw_point both[] = {{.cores = 8, .freq_hz = 1e9, .value = 14, .count = 1},
                              {.cores = 8, .freq_hz = 2e9, .value = 7, .count = 1},
                              {.cores = 4, .freq_hz = 2e9, .value = 10, .count = 1},
                              {.cores = 8, .freq_hz = 1.5e9, .value = 10, .count = 1}};
    struct mw_points slow_too = {.items = both, .count = 4, .quantity = MW_TIME};
    assert_near(one_answer(&source, &b, &slow_too, 8).time_s, 7, 1e-9); /* at the highest frequency there */
    run.cores = 1;
    struct mw_transfer_estimate e = one_answer(&source, &b, &runs, 8);
    assert_near(e.time_s, 1.4, 1e-9);
    mw_transfer_source_release(&source);
}

/* From two core counts on B's points speak: T = 2 + 80/p is met everywhere, with or without one core, and as speedups. */
static void points_there(void **state)
{
    (void)state;
    struct mw_profile b = {.cores = 16, .smt = 2};
    struct mw_point run[] = {{.cores = 8, .value = 12, .count = 1},
                             {.cores = 16, .value = 7, .count = 1},
                             {.cores = 32, .value = 6, .count = 1}};
    struct mw_points runs = {.items = run, .count = 3, .quantity = MW_TIME};
    struct mw_transfer_source source = source_of(NULL, MW_TRANSFER_MEMORY_NO);
    struct mw_transfer_estimate e = one_answer(&source, &b, &runs, 1), at = one_answer(&source, &b, &runs, 8);
    assert_near(e.time_s, 82, 1e-9); /* hyper-threads don't bend the cores */
    assert_near(one_answer(&source, &b, &runs, 12).time_s, 2 + 80. / 12, 1e-9);
    assert_near(one_answer(&source, &b, &runs, 32).time_s, 6, 1e-9);
    assert_near(at.time_s, 12, 1e-9);
    assert_true(log(e.time_high_s / e.time_low_s) > 5 * log(at.time_high_s / at.time_low_s));
    runs.count = 2;
    run[1].value = 5; /* above linear: a power of p, never below 0 */
    assert_near(one_answer(&source, &b, &runs, 4).time_s, 12 * 12 / 5., 1e-9);
    struct mw_point speedup[] = {{.cores = 2, .value = 1 / .6, .count = 1}, {.cores = 4, .value = 1 / .4, .count = 1}};
    struct mw_points speedups = {.items = speedup, .count = 2, .quantity = MW_SPEEDUP};
    assert_near(one_answer(&source, &b, &speedups, 8).speedup, 1 / .3, 1e-9);
    mw_transfer_source_release(&source);
}

static double width(const struct mw_transfer_source *source, const struct mw_profile *b, const unsigned *cores,
                    double at)
{
    struct mw_point run[] = {{.cores = cores[0], .value = 2 + 80. / cores[0], .count = 1},
                             {.cores = cores[1], .value = 2 + 80. / cores[1], .count = 1}};
    struct mw_points runs = {.items = run, .count = 2, .quantity = MW_TIME};
    struct mw_transfer_estimate e = one_answer(source, b, &runs, at);
    return log(e.time_high_s / e.time_low_s) / 2;
}

/* A narrow gap is surer than a wide one, up to a limit, and the loss seen on many cores says more than that on a few. */
static void widths_by_points(void **state)
{
    (void)state;
    struct mw_profile b = {.cores = 64};
    struct mw_transfer_source source = source_of(NULL, MW_TRANSFER_MEMORY_NO);
    assert_near(width(&source, &b, (unsigned[]){1, 16}, 4), hypot(.03, .1), 1e-9); /* no more than a curve can bend */
    double narrow = log(3. / 2) * log(4. / 3) / .3;
    assert_near(width(&source, &b, (unsigned[]){2, 4}, 3), hypot(.03, .1 * narrow), 1e-9);
    assert_near(width(&source, &b, (unsigned[]){1, 2}, 4), hypot(.03, .25 * sqrt(log(2))), 1e-9);
    assert_true(width(&source, &b, (unsigned[]){8, 16}, 32) < .8 * width(&source, &b, (unsigned[]){1, 2}, 4));
    assert_near(width(&source, &b, (unsigned[]){8, 16}, 4), hypot(.03, .25 * sqrt(log(2))), 1e-9);
    mw_transfer_source_release(&source);
}

static void alarm(void **state)
{
    (void)state;
    struct mw_profile b = {.cores = 8};
    struct mw_point two[] = {{.cores = 1, .value = 10, .count = 1}, {.cores = 2, .value = 9, .count = 1}};
    struct mw_points runs = {.items = two, .count = 2, .quantity = MW_TIME};
    struct mw_transfer_source source = source_of(NULL, MW_TRANSFER_MEMORY_NO);
    struct mw_transfer_target target = {.profile = &b, .runs = &runs};
    struct mw_transfer_result r;
    double cores = 4;
    assert_int_equal(mw_transfer_predict(&r, &source, &target, &cores, 1, NULL), MW_OK);
    assert_true(r.alarm.raised);
    assert_near(r.alarm.ln_predicted, log(2), 1e-9);
    mw_transfer_result_release(&r);
    two[1].value = 5.2;
    assert_int_equal(mw_transfer_predict(&r, &source, &target, &cores, 1, NULL), MW_OK);
    assert_true(!r.alarm.raised);
    mw_transfer_result_release(&r);
    mw_transfer_source_release(&source);
}

/* The floor by bandwidth: a saturated program moves as many bytes there; good to a factor of two. */
static void bandwidth_floor(void **state)
{
    (void)state;
    struct mw_profile a = {.cores = 8, .stream_bps = 100e9}, b = {.cores = 8, .stream_bps = 10e9};
    struct mw_profile_clock clock = {1, 2e9};
    a.clock = b.clock = &clock;
    a.clock_count = b.clock_count = 1;
    struct mw_transfer_source source = source_of(&a, MW_TRANSFER_MEMORY_YES);
    source.saturated = true;
    struct mw_transfer_estimate e = one_answer(&source, &b, NULL, 8);
    assert_near(e.time_s, .5 * 20 * 10, 1e-9);
    assert_true(e.raised);
    mw_transfer_source_release(&source);
}

static void refusals(void **state)
{
    (void)state;
    struct mw_profile b = {.cores = 2, .smt = 2, .memory_bytes = 1e9};
    struct mw_transfer_source source = source_of(NULL, MW_TRANSFER_MEMORY_NO);
    struct mw_transfer_target target = {.profile = &b};
    struct mw_transfer_result r;
    struct mw_error error;
    double cores = 5;
    assert_int_equal(mw_transfer_predict(&r, &source, &target, &cores, 1, &error), MW_USAGE);
    cores = 4;
    assert_int_equal(mw_transfer_predict(&r, &source, &target, &cores, 1, &error), MW_USAGE);
    source.smt_gain = 1.2;
    source.footprint_bytes = 2e9;
    assert_int_equal(mw_transfer_predict(&r, &source, &target, &cores, 1, &error), MW_OK);
    assert_true(r.too_large);
    assert_near(r.estimates[0].speedup, 2 * 1.2, 1e-9);
    mw_transfer_result_release(&r);
    mw_transfer_source_release(&source);
}

static void ranking(void **state)
{
    (void)state;
    struct mw_transfer_contender c[3] = {{0, .1, 0}, {0, .1, 0}, {.2, .1, 0}};
    mw_transfer_rank(c, 2);
    assert_near(c[0].chance, .5, 1e-9);
    mw_transfer_rank(c, 3);
    assert_near(c[0].chance + c[1].chance + c[2].chance, 1, 1e-12);
    struct mw_transfer_contender two[2] = {{0, .3, 0}, {.5, .4, 0}};
    mw_transfer_rank(two, 2);
    assert_near(two[0].chance, .5 * erfc(-1 / M_SQRT2), 1e-6); /* Phi(.5/.5) */
    assert_near(mw_transfer_margin_right(3, false), .93, 0);
    assert_near(mw_transfer_margin_right(1.2, true), .6, 0);
}

static void whatif_words(void **state)
{
    (void)state;
    struct mw_whatif w;
    struct mw_error error;
    assert_int_equal(mw_whatif_parse(&w, "memory-latency=0.7,memory-bandwidth=2,cores=64", &error), MW_OK);
    assert_near(w.latency, .7, 0);
    assert_near(w.bandwidth, 2, 0);
    assert_near(w.cores, 64, 0);
    assert_int_equal(mw_whatif_parse(&w, "cores", &error), MW_USAGE);
    assert_int_equal(mw_whatif_parse(&w, "cores=0", &error), MW_USAGE);
    assert_int_equal(mw_whatif_parse(&w, "memory-latency=nan", &error), MW_USAGE);
    assert_int_equal(mw_whatif_parse(&w, "", &error), MW_USAGE);
    assert_near(w.cores, 64, 0); /* unchanged on failure */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_machine),
        cmocka_unit_test(the_clock_between_the_entries_of_its_table),
        cmocka_unit_test(the_target_clocks_down),
        cmocka_unit_test(memory_shift),
        cmocka_unit_test(widths),
        cmocka_unit_test(one_point_there),
        cmocka_unit_test(alarm),
        cmocka_unit_test(bandwidth_floor),
        cmocka_unit_test(refusals),
        cmocka_unit_test(ranking),
        cmocka_unit_test(whatif_words),
        cmocka_unit_test(points_there),
        cmocka_unit_test(widths_by_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
