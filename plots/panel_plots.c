// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/panel_plots.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES_MAX = 6, MARKS_BYTES = 600 };

/* A panel and its curves: rows whose key column is a name. What is NULL is as the table has it, see plot_panels. */
struct panel {
    const char *title, *xlabel, *ylabel, *x, *y;
    bool linear; /* y; x is logarithmic */
    const char *curves[CURVES_MAX + 1];
    const char *mark_level, *mark_property; /* of the table of findings: levels that begin so; NULL: no marks */
    const char *key;                        /* where no curve goes */
    double zero_x;                          /* where an x of 0 is put, on a scale that has none; 0: nowhere */
};

/* What is common to the panels of a table. */
struct kind {
    const char *key, *x, *y, *ylabel;
    double y_scale;
    bool by_cores; /* curves of the fewest and of the most cores */
    const struct panel *panels;
    size_t count;
};

static const struct panel cache_panels[] = {
    {.title = "working set",
     .xlabel = "size",
     .curves = {"size"},
     .mark_level = "",
     .mark_property = "capacity_bytes",
     .key = "left top"},
    {.title = "line size: stride scan, and gap to a flushed line",
     .xlabel = "stride",
     .curves = {"line", "flush"},
     .mark_level = "1",
     .mark_property = "line_bytes",
     .key = "right top"},
    {.title = "associativity: lines that fit at a stride",
     .xlabel = "stride",
     .y = "lines",
     .ylabel = "lines",
     .linear = true,
     .curves = {"ways1", "ways2"},
     .key = "right top"},
    {.title = "TLB: one line a page",
     .xlabel = "memory of the pages",
     .curves = {"tlb"},
     .mark_level = "tlb",
     .mark_property = "entries",
     .key = "left top"},
    {.title = "prefetchers", .xlabel = "stride", .curves = {"forward", "backward", "random"}, .key = "right bottom"},
};

static const struct panel bandwidth_panels[] = {
    {.title = "sizes",
     .xlabel = "buffer of each core",
     .curves = {"memset", "read", "memcpy", "fill", "copy"},
     .key = "left bottom"},
    {.title = "reads of memory at strides",
     .xlabel = "stride",
     .x = "stride_bytes",
     .linear = true,
     .curves = {"strided-read"},
     .key = "left bottom"},
    {.title = "copies of memory over the offset of the destination (leftmost: none)",
     .xlabel = "offset",
     .x = "offset_bytes",
     .linear = true,
     .curves = {"copy-offset"},
     .key = "left bottom",
     .zero_x = 32},
};

/* What is written while panels are gone through. */
struct writer {
    const struct mw_table *table, *found;
    FILE *data, *vars;
    const struct kind *kind;
    size_t key, blocks;
    struct made {
        struct panel panel;
        size_t first, last;
        char marks[MARKS_BYTES];
    } made[8];
    size_t count;
};

static size_t column_of(const struct mw_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (!strcmp(mw_table_header(table, i), name))
            return i;
    return SIZE_MAX;
}

static bool number_at(const struct mw_table *table, size_t row, size_t column, double *value)
{
    if (column == SIZE_MAX)
        return false;
    const char *cell = mw_table_cell(table, row, column);
    char *end;
    *value = strtod(cell, &end);
    return end != cell && isfinite(*value);
}

struct point {
    double x, y;
};

