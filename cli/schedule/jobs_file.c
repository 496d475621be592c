// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/schedule/jobs.h"

#include "advise/recommend/recommend.h"
#include "data/json.h"
#include "data/units.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void jobs_release(struct jobs_file *file)
{
    for (size_t j = 0; j < file->count; j++) {
        free(file->options[j]);
        free(file->expected[j]);
        free(file->names[j]);
    }
    free(file->jobs);
    free(file->options);
    free(file->expected);
    free(file->names);
    memset(file, 0, sizeof *file);
}

struct job_expected jobs_expected(const struct jobs_file *file, size_t j, size_t i)
{
    const struct mw_job_option *o = &file->options[j][i];
    return file->expected[j] ? file->expected[j][i] : (struct job_expected){o->time_s, o->power_w};
}

static const char *const ROOT_KEYS[] = {"cores", "power_cap_w", "objective", "jobs", NULL};
static const char *const JOB_KEYS[] = {"name", "model", "options", "deadline_s", "cores", "freq", NULL};
static const char *const OPTION_KEYS[] = {"cores", "freq_ghz", "time_s", "power_w", "energy_j", NULL};

/* A key that nothing reads is a limit that would silently not hold. */
static enum mw_err known_keys(const json_t *object, const char *const *known, const char *what, struct mw_error *error)
{
    char list[120] = "";
    const char *unknown = NULL;
    for (size_t k = 0, length = 0; known[k]; k++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", k ? ", " : "", known[k]);
    for (void *i = json_object_iter((json_t *)(uintptr_t)object); i && !unknown;
         i = json_object_iter_next((json_t *)(uintptr_t)object, i)) {
        size_t k = 0;
        while (known[k] && strcmp(known[k], json_object_iter_key(i)))
            k++;
        unknown = known[k] ? NULL : json_object_iter_key(i);
    }
    if (!unknown)
        return MW_OK;
    mw_fail(error, MW_DATA, "%s: unknown key '%s'", what, unknown);
    return mw_hint(error, "known here: %s", list);
}

/* A number > 0 that may be absent: *value is then 0. */
static enum mw_err positive(const json_t *object, const char *key, const char *what, double *value,
                            struct mw_error *error)
{
    bool found;
    *value = 0;
    enum mw_err err = mw_json_number(object, key, value, &found, error);
    if (!err && found && !(*value > 0))
        err = mw_fail(error, MW_DATA, "%s: '%s' must be above 0", what, key);
    return err;
}

static enum mw_err whole(const json_t *object, const char *key, const char *what, unsigned *value,
                         struct mw_error *error)
{
    double number;
    enum mw_err err = positive(object, key, what, &number, error);
    if (!err && (number > 1e7 || floor(number) < number))
        err = mw_fail(error, MW_DATA, "%s: '%s' must be a whole number up to 10 million", what, key);
    if (!err)
        *value = (unsigned)number;
    return err;
}

static enum mw_err read_option(struct mw_job_option *o, const json_t *object, const char *what, struct mw_error *error)
{
    double freq_ghz = 0;
    enum mw_err err = json_is_object(object) ? MW_OK : mw_fail(error, MW_DATA, "%s: an option is not an object", what);
    if (!err)
        err = known_keys(object, OPTION_KEYS, what, error);
    if (!err)
        err = whole(object, "cores", what, &o->cores, error);
    if (!err)
        err = positive(object, "freq_ghz", what, &freq_ghz, error);
    if (!err)
        err = positive(object, "time_s", what, &o->time_s, error);
    if (!err)
        err = positive(object, "power_w", what, &o->power_w, error);
    if (!err)
        err = positive(object, "energy_j", what, &o->energy_j, error);
    if (!err && (!o->cores || !(o->time_s > 0)))
        err = mw_fail(error, MW_DATA, "%s: an option needs 'cores' and 'time_s'", what);
    o->freq_hz = freq_ghz * 1e9;
    if (!err && !(o->energy_j > 0))
        o->energy_j = o->power_w * o->time_s;
    else if (!err && !(o->power_w > 0))
        o->power_w = o->energy_j / o->time_s;
    return err;
}

static enum mw_err read_options(struct jobs_file *file, size_t j, const json_t *list, const char *what,
                                struct mw_error *error)
{
    size_t n = json_array_size(list);
    if (!n)
        return mw_fail(error, MW_DATA, "%s: 'options' is not a list of options", what);
    file->options[j] = calloc(n, sizeof *file->options[j]);
    enum mw_err err = file->options[j] ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; !err && i < n; i++)
        err = read_option(&file->options[j][i], json_array_get(list, i), what, error);
    file->jobs[j].option_count = n;
    return err;
}

