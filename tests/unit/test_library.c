// SPDX-License-Identifier: GPL-3.0-or-later
// The public interface from inside: the same answers as the program, options good when zeroed, outputs left alone on failure,
// four threads at once (under ThreadSanitizer by `make check-tsan`).
#include "tests/unit/unit.h"

#include "fit/predict/predict.h"
#include "memwall/memwall.h"

#include <gsl/gsl_errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static struct mw_model *model;

static int setup(void **state)
{
    (void)state;
    struct mw_dataset *dataset;
    struct mw_error e;
    if (mw_dataset_load(&dataset, "data/examples/swaptions.csv", NULL, &e) || mw_model_fit(&model, dataset, NULL, &e))
        return -1;
    mw_dataset_free(dataset);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mw_model_free(model);
    return 0;
}

/* Configurations inside the data, all different, and some beyond. */
static void spread(struct mw_config *configs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        configs[i] = (struct mw_config){1 + (double)(i % 24), 1.2e9 + 1.2e9 * (double)((i * 7919) % 10007) / 10007};
}

static void a_predictor_answers_as_predict(void **state)
{
    (void)state;
    enum { N = 300 };
    struct mw_config configs[N];
    struct mw_answer answers[N];
    struct mw_prediction want[N];
    struct mw_error e;
    const struct mw_predictor_options each[] = {{0}, {.baseline_freq_hz = 1.2e9}, {.without_energy = true}};
    spread(configs, N);
    configs[7] = (struct mw_config){1, 1.2e9};
    configs[8] = (struct mw_config){2.5, 1.25e9};
    configs[9] = (struct mw_config){48, 2.4e9};
    configs[10] = (struct mw_config){12, 3e9};
    for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
        struct mw_predictor *predictor;
        assert_int_equal(mw_predictor_open(&predictor, model, &each[k], &e), MW_OK);
        assert_int_equal(mw_predictor_ask(predictor, configs, N, answers, &e), MW_OK);
        assert_int_equal(mw_predict_over(model, configs, N, each[k].baseline_freq_hz, want, &e), MW_OK);
        for (size_t i = 0; i < N; i++) {
            const struct mw_answer *a = &answers[i];
            const struct mw_prediction *w = &want[i];
            const double pairs[][2] = {{a->value, w->value},
                                       {a->low, w->low},
                                       {a->high, w->high},
                                       {a->speedup, w->speedup},
                                       {a->speedup_low, w->speedup_low},
                                       {a->speedup_high, w->speedup_high}};
            for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
                assert_near(pairs[p][0] / pairs[p][1], 1, 1e-9);
            assert_near(a->ln_mean, w->ln_mean, 1e-9);
            assert_near(a->ln_sd, w->ln_sd, 1e-9);
            assert_int_equal(a->extrapolated_cores, w->extrapolated_cores);
            assert_int_equal(a->extrapolated_freq, w->extrapolated_freq);
            assert_int_equal(a->has_energy, w->has_energy && !each[k].without_energy);
            if (a->has_energy)
                assert_near(a->energy_high_j / w->energy_high_j, 1, 1e-9);
        }
        mw_predictor_close(predictor);
    }
}

static void a_failure_leaves_outputs(void **state)
{
    (void)state;
    struct mw_error e;
    struct mw_dataset *dataset = (struct mw_dataset *)&e, *before = dataset;
    assert_int_equal(mw_dataset_load(&dataset, "no-such-file.csv", NULL, &e), MW_IO);
    assert_ptr_equal(dataset, before);
    struct mw_model *none = (struct mw_model *)&e;
    assert_int_equal(mw_model_load(&none, "data/examples/swaptions.csv", &e), MW_DATA);
    assert_ptr_equal(none, &e);
    struct mw_predictor *predictor;
    struct mw_answer answer = {.value = 17};
    struct mw_config wrong[] = {{0, 2e9}, {NAN, 2e9}, {4, -1}, {4, INFINITY}};
    assert_int_equal(mw_predictor_open(&predictor, model, NULL, &e), MW_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(mw_predictor_ask(predictor, &wrong[i], 1, &answer, &e), MW_USAGE);
        assert_near(answer.value, 17, 0);
    }
    assert_int_equal(mw_predictor_ask(predictor, NULL, 0, NULL, &e), MW_OK);
    mw_predictor_close(predictor);
    mw_predictor_close(NULL);
    mw_model_free(NULL);
    mw_dataset_free(NULL);
    mw_recommendation_free(NULL);
    mw_report_free(NULL);
    mw_tuner_free(NULL);
}

