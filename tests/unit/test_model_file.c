// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/files.h"

#include "data/model_file/model_file.h"
#include "data/json.h"
#include "data/profile.h"

enum { DRAWS = 3 };

/* A model with every part filled, with values that need all their digits. */
static struct mw_model sample(void)
{
    struct mw_model m = {
        .law = "mixture",
        .quantity = MW_TIME,
        .param_count = 2,
        .params = {{"f", 1 / 3.0, 0.1, 0.9, MW_PARAM_IDENTIFIED, ""},
                   {"k", 10, 0.2, 10, MW_PARAM_AT_BOUND, "measure more"}},
        .has_time_scale = true,
        .time_scale_s_ghz = M_PI,
        .memory_freq_hz = 2133e6,
        .r_max = .0625,
        .memory_freq_assumed = true,
        .k_max = 0.1 * 2133,
        .loss = "robust",
        .method = "csa",
        .seed = 7,
        .loss_value = 1e-300,
        .rmse_log_time = 0.1,
        .cv_mape_percent = 2.5,
        .has_cv = true,
        .evaluations = 123456,
        .wall_s = 0.25,
        .boundary_count = 2,
        .cores_per_socket = 12,
        .law_count = 1,
        .combination_count = 1,
        .rows = 9,
        .used = 8,
        .set_aside_count = 1,
        .detected_count = 1,
        .run_count = 2,
        .warning_count = 1,
    };
    m.boundaries = malloc(2 * sizeof *m.boundaries);
    m.boundaries[0] = 12, m.boundaries[1] = 24;
    m.laws = calloc(1, sizeof *m.laws);
    m.laws[0] =
        (struct mw_model_law){.name = "usl", .param_count = 2, .params = {0.1, 2e-17}, .scale = 3, .weight = 0.5};
    m.combinations = calloc(1, sizeof *m.combinations);
    m.combinations[0] = (struct mw_combination){"share", "a sentence", 0.37, 0.3, 0.4, true};
    m.points.items = calloc(3, sizeof *m.points.items);
    m.points.count = 3;
    m.points.items[0] = (struct mw_point){.cores = 1,
                                          .freq_hz = 1.2e9,
                                          .value = 10.1,
                                          .spread = 0.01,
                                          .count = 3,
                                          .has_energy = true,
                                          .energy_j = 400.7,
                                          .noise_factor = 1,
                                          .line = 5};
    m.points.items[1] =
        (struct mw_point){.cores = 4, .freq_hz = 1.2e9, .value = 1 / 7.0, .count = 1, .noise_factor = 25, .line = 6};
    m.points.items[2] = (struct mw_point){.cores = 1,
                                          .freq_hz = 2.4e9,
                                          .value = 5.3,
                                          .count = 1,
                                          .has_power = true,
                                          .power_w = 55,
                                          .has_cpu_time = true,
                                          .cpu_time_s = 5,
                                          .has_freq_effective = true,
                                          .freq_effective_hz = 2.3e9,
                                          .noise_factor = 1,
                                          .line = 7};
    mw_usage_set(&m.points.items[2].usage, MW_USAGE_MAIN_WAIT, 1 / 3.0);
    m.runs = calloc(2, sizeof *m.runs);
    m.runs[0] = (struct mw_row){.has = MW_HAS_VALUE | MW_HAS_FREQ | MW_HAS_ENERGY,
                                .cores = 1,
                                .repetition = 1,
                                .freq_hz = 1.2e9,
                                .value = 10.1,
                                .energy_j = 400.7,
                                .line = 5};
    m.runs[1] = (struct mw_row){.has = MW_HAS_VALUE | MW_HAS_FREQ | MW_HAS_FREQ_EFFECTIVE | MW_HAS_CPU_TIME,
                                .cores = 4,
                                .freq_hz = 1.2e9,
                                .freq_effective_hz = 1.1e9,
                                .value = 1 / 7.0,
                                .cpu_time_s = 0.5,
                                .line = 6};
    mw_usage_set(&m.runs[0].usage, MW_USAGE_SWITCHES, 7);
    m.has_cpu_limit = true, m.points.cpu_limit = 2.5;
    m.ensemble.fits = calloc(1, sizeof *m.ensemble.fits);
    m.ensemble.count = 1;
    struct mw_ensemble_fit *fit = &m.ensemble.fits[0];
    *fit = (struct mw_ensemble_fit){
        .law = "vls", .prior = 2, .independent = true, .log_evidence = -12.5, .draw_count = DRAWS, .param_count = 2};
    fit->params = malloc(DRAWS * 2 * sizeof(double));
    fit->scale = malloc(DRAWS * sizeof(double));
    fit->sigma = malloc(DRAWS * sizeof(double));
    fit->kernel = malloc(DRAWS * sizeof(int));
    for (int i = 0; i < DRAWS; i++) {
        fit->params[2 * i] = sqrt(i + 2.0), fit->params[2 * i + 1] = exp(-i);
        fit->scale[i] = log(i + 3.0), fit->sigma[i] = 1 / (i + 3.0), fit->kernel[i] = i;
    }
    m.power =
        (struct mw_model_power){.present = true, .s0_w = 10.1, .freq_ref_hz = 2.4e9, .draw_count = 1, .source = "test"};
    m.power.draws = calloc(5, sizeof(double));
    m.power.draws[4] = 1 / 9.0;
    m.file = strdup("a \"b\".csv"), m.workload = strdup(""), m.input = strdup("3");
    strcpy(m.sha256, "00");
    m.set_aside = calloc(1, sizeof *m.set_aside);
    m.set_aside[0] = (struct mw_set_aside){4, strdup("the run failed")};
    m.warnings = calloc(1, sizeof *m.warnings);
    m.warnings[0] = strdup("mind this");
    return m;
}

