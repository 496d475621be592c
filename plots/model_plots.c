// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/model_plots.h"

#include "data/stats.h"
#include "fit/predict/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const mw_plot_model_kinds[] = {"speedup", "time", "energy", "heatmap", NULL};

enum {
    CURVES_MAX = 5, /* more frequencies than this can't be told apart in one picture */
    CORES_MAX = 64, /* core counts drawn: all up to here, else as many, evenly in ln p */
};

/* The part of the model that is drawn: its core counts and frequencies. */
struct axes {
    double *cores, *freqs;
    size_t core_count, freq_count;
};

/* even: the cells of a heat map must be equally wide */
static enum mw_err axes_init(struct axes *axes, const struct mw_model *model, bool even, struct mw_error *error)
{
    size_t n = model->points.count;
    unsigned most = 1;
    for (size_t i = 0; i < n; i++)
        most = model->points.items[i].cores > most ? model->points.items[i].cores : most;
    axes->cores = calloc(CORES_MAX, sizeof *axes->cores);
    axes->freqs = calloc(n + 1, sizeof *axes->freqs);
    if (!axes->cores || !axes->freqs)
        return mw_fail(error, MW_NOMEM, "out of memory");
    size_t step = even ? (most + CORES_MAX - 1) / CORES_MAX : 1;
    size_t wanted = most / step <= CORES_MAX ? most / step : CORES_MAX;
    for (size_t i = 0; i < wanted; i++)
        axes->cores[i] =
            most / step <= CORES_MAX ? (double)((i + 1) * step) : round(exp(log(most) * (double)i / (CORES_MAX - 1)));
    axes->core_count = mw_sort_distinct(axes->cores, wanted);
    for (size_t i = 0; i < n; i++)
        axes->freqs[i] = model->points.items[i].freq_hz;
    axes->freq_count = mw_sort_distinct(axes->freqs, n);
    return MW_OK;
}

static void axes_release(struct axes *axes)
{
    free(axes->cores);
    free(axes->freqs);
}

/* Predictions on the whole grid, [freq][core]; caller frees. */
static enum mw_err predict_grid(struct mw_prediction **grid, const struct mw_model *model, const struct axes *axes,
                                struct mw_error *error)
{
    size_t n = axes->core_count * axes->freq_count;
    struct mw_config *query = calloc(n, sizeof *query);
    struct mw_prediction *out = calloc(n, sizeof *out);
    enum mw_err err = query && out ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; !err && i < n; i++)
        query[i] = (struct mw_config){axes->cores[i % axes->core_count], axes->freqs[i / axes->core_count]};
    if (!err)
        err = mw_predict(model, query, n, out, error);
    free(query);
    if (err)
        free(out);
    else
        *grid = out;
    return err;
}

enum quantity { SPEEDUP, TIME, ENERGY };

static const struct mw_point *point_at(const struct mw_model *model, double cores, double freq_hz)
{
    for (size_t i = 0; i < model->points.count; i++) {
        const struct mw_point *p = &model->points.items[i];
        if (fabs((double)p->cores - cores) < 0.5 && fabs(p->freq_hz - freq_hz) < 1)
            return p;
    }
    return NULL;
}

/* Whether times are inverses of rates, which are drawn then. */
static bool is_rate(const struct mw_model *model)
{
    return model->rate_unit && *model->rate_unit;
}

/* What was measured at a point, in the unit of the curve; false where nothing was. */
static bool measured(const struct mw_model *model, enum quantity what, double cores, double freq_hz, double time_1_s,
                     double *value)
{
    const struct mw_point *point = point_at(model, cores, freq_hz);
    if (!point || (what == ENERGY && !point->has_energy))
        return false;
    const struct mw_point *one = point_at(model, 1, freq_hz);
    if (what == ENERGY)
        *value = point->energy_j;
    else if (what == TIME || model->quantity == MW_SPEEDUP)
        *value = what == TIME && is_rate(model) ? 1 / point->value : point->value;
    else
        *value = (one ? one->value : time_1_s) / point->value * (model->weak ? point->cores : 1);
    return true;
}

