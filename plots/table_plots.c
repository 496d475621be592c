// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/table_plots.h"

#include "plots/gpu_plots.h"
#include "plots/panel_plots.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One kind of table: which columns mark it, and what is drawn over what. */
struct figure {
    const char *name;
    const char *needs[4]; /* all of them must be there */
    const char *x, *y;
    double x_scale, y_scale; /* factor from the column's unit to the picture's */
    const char *group[4];    /* one curve for each combination; columns that are missing are passed over */
    const char *script, *variables;
};

/* The most telling first: a table is the first kind whose columns it has. */
static const struct figure figures[] = {
    {"stream",
     {"kernel", "best_mb_s"},
     "cores",
     "best_mb_s",
     1,
     1e-3,
     {"kernel", "pages", "memory"},
     "lines",
     "mw_xlabel = 'cores'\nmw_ylabel = 'GB/s (best)'\n"},
    {"loaded",
     {"latency_ns", "bandwidth_mb_s"},
     "bandwidth_mb_s",
     "latency_ns",
     1e-3,
     1,
     {"mix", "reads_percent"},
     "lines",
     "mw_xlabel = 'bandwidth of the other cores (GB/s)'\nmw_ylabel = 'latency (ns)'\n"},
    {"latency",
     {"working_set_bytes", "latency_ns"},
     "working_set_bytes",
     "latency_ns",
     1,
     1,
     {"pattern", "page_bytes", "cores", "chains"},
     "latency",
     ""},
    {"bandwidth", {"test", "size_bytes", "mb_s"}, "size_bytes", "mb_s", 1, 1, {NULL}, "panels", ""},
    {"flops",
     {"precision", "gflop_s"},
     "cores",
     "gflop_s",
     1,
     1,
     {"precision", "variant"},
     "lines",
     "mw_xlabel = 'cores'\nmw_ylabel = 'GFLOP/s'\n"},
    {"cache curve", {"scan", "size_bytes", "latency_ns"}, "size_bytes", "latency_ns", 1, 1, {NULL}, "panels", ""},
    {"compare",
     {"method", "train_points", "error_percent"},
     "train_points",
     "error_percent",
     1,
     1,
     {"method"},
     "lines",
     "mw_xlabel = 'points to learn from'\nmw_ylabel = 'error of the others (%)'\n"},
    {"predictions",
     {"cores", "time_s", "time_low_s"},
     "cores",
     "time_s",
     1,
     1,
     {"freq_ghz", "machine"},
     "lines",
     "mw_xlabel = 'cores'\nmw_ylabel = 'time (s), predicted'\n"},
    {"runs",
     {"cores", "time_s"},
     "cores",
     "time_s",
     1,
     1,
     {"freq_ghz", "workload", "input"},
     "lines",
     "mw_xlabel = 'cores'\nmw_ylabel = 'time (s), each run'\nmw_style = 'points'\n"},
};

/* Tables that are no picture of their own, and why. */
static const struct {
    const char *needs[3], *why, *hint;
} undrawn[] = {
    {{"level", "property", "verdict"},
     "it holds single numbers; the picture is of the curves they were read from",
     "memwall measure cache --curve curve.csv -o cache.csv, then memwall plot cache.csv curve.csv"},
};

static size_t column_of(const struct mw_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (!strcmp(mw_table_header(table, i), name))
            return i;
    return SIZE_MAX;
}

static const struct figure *figure_of(const struct mw_table *table)
{
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
        bool all = true;
        for (size_t i = 0; i < 4 && figures[f].needs[i]; i++)
            all = all && column_of(table, figures[f].needs[i]) != SIZE_MAX;
        if (all)
            return &figures[f];
    }
    return NULL;
}

const char *mw_plot_table_kind(const struct mw_table *table)
{
    const struct figure *figure = figure_of(table);
    if (mw_is_gpu_table(table))
        return "gpu";
    if (!figure && column_of(table, "level") != SIZE_MAX && column_of(table, "verdict") != SIZE_MAX)
        return "cache";
    return figure ? figure->name : NULL;
}

static bool number_at(const struct mw_table *table, size_t row, size_t column, double *value)
{
    const char *cell = mw_table_cell(table, row, column);
    char *end;
    *value = strtod(cell, &end);
    return end != cell && isfinite(*value);
}

/* A column that never changes tells curves apart no better than none. */
static bool varies(const struct mw_table *table, size_t column)
{
    for (size_t r = 1; r < table->row_count; r++)
        if (strcmp(mw_table_cell(table, r, column), mw_table_cell(table, 0, column)) != 0)
            return true;
    return false;
}