static char *contents(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    assert_non_null(f);
    assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    return text;
}

#define SAME_BITS(a, b) assert_memory_equal(&(a), &(b), sizeof(a))

static void round_trip(void **state)
{
    (void)state;
    struct mw_model m = sample(), got;
    struct mw_error e;
    const char *path = temp_text("");
    assert_int_equal(mw_model_write(&m, path, true, NULL, &e), MW_OK);
    if (mw_model_read(&got, path, &e))
        fail_msg("%s", e.message);
    assert_string_equal(got.law, "mixture");
    assert_int_equal(got.params[1].status, MW_PARAM_AT_BOUND);
    assert_string_equal(got.params[1].settle, "measure more");
    SAME_BITS(got.params[0].value, m.params[0].value);
    SAME_BITS(got.time_scale_s_ghz, m.time_scale_s_ghz);
    SAME_BITS(got.memory_freq_hz, m.memory_freq_hz);
    SAME_BITS(got.k_max, m.k_max);
    SAME_BITS(got.r_max, m.r_max);
    SAME_BITS(got.loss_value, m.loss_value);
    SAME_BITS(got.laws[0].params[1], m.laws[0].params[1]);
    assert_false(got.has_mse_speedup);
    assert_int_equal(got.points.count, 3);
    SAME_BITS(got.points.cpu_limit, m.points.cpu_limit);
    SAME_BITS(got.runs[0].usage, m.runs[0].usage);
    SAME_BITS(got.runs[1].usage, m.runs[1].usage);
    for (size_t i = 0; i < 3; i++) {
        const struct mw_point *a = &m.points.items[i], *b = &got.points.items[i];
        SAME_BITS(a->usage, b->usage);
        SAME_BITS(a->freq_effective_hz, b->freq_effective_hz);
        assert_int_equal(a->cores, b->cores);
        assert_int_equal(a->line, b->line);
        assert_int_equal(a->has_energy, b->has_energy);
        assert_int_equal(a->has_cpu_time, b->has_cpu_time);
        SAME_BITS(a->value, b->value);
        SAME_BITS(a->freq_hz, b->freq_hz);
        SAME_BITS(a->noise_factor, b->noise_factor);
    }
    assert_int_equal(got.detected_count, 1);
    assert_int_equal(got.run_count, 2);
    assert_memory_equal(got.runs, m.runs, 2 * sizeof *m.runs);
    const struct mw_ensemble_fit *x = &m.ensemble.fits[0], *y = &got.ensemble.fits[0];
    assert_int_equal(y->draw_count, DRAWS);
    assert_memory_equal(x->params, y->params, DRAWS * 2 * sizeof(double));
    assert_memory_equal(x->scale, y->scale, DRAWS * sizeof(double));
    assert_memory_equal(x->sigma, y->sigma, DRAWS * sizeof(double));
    assert_memory_equal(x->kernel, y->kernel, DRAWS * sizeof(int));
    assert_memory_equal(m.power.draws, got.power.draws, 5 * sizeof(double));
    assert_string_equal(got.file, "a \"b\".csv");
    assert_string_equal(got.set_aside[0].reason, "the run failed");
    assert_string_equal(got.warnings[0], "mind this");
    /* written again, the same bytes */
    char *first = contents(path);
    assert_int_equal(mw_model_write(&got, path, true, NULL, &e), MW_OK);
    char *second = contents(path);
    assert_string_equal(first, second);
    free(first);
    free(second);
    mw_model_release(&m);
    mw_model_release(&got);
    temp_remove();
}