/* A model's path is taken from the folder of the jobs file; the caller frees. */
static char *beside(const char *jobs_path, const char *model)
{
    const char *slash = strrchr(jobs_path, '/');
    char *text = NULL;
    if (model[0] == '/' || !slash || !strcmp(jobs_path, "-"))
        return strdup(model);
    return asprintf(&text, "%.*s/%s", (int)(slash - jobs_path), jobs_path, model) < 0 ? NULL : text;
}

/* Times and powers at the upper end that holds with the certainty; energy as expected. */
static enum mw_err take_predictions(struct jobs_file *file, size_t j, const struct mw_recommendation *r,
                                    double certainty, struct mw_error *error)
{
    double z = mw_normal_quantile(certainty);
    file->options[j] = calloc(r->count, sizeof *file->options[j]);
    file->expected[j] = calloc(r->count, sizeof *file->expected[j]);
    if (!file->options[j] || !file->expected[j])
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < r->count; i++) {
        const struct mw_option *o = &r->options[i];
        file->expected[j][i] = (struct job_expected){o->time_s.value, o->has_energy ? o->power_w.value : 0};
        file->options[j][i] = (struct mw_job_option){
            .cores = (unsigned)o->candidate.cores,
            .freq_hz = o->candidate.freq_hz,
            .time_s = exp(o->outlook.ln_time + z * sqrt(o->outlook.time_variance)),
            .power_w = o->has_energy ? exp(o->outlook.ln_power + z * sqrt(o->outlook.power_variance)) : 0,
            .energy_j = o->has_energy ? o->energy_j.value : 0};
    }
    file->jobs[j].option_count = r->count;
    return MW_OK;
}

static enum mw_err lists(const struct mw_model *model, const json_t *job, double **cores, size_t *core_count,
                         double **freqs, size_t *freq_count, struct mw_error *error)
{
    bool has_cores, has_freq;
    const char *text_cores = NULL, *text_freq = NULL;
    double most = 1, low = INFINITY, high = 0;
    for (size_t i = 0; i < model->points.count; i++) {
        most = fmax(most, model->points.items[i].cores);
        low = fmin(low, model->points.items[i].freq_hz);
        high = fmax(high, model->points.items[i].freq_hz);
    }
    enum mw_err err = mw_json_string(job, "cores", &text_cores, &has_cores, error);
    if (!err)
        err = mw_json_string(job, "freq", &text_freq, &has_freq, error);
    if (!err && has_cores)
        err = mw_parse_cores(text_cores, (double[]){1, most}, most > 1 ? 2 : 1, cores, core_count, error);
    if (!err && has_freq)
        err = mw_parse_freqs(text_freq, (double[]){low, high}, high > low ? 2 : 1, freqs, freq_count, error);
    if (err == MW_USAGE)
        error->code = err = MW_DATA;
    return err;
}

static enum mw_err predict_job(struct jobs_file *file, size_t j, const json_t *job, const char *path, double certainty,
                               struct mw_error *error)
{
    struct mw_model model = {0};
    struct mw_recommendation r = {0};
    double *cores = NULL, *freqs = NULL;
    size_t core_count = 0, freq_count = 0;
    const struct mw_goal goal = {.objective = MW_OBJECTIVE_TIME, .certainty = certainty};
    enum mw_err err = mw_model_read(&model, path, error);
    if (!err && model.quantity != MW_TIME)
        err = mw_fail(error, MW_DATA, "%s: the model knows no times", path);
    if (!err)
        err = lists(&model, job, &cores, &core_count, &freqs, &freq_count, error);
    struct mw_recommend_options options = {
        .cores = cores, .core_count = core_count, .freqs_hz = freqs, .freq_count = freq_count};
    if (!err)
        err = mw_recommend(&r, &model, &goal, &options, error);
    if (!err)
        err = take_predictions(file, j, &r, certainty, error);
    mw_recommendation_release(&r);
    mw_model_release(&model);
    free(cores);
    free(freqs);
    return err;
}