/* The name of a row's curve: its values in the group columns that vary, the first one always. */
static void curve_name(const struct mw_table *table, const struct figure *figure, size_t row, char *name, size_t size)
{
    name[0] = '\0';
    for (size_t g = 0; g < 4 && figure->group[g]; g++) {
        size_t column = column_of(table, figure->group[g]);
        if (column == SIZE_MAX || !strcmp(figure->group[g], figure->x) || (g && !varies(table, column)))
            continue;
        const char *cell = mw_table_cell(table, row, column), *unit = "";
        if (!*cell)
            continue;
        if (!strcmp(figure->group[g], "freq_ghz"))
            unit = " GHz";
        else if (!strcmp(figure->group[g], "page_bytes"))
            unit = " B pages";
        else if (!strcmp(figure->group[g], "cores"))
            unit = strcmp(cell, "1") ? " cores" : " core";
        else if (!strcmp(figure->group[g], "reads_percent"))
            unit = strcmp(cell, "100") ? " % reads, else lines written back" : " % reads";
        size_t used = strlen(name);
        snprintf(name + used, size - used, "%s%s%s", used ? ", " : "", cell, unit);
    }
}

enum { NAME_MAX_BYTES = 128 };

/* Prints each curve as a block, in the order of first appearance; returns the number of points printed. */
static size_t print_blocks(FILE *f, const struct mw_table *table, const struct figure *figure)
{
    size_t x_column = column_of(table, figure->x), y_column = column_of(table, figure->y), printed = 0;
    bool *done = calloc(table->row_count + 1, sizeof *done), begun = false;
    if (!done)
        return 0;
    for (size_t first = 0; first < table->row_count; first++) {
        char title[NAME_MAX_BYTES], name[NAME_MAX_BYTES];
        double x, y;
        if (done[first])
            continue;
        curve_name(table, figure, first, title, sizeof title);
        fputs(begun ? "\n\n" : "", f); /* between blocks only: gnuplot counts one more after a last blank line */
        begun = true;
        fprintf(f, "%s\n", *title ? title : figure->y);
        for (size_t r = first; r < table->row_count; r++) {
            if (done[r])
                continue;
            curve_name(table, figure, r, name, sizeof name);
            if (strcmp(name, title) != 0)
                continue;
            done[r] = true;
            if (!number_at(table, r, x_column, &x) || !number_at(table, r, y_column, &y))
                continue;
            fprintf(f, "%.10g\t%.10g\n", x * figure->x_scale, y * figure->y_scale);
            printed++;
        }
    }
    free(done);
    return printed;
}

static void print_text(FILE *f, const char *text)
{
    for (; text && *text; text++)
        if (*text != '\'' && (unsigned char)*text >= ' ' &&
            *text != 127) /* no quote in a gnuplot string, no control in an SVG */
            fputc(*text, f);
}

static void print_quoted(FILE *f, const char *variable, const char *text)
{
    fprintf(f, "%s = '", variable);
    print_text(f, text);
    fputs("'\n", f);
}

/* The program where there is one, and the machine. */
static void print_title(FILE *f, const struct mw_table *table)
{
    size_t column = column_of(table, "workload");
    const char *model = mw_table_meta(table, "cpu_model"), *workload = "";
    if (column != SIZE_MAX && table->row_count && !varies(table, column))
        workload = mw_table_cell(table, 0, column);
    fputs("mw_title = '", f);
    print_text(f, workload);
    if (*workload && model)
        fputs(" on ", f);
    print_text(f, model ? model : *workload ? "" : table->name);
    fputs("'\n", f);
}

