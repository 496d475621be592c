// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/report.h"

#include "plots/figure.h"
#include "plots/gpu_plots.h"
#include "plots/model_plots.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}h1{font-size:1rem;font-weight:400;color:#555;margin:0}h2{font-size:1.15rem;margin-top:2rem;"
    "border-bottom:1px solid #ddd}h3{font-size:1rem}.answer{font-size:1.35rem;font-weight:600;margin:.2rem 0 .6rem}"
    "nav ul{list-style:none;padding:0}nav li{padding:.15rem 0}a{color:#0057a0}"
    "table{border-collapse:collapse;margin:.5rem 0;display:block;max-width:100%;overflow-x:auto}"
    "td,th{padding:.2rem .7rem .2rem 0;border-bottom:1px solid #eee;text-align:left;vertical-align:top}"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    "td.w{min-width:17rem}code{background:#f4f4f4;padding:.1rem .3rem;overflow-wrap:anywhere}"
    "p,li{overflow-wrap:anywhere}.note,figcaption{color:#666}figure{margin:1rem 0;break-inside:avoid}"
    "svg{display:block;width:100%;height:auto}"
    "@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}h1{color:#aaa}a{color:#7cb9ff}"
    "td,th{border-color:#333}h2{border-color:#444}code{background:#2a2a2a}.note,figcaption{color:#999}"
    "svg{filter:invert(.91) hue-rotate(180deg)}}" /* black on white turns, blue stays blue */
    "@media print{body{max-width:none;margin:0;color:#000;background:#fff}svg{filter:none}table{display:table}"
    "nav,a{color:inherit;text-decoration:none}h2{break-after:avoid}}";

static void escape(FILE *f, const char *text)
{
    mw_html_escape(f, text);
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
    const struct mw_answer *a = r->answer;
    const struct mw_diagnosis *d = &a->diagnosis;
    if (!a->diagnosed)
        return;
    fputs("<h2 id=binds>What binds it</h2>\n", f);
    page(f, "<p><b>%s</b>", mw_verdict_name(d->verdict));
    if (d->verdict != MW_VERDICT_UNDETERMINED)
        page(f, " <span class=note>(%.0f %%)</span>", 100 * fmin(d->confidence, .99));
    fputs("</p>\n", f);
    print_sentences(f, &a->headline);
    fputs("<h3>What to do</h3>\n", f);
    print_sentences(f, &a->advice);
    fputs("<h3>Evidence</h3>\n", f);
    print_sentences(f, &a->evidence);
    if (r->all || mw_diagnosis_shares_told(d))
        print_shares(f, d);
}

static bool is_rate(const struct mw_model *m)
{
    return m->rate_unit && *m->rate_unit;
}

/* Columns that the model can fill; an objective that it can't answer is left out, with --verbose the reason stands there. */
static void print_choices(FILE *f, const struct mw_report *r)
{
    bool freq = false, energy = false, any = r->all;
    for (size_t i = 0; i < r->choice_count; i++) {
        const struct mw_report_choice *c = &r->choices[i];
        any |= c->possible;
        freq |= c->possible && c->freq_hz > 0;
        energy |= c->possible && c->energy_j > 0;
    }
    if (!any)
        return;
    bool time = r->model->quantity == MW_TIME, rate = is_rate(r->model);
    fputs("<h2 id=run>Where to run it</h2>\n<table><tr><th>least</th><th class=n>cores</th>", f);
    fputs(freq ? "<th class=n>GHz</th>" : "", f);
    if (time)
        page(f, "<th class=n>%s</th>", rate ? r->model->rate_unit : "time (s)");
    fputs(energy ? "<th class=n>energy (J)</th>" : "", f);
    fputs("<th>how</th></tr>\n", f);
    for (size_t i = 0; i < r->choice_count; i++) {
        const struct mw_report_choice *c = &r->choices[i];
        if (!c->possible && r->all)
            page(f, "<tr><td>%s</td><td class=note>not known: %s</td></tr>\n", c->objective, c->command);
        if (!c->possible)
            continue;
        page(f, "<tr><td>%s</td><td class=n>%u</td>", c->objective, c->cores);
        if (freq)
            page(f, "<td class=n>%.4g</td>", c->freq_hz / 1e9);
        if (time)
            page(f, "<td class=n>%.4g</td>", rate ? 1 / c->time_s : c->time_s);
        if (energy)
            page(f, "<td class=n>%.4g</td>", c->energy_j);
        page(f, "<td class=w><code>%s</code></td></tr>\n", c->command);
    }
    fputs("</table>\n", f);
}

