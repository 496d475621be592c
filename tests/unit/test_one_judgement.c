// SPDX-License-Identifier: GPL-3.0-or-later
// What may never differ in front of the user, over measured tables: a time is the same whoever says it, and so is a share; what
// binds never contradicts the verdict; no order of questions changes an answer; nothing below its bar is a verdict.
// Every ninth table, or all with MW_TABLES=all (make check-judgement). Run from the top of the source tree.
#include "tests/unit/unit.h"

#include "advise/diagnose/binding.h"
#include "advise/recommend/recommend.h"
#include "data/dataset.h"
#include "fit/fit.h"
#include "fit/predict/predict.h"
#include "memwall/predict.h"

#include <ftw.h>

enum { TABLES_MOST = 1024, STRIDE = 9, POINTS_MOST = 400 };

static char *tables[TABLES_MOST];
static size_t table_count;

static int keep_table(const char *path, const struct stat *status, int type, struct FTW *where)
{
    size_t n = strlen(path);
    (void)status;
    (void)where;
    if (type == FTW_F && n > 4 && !strcmp(path + n - 4, ".csv") && table_count < TABLES_MOST)
        assert_non_null(tables[table_count++] = strdup(path));
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* --- the rules ----------------------------------------------------------------------------------------------------- */

static void one_time(const struct mw_model *model, const char *at)
{
    struct mw_recommendation r = {0};
    struct mw_predictor *predictor = NULL;
    const struct mw_recommend_options options = {.seed = 1};
    const struct mw_goal goal = {.objective = MW_OBJECTIVE_TIME};
    struct mw_error error;
    assert_int_equal(mw_predictor_open(&predictor, model, NULL, &error), MW_OK);
    if (mw_recommend(&r, model, &goal, &options, &error) == MW_OK && !r.relative)
        for (size_t i = 0; i < r.count; i += r.count / 16 + 1) {
            const struct mw_option *o = &r.options[i];
            struct mw_prediction p;
            struct mw_answer answer;
            assert_int_equal(mw_predict(model, &o->candidate, 1, &p, &error), MW_OK);
            assert_int_equal(mw_predictor_ask(predictor, &o->candidate, 1, &answer, &error), MW_OK);
            if (o->has_time && (fabs(o->time_s.value / p.value - 1) > 1e-9 || fabs(o->time_s.low / p.low - 1) > 1e-9 ||
                                fabs(o->time_s.high / p.high - 1) > 1e-9))
                fail_msg("%s: recommend has %g s on %g cores, predict %g", at, o->time_s.value, o->candidate.cores,
                         p.value);
            assert_near(answer.value / p.value, 1, 1e-9);
            assert_near(answer.low / p.low, 1, 1e-9);
            assert_near(answer.high / p.high, 1, 1e-9);
        }
    mw_recommendation_release(&r);
    mw_predictor_close(predictor);
}

static void one_share(const struct mw_model *model, const struct mw_diagnosis *d, const char *at)
{
    for (size_t end = 0; end < 2 && d->has_fixed && d->end_count > end; end++) {
        char name[64];
        snprintf(name, sizeof name, "frequency_independent_share_%.0f_cores", d->ends[end].cores);
        for (size_t i = 0; i < model->combination_count; i++) {
            const struct mw_combination *c = &model->combinations[i];
            if (!strcmp(c->name, name) &&
                (fabs(c->value - d->fixed[end].median) > 1e-12 || fabs(c->low - d->fixed[end].low) > 1e-12 ||
                 fabs(c->high - d->fixed[end].high) > 1e-12))
                fail_msg("%s: fit says %g of %s, diagnose %g", at, c->value, name, d->fixed[end].median);
        }
    }
}

/* The words that may stand beside a verdict, at all cores and the highest frequency. */
static bool may_stand(enum mw_verdict verdict, enum mw_binding word)
{
    if (word == MW_BINDING_UNDETERMINED)
        return true;
    switch (verdict) {
    case MW_VERDICT_SCALES_WELL:
    case MW_VERDICT_CACHE:
        return word == MW_BINDING_COMPUTE;
    case MW_VERDICT_SERIAL:
        return word == MW_BINDING_SERIAL;
    case MW_VERDICT_MEMORY_LATENCY:
        return word == MW_BINDING_LATENCY;
    case MW_VERDICT_MEMORY_BANDWIDTH:
        return word == MW_BINDING_BANDWIDTH;
    case MW_VERDICT_MEMORY:
        return word == MW_BINDING_LATENCY || word == MW_BINDING_BANDWIDTH;
    default:
        return false; /* a pair, a family, another cause, or none */
    }
}

static void no_contradiction(const struct mw_model *model, const struct mw_diagnoser *diagnoser,
                             const struct mw_diagnosis *d, const char *at)
{
    const struct mw_config all = {d->cores, d->freq_max_hz}, more = {2. * d->cores, d->freq_max_hz};
    enum mw_binding word = mw_diagnoser_binding(diagnoser, d, &all);
    struct mw_prediction p;
    struct mw_error error;
    if (!may_stand(d->verdict, word))
        fail_msg("%s: '%s' stands beside the verdict %s", at, mw_binding_name(word), mw_verdict_name(d->verdict));
    assert_int_equal(mw_diagnoser_binding(diagnoser, d, &more), MW_BINDING_UNDETERMINED);
    if (d->verdict == MW_VERDICT_LIMIT) { /* what cannot work at once is not promised beyond the data either */
        assert_int_equal(mw_predict(model, &more, 1, &p, &error), MW_OK);
        if (p.speedup_low > 1.1 * d->limit_cores)
            fail_msg("%s: no more than %g at once, and a speedup of %g or more on %g cores", at, d->limit_cores,
                     p.speedup_low, more.cores);
    }
}

static void bars_hold(const struct mw_diagnosis *d, const char *at)
{
    static const double LEAST = .85; /* of families; causes have .90 */
    bool open = d->verdict == MW_VERDICT_UNDETERMINED;
    /* power read at the wall settles a flat curve; readings a slowdown */
    if (open ? d->confidence > 0 : d->confidence < LEAST)
        fail_msg("%s: %s with %.3f", at, mw_verdict_name(d->verdict), d->confidence);
}

/* Another diagnosis, after predictions were asked, has the same bits. */
static void same_bits(const struct mw_model *model, const struct mw_diagnosis *d, const char *at)
{
    struct mw_diagnose_options options = mw_diagnose_options_of(model, 0);
    struct mw_diagnosis again;
    struct mw_error error;
    assert_int_equal(mw_diagnose(&again, &model->points, &options, &error), MW_OK);
    if (again.verdict != d->verdict || memcmp(again.chance, d->chance, sizeof d->chance) ||
        memcmp(again.ends, d->ends, sizeof d->ends) || memcmp(&again.confidence, &d->confidence, sizeof d->confidence))
        fail_msg("%s: another diagnosis of the same model differs", at);
}

/* --- over tables --------------------------------------------------------------------------------------------------- */

static bool judge(const struct mw_dataset *dataset, const char *at)
{
    const struct mw_fit_options fit = {.seed = 1};
    struct mw_model model = {0};
    struct mw_error error;
    if (dataset->count > POINTS_MOST || mw_fit(&model, dataset, &fit, &error))
        return false; /* refused, or nothing to fit */
    struct mw_diagnose_options options = mw_diagnose_options_of(&model, 0);
    struct mw_diagnoser *diagnoser = NULL;
    struct mw_diagnosis d;
    assert_int_equal(mw_diagnoser_alloc(&diagnoser, &options, &error), MW_OK);
    bool judged = mw_diagnoser_run(diagnoser, &d, &model.points, &error) == MW_OK;
    if (judged && model.ensemble.count) {
        one_share(&model, &d, at);
        no_contradiction(&model, diagnoser, &d, at);
        one_time(&model, at);
        bars_hold(&d, at);
        same_bits(&model, &d, at);
    }
    mw_diagnoser_free(diagnoser);
    mw_model_release(&model);
    return judged;
}

static size_t judge_table(const char *path)
{
    static const char *columns[] = {"input"};
    struct mw_dataset dataset, *sets = NULL;
    struct mw_error error;
    size_t judged = 0, count = 0;
    if (mw_dataset_read(&dataset, path, NULL, &error) == MW_OK) {
        judged += judge(&dataset, path);
        mw_dataset_release(&dataset);
    } else if (mw_dataset_read_by(&sets, &count, path, NULL, columns, 1, &error) == MW_OK) {
        for (size_t i = 0; i < count; i++) {
            judged += judge(&sets[i], path);
            mw_dataset_release(&sets[i]);
        }
        free(sets);
    }
    return judged;
}

static void never_differs(void **state)
{
    const char *which = getenv("MW_TABLES");
    size_t stride = which && !strcmp(which, "all") ? 1 : STRIDE, judged = 0, asked = 0;
    (void)state;
    (void)nftw("data/examples", keep_table, 8, 0);
    (void)nftw("../shared/data", keep_table, 8, 0);
    qsort(tables, table_count, sizeof *tables, by_name);
    for (size_t i = 0; i < table_count; i += stride, asked++)
        judged += judge_table(tables[i]);
    print_message("%zu sets of %zu tables judged\n", judged, asked);
    assert_true(judged > 0);
    for (size_t i = 0; i < table_count; i++)
        free(tables[i]);
}

/* --- over simulated programs, whose answer is known ---------------------------------------------------------------- */

/* T and C in units of one core's work, at x = F/Fmax. */
typedef void program(double p, double x, double *t, double *c);
static void scales(double p, double x, double *t, double *c)
{
    *t = (1 / x + .02) / p, *c = p * *t;
}
static void serial(double p, double x, double *t, double *c)
{
    *t = (.3 + .7 / p) / x, *c = 1 / x;
}
static void latency(double p, double x, double *t, double *c)
{
    *t = (.5 / x + .5) / p, *c = p * *t;
}
static void roof(double p, double x, double *t, double *c)
{
    *t = fmax((1 / x + .5) / p, .2), *c = p * *t;
}
static void limit(double p, double x, double *t, double *c)
{
    *t = fmax(1 / p, .25) / x, *c = 1 / x;
}
static void one_thread(double p, double x, double *t, double *c)
{
    (void)p, *t = *c = 1 / x;
}
static void waiting(double p, double x, double *t, double *c)
{
    *t = .15 + 1 / p / x, *c = 1 / x;
}
static void spinning(double p, double x, double *t, double *c)
{
    *t = (.1 + .9 / p) / x, *c = p * *t;
}

static void simulated(void **state)
{
    static const struct {
        program *at;
        enum mw_verdict verdict;
        enum mw_binding all, one; /* on all cores and on one */
    } cases[] = {
        {scales, MW_VERDICT_SCALES_WELL, MW_BINDING_COMPUTE, MW_BINDING_COMPUTE},
        {serial, MW_VERDICT_SERIAL, MW_BINDING_SERIAL, MW_BINDING_COMPUTE},
        {latency, MW_VERDICT_MEMORY_LATENCY, MW_BINDING_LATENCY, MW_BINDING_LATENCY},
        {roof, MW_VERDICT_MEMORY_BANDWIDTH, MW_BINDING_BANDWIDTH, MW_BINDING_UNDETERMINED},
        {limit, MW_VERDICT_LIMIT, MW_BINDING_UNDETERMINED, MW_BINDING_COMPUTE},
        {one_thread, MW_VERDICT_ONE_THREAD, MW_BINDING_UNDETERMINED, MW_BINDING_COMPUTE},
        {waiting, MW_VERDICT_WAITING, MW_BINDING_UNDETERMINED, MW_BINDING_COMPUTE},
        {spinning, MW_VERDICT_BUSY_CLOCK, MW_BINDING_UNDETERMINED, MW_BINDING_COMPUTE},
    };
    static const double clocks[] = {1.2e9, 1.8e9, 2.4e9};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct mw_point items[15];
        struct mw_points points = {.items = items, .quantity = MW_TIME};
        for (size_t f = 0; f < 3; f++)
            for (unsigned p = 1; p <= 16; p *= 2) {
                double t, c, off = .02 * sin(12.9898 * p + 7.3 * clocks[f] / 1e9); /* 2 % of T, 1 % of C */
                cases[k].at(p, clocks[f] / 2.4e9, &t, &c);
                items[points.count++] = (struct mw_point){.cores = p,
                                                          .freq_hz = clocks[f],
                                                          .value = 100 * t * (1 + off),
                                                          .has_cpu_time = true,
                                                          .cpu_time_s = 100 * c * (1 + off / 2),
                                                          .count = 1,
                                                          .noise_factor = 1};
            }
        const struct mw_diagnose_options options = {.seed = 1};
        const struct mw_config all = {16, 2.4e9}, one = {1, 2.4e9};
        struct mw_diagnoser *diagnoser = NULL;
        struct mw_diagnosis d;
        struct mw_error error;
        assert_int_equal(mw_diagnoser_alloc(&diagnoser, &options, &error), MW_OK);
        assert_int_equal(mw_diagnoser_run(diagnoser, &d, &points, &error), MW_OK);
        assert_string_equal(mw_verdict_name(d.verdict), mw_verdict_name(cases[k].verdict));
        assert_string_equal(mw_binding_name(mw_diagnoser_binding(diagnoser, &d, &all)), mw_binding_name(cases[k].all));
        assert_string_equal(mw_binding_name(mw_diagnoser_binding(diagnoser, &d, &one)), mw_binding_name(cases[k].one));
        mw_diagnoser_free(diagnoser);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(simulated), cmocka_unit_test(never_differs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