static void curve_row(FILE *f, const struct mw_prediction *p, enum quantity what, bool rate, double cores)
{
    if (what == TIME && rate)
        fprintf(f, "%g\t%g\t%g\t%g\t", cores, 1 / p->value, 1 / p->high, 1 / p->low);
    else if (what == SPEEDUP)
        fprintf(f, "%g\t%g\t%g\t%g\t", cores, p->speedup, p->speedup_low, p->speedup_high);
    else if (what == TIME)
        fprintf(f, "%g\t%g\t%g\t%g\t", cores, p->value, p->low, p->high);
    else
        fprintf(f, "%g\t%g\t%g\t%g\t", cores, p->energy_j, p->energy_low_j, p->energy_high_j);
}

/* One block per frequency for curves.gp; at most CURVES_MAX frequencies, the ends always among them. */
static void print_curves(FILE *f, const struct mw_model *model, const struct axes *axes,
                         const struct mw_prediction *grid, enum quantity what)
{
    size_t shown = axes->freq_count < CURVES_MAX ? axes->freq_count : CURVES_MAX;
    for (size_t k = 0; k < shown; k++) {
        size_t i = shown == 1 ? 0 : (k * (axes->freq_count - 1) + (shown - 1) / 2) / (shown - 1);
        double freq_hz = axes->freqs[i];
        const struct mw_prediction *row = grid + i * axes->core_count;
        fputs(k ? "\n\n" : "", f); /* between blocks only: gnuplot counts one more after a last blank line */
        if (freq_hz > 0)
            fprintf(f, "%g GHz\n", freq_hz / 1e9);
        else
            fputs("predicted\n", f);
        for (size_t j = 0; j < axes->core_count; j++) {
            double value;
            curve_row(f, &row[j], what, is_rate(model), axes->cores[j]);
            if (measured(model, what, axes->cores[j], freq_hz, row[0].value, &value))
                fprintf(f, "%g\n", value);
            else
                fputs("?\n", f);
        }
    }
}

static void print_heatmap(FILE *f, const struct mw_model *model, const struct axes *axes,
                          const struct mw_prediction *grid)
{
    bool speedup = model->quantity == MW_SPEEDUP;
    size_t n = axes->core_count * axes->freq_count, best = 0;
    for (size_t i = 0; i < n; i++) {
        double value = speedup ? grid[i].speedup : is_rate(model) ? 1 / grid[i].value : grid[i].value;
        if (speedup ? value > grid[best].speedup : grid[i].value < grid[best].value)
            best = i;
        fprintf(f, "%g\t%g\t%g\n", axes->cores[i % axes->core_count], axes->freqs[i / axes->core_count] / 1e9, value);
    }
    fputs("\n\n", f);
    for (size_t i = 0; i < model->points.count; i++)
        fprintf(f, "%u\t%g\n", model->points.items[i].cores, model->points.items[i].freq_hz / 1e9);
    fprintf(f, "\n\n%g\t%g\n", axes->cores[best % axes->core_count], axes->freqs[best / axes->core_count] / 1e9);
}

static enum mw_err check_kind(const struct mw_model *model, const struct axes *axes, const char *kind,
                              struct mw_error *error)
{
    bool energy = false;
    for (size_t i = 0; i < model->points.count; i++)
        energy |= model->points.items[i].has_energy;
    if (!strcmp(kind, "heatmap") && (axes->freq_count < 2 || axes->core_count < 2)) {
        mw_fail(error, MW_NOFIT, "a heat map needs at least two frequencies and two core counts");
        return mw_hint(error, "--kind speedup draws what there is");
    }
    if (!strcmp(kind, "time") && model->quantity == MW_SPEEDUP)
        return mw_fail(error, MW_NOFIT, "the model was fitted to speedups: it knows no times");
    if (!strcmp(kind, "energy") && (!energy || !model->power.present))
        return mw_fail(error, MW_NOFIT, "the model has no energy or power");
    for (const char *const *k = mw_plot_model_kinds; *k; k++)
        if (!strcmp(*k, kind))
            return MW_OK;
    mw_fail(error, MW_USAGE, "'%s' is not a kind of picture of a model", kind);
    return mw_hint(error, "the valid ones are speedup, time, energy and heatmap");
}