/* A picture that the data or the machine can't give is left out; with --verbose the reason stands there. */
static void print_picture(FILE *f, const struct mw_report *r, const char *kind, const char *caption)
{
    struct mw_plot plot = {0};
    struct mw_error error;
    char alt[300];
    snprintf(alt, sizeof alt, "chart of %s: %s", mw_model_title(r->model), caption);
    enum mw_err err = mw_plot_model(&plot, r->model, kind, &error);
    if (!err)
        err = mw_figure_print(f, &plot, caption, alt, &error);
    mw_plot_release(&plot);
    if (err && (r->all || err == MW_UNSUPPORTED))
        page(f, "<p class=note>No picture of %s: %s.</p>\n", kind, error.message);
}

static void print_pictures(FILE *f, const struct mw_report *r)
{
    const struct mw_model *m = r->model;
    char caption[160];
    fputs("<h2 id=pictures>Measured and predicted</h2>\n", f);
    print_picture(f, r, "speedup",
                  m->weak ? "Work done in the time of one core, over cores: measured, and predicted with 90 % intervals"
                          : "Speedup over cores: measured, and predicted with 90 % intervals");
    if (m->quantity != MW_TIME)
        return;
    snprintf(caption, sizeof caption, "%.60s over cores: measured, and predicted with 90 %% intervals",
             is_rate(m) ? m->rate_unit : "Time");
    print_picture(f, r, "time", caption);
    snprintf(caption, sizeof caption, "%.60s over cores and frequency, predicted; circles were measured",
             is_rate(m) ? m->rate_unit : "Time");
    print_picture(f, r, "heatmap", caption);
    print_picture(f, r, "energy", "Energy over cores: measured, and predicted with 90 % intervals");
}

static void print_parameters(FILE *f, const struct mw_report *r)
{
    const struct mw_model *m = r->model;
    size_t told = 0;
    for (size_t i = 0; i < m->param_count; i++)
        told += r->all || m->params[i].status != MW_PARAM_NOT_IDENTIFIABLE;
    if (!told && !m->combination_count)
        return;
    page(f, "<h2 id=law>Parameters of the law %s</h2>\n",
         strcmp(m->law, "mixture") ? m->law
         : m->weak                 ? "sun-ni"
                                   : "vls");
    if (told)
        fputs("<table><tr><th>parameter</th><th class=n>value</th><th class=n>90 % interval</th><th>status</th>"
              "<th>what would settle it</th></tr>\n",
              f);
    for (size_t i = 0; i < m->param_count; i++) {
        const struct mw_model_param *p = &m->params[i];
        if (r->all || p->status != MW_PARAM_NOT_IDENTIFIABLE)
            page(
                f,
                "<tr><td>%s</td><td class=n>%.4g</td><td class=n>%.4g to %.4g</td><td>%s</td><td class=w>%s</td></tr>\n",
                p->name, p->value, p->low, p->high, mw_param_status_name(p->status), p->settle);
    }
    fputs(told ? "</table>\n<ul>\n" : "<ul>\n", f);
    for (size_t i = 0; i < m->combination_count; i++)
        page(f, "<li>%s</li>\n", m->combinations[i].text);
    fputs("</ul>\n", f);
}

/* Where nothing could be left out, all laws fit the same. */
static void print_laws(FILE *f, const struct mw_report *r)
{
    const struct mw_model *m = r->model;
    bool told = false;
    for (size_t i = 0; i < m->law_count; i++)
        told |= m->laws[i].has_cv;
    if (!told && !r->all)
        return;
    fputs("<h2 id=laws>Laws that were tried</h2>\n<table><tr><th>law</th><th class=n>rms error of ln time</th>"
          "<th class=n>left-out error (%)</th></tr>\n",
          f);
    for (size_t i = 0; i < m->law_count; i++) {
        const struct mw_model_law *l = &m->laws[i];
        page(f, "<tr><td>%s</td><td class=n>%.4f</td><td class=n>", l->name, l->rmse_log);
        if (l->has_cv)
            page(f, "%.1f", l->cv_mape_percent);
        fputs("</td></tr>\n", f);
    }
    fputs("</table>\n", f);
}

