// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/gpu_plots.h"

#include "plots/figure.h"
#include "plots/model_plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *cell(const struct mw_table *t, size_t row, const char *column)
{
    size_t at;
    return mw_table_find(t, column, &at) ? mw_table_cell(t, row, at) : "";
}

static double number(const struct mw_table *t, size_t row, const char *column)
{
    const char *text = cell(t, row, column);
    char *end;
    double value = strtod(text, &end);
    return end != text && isfinite(value) ? value : 0;
}

static bool is_valid(const struct mw_table *t, size_t row)
{
    return number(t, row, "valid") > 0;
}

bool mw_is_gpu_table(const struct mw_table *table)
{
    size_t at;
    return mw_table_find(table, "device", &at) && mw_table_find(table, "kernel", &at) &&
           mw_table_find(table, "condition", &at) && mw_table_find(table, "value", &at);
}

/* A gnuplot string and a field of its data hold neither quote nor tab. */
static void print_plain(FILE *f, const char *text)
{
    for (; text && *text; text++)
        if (*text != '\'' && *text != '\t')
            fputc(*text, f);
}

/* "0: name (kind by api)" of the device of the first row that counts. */
static const char *device_line(const struct mw_table *t, size_t row)
{
    char key[32];
    snprintf(key, sizeof key, "device %.20s", cell(t, row, "device"));
    const char *line = mw_table_meta(t, key);
    return line ? line : "";
}

static void print_title(FILE *v, const struct mw_table *t, size_t row)
{
    char name[160];
    const char *line = device_line(t, row), *end = strstr(line, "; vendor");
    snprintf(name, sizeof name, "%.*s", (int)(end ? end - line : (long)strlen(line)), line);
    fputs("mw_title = '", v);
    print_plain(v, name);
    fputs("'\n", v);
}

static enum mw_err finish(FILE *d, FILE *v, char **data, char **variables, const char *script, bool any,
                          const struct mw_table *table, struct mw_plot *plot, struct mw_error *error)
{
    bool failed = !d || !v;
    failed |= d && fclose(d);
    failed |= v && fclose(v);
    enum mw_err err = failed ? mw_fail(error, MW_NOMEM, "out of memory") : MW_OK;
    if (!err && !any) {
        mw_fail(error, MW_DATA, "%s: no valid row of fill rates or of bandwidth", table->name);
        err = mw_hint(error, "memwall measure gpu --kernel pixel-fill,texel-fill or read,copy,triad");
    }
    if (err) {
        free(*data);
        free(*variables);
        return err;
    }
    *plot = (struct mw_plot){.script = script, .data = *data, .variables = *variables};
    return MW_OK;
}

static size_t print_bars(FILE *d, FILE *v, const struct mw_table *t)
{
    size_t count = 0;
    for (size_t r = 0; r < t->row_count; r++) {
        double factor = number(t, r, "factor");
        if (factor <= 0 || !is_valid(t, r))
            continue;
        if (!count++)
            print_title(v, t, r);
        print_plain(d, cell(t, r, "kernel"));
        fputs(": ", d);
        print_plain(d, cell(t, r, "condition"));
        fprintf(d, "\t%.6g\n", factor);
    }
    return count;
}

static bool is_bandwidth(const struct mw_table *t, size_t r)
{
    return !strcmp(cell(t, r, "unit"), "GB/s") && number(t, r, "size_bytes") > 0 && is_valid(t, r);
}

/* A block for each kernel and variant. */
static size_t print_curves(FILE *d, FILE *v, const struct mw_table *t)
{
    size_t count = 0;
    bool *done = calloc(t->row_count + 1, sizeof *done);
    for (size_t first = 0; done && first < t->row_count; first++) {
        if (done[first] || !is_bandwidth(t, first))
            continue;
        if (!count)
            print_title(v, t, first);
        fputs(count ? "\n\n" : "", d);
        print_plain(d, cell(t, first, "kernel"));
        fputc(' ', d);
        print_plain(d, cell(t, first, "variant"));
        fputc('\n', d);
        for (size_t r = first; r < t->row_count; r++) {
            if (done[r] || !is_bandwidth(t, r) || strcmp(cell(t, r, "kernel"), cell(t, first, "kernel")) != 0 ||
                strcmp(cell(t, r, "variant"), cell(t, first, "variant")) != 0)
                continue;
            done[r] = true;
            fprintf(d, "%.10g\t%.6g\n", number(t, r, "size_bytes"), number(t, r, "value"));
            count++;
        }
    }
    free(done);
    return count;
}

