// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/report.h"

#include "plots/gpu_plots.h"
#include "plots/model_plots.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid #ddd}"
    "table{border-collapse:collapse;margin:.5rem 0;display:block;max-width:100%;overflow-x:auto}td,th{padding:.2rem .7rem;border-bottom:1px solid #eee;text-align:left}"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}code{background:#f4f4f4;padding:.1rem .3rem;overflow-wrap:anywhere}"
    ".verdict{font-size:1.3rem;font-weight:600}.note{color:#666}svg{max-width:100%;height:auto}"
    "@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}td,th{border-color:#333}h2{border-color:#444}"
    "code{background:#2a2a2a}svg{background:#fff}.note{color:#999}}";

static void escape(FILE *f, const char *text)
{
    for (; text && *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", f);
            break;
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        case '"':
            fputs("&quot;", f);
            break;
        default: /* a control character is none of HTML's, and an SVG with one is not well-formed */
            fputs((unsigned char)*text < ' ' && *text != '\n' && *text != '\t' ? "\xef\xbf\xbd" : (char[]){*text, 0},
                  f);
        }
    }
}

/*
 * printf to a page: what %s brings is text and escaped, so that no name in a model or table is markup. Of the other
 * conversions those that are used here: %u, %zu, %d, %g, %f, %e.
 */
static void MW_PRINTF(2, 3) page(FILE *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *c = format; *c; c++) {
        char one[16];
        size_t length = *c == '%' ? strcspn(c, "sudgfe") + 1 : 0;
        if (*c == '%' && c[1] == '%') {
            fputc(*++c, f);
        } else if (*c != '%' || length >= sizeof one) {
            fputc(*c, f);
        } else {
            snprintf(one, sizeof one, "%.*s", (int)length, c);
            c += length - 1;
            if (*c == 's')
                escape(f, va_arg(args, const char *));
            else if (*c == 'd')
                fprintf(f, one, va_arg(args, int));
            else if (*c == 'u' && c[-1] == 'z')
                fprintf(f, one, va_arg(args, size_t));
            else if (*c == 'u')
                fprintf(f, one, va_arg(args, unsigned));
            else
                fprintf(f, one, va_arg(args, double));
        }
    }
    va_end(args);
}

static void share_row(FILE *f, const struct mw_diagnosis *d, const char *name, size_t offset)
{
    page(f, "<tr><td>%s</td>", name);
    for (size_t i = 0; i < d->end_count; i++) {
        const struct mw_interval *share = (const void *)((const char *)&d->ends[i] + offset);
        page(f, "<td class=n>%.0f %% (%.0f to %.0f)</td>", 100 * share->median, 100 * share->low, 100 * share->high);
    }
    fputs("</tr>\n", f);
}

static void print_shares(FILE *f, const struct mw_diagnosis *d)
{
    fputs("<table><tr><th>share of the time</th>", f);
    for (size_t i = 0; i < d->end_count; i++) {
        page(f, "<th class=n>%.0f core%s", d->ends[i].cores, d->ends[i].cores > 1 ? "s" : "");
        if (d->ends[i].freq_hz > 0)
            page(f, ", %.4g GHz", d->ends[i].freq_hz / 1e9);
        fputs("</th>", f);
    }
    fputs("</tr>\n", f);
    share_row(f, d, "serial", offsetof(struct mw_shares, serial));
    share_row(f, d, "parallel", offsetof(struct mw_shares, parallel));
    share_row(f, d, "memory, shared", offsetof(struct mw_shares, latency));
    share_row(f, d, "memory, fixed", offsetof(struct mw_shares, nonscaling));
    share_row(f, d, "overhead", offsetof(struct mw_shares, overhead));
    share_row(f, d, "uneven", offsetof(struct mw_shares, uneven));
    share_row(f, d, "wait", offsetof(struct mw_shares, wait));
    fputs(
        "</table>\n<p class=note>Median and 90 % interval over all fits that the data allow. Memory, shared: time that the "
        "cores divide among them; fixed: time that they don't. Uneven: beyond an even share at full speed. Wait: nobody "
        "works.</p>\n",
        f);
}

static void print_sentences(FILE *f, const struct mw_sentences *sentences)
{
    fputs("<ul>\n", f);
    for (size_t i = 0; sentences && i < sentences->count; i++) {
        fputs("<li>", f);
        escape(f, sentences->items[i]);
        fputs("</li>\n", f);
    }
    fputs("</ul>\n", f);
}

static void print_diagnosis(FILE *f, const struct mw_report *r)
{
    const struct mw_diagnosis *d = r->answer->diagnosed ? &r->answer->diagnosis : NULL;
    fputs("<h2>What binds it</h2>\n", f);
    if (!d) {
        fputs("<p>These data are too few for a diagnosis.</p>\n", f);
        return;
    }
    page(f, "<p class=verdict>%s", mw_verdict_name(d->verdict));
    if (d->verdict != MW_VERDICT_UNDETERMINED)
        page(f, " <span class=note>(%.0f %%)</span>", 100 * d->confidence);
    fputs("</p>\n", f);
    print_sentences(f, &r->answer->headline);
    fputs("<h3>What to do</h3>\n", f);
    print_sentences(f, &r->answer->advice);
    fputs("<h3>Evidence</h3>\n", f);
    print_sentences(f, &r->answer->evidence);
    print_shares(f, d);
}