static void print_data(FILE *f, const struct mw_report *r)
{
    enum { SHOWN = 10 };
    const struct mw_model *m = r->model;
    size_t shown = r->all || m->set_aside_count < SHOWN ? m->set_aside_count : SHOWN;
    page(f, "<h2 id=data>The data</h2>\n<p>%s: %zu rows, %zu used, %zu configurations.</p>\n", m->file, m->rows,
         m->used, m->points.count);
    if (m->set_aside_count + m->warning_count) {
        fputs("<ul>\n", f);
        for (size_t i = 0; i < shown; i++)
            page(f, "<li>row of line %d set aside: %s</li>\n", (int)m->set_aside[i].line, m->set_aside[i].reason);
        if (shown < m->set_aside_count)
            page(f, "<li>%zu more rows set aside</li>\n", m->set_aside_count - shown);
        for (size_t i = 0; i < m->warning_count; i++)
            page(f, "<li>%s</li>\n", m->warnings[i]);
        fputs("</ul>\n", f);
    }
    fputs("<p class=note>", f);
    for (size_t i = 0; i < r->run->count; i++)
        page(f, "%s%s: %s", i ? "; " : "", r->run->items[i].key, r->run->items[i].value);
    fputs("</p>\n", f);
}

/* The contents are the answers of the parts. */
static void print_contents(FILE *f, const struct mw_report *r)
{
    const struct mw_answer *a = r->answer;
    fputs("<nav><ul>\n", f);
    if (a->diagnosed)
        page(f, "<li><a href=#binds>What binds it</a>: %s</li>\n",
             a->headline.count > 1 ? a->headline.items[1] : mw_verdict_name(a->diagnosis.verdict));
    size_t said = 0;
    for (size_t i = 0; i < r->choice_count; i++) {
        const struct mw_report_choice *c = &r->choices[i];
        if (!c->possible)
            continue;
        fputs(said++ ? "; " : "<li><a href=#run>Where to run it</a>: ", f);
        page(f, "%u core%s", c->cores, c->cores > 1 ? "s" : "");
        if (c->freq_hz > 0)
            page(f, " at %.4g GHz", c->freq_hz / 1e9);
        page(f, " for %s", strcmp(c->objective, "time") ? c->objective : r->model->weak ? "the work" : "time");
    }
    fputs(said ? "</li>\n" : "", f);
    page(f, "<li><a href=#pictures>Measured and predicted</a>: %zu configurations</li>\n", r->model->points.count);
    page(f, "<li><a href=#data>The data</a>: %zu of %zu rows used", r->model->used, r->model->rows);
    if (r->model->warning_count)
        page(f, ", %zu thing%s to know of them", r->model->warning_count, r->model->warning_count > 1 ? "s" : "");
    fputs("</li>\n</ul></nav>\n", f);
}

void mw_report_print(const struct mw_report *r, FILE *f)
{
    const struct mw_answer *a = r->answer;
    const char *name = mw_model_title(r->model);
    fputs("<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport "
          "content='width=device-width,initial-scale=1'>\n",
          f);
    page(f, "<title>%s</title>\n", name);
    fprintf(f, "<style>%s</style>\n", style);
    page(f, "<h1>%s</h1>\n<p class=answer>%s</p>\n", name,
         a->headline.count ? a->headline.items[0] : "One configuration says nothing about others.");
    for (size_t i = 2; i < a->headline.count; i++)
        page(f, "<p>%s</p>\n", a->headline.items[i]);
    print_contents(f, r);
    print_choices(f, r);
    print_diagnosis(f, r);
    print_pictures(f, r);
    print_parameters(f, r);
    print_laws(f, r);
    if (r->gpu)
        mw_report_gpu(r->gpu, f);
    print_data(f, r);
    fputs("</html>\n", f);
}