static enum mw_err finish(FILE *d, FILE *v, char **data, char **variables, const char *script, struct mw_plot *plot,
                          struct mw_error *error)
{
    bool failed = !d || !v;
    failed |= d && fclose(d);
    failed |= v && fclose(v);
    if (failed) {
        free(*data);
        free(*variables);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    *plot = (struct mw_plot){.script = script, .data = *data, .variables = *variables};
    return MW_OK;
}

/* "L1d 48 KiB x 2, L2 2048 KiB x 2" of a measurement's file -> "L1d 49152 L2 2097152" for the script. */
static void print_caches(FILE *f, const char *reported)
{
    fputs("mw_caches = '", f);
    while (reported && *reported) {
        char name[8], unit[8];
        double size;
        if (sscanf(reported, " %7[A-Za-z0-9] %lf %7[A-Za-z]", name, &size, unit) == 3)
            fprintf(f, "%s %.0f ", name, size * (!strcmp(unit, "MiB") ? 1048576 : 1024));
        reported = strchr(reported, ',');
        reported += reported != NULL;
    }
    fputs("'\n", f);
}

/* Few cores are counted in whole ones. */
static void print_step(FILE *f, const struct mw_table *table, const struct figure *figure)
{
    enum { FEW = 16 };
    double most = 0, value;
    size_t column = column_of(table, figure->x);
    for (size_t r = 0; r < table->row_count; r++)
        if (number_at(table, r, column, &value))
            most = fmax(most, value);
    if (!strcmp(figure->x, "cores") && most <= FEW)
        fputs("mw_xstep = 1\n", f);
}

static enum mw_err refuse(const struct mw_table *table, struct mw_error *error)
{
    for (size_t i = 0; i < sizeof undrawn / sizeof *undrawn; i++) {
        bool all = true;
        for (size_t k = 0; k < 3; k++)
            all = all && column_of(table, undrawn[i].needs[k]) != SIZE_MAX;
        if (all) {
            mw_fail(error, MW_DATA, "%s: no picture: %s", table->name, undrawn[i].why);
            return mw_hint(error, "%s", undrawn[i].hint);
        }
    }
    mw_fail(error, MW_DATA, "%s: no picture is known for these columns", table->name);
    return mw_hint(error,
                   "model.json, or the CSV of scan, predict, compare, measure stream, latency, loaded, cache --curve, "
                   "bandwidth, flops");
}

/* What tells the claims apart: the mixture, the paper's law and Amdahl's, and all that learns. */
static bool is_shown(const char *method)
{
    static const char *const shown[] = {"mixture",          "vls", "amdahl", "kernel-ridge",
                                        "gaussian-process", "svr", "tree",   "forest"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (!strcmp(method, shown[i]))
            return true;
    return false;
}

/* Learning curves: error by the points trained on, with a band from the least to the largest of the splits. */
static enum mw_err plot_learning(struct mw_plot *plot, const struct mw_table *table, struct mw_error *error)
{
    size_t method = column_of(table, "method"), train = column_of(table, "train_points"),
           of[] = {column_of(table, "error_percent"), column_of(table, "error_low_percent"),
                   column_of(table, "error_high_percent")},
           size, blocks = 0;
    char *data = NULL, *variables = NULL;
    FILE *d = open_memstream(&data, &size), *v = open_memstream(&variables, &size);
    for (size_t first = 0; d && first < table->row_count; first++) {
        const char *name = mw_table_cell(table, first, method);
        bool later = !is_shown(name);
        for (size_t r = 0; r < first && !later; r++)
            later = !strcmp(mw_table_cell(table, r, method), name);
        if (later)
            continue;
        fprintf(d, "%s%s\n", blocks++ ? "\n\n" : "", name);
        for (size_t r = first; r < table->row_count; r++) {
            double x = 0, y[3] = {0};
            bool good = !strcmp(mw_table_cell(table, r, method), name) && number_at(table, r, train, &x);
            for (size_t k = 0; k < 3; k++)
                good = good && number_at(table, r, of[k], &y[k]) && y[k] > 0;
            if (good)
                fprintf(d, "%g\t%g\t%g\t%g\t?\n", x, y[0], y[1], y[2]);
        }
    }
    if (v)
        fputs("mw_xlabel = 'points to learn from'\nmw_ylabel = 'error at the others (%)'\nmw_log = 1\n"
              "mw_bands = 'least to largest split'\nmw_dots = ''\n",
              v);
    return finish(d, v, &data, &variables, "curves", plot, error);
}

enum mw_err mw_plot_table(struct mw_plot *plot, const struct mw_table *table, struct mw_error *error)
{
    const struct figure *figure = figure_of(table);
    if (mw_is_gpu_table(table))
        return mw_plot_gpu(plot, table, error);
    if (!figure || column_of(table, figure->x) == SIZE_MAX)
        return refuse(table, error);
    if (!strcmp(figure->name, "compare") && column_of(table, "error_high_percent") != SIZE_MAX)
        return plot_learning(plot, table, error);
    if (!strcmp(figure->name, "bandwidth"))
        return mw_plot_bandwidth(plot, table, error);
    if (!strcmp(figure->name, "cache curve"))
        return mw_plot_cache(plot, table, NULL, error);
    char *data = NULL, *variables = NULL;
    size_t size, points = 0;
    FILE *d = open_memstream(&data, &size), *v = open_memstream(&variables, &size);
    if (d)
        points = print_blocks(d, table, figure);
    if (v) {
        fputs(figure->variables, v);
        print_title(v, table);
        print_caches(v, mw_table_meta(table, "caches_reported"));
        print_step(v, table, figure);
    }
    struct mw_plot made;
    enum mw_err err = finish(d, v, &data, &variables, figure->script, &made, error);
    if (err)
        return err;
    if (!points) {
        free(made.data);
        free(made.variables);
        return mw_fail(error, MW_DATA, "%s: no row has both %s and %s", table->name, figure->x, figure->y);
    }
    *plot = made;
    return MW_OK;
}

/* The best value of `y` on so many cores, over the rows whose `column` begins with `prefix`; 0 where there is none. */
static double best_of(const struct mw_table *table, double cores, const char *column, const char *prefix, const char *y)
{
    size_t c = column_of(table, column), v = column_of(table, y), n = column_of(table, "cores");
    double best = 0, value, on;
    for (size_t r = 0; c != SIZE_MAX && v != SIZE_MAX && n != SIZE_MAX && r < table->row_count; r++)
        if (!strncmp(mw_table_cell(table, r, c), prefix, strlen(prefix)) && number_at(table, r, n, &on) &&
            fabs(on - cores) < 0.5 && number_at(table, r, v, &value))
            best = fmax(best, value);
    return best;
}

/* The most cores for which both tables have what a roofline needs; 0 where there are none. */
static double common_cores(const struct mw_table *flops, const struct mw_table *stream)
{
    size_t n = column_of(flops, "cores");
    double most = 0, on;
    for (size_t r = 0; n != SIZE_MAX && r < flops->row_count; r++)
        if (number_at(flops, r, n, &on) && on > most && best_of(flops, on, "precision", "fp64", "gflop_s") > 0 &&
            best_of(stream, on, "kernel", "triad", "best_mb_s") > 0)
            most = on;
    return most;
}

/* Roofs of one core count, and those of one core beside them where both tables have it. */
static void print_roofs(FILE *v, const struct mw_table *flops, const struct mw_table *stream, double cores,
                        const struct mw_gpu_roof *gpu)
{
    static const char *const precisions[] = {"fp64", "fp32"};
    double counts[] = {cores, 1};
    fputs("mw_roofs = '", v);
    for (int c = 0; c < (cores > 1 ? 2 : 1); c++)
        for (int p = 0; p < 2; p++) {
            double bandwidth = best_of(stream, counts[c], "kernel", "triad", "best_mb_s") / 1e3,
                   rate = best_of(flops, counts[c], "precision", precisions[p], "gflop_s");
            if (bandwidth > 0 && rate > 0)
                fprintf(v, "%s%s,_%.0f_core%s %.4g %.4g ", gpu ? "CPU-" : "", precisions[p], counts[c],
                        counts[c] > 1 ? "s" : "", bandwidth, rate);
        }
    if (gpu)
        fprintf(v, "GPU-fp32 %.4g %.4g", gpu->gb_s, gpu->gflop_s);
    fputs("'\n", v);
}

/* kernel, flop and bytes an element as STREAM counts them (8-byte elements) */
static void print_kernels(FILE *d, const struct mw_table *stream, double cores)
{
    static const struct {
        const char *name;
        double flop, bytes;
    } kernels[] = {{"scale", 1, 16}, {"add", 1, 24}, {"triad", 2, 24}, {"dot", 2, 16}};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        double rate = best_of(stream, cores, "kernel", kernels[i].name, "best_mb_s") / 1e3,
               intensity = kernels[i].flop / kernels[i].bytes;
        if (rate > 0)
            fprintf(d, "%s\t%g\t%g\n", kernels[i].name, intensity, rate * intensity);
    }
}

enum mw_err mw_plot_roofline(struct mw_plot *plot, const struct mw_table *flops, const struct mw_table *stream,
                             const struct mw_table *gpu, struct mw_error *error)
{
    const char *one = mw_table_meta(flops, "cpu_model"), *other = mw_table_meta(stream, "cpu_model");
    if (one && other && strcmp(one, other) != 0)
        return mw_fail(error, MW_DATA, "%s is of '%s', %s of '%s': a roofline is of one machine", flops->name, one,
                       stream->name, other);
    double cores = common_cores(flops, stream);
    if (!(cores > 0)) {
        mw_fail(error, MW_DATA, "%s and %s: a roofline needs triad and fp64 rates on the same number of cores",
                stream->name, flops->name);
        return mw_hint(error, "measure both with the same --cores");
    }
    struct mw_gpu_roof roof = {0};
    enum mw_err err = gpu ? mw_gpu_roof(&roof, gpu, error) : MW_OK;
    if (err)
        return err;
    char *data = NULL, *variables = NULL;
    size_t size;
    FILE *d = open_memstream(&data, &size), *v = open_memstream(&variables, &size);
    if (d)
        print_kernels(d, stream, cores);
    if (v) {
        print_roofs(v, flops, stream, cores, gpu ? &roof : NULL);
        print_quoted(v, "mw_title", one ? one : "");
    }
    return finish(d, v, &data, &variables, "roofline", plot, error);
}
