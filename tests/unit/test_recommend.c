// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "advise/recommend/recommend.h"
#include "fit/predict/mixture.h"
#include "fit/predict/predict.h"
#include "fit/search/power.h"
#include "model/power.h"

/* A made machine and program: 24 cores on two sockets, 1.2 to 2.4 GHz. */
static double time_of(double p, double freq_hz)
{
    double f = freq_hz / 1e9;
    return 100 * ((.04 + .96 / p) / f + .08 * (.3 + .7 / p));
}

static double power_of(double p, double freq_hz)
{
    static const double w[MW_POWER_TERMS] = {38, 12, 6, 1.1, 1.4};
    return mw_power_law(w, p, mw_sockets(p, 12), freq_hz / 2.4e9);
}

enum { POINTS = 10 };
static struct mw_model model;

/* Ten designed points (fit/mixture and fit/power are tested elsewhere), sorted by frequency and cores. */
static int setup(void **state)
{
    (void)state;
    static const unsigned cores[POINTS] = {1, 4, 16, 24, 2, 8, 1, 4, 12, 24};
    static const double freqs[POINTS] = {1.2e9, 1.2e9, 1.2e9, 1.2e9, 1.8e9, 1.8e9, 2.4e9, 2.4e9, 2.4e9, 2.4e9};
    model = (struct mw_model){.quantity = MW_TIME, .memory_freq_hz = 2.133e9, .seed = 1};
    model.points =
        (struct mw_points){.items = calloc(POINTS, sizeof *model.points.items), .count = POINTS, .quantity = MW_TIME};
    for (size_t i = 0; i < POINTS; i++) {
        double t = time_of(cores[i], freqs[i]), w = power_of(cores[i], freqs[i]);
        model.points.items[i] = (struct mw_point){.cores = cores[i],
                                                  .freq_hz = freqs[i],
                                                  .value = t,
                                                  .count = 1,
                                                  .noise_factor = 1,
                                                  .has_power = true,
                                                  .power_w = w,
                                                  .has_energy = true,
                                                  .energy_j = t * w};
    }
    return mw_mixture_fit(&model, NULL) || mw_power_fit(&model.power, &model.points, 12, 1, NULL);
}

static int teardown(void **state)
{
    (void)state;
    mw_model_release(&model);
    return 0;
}

static const struct mw_recommend_options plain = {0};

static struct mw_recommendation ask(const struct mw_goal *goal, const struct mw_recommend_options *options)
{
    struct mw_recommendation r;
    struct mw_error error;
    enum mw_err err = mw_recommend(&r, &model, goal, options, &error);
    if (err)
        fail_msg("%s", error.message);
    return r;
}

static const struct mw_option *chosen(const struct mw_recommendation *r)
{
    return &r->options[r->choice];
}

static double best_energy(void)
{
    double best = INFINITY;
    for (int p = 1; p <= 24; p++)
        for (int f = 12; f <= 24; f++)
            best = fmin(best, time_of(p, f * 1e8) * power_of(p, f * 1e8));
    return best;
}

static void grid_and_reference(void **state)
{
    (void)state;
    struct mw_goal goal = {.objective = MW_OBJECTIVE_TIME, .certainty = .9};
    struct mw_recommendation r = ask(&goal, &plain);
    assert_int_equal(r.count, 24 * 13); /* every core count, the steps of 100 MHz between what was measured */
    assert_int_equal(r.reference.candidate.cores, 24);
    assert_near(r.reference.candidate.freq_hz, 2.4e9, 1);
    assert_int_equal(chosen(&r)->candidate.cores, 24);
    assert_near(chosen(&r)->candidate.freq_hz, 2.4e9, 1);
    assert_true(chosen(&r)->measured);
    assert_near(chosen(&r)->time_s.value, time_of(24, 2.4e9), .01 * time_of(24, 2.4e9));
    assert_true(chosen(&r)->time_s.low < time_of(24, 2.4e9) && chosen(&r)->time_s.high > time_of(24, 2.4e9));
    struct mw_prediction p;
    const struct mw_config same = {24, 2.4e9};
    assert_int_equal(mw_predict(&model, &same, 1, &p, NULL), MW_OK); /* what predict prints, to the bit */
    assert_memory_equal(&chosen(&r)->time_s, &p.value, 3 * sizeof p.value);
    assert_near(r.time_change.value, 0, 1e-12);
    mw_recommendation_release(&r);
}