/* A model that was written and read again answers as the one it was; a file that is there is kept unless told. */
static void a_saved_model_is_the_same(void **state)
{
    (void)state;
    char path[] = "/tmp/mw-library-XXXXXX";
    struct mw_error e;
    struct mw_model *again;
    struct mw_config config = {10, 1.8e9};
    struct mw_prediction before, after;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(mw_model_save(model, path, false, &e), MW_IO);
    assert_int_equal(mw_model_save(model, path, true, &e), MW_OK);
    assert_int_equal(mw_model_load(&again, path, &e), MW_OK);
    assert_int_equal(mw_predict(model, &config, 1, &before, &e), MW_OK);
    assert_int_equal(mw_predict(again, &config, 1, &after, &e), MW_OK);
    assert_near(after.value / before.value, 1, 1e-9);
    assert_near(after.speedup_high / before.speedup_high, 1, 1e-9);
    mw_model_free(again);
    unlink(path);
}

static void a_certainty_of_zero_keeps_no_limit(void **state)
{
    (void)state;
    struct mw_error e;
    struct mw_recommendation *r;
    struct mw_outcome choice;
    struct mw_goal goal = {.deadline_s = 1e-12};
    assert_int_equal(mw_recommendation_alloc(&r, model, &goal, NULL, &e), MW_OK);
    assert_false(mw_recommendation_feasible(r));
    assert_non_null(strstr(mw_recommendation_obstacle(r), "deadline"));
    mw_recommendation_free(r);
    assert_int_equal(mw_recommendation_alloc(&r, model, &(struct mw_goal){0}, NULL, &e), MW_OK);
    assert_true(mw_recommendation_feasible(r));
    mw_recommendation_choice(r, &choice);
    assert_near(choice.config.cores, 24, 0);
    assert_true(choice.measured);
    mw_recommendation_free(r);
}

