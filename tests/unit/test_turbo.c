// SPDX-License-Identifier: GPL-3.0-or-later
// A program on a processor whose clock falls with the cores in use: laws go by the clock that was seen, where it was.
#include "tests/unit/unit.h"

#include "advise/diagnose/binding.h"
#include "data/dataset.h"
#include "fit/fit.h"
#include "fit/predict/predict.h"

#include <unistd.h>

static const double SERIAL = .05, CYCLES = 100e9, TURBO = 2.4;

/* Above the base clock of 2 GHz the cores share what is left: 3.4 GHz for one, 2.3 for sixteen. */
static double clock_ghz(double p, double f)
{
    return f < TURBO ? f : 3.4 - 1.1 * log2(p) / 4;
}

static double time_s(double p, double f)
{
    return CYCLES * (SERIAL + (1 - SERIAL) / p) / (clock_ghz(p, f) * 1e9);
}

static double power_w(double p, double f)
{
    double x = clock_ghz(p, f) / 3.4;
    return 20 + p * (2 * x + 8 * x * x * x);
}

static void fit_table(struct mw_model *model, const char *law, bool seen)
{
    static const double freqs[] = {1.2, 1.6, 2, 2.4};
    static const unsigned cores[] = {1, 2, 3, 4, 8, 12, 16};
    const struct mw_fit_options options = {.seed = 1, .law = law};
    char path[] = "/tmp/memwall-turbo-XXXXXX";
    struct mw_dataset dataset;
    struct mw_error e;
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    fprintf(f, "cores,freq_ghz,time_s,power_w%s\n", seen ? ",freq_effective_ghz" : "");
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 7; j++) {
            double p = cores[j], noise = .005 * sin(12.9898 * p + 7.3 * freqs[i]);
            fprintf(f, "%g,%g,%.9g,%.9g", p, freqs[i], time_s(p, freqs[i]) * (1 + noise), power_w(p, freqs[i]));
            fprintf(f, seen ? ",%.9g\n" : "\n", clock_ghz(p, freqs[i]));
        }
    fclose(f);
    if (mw_dataset_read(&dataset, path, NULL, &e) || mw_fit(model, &dataset, &options, &e))
        fail_msg("%s", e.message);
    mw_dataset_release(&dataset);
    unlink(path);
}

static const struct mw_model_param *parallel_fraction(const struct mw_model *model)
{
    for (size_t i = 0; i < model->param_count; i++)
        if (!strcmp(model->params[i].name, "f"))
            return &model->params[i];
    fail_msg("no f");
    return NULL;
}

static void the_law_comes_back(void **state)
{
    (void)state;
    struct mw_model seen = {0}, blind = {0};
    fit_table(&seen, "amdahl", true);
    fit_table(&blind, "amdahl", false);
    assert_near(parallel_fraction(&seen)->value, 1 - SERIAL, .002);
    assert_true(seen.rmse_log_time < .006 && blind.rmse_log_time > .05); /* the nominal clock explains no turbo */
    mw_model_release(&seen);
    mw_model_release(&blind);
}

static double error_at(const struct mw_model *model, double p, double f)
{
    const struct mw_config config = {p, f * 1e9};
    struct mw_prediction made;
    struct mw_error e;
    assert_int_equal(mw_predict(model, &config, 1, &made, &e), MW_OK);
    assert_true(made.low < time_s(p, f) && time_s(p, f) < made.high);
    assert_true(made.has_energy);
    assert_near(made.power_w / power_w(p, f), 1, .01);
    double one = time_s(1, f) / time_s(p, f);
    assert_near(made.speedup / one, 1, .02); /* over one core at the same frequency, whatever its clock */
    return fabs(made.value / time_s(p, f) - 1);
}

static void predictions_go_by_the_clock_there(void **state)
{
    (void)state;
    struct mw_model model = {0};
    fit_table(&model, NULL, true);
    assert_true(error_at(&model, 6, 2.4) < .01);
    assert_true(error_at(&model, 10, 2.4) < .01);
    assert_true(error_at(&model, 6, 1.2) < .01);
    assert_true(error_at(&model, 16, 1.8) < .01);
    mw_model_release(&model);
}

/* Where nobody saw the clock, what it costs is no memory. */
static void never_memory(void **state)
{
    (void)state;
    for (int seen = 0; seen < 2; seen++) {
        const struct mw_config all = {16, 2.4e9};
        struct mw_model model = {0};
        struct mw_diagnoser *diagnoser = NULL;
        struct mw_diagnosis d;
        fit_table(&model, NULL, seen);
        struct mw_diagnose_options options = mw_diagnose_options_of(&model, 0);
        assert_int_equal(mw_diagnoser_alloc(&diagnoser, &options, NULL), MW_OK);
        assert_int_equal(mw_diagnoser_run(diagnoser, &d, &model.points, NULL), MW_OK);
        assert_int_equal(d.witness.effective_clock.state, seen ? MW_WITNESS_USED : MW_WITNESS_ABSENT);
        assert_null(strstr(mw_verdict_name(d.verdict), "memory"));
        enum mw_binding word = mw_diagnoser_binding(diagnoser, &d, &all);
        assert_true(word != MW_BINDING_LATENCY && word != MW_BINDING_BANDWIDTH);
        mw_diagnoser_free(diagnoser);
        mw_model_release(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_law_comes_back),
                                       cmocka_unit_test(predictions_go_by_the_clock_there),
                                       cmocka_unit_test(never_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