static void least_energy(void **state)
{
    (void)state;
    struct mw_goal goal = {.objective = MW_OBJECTIVE_ENERGY, .certainty = .9};
    struct mw_recommendation r = ask(&goal, &plain);
    assert_int_equal(r.verify_count, 3);
    double found = INFINITY;
    for (size_t i = 0; i < 3; i++) {
        const struct mw_config *c = &r.options[r.verify[i]].candidate;
        assert_false(r.options[r.verify[i]].measured);
        found = fmin(found, time_of(c->cores, c->freq_hz) * power_of(c->cores, c->freq_hz));
    }
    assert_true(found <= 1.005 * best_energy());
    const struct mw_option *o = chosen(&r);
    double truth =
        time_of(o->candidate.cores, o->candidate.freq_hz) * power_of(o->candidate.cores, o->candidate.freq_hz);
    double reference = time_of(24, 2.4e9) * power_of(24, 2.4e9);
    assert_true(truth >= o->energy_j.low && truth <= o->energy_j.high);
    assert_true(truth / reference - 1 >= r.energy_change.low && truth / reference - 1 <= r.energy_change.high);
    for (size_t i = 0; i < r.tie_count; i++) {
        assert_true(r.options[r.ties[i]].expected <= 1.02 * o->expected);
        assert_true(i == 0 || r.options[r.ties[i]].expected >= r.options[r.ties[i - 1]].expected);
        assert_true(r.options[r.ties[i]].candidate.cores >= r.options[r.cheapest].candidate.cores);
    }
    mw_recommendation_release(&r);
}

/* Whatever the limit, the truth keeps it. */
static void limits_hold(void **state)
{
    (void)state;
    double reference_s = time_of(24, 2.4e9), reference_w = power_of(24, 2.4e9);
    for (int k = 0; k < 4; k++) {
        for (double share = .5; share < .95; share += .2) {
            struct mw_goal goal = {.objective = k == 1 ? MW_OBJECTIVE_TIME : MW_OBJECTIVE_ENERGY, .certainty = .9};
            goal.deadline_s = k == 0 ? reference_s / share : 0;
            goal.power_cap_w = k == 1 ? reference_w * share : 0;
            goal.has_slowdown = k == 2;
            goal.max_slowdown = 1 - share;
            goal.min_efficiency = k == 3 ? share : 0;
            struct mw_recommendation r = ask(&goal, &plain);
            assert_true(r.feasible);
            const struct mw_config *c = &chosen(&r)->candidate;
            double t = time_of(c->cores, c->freq_hz), w = power_of(c->cores, c->freq_hz);
            double limit[] = {t * share / reference_s, w / reference_w / share, t / reference_s / (2 - share),
                              share * t * c->cores / time_of(1, c->freq_hz)};
            assert_true(limit[k] <= 1.01);
            assert_true(chosen(&r)->chance >= .9);
            mw_recommendation_release(&r);
        }
    }
}

static void nothing_keeps_it(void **state)
{
    (void)state;
    struct mw_goal goal = {.objective = MW_OBJECTIVE_ENERGY, .deadline_s = 1, .power_cap_w = 200, .certainty = .9};
    struct mw_recommendation r = ask(&goal, &plain);
    assert_false(r.feasible);
    assert_non_null(strstr(r.obstacle, "deadline of 1 s"));
    assert_int_equal(r.tie_count, 0);
    mw_recommendation_release(&r);
}