/* Names that other programs rely on. */
static void names(void **state)
{
    (void)state;
    static const char *const keys[] = {"schema",
                                       "law",
                                       "parameters.f.value",
                                       "parameters.f.low",
                                       "parameters.f.high",
                                       "parameters.f.status",
                                       "time_scale_s_ghz",
                                       "memory_freq_ghz",
                                       "domain.cores",
                                       "domain.freq_ghz",
                                       "fit.loss",
                                       "fit.rmse_log_time",
                                       "fit.cv_mape_percent",
                                       "fit.evaluations",
                                       "fit.seed",
                                       "laws",
                                       "power",
                                       "data.file",
                                       "data.sha256",
                                       "data.rows",
                                       "data.used",
                                       "data.set_aside",
                                       "data.warnings",
                                       "run.wall_s"};
    struct mw_model m = sample();
    json_t *root;
    assert_int_equal(mw_model_write(&m, temp_text(""), true, NULL, NULL), MW_OK);
    assert_int_equal(mw_json_read(&root, temp_path, NULL), MW_OK);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!mw_json_member(root, keys[i]))
            fail_msg("no key %s", keys[i]);
    assert_int_equal(json_array_size(mw_json_member(root, "domain.cores")), 2);
    assert_int_equal(json_array_size(mw_json_member(root, "domain.freq_ghz")), 2);
    json_decref(root);
    mw_model_release(&m);
    temp_remove();
}

/* One key spoiled or left out: an error that names it, never a crash. */
static void spoiled(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {"memwall-model/2", "memwall-model/9", "memwall-model/9"},
        {"\"quantity\": \"time\"", "\"quantity\": \"joy\"", "'quantity'"},
        {"\"memory_freq_ghz\": 2.133", "\"memory_freq_ghz\": \"x\"", "'memory_freq_ghz' is not a number"},
        {"\"law\": \"mixture\"", "\"low\": 1", "'law' is missing"},
        {"\"at bound\"", "\"unbound\"", "unbound"},
        {"\"value\": [10.1, ", "\"value\": [-10.1, ", "points.value"},
        {"\"cores\": [1, 4, 1]", "\"cores\": [4, 1, 1]", "not in the order"},
        {"\"spread\": [0.01, ", "\"spread\": [", "'points.spread' is not as long"},
        {"\"repetitions\": [3, ", "\"repetitions\": [4000000000, ", "points.repetitions"},
        {"\"detected\": 1", "\"detected\": 2", "'data.detected'"},
        {"\"reason\": \"the run failed\"", "\"reason\": null", "reason"},
        {"\"has\": [11, ", "\"has\": [10, ", "'runs'"},
        {"\"kernel\": [0, 1, 2]", "\"kernel\": [0, 1]", "do not have the same length"},
        {"{", "[", "not JSON"},
    };
    struct mw_model m = sample(), got;
    assert_int_equal(mw_model_write(&m, temp_text(""), true, NULL, NULL), MW_OK);
    char *good = contents(temp_path);
    temp_remove();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *at = strstr(good, cases[i].from), *text = NULL;
        if (!at)
            fail_msg("the sample lacks %s", cases[i].from);
        assert_true(asprintf(&text, "%.*s%s%s", (int)(at - good), good, cases[i].to, at + strlen(cases[i].from)) > 0);
        struct mw_error e = {0};
        assert_int_equal(mw_model_read(&got, temp_text(text), &e), MW_DATA);
        if (!strstr(e.message, cases[i].says))
            fail_msg("'%s' lacks '%s'", e.message, cases[i].says);
        temp_remove();
        free(text);
    }
    free(good);
    mw_model_release(&m);
}