static int by_x(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

/* One block where the curve has points; the best of several at one x. */
static enum mw_err write_curve(struct writer *w, const struct panel *panel, const char *name, double cores,
                               struct mw_error *error)
{
    const struct mw_table *t = w->table;
    size_t x_column = column_of(t, panel->x), y_column = column_of(t, panel->y), cores_column = column_of(t, "cores"),
           n = 0;
    bool by_cores = w->kind->by_cores && cores_column != SIZE_MAX;
    struct point *points = calloc(t->row_count + 1, sizeof *points);
    if (!points)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t r = 0; r < t->row_count; r++) {
        double x, y, c = cores;
        if (strcmp(mw_table_cell(t, r, w->key), name) != 0 || !number_at(t, r, x_column, &x) ||
            !number_at(t, r, y_column, &y) || (by_cores && !number_at(t, r, cores_column, &c)))
            continue;
        x = x > 0 ? x : panel->zero_x;
        if (x > 0 && y > 0 && fabs(c - cores) < 0.5)
            points[n++] = (struct point){x, y * w->kind->y_scale};
    }
    qsort(points, n, sizeof *points, by_x);
    if (n) {
        fputs(w->blocks++ ? "\n\n" : "", w->data);
        fprintf(w->data, by_cores ? "%s, %.0f core%s\n" : "%s\n", name, cores, cores > 1 ? "s" : "");
    }
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && points[i + 1].x <= points[i].x) {
            points[i + 1].y = fmax(points[i].y, points[i + 1].y);
            continue;
        }
        fprintf(w->data, "%.10g\t%.10g\n", points[i].x, points[i].y);
    }
    free(points);
    return MW_OK;
}

/* "49152 L1 found 49152 L1 reported …": pages of a TLB are told in bytes, as the curve is. */
static void write_marks(const struct writer *w, struct made *made)
{
    const struct mw_table *f = w->found;
    const struct panel *panel = &made->panel;
    if (!f || !panel->mark_property)
        return;
    size_t level = column_of(f, "level"), property = column_of(f, "property"), value = column_of(f, "value"),
           reported = column_of(f, "reported");
    bool pages = !strcmp(panel->mark_property, "entries");
    for (size_t r = 0; r < f->row_count && level != SIZE_MAX && property != SIZE_MAX; r++) {
        const char *name = mw_table_cell(f, r, level);
        double at;
        if (strcmp(mw_table_cell(f, r, property), panel->mark_property) != 0 ||
            strncmp(name, panel->mark_level, strlen(panel->mark_level)) != 0)
            continue;
        for (int kind = 0; kind < 2; kind++) {
            size_t used = strlen(made->marks);
            if (number_at(f, r, kind ? reported : value, &at) && at > 0)
                snprintf(made->marks + used, sizeof made->marks - used, "%s%.10g %s%s %s", used ? " " : "",
                         pages ? at * 4096 : at, pages ? "" : "L", name, kind ? "reported" : "found");
        }
    }
}

static enum mw_err write_panel(struct writer *w, const struct panel *panel, struct mw_error *error)
{
    size_t first = w->blocks, cores_column = column_of(w->table, "cores");
    double least = 1, most = 1, value;
    enum mw_err err = MW_OK;
    for (size_t r = 0; r < w->table->row_count && w->kind->by_cores; r++)
        if (number_at(w->table, r, cores_column, &value)) {
            least = r ? fmin(least, value) : value;
            most = fmax(most, value);
        }
    for (size_t k = 0; panel->curves[k] && !err; k++) {
        err = write_curve(w, panel, panel->curves[k], least, error);
        if (!err && most > least)
            err = write_curve(w, panel, panel->curves[k], most, error);
    }
    if (err || w->blocks == first)
        return err;
    struct made *made = &w->made[w->count++];
    *made = (struct made){.panel = *panel, .first = first, .last = w->blocks - 1};
    write_marks(w, made);
    return MW_OK;
}

static void write_texts(const struct writer *w, const char *name, size_t offset)
{
    fprintf(w->vars, "array %s[%zu] = [", name, w->count);
    for (size_t i = 0; i < w->count; i++) {
        const char *text;
        memcpy(&text, (const char *)&w->made[i].panel + offset, sizeof text);
        fprintf(w->vars, "%s'%s'", i ? ", " : "", text);
    }
    fputs("]\n", w->vars);
}