static void within_and_gain(void **state)
{
    (void)state;
    struct mw_goal goal = {.objective = MW_OBJECTIVE_TIME, .certainty = .9};
    struct mw_recommend_options options = {.within = .1};
    struct mw_recommendation r = ask(&goal, &options);
    assert_true(chosen(&r)->candidate.cores < 24);
    assert_true(chosen(&r)->expected <= 1.1 * time_of(24, 2.4e9));
    for (size_t i = 0; i < r.count; i++)
        if (r.options[i].candidate.cores < chosen(&r)->candidate.cores && r.options[i].measured)
            assert_true(r.options[i].expected > 1.1 * time_of(24, 2.4e9));
    for (size_t i = 0; i < r.count; i++) /* of those on as many cores the quickest */
        if (r.options[i].candidate.cores == chosen(&r)->candidate.cores && r.options[i].measured)
            assert_true(r.options[i].expected >= chosen(&r)->expected);
    mw_recommendation_release(&r);

    /* from 2.2 to 2.3 GHz this program gains less than 4 %, to 2.4 more than 6 % */
    struct mw_gain strict[] = {{2.3e9, .04}, {2.4e9, .5}}, mild[] = {{2.3e9, .01}, {2.4e9, .5}};
    options = (struct mw_recommend_options){.gains = strict, .gain_count = 2};
    r = ask(&goal, &options);
    assert_near(chosen(&r)->candidate.freq_hz, 2.2e9, 1);
    mw_recommendation_release(&r);
    options.gains = mild;
    r = ask(&goal, &options);
    assert_near(chosen(&r)->candidate.freq_hz, 2.3e9, 1);
    mw_recommendation_release(&r);
}

static void front(void **state)
{
    (void)state;
    struct mw_goal goal = {.objective = MW_OBJECTIVE_ENERGY, .certainty = .9};
    struct mw_recommendation r = ask(&goal, &plain);
    assert_true(r.front_count >= 2);
    for (size_t i = 0; i < r.front_count; i++) {
        const struct mw_option *a = &r.options[r.front[i]];
        for (size_t k = 0; k < r.count; k++)
            assert_false(r.options[k].time_s.value < a->time_s.value &&
                         r.options[k].energy_j.value < a->energy_j.value);
    }
    assert_near(r.options[r.front[0]].time_s.value, time_of(24, 2.4e9), .01 * time_of(24, 2.4e9));
    mw_recommendation_release(&r);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct mw_goal goal = {.objective = MW_OBJECTIVE_ENERGY, .certainty = .9};
    struct mw_recommendation r = {.count = 77};
    struct mw_error error;
    model.power.present = false;
    assert_int_equal(mw_recommend(&r, &model, &goal, &plain, &error), MW_NOFIT);
    assert_non_null(strstr(error.message, "no power is known"));
    assert_non_null(strstr(error.hint, "--power-model"));
    assert_int_equal(r.count, 77);
    model.power.present = true;
}

static void reference_by_name(void **state)
{
    (void)state;
    struct mw_goal goal = {
        .objective = MW_OBJECTIVE_TIME, .certainty = .9, .has_reference = true, .reference = {12, 2.4e9}};
    struct mw_recommendation r = ask(&goal, &plain);
    assert_int_equal(r.reference.candidate.cores, 12);
    assert_near(r.time_change.value, time_of(24, 2.4e9) / time_of(12, 2.4e9) - 1, .01);
    mw_recommendation_release(&r);
}

/* A model of one frequency from times of 1, 2, 4 … cores, each the median of `count` readings. */
static void fit_curve(struct mw_model *m, const double *time_s, size_t n, size_t count, double spread)
{
    *m = (struct mw_model){.quantity = MW_TIME, .memory_freq_hz = 2.133e9, .seed = 1};
    m->points = (struct mw_points){.items = calloc(n, sizeof *m->points.items), .count = n, .quantity = MW_TIME};
    for (size_t i = 0; i < n; i++)
        m->points.items[i] = (struct mw_point){
            .cores = 1u << i, .value = time_s[i], .count = count, .spread = spread, .noise_factor = 1};
    assert_int_equal(mw_mixture_fit(m, NULL), MW_OK);
}

static struct mw_recommendation fastest(const struct mw_model *m, const struct mw_recommend_options *options)
{
    const struct mw_goal goal = {.objective = MW_OBJECTIVE_TIME, .certainty = .9};
    struct mw_recommendation r;
    assert_int_equal(mw_recommend(&r, m, &goal, options, NULL), MW_OK);
    return r;
}