static enum mw_err read_job(struct jobs_file *file, size_t j, const json_t *job, const char *path, double certainty,
                            struct mw_error *error)
{
    char what[300];
    const char *name = NULL, *model = NULL;
    bool has_name, has_model;
    snprintf(what, sizeof what, "%s: job %zu", path, j + 1);
    if (!json_is_object(job))
        return mw_fail(error, MW_DATA, "%s is not an object", what);
    enum mw_err err = known_keys(job, JOB_KEYS, what, error);
    if (!err)
        err = mw_json_string(job, "name", &name, &has_name, error);
    if (!err)
        err = mw_json_string(job, "model", &model, &has_model, error);
    if (!err)
        err = positive(job, "deadline_s", what, &file->jobs[j].deadline_s, error);
    if (err)
        return err;
    if (has_name)
        file->names[j] = strdup(name);
    else if (asprintf(&file->names[j], "%zu", j + 1) < 0)
        file->names[j] = NULL;
    if (!file->names[j])
        return mw_fail(error, MW_NOMEM, "out of memory");
    const json_t *options = mw_json_member(job, "options");
    if (!has_model == !options)
        return mw_fail(error, MW_DATA, "%s: one of 'model' and 'options' is needed", what);
    if (options && (mw_json_member(job, "cores") || mw_json_member(job, "freq")))
        return mw_fail(error, MW_DATA, "%s: 'cores' and 'freq' choose from a model; 'options' name their own", what);
    if (options) {
        err = read_options(file, j, options, what, error);
    } else {
        char *from = beside(path, model);
        err = from ? predict_job(file, j, job, from, certainty, error) : mw_fail(error, MW_NOMEM, "out of memory");
        free(from);
    }
    file->jobs[j].name = file->names[j];
    file->jobs[j].options = file->options[j];
    return err;
}

static enum mw_err read_limits(struct jobs_file *file, const json_t *root, const char *path, struct mw_error *error)
{
    const char *objective = NULL;
    bool found;
    enum mw_err err = known_keys(root, ROOT_KEYS, path, error);
    if (!err)
        err = whole(root, "cores", path, &file->cores, error);
    if (!err)
        err = positive(root, "power_cap_w", path, &file->power_cap_w, error);
    if (!err)
        err = mw_json_string(root, "objective", &objective, &found, error);
    if (!err && found && strcmp(objective, "energy") && strcmp(objective, "makespan"))
        err = mw_fail(error, MW_DATA, "%s: 'objective' is '%s', not energy or makespan", path, objective);
    file->makespan = !err && found && !strcmp(objective, "makespan");
    return err;
}

enum mw_err jobs_read(struct jobs_file *file, const char *path, double certainty, struct mw_error *error)
{
    json_t *root = NULL;
    struct jobs_file f = {0};
    enum mw_err err = mw_json_read(&root, path, error);
    if (err)
        return err;
    const json_t *list = mw_json_member(root, "jobs");
    size_t count = json_array_size(list);
    err = read_limits(&f, root, path, error);
    if (!err && !count) {
        mw_fail(error, MW_DATA, "%s: no 'jobs'", path);
        err = mw_hint(error, "memwall help schedule shows the file");
    }
    if (!err) {
        f.jobs = calloc(count, sizeof *f.jobs);
        f.options = calloc(count, sizeof *f.options);
        f.expected = calloc(count, sizeof *f.expected);
        f.names = calloc(count, sizeof *f.names);
        f.count = f.jobs && f.options && f.expected && f.names ? count : 0;
        if (!f.count)
            err = mw_fail(error, MW_NOMEM, "out of memory");
    }
    for (size_t j = 0; !err && j < count; j++)
        err = read_job(&f, j, json_array_get(list, j), path, certainty, error);
    json_decref(root);
    if (err)
        jobs_release(&f);
    else
        *file = f;
    return err;
}