static void print_choices(FILE *f, const struct mw_report *r)
{
    fputs(
        "<h2>Where to run it</h2>\n<table><tr><th>least</th><th class=n>cores</th><th class=n>GHz</th><th class=n>time (s)</th>"
        "<th class=n>energy (J)</th><th>how</th></tr>\n",
        f);
    for (size_t i = 0; i < r->choice_count; i++) {
        const struct mw_report_choice *c = &r->choices[i];
        if (!c->possible) {
            page(f, "<tr><td>%s</td><td colspan=5 class=note>not known: ", c->objective);
            escape(f, c->command);
            fputs("</td></tr>\n", f);
            continue;
        }
        page(f, "<tr><td>%s</td><td class=n>%u</td><td class=n>", c->objective, c->cores);
        page(f, c->freq_hz > 0 ? "%.4g" : "", c->freq_hz / 1e9);
        page(f, "</td><td class=n>%.4g</td><td class=n>", c->time_s);
        page(f, c->energy_j > 0 ? "%.4g" : "", c->energy_j);
        fputs("</td><td><code>", f);
        escape(f, c->command);
        fputs("</code></td></tr>\n", f);
    }
    fputs("</table>\n", f);
}

/* A picture, or why there is none. */
static void print_picture(FILE *f, const struct mw_model *model, const char *kind, const char *title)
{
    struct mw_plot plot = {0};
    struct mw_error error;
    char *svg = NULL;
    enum mw_err err = mw_plot_model(&plot, model, kind, &error);
    if (!err)
        err = mw_gnuplot_svg(&plot, &svg, &error);
    mw_plot_release(&plot);
    page(f, "<h2>%s</h2>\n", title);
    if (err) {
        fputs("<p class=note>No picture: ", f);
        escape(f, error.message);
        fputs(".</p>\n", f);
        return;
    }
    const char *start = strstr(svg, "<svg"); /* without the XML declaration, which HTML does not take */
    fputs(start ? start : svg, f);
    fputc('\n', f);
    free(svg);
}

static void print_parameters(FILE *f, const struct mw_model *m)
{
    fputs(
        "<h2>The variable-latency law</h2>\n<table><tr><th>parameter</th><th class=n>value</th><th class=n>90 % interval</th>"
        "<th>status</th><th>what would settle it</th></tr>\n",
        f);
    for (size_t i = 0; i < m->param_count; i++) {
        const struct mw_model_param *p = &m->params[i];
        page(f, "<tr><td>%s</td><td class=n>%.4g</td><td class=n>%.4g to %.4g</td><td>%s</td><td>", p->name, p->value,
             p->low, p->high, mw_param_status_name(p->status));
        escape(f, p->settle);
        fputs("</td></tr>\n", f);
    }
    fputs("</table>\n<ul>\n", f);
    for (size_t i = 0; i < m->combination_count; i++) {
        fputs("<li>", f);
        escape(f, m->combinations[i].text);
        fputs("</li>\n", f);
    }
    fputs("</ul>\n<h2>All laws that were tried</h2>\n<table><tr><th>law</th><th class=n>rms error of ln time</th>"
          "<th class=n>left-out error (%)</th></tr>\n",
          f);
    for (size_t i = 0; i < m->law_count; i++) {
        const struct mw_model_law *l = &m->laws[i];
        page(f, "<tr><td>%s</td><td class=n>%.4f</td><td class=n>", l->name, l->rmse_log);
        page(f, l->has_cv ? "%.1f" : "", l->cv_mape_percent);
        fputs("</td></tr>\n", f);
    }
    fputs("</table>\n", f);
}

static void print_data(FILE *f, const struct mw_report *r)
{
    const struct mw_model *m = r->model;
    fputs("<h2>The data</h2>\n<p>", f);
    escape(f, m->file);
    page(f, ": %zu rows, %zu used, %zu configurations.</p>\n<ul>\n", m->rows, m->used, m->points.count);
    for (size_t i = 0; i < m->set_aside_count; i++) {
        page(f, "<li>row of line %ld set aside: ", m->set_aside[i].line);
        escape(f, m->set_aside[i].reason);
        fputs("</li>\n", f);
    }
    for (size_t i = 0; i < m->warning_count; i++) {
        fputs("<li>", f);
        escape(f, m->warnings[i]);
        fputs("</li>\n", f);
    }
    fputs("</ul>\n<p class=note>", f);
    for (size_t i = 0; i < r->run->count; i++) {
        page(f, "%s%s: ", i ? "; " : "", r->run->items[i].key);
        escape(f, r->run->items[i].value);
    }
    fputs("</p>\n", f);
}

void mw_report_print(const struct mw_report *r, FILE *f)
{
    const struct mw_model *m = r->model;
    const char *name = mw_model_title(m);
    fputs(
        "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>\n<title>",
        f);
    escape(f, name);
    fputs("</title>\n<style>", f);
    fputs(style, f);
    fputs("</style>\n<h1>", f);
    escape(f, name);
    fputs("</h1>\n", f);
    print_diagnosis(f, r);
    print_choices(f, r);
    print_picture(f, m, "speedup", "Speedup over cores");
    if (m->quantity == MW_TIME) {
        print_picture(f, m, "time", "Time over cores");
        print_picture(f, m, "heatmap", "Time over cores and frequency");
        print_picture(f, m, "energy", "Energy over cores");
    }
    print_parameters(f, m);
    if (r->gpu)
        mw_report_gpu(r->gpu, f);
    print_data(f, r);
    fputs("</html>\n", f);
}