static void profiles(void **state)
{
    (void)state;
    struct mw_profile p;
    struct mw_error e;
    const char *text =
        "{\"memwall_machine\": 1, \"name\": \"b\", \"cores\": 48, \"cores_per_node\": 6, \"sockets\": 4, \"smt\": 1,"
        "\"clock_ghz\": [[8,2.4],[1,3.1],[3,2.9]], \"stream_gbs\": 100, \"stream_1_gbs\": 5,"
        "\"mem_bytes\": 68719476736, \"score\": {\"name\": \"kernel\", \"value\": 11.2}, \"isa\": \"x86_64\","
        "\"latency_ns\": 98, \"channels\": 16, \"mem_mts\": 1333, \"llc_bytes\": 5242880, \"boundaries\": [12],"
        "\"freqs_ghz\": [2.4, 1.2], \"source\": {\"stream_gbs\": \"guessed\"}}";
    if (mw_profile_read(&p, temp_text(text), &e))
        fail_msg("%s", e.message);
    assert_int_equal(p.cores, 48);
    assert_int_equal(p.boundaries[0], 12);
    assert_near(p.stream_bps, 100e9, 0);
    assert_near(p.latency_s, 98e-9, 1e-20);
    assert_near(p.memory_freq_hz, 1333e6, 0);
    assert_near(p.freqs_hz[0], 1.2e9, 0);
    assert_string_equal(p.score_name, "kernel");
    assert_true(p.stream_guessed);
    assert_near(mw_profile_clock_at(&p, 1), 3.1e9, 0);
    assert_near(mw_profile_clock_at(&p, 2), 3.0e9, 1);
    assert_near(mw_profile_clock_at(&p, 99), 2.4e9, 0);
    mw_profile_release(&p);
    temp_remove();
    static const char *const bad[][2] = {
        {"{}", "not a machine profile"},
        {"{\"memwall_machine\": 2}", "version"},
        {"[1]", "not a machine profile"},
        {"{\"memwall_machine\": 1, \"cores\": -1}", "'cores'"},
        {"{\"memwall_machine\": 1, \"cores\": \"x\"}", "'cores'"},
        {"{\"memwall_machine\": 1, \"clock_ghz\": [[1]]}", "'clock_ghz[0]'"},
        {"{\"memwall_machine\": 1, \"clock_ghz\": [[1,2],[1,3]]}", "twice"},
        {"{\"memwall_machine\": 1, \"stream_gbs\": -5}", "'stream_gbs' is negative"},
        {"{\"memwall_machine\": 1, \"boundaries\": [0]}", "'boundaries[0]'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(mw_profile_read(&p, temp_text(bad[i][0]), &e), MW_DATA);
        if (!strstr(e.message, bad[i][1]))
            fail_msg("'%s' lacks '%s'", e.message, bad[i][1]);
        temp_remove();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(names), cmocka_unit_test(spoiled),
                                       cmocka_unit_test(profiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