enum mw_err mw_plot_gpu(struct mw_plot *plot, const struct mw_table *table, struct mw_error *error)
{
    char *data = NULL, *variables = NULL;
    size_t size, count = 0;
    bool bars = false;
    for (size_t r = 0; r < table->row_count; r++)
        bars = bars || (number(table, r, "factor") > 0 && is_valid(table, r));
    FILE *d = open_memstream(&data, &size), *v = open_memstream(&variables, &size);
    if (d && v) {
        fputs(bars ? "mw_xlabel = 'times slower than the clean case'\n"
                   : "mw_xlabel = 'size'\nmw_ylabel = 'GB/s'\nmw_logx = 1\nmw_logy = 1\nmw_bytes = 1\n",
              v);
        count = bars ? print_bars(d, v, table) : print_curves(d, v, table);
    }
    return finish(d, v, &data, &variables, bars ? "bars" : "lines", count > 0, table, plot, error);
}

enum mw_err mw_gpu_roof(struct mw_gpu_roof *roof, const struct mw_table *t, struct mw_error *error)
{
    struct mw_gpu_roof best = {0};
    double largest = 0;
    for (size_t r = 0; r < t->row_count; r++) {
        const char *kernel = cell(t, r, "kernel");
        double size = number(t, r, "size_bytes"), value = number(t, r, "value");
        bool moves = !strcmp(kernel, "copy") || !strcmp(kernel, "triad");
        if (!is_valid(t, r))
            continue;
        if (!strcmp(kernel, "fp32"))
            best.gflop_s = fmax(best.gflop_s, value);
        if (moves && size > largest) {
            largest = size;
            best.gb_s = value;
        } else if (moves && size >= largest) {
            best.gb_s = fmax(best.gb_s, value);
        }
    }
    if (best.gflop_s <= 0 || best.gb_s <= 0) {
        mw_fail(error, MW_DATA, "%s: a device's roofline needs valid rows of fp32 and of copy or triad", t->name);
        return mw_hint(error, "memwall measure gpu --kernel fp32,copy,triad");
    }
    *roof = best;
    return MW_OK;
}

static void print_row(FILE *f, const struct mw_table *t, size_t r)
{
    static const char *const words[] = {"kernel", "variant", "condition"};
    fputs("<tr>", f);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        fputs("<td>", f);
        mw_html_escape(f, cell(t, r, words[i]));
        fputs("</td>", f);
    }
    double size = number(t, r, "size_bytes"), factor = number(t, r, "factor");
    fprintf(f, size > 0 ? "<td class=n>%.6g</td>" : "<td class=n></td>", size / 1024);
    fprintf(f, "<td class=n>%.4g</td><td>", number(t, r, "value"));
    mw_html_escape(f, cell(t, r, "unit"));
    fprintf(f, factor > 0 ? "</td><td class=n>%.2f</td><td>" : "</td><td></td><td>", factor);
    fputs(!is_valid(t, r) ? "not valid" : number(t, r, "disturbed") > 0 ? "disturbed" : "", f);
    fputs("</td><td>", f);
    mw_html_escape(f, cell(t, r, "spec_why"));
    mw_html_escape(f, *cell(t, r, "spec_why") && *cell(t, r, "note") ? "; " : "");
    mw_html_escape(f, cell(t, r, "note"));
    fputs("</td></tr>\n", f);
}

void mw_report_gpu(const struct mw_table *table, FILE *f)
{
    struct mw_plot plot = {0};
    struct mw_error error;
    fputs("<h2 id=gpu>Graphics processors</h2>\n", f);
    for (size_t r = 0; r < table->row_count; r++)
        if (!r || strcmp(cell(table, r, "device"), cell(table, r - 1, "device")) != 0) {
            fputs("<p>", f);
            mw_html_escape(f, device_line(table, r));
            fputs("</p>\n", f);
        }
    enum mw_err err = mw_plot_gpu(&plot, table, &error);
    if (!err)
        err = mw_figure_print(f, &plot, "What the graphics processors reach, by kernel and variant",
                              "chart of what the graphics processors reach in each kernel", &error);
    if (err) {
        fputs("<p class=note>No picture: ", f);
        mw_html_escape(f, error.message);
        fputs("</p>\n", f);
    }
    mw_plot_release(&plot);
    fputs(
        "<table><tr><th>kernel</th><th>variant</th><th>condition</th><th class=n>KiB</th><th class=n>value</th><th>unit"
        "</th><th class=n>times slower</th><th></th><th></th></tr>\n",
        f);
    for (size_t r = 0; r < table->row_count; r++)
        print_row(f, table, r);
    fputs(
        "</table>\n<p class=note>Wall clock from idle to idle, results read back; the table has all conditions.</p>\n",
        f);
}