const char *mw_model_title(const struct mw_model *model)
{
    if (model->workload && *model->workload)
        return model->workload;
    const char *file = model->file ? model->file : "model", *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* A tenth above the highest of what is drawn as a line or a dot; intervals may be cut. */
static double highest_speedup(const struct mw_model *model, const struct axes *axes, const struct mw_prediction *grid)
{
    double highest = 1, value;
    for (size_t i = 0; i < axes->freq_count * axes->core_count; i++) {
        const struct mw_prediction *one = &grid[i - i % axes->core_count];
        highest = fmax(highest, grid[i].speedup);
        if (measured(model, SPEEDUP, axes->cores[i % axes->core_count], axes->freqs[i / axes->core_count], one->value,
                     &value))
            highest = fmax(highest, value);
    }
    return 1.1 * highest;
}

static void print_text(FILE *f, const char *name, const char *text)
{
    fprintf(f, "%s = '", name);
    for (const char *c = text; *c; c++)
        if (*c != '\'' && (unsigned char)*c >= ' ' && *c != 127)
            fputc(*c, f);
    fputs("'\n", f);
}

static void print_variables(FILE *f, const struct mw_model *model, const struct axes *axes,
                            const struct mw_prediction *grid, const char *kind)
{
    if (axes->freq_count > CURVES_MAX && strcmp(kind, "heatmap") != 0)
        fprintf(f, "mw_note = '%d of %zu frequencies'\n", CURVES_MAX, axes->freq_count);
    enum { FEW = 16 };
    print_text(f, "mw_title", mw_model_title(model)); /* no quote in a gnuplot string, no control in an SVG */
    if (axes->cores[axes->core_count - 1] <= FEW)     /* counted in whole ones */
        fputs("mw_xstep = 1\n", f);
    if (!strcmp(kind, "speedup"))
        fprintf(f, "mw_ylabel = '%s'\nmw_yunit = 'times one core'\nmw_ideal = %g\nmw_ymax = %g\n",
                model->weak ? "work in the time of one core on its part (scaled speedup)"
                            : "speedup over one core at the same frequency",
                axes->cores[axes->core_count - 1], highest_speedup(model, axes, grid));
    else if (!strcmp(kind, "time") && is_rate(model)) {
        print_text(f, "mw_ylabel", model->rate_unit);
        print_text(f, "mw_yunit", model->rate_unit);
    } else if (!strcmp(kind, "time"))
        fputs("mw_ylabel = 'time (s)'\nmw_yunit = 's'\nmw_key = 'right'\n", f);
    else if (!strcmp(kind, "energy"))
        fputs("mw_ylabel = 'energy (J)'\nmw_yunit = 'J'\nmw_key = 'right'\n", f);
    else {
        bool most = model->quantity == MW_SPEEDUP || is_rate(model);
        print_text(f, "mw_zlabel",
                   model->quantity == MW_SPEEDUP ? "speedup"
                   : is_rate(model)              ? model->rate_unit
                                                 : "time (s)");
        print_text(f, "mw_best", most ? "most predicted" : "least predicted");
    }
}

enum mw_err mw_plot_model(struct mw_plot *plot, const struct mw_model *model, const char *kind, struct mw_error *error)
{
    struct axes axes = {0};
    struct mw_prediction *grid = NULL;
    char *data = NULL, *variables = NULL;
    size_t size;
    enum mw_err err = axes_init(&axes, model, !strcmp(kind, "heatmap"), error);
    if (!err)
        err = check_kind(model, &axes, kind, error);
    if (!err)
        err = predict_grid(&grid, model, &axes, error);
    if (err)
        goto out;
    bool heatmap = !strcmp(kind, "heatmap");
    FILE *d = open_memstream(&data, &size), *v = open_memstream(&variables, &size);
    if (d && heatmap)
        print_heatmap(d, model, &axes, grid);
    else if (d)
        print_curves(d, model, &axes, grid, !strcmp(kind, "speedup") ? SPEEDUP : !strcmp(kind, "time") ? TIME : ENERGY);
    if (v)
        print_variables(v, model, &axes, grid, kind);
    bool failed = !d || !v;
    failed |= d && fclose(d);
    failed |= v && fclose(v);
    if (failed) {
        free(data);
        free(variables);
        err = mw_fail(error, MW_NOMEM, "out of memory");
        goto out;
    }
    *plot = (struct mw_plot){.script = heatmap ? "heatmap" : "curves", .data = data, .variables = variables};
out:
    free(grid);
    axes_release(&axes);
    return err;
}

void mw_plot_release(struct mw_plot *plot)
{
    free(plot->data);
    free(plot->variables);
    *plot = (struct mw_plot){0};
}