/* A neighbour that the law puts ahead by less than it knows does not take the place of what was run. */
static void measured_before_unmeasured(void **state)
{
    (void)state;
    static const double rises[] = {100, 51, 26.5, 13.9, 7.4, 4.3, 3.4};
    struct mw_model m;
    fit_curve(&m, rises, 7, 1, 0);
    struct mw_recommendation r = fastest(&m, &plain);
    assert_int_equal(chosen(&r)->candidate.cores, 64);
    assert_true(chosen(&r)->measured && r.verify_count > 0);
    assert_true(r.options[r.verify[0]].ahead < .9);
    mw_recommendation_release(&r);
    mw_model_release(&m);

    static const double falls[] = {100, 50.5, 25.6, 13, 6.7};
    static const double cores[] = {16, 32};
    fit_curve(&m, falls, 5, 1, 0);
    r = fastest(&m, &(struct mw_recommend_options){.cores = cores, .core_count = 2});
    assert_int_equal(chosen(&r)->candidate.cores, 32); /* nearly twice as fast, and surely better */
    assert_true(!chosen(&r)->measured && chosen(&r)->ahead >= .9);
    mw_recommendation_release(&r);
    mw_model_release(&m);
}

/* The luckiest of readings that scatter by a tenth about one time is not promised as it was read. */
static void luck_is_no_gain(void **state)
{
    (void)state;
    static const double flat[] = {10.2, 9.1, 10.6, 8.2, 10.4, 9.7};
    struct mw_model m;
    fit_curve(&m, flat, 6, 1, 0);
    struct mw_recommendation r = fastest(&m, &plain);
    assert_true(chosen(&r)->time_s.value > 8.3 && chosen(&r)->time_s.high > 9.7);
    assert_true(r.time_change.high >= -.05);
    mw_recommendation_release(&r);
    mw_model_release(&m);
}

/* Three readings of which two agree know no more than three readings can. */
static void repetitions_by_student(void **state)
{
    (void)state;
    static const double curve[] = {80, 40.3, 20.3, 10.001};
    struct mw_model m;
    fit_curve(&m, curve, 4, 3, .001);
    m.points.items[3].spread = .1053; /* sd of ln {10, 10.001, 12} */
    struct mw_recommendation r = fastest(&m, &plain);
    double half = log(chosen(&r)->time_s.high / chosen(&r)->time_s.low) / 2;
    assert_true(half > .03 && half < .25);
    mw_recommendation_release(&r);
    m.points.items[3].spread = .001;
    r = fastest(&m, &plain);
    assert_true(log(chosen(&r)->time_s.high / chosen(&r)->time_s.low) / 2 < .02);
    mw_recommendation_release(&r);
    mw_model_release(&m);
}

static void gains_are_parsed(void **state)
{
    (void)state;
    struct mw_gain *gains = NULL;
    size_t count = 0;
    struct mw_error error;
    assert_int_equal(mw_gains_parse("2.4:2.5,2.5GHz:5", &gains, &count, &error), MW_OK);
    assert_int_equal(count, 2);
    assert_near(gains[1].freq_hz, 2.5e9, 1);
    assert_near(gains[1].gain, .05, 1e-12);
    free(gains);
    static const char *const bad[] = {"", "2.4", "2.4:", "2.5:5,2.4:2", "2.4:-1", ":5", "2.4:2.5,"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(mw_gains_parse(bad[i], &gains, &count, &error), MW_USAGE);
}

/* What is expected of a configuration is the mean of its objective, not the median: against the mean over 4,000 quantiles. */
static void expected_is_the_mean(void **state)
{
    (void)state;
    enum { QUANTILES = 4000 };
    const struct mw_goal goal = {.objective = MW_OBJECTIVE_EDP};
    struct mw_recommendation r = ask(&goal, &plain);
    double widest = 0;
    for (size_t i = 0; i < r.count; i++) {
        double variance, mean = 0, median = exp(mw_goal_value(&goal, &r.options[i].outlook, &variance));
        for (int q = 0; q < QUANTILES; q++)
            mean += median * exp(sqrt(variance) * mw_normal_quantile((q + .5) / QUANTILES)) / QUANTILES;
        assert_near(r.options[i].expected / mean, 1, 2e-4);
        widest = fmax(widest, mean / median - 1);
    }
    assert_true(widest > 2e-3); /* where they can be told apart */
    mw_recommendation_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_and_reference),   cmocka_unit_test(least_energy),
        cmocka_unit_test(limits_hold),          cmocka_unit_test(nothing_keeps_it),
        cmocka_unit_test(within_and_gain),      cmocka_unit_test(front),
        cmocka_unit_test(reference_by_name),    cmocka_unit_test(measured_before_unmeasured),
        cmocka_unit_test(luck_is_no_gain),      cmocka_unit_test(repetitions_by_student),
        cmocka_unit_test(gains_are_parsed),     cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(expected_is_the_mean),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