static void write_variables(const struct writer *w)
{
    const char *model = mw_table_meta(w->table, "cpu_model");
    write_texts(w, "mw_ptitle", offsetof(struct panel, title));
    write_texts(w, "mw_pxlabel", offsetof(struct panel, xlabel));
    write_texts(w, "mw_pylabel", offsetof(struct panel, ylabel));
    write_texts(w, "mw_pkey", offsetof(struct panel, key));
    static const char *const names[] = {"mw_plogy", "mw_pfirst", "mw_plast"};
    for (size_t v = 0; v < sizeof names / sizeof *names; v++) {
        fprintf(w->vars, "array %s[%zu] = [", names[v], w->count);
        for (size_t i = 0; i < w->count; i++) {
            const struct made *m = &w->made[i];
            size_t values[] = {!m->panel.linear, m->first, m->last};
            fprintf(w->vars, "%s%zu", i ? ", " : "", values[v]);
        }
        fputs("]\n", w->vars);
    }
    fprintf(w->vars, "array mw_pmarks[%zu] = [", w->count);
    for (size_t i = 0; i < w->count; i++)
        fprintf(w->vars, "%s'%s'", i ? ", " : "", w->made[i].marks);
    fputs("]\nmw_title = '", w->vars);
    for (const char *c = model ? model : ""; *c; c++)
        if (*c != '\'' && *c != '\n') /* a gnuplot string cannot hold its own quote */
            fputc(*c, w->vars);
    fprintf(w->vars, "'\nmw_panels = %zu\n", w->count);
}

static enum mw_err plot_panels(struct mw_plot *plot, const struct mw_table *table, const struct mw_table *found,
                               const struct kind *kind, struct mw_error *error)
{
    char *data = NULL, *vars = NULL;
    size_t size;
    struct writer w = {.table = table, .found = found, .kind = kind, .key = column_of(table, kind->key)};
    if (w.key == SIZE_MAX)
        return mw_fail(error, MW_DATA, "%s: column '%s' is missing", table->name, kind->key);
    w.data = open_memstream(&data, &size);
    w.vars = open_memstream(&vars, &size);
    enum mw_err err = w.data && w.vars ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < kind->count && !err; i++) {
        struct panel panel = kind->panels[i];
        panel.x = panel.x ? panel.x : kind->x;
        panel.y = panel.y ? panel.y : kind->y;
        panel.ylabel = panel.ylabel ? panel.ylabel : kind->ylabel;
        err = write_panel(&w, &panel, error);
    }
    if (!err && !w.count)
        err = mw_fail(error, MW_DATA, "%s: no row has anything to draw", table->name);
    if (!err)
        write_variables(&w);
    bool failed = w.data && fclose(w.data);
    failed = (w.vars && fclose(w.vars)) || failed;
    if (!err && failed)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (err) {
        free(data);
        free(vars);
    } else {
        *plot = (struct mw_plot){.script = "panels", .data = data, .variables = vars};
    }
    return err;
}

enum mw_err mw_plot_cache(struct mw_plot *plot, const struct mw_table *curves, const struct mw_table *found,
                          struct mw_error *error)
{
    static const struct kind kind = {.key = "scan",
                                     .x = "size_bytes",
                                     .y = "latency_ns",
                                     .ylabel = "ns a load",
                                     .y_scale = 1,
                                     .panels = cache_panels,
                                     .count = sizeof cache_panels / sizeof *cache_panels};
    return plot_panels(plot, curves, found, &kind, error);
}

enum mw_err mw_plot_bandwidth(struct mw_plot *plot, const struct mw_table *table, struct mw_error *error)
{
    static const struct kind kind = {.key = "test",
                                     .x = "size_bytes",
                                     .y = "mb_s",
                                     .ylabel = "GB/s",
                                     .y_scale = 1e-3,
                                     .by_cores = true,
                                     .panels = bandwidth_panels,
                                     .count = sizeof bandwidth_panels / sizeof *bandwidth_panels};
    return plot_panels(plot, table, NULL, &kind, error);
}