static void runs_given_one_by_one_are_a_table(void **state)
{
    (void)state;
    struct mw_error e;
    struct mw_dataset *read, *given;
    struct mw_model *other;
    struct mw_run run;
    struct mw_range range;
    assert_int_equal(mw_dataset_load(&read, "data/examples/swaptions.csv", NULL, &e), MW_OK);
    assert_int_equal(mw_dataset_alloc(&given, MW_TIME, &e), MW_OK);
    for (size_t i = 0; i < mw_dataset_count(read); i++) {
        mw_dataset_run(read, i, &run);
        assert_int_equal(mw_dataset_add(given, &run, &e), MW_OK);
    }
    const struct mw_run wrong[] = {{.config = {0, 1e9}, .value = 1},
                                   {.config = {1.5, 1e9}, .value = 1},
                                   {.config = {1, 1e9}, .value = 0},
                                   {.config = {1, NAN}, .value = 1},
                                   {.config = {1, 1e9}, .value = INFINITY}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(mw_dataset_add(given, &wrong[i], &e), MW_USAGE);
    assert_int_equal(mw_dataset_count(given), mw_dataset_count(read));
    assert_int_equal(mw_model_fit(&other, given, NULL, &e), MW_OK);
    mw_model_range(other, &range);
    assert_near(range.cores_high, 24, 0);
    assert_near(range.freq_low_hz, 1.2e9, 1);
    assert_int_equal(mw_model_parameter_count(other), mw_model_parameter_count(model));
    for (size_t i = 0; i < mw_model_parameter_count(model); i++) {
        struct mw_parameter a, b;
        mw_model_parameter(model, i, &a);
        mw_model_parameter(other, i, &b);
        assert_string_equal(a.name, b.name);
        assert_near(a.value, b.value, 0);
    }
    mw_model_free(other);
    mw_dataset_free(given);
    mw_dataset_free(read);
}

/* Best of T = 1/p + p/64 by time: 8 cores. */
static void a_tuner_finds_the_best(void **state)
{
    (void)state;
    struct mw_error e;
    struct mw_tuner *tuner;
    struct mw_config candidates[16];
    size_t next, best, runs = 0;
    char reason[100];
    for (size_t i = 0; i < 16; i++)
        candidates[i] = (struct mw_config){1 + (double)i, 0};
    assert_int_equal(mw_tuner_alloc(&tuner, &(struct mw_goal){0}, NULL, candidates, 0, &e), MW_USAGE);
    assert_int_equal(mw_tuner_alloc(&tuner, &(struct mw_goal){0}, NULL, candidates, 16, &e), MW_OK);
    assert_false(mw_tuner_best(tuner, &best));
    while (mw_tuner_next(tuner, &next, reason, sizeof reason) == MW_TUNE_GOES_ON) {
        double p = candidates[next].cores;
        struct mw_reading reading = {.time_s = 1 / p + p / 64};
        assert_int_equal(mw_tuner_observe(tuner, next, &reading, NULL, &e), MW_OK);
        assert_int_equal(mw_tuner_observe(tuner, next, &reading, NULL, &e), MW_USAGE);
        runs++;
    }
    assert_int_equal(mw_tuner_observe(tuner, 16, &(struct mw_reading){.time_s = 1}, NULL, &e), MW_USAGE);
    assert_true(mw_tuner_best(tuner, &best));
    assert_in_range(candidates[best].cores, 7, 9);
    assert_true(runs < 16);
    assert_true(mw_tuner_certainty(tuner) > .5);
    mw_tuner_free(tuner);
}

static void a_schedule_fits(void **state)
{
    (void)state;
#ifdef MW_WITHOUT_GLPK
    skip();
#else
    struct mw_error e;
    struct mw_assignment *a;
    const struct mw_job_option options[] = {{1, 0, 8, 10, 80}, {4, 0, 3, 40, 120}};
    const struct mw_job jobs[] = {{"one", options, 2, 0}, {"two", options, 2, 0}};
    const struct mw_jobs_limits limits = {.cores = 5};
    assert_int_equal(mw_assignment_alloc(&a, jobs, 2, &limits, MW_JOBS_ENERGY, &e), MW_OK);
    assert_true(mw_assignment_feasible(a));
    assert_near(mw_assignment_energy_j(a), 160, 1e-9);
    assert_int_equal(mw_assignment_option(a, 0), 0);
    mw_assignment_free(a);
    const struct mw_jobs_limits small = {.cores = 1};
    assert_int_equal(mw_assignment_alloc(&a, jobs, 2, &small, MW_JOBS_ENERGY, &e), MW_OK);
    assert_false(mw_assignment_feasible(a));
    assert_true(mw_assignment_obstacle(a)[0]);
    mw_assignment_free(a);
    mw_assignment_free(NULL);
#endif
}

static void own_handler(const char *reason, const char *file, int line, int code)
{
    (void)reason, (void)file, (void)line, (void)code;
}

struct job {
    const struct mw_predictor *predictor;
    double first;
    enum mw_err err;
};

/* One of everything: a shared predictor asked, a fit, a recommendation and a diagnosis of its own. */
static void *work(void *context)
{
    enum { N = 64 };
    struct job *job = context;
    struct mw_config configs[N];
    struct mw_answer answers[N];
    struct mw_dataset *dataset = NULL;
    struct mw_model *own = NULL;
    struct mw_recommendation *recommendation = NULL;
    struct mw_report *report = NULL;
    struct mw_error e;
    spread(configs, N);
    job->err = mw_predictor_ask(job->predictor, configs, N, answers, &e);
    job->first = answers[0].value;
    if (!job->err)
        job->err = mw_dataset_load(&dataset, "data/examples/xeon-bt.csv", NULL, &e);
    if (!job->err)
        job->err = mw_model_fit(&own, dataset, NULL, &e);
    if (!job->err)
        job->err = mw_recommendation_alloc(&recommendation, own, &(struct mw_goal){0}, NULL, &e);
    if (!job->err)
        job->err = mw_report_alloc(&report, own, NULL, &e);
    mw_report_free(report);
    mw_recommendation_free(recommendation);
    mw_model_free(own);
    mw_dataset_free(dataset);
    return NULL;
}

static void four_threads_at_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    struct mw_predictor *predictor;
    struct mw_error e;
    gsl_error_handler_t *before = gsl_set_error_handler(own_handler);
    assert_int_equal(mw_predictor_open(&predictor, model, NULL, &e), MW_OK);
    for (size_t i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){.predictor = predictor};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].err, MW_OK);
        assert_near(jobs[i].first, jobs[0].first, 0);
    }
    mw_predictor_close(predictor);
    assert_ptr_equal(gsl_set_error_handler(before), own_handler); /* put back after the last call */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_predictor_answers_as_predict),
        cmocka_unit_test(a_failure_leaves_outputs),
        cmocka_unit_test(a_saved_model_is_the_same),
        cmocka_unit_test(a_certainty_of_zero_keeps_no_limit),
        cmocka_unit_test(runs_given_one_by_one_are_a_table),
        cmocka_unit_test(a_tuner_finds_the_best),
        cmocka_unit_test(a_schedule_fits),
        cmocka_unit_test(four_threads_at_once),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
