// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/figure.h"

#include <stdlib.h>
#include <string.h>

void mw_html_escape(FILE *f, const char *text)
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

static const char *skip(const char *text, const char *what)
{
    return !strncmp(text, what, strlen(what)) ? text + strlen(what) : NULL;
}

/* gnuplot asks a script of its own to show a text on hover; a title needs none. Returns what follows, NULL where it is not that. */
static const char *hover(FILE *f, const char *at)
{
    static const char before[] = " onmousemove=\"gnuplot_svg.showHypertext(evt,'", after[] = "')\"",
                      rest[] = " onmouseout=\"gnuplot_svg.hideHypertext()\"><title> </title>";
    const char *text = skip(at, before), *end = text ? strstr(text, after) : NULL, *next;
    if (!end || !(next = skip(end + strlen(after), rest)))
        return NULL;
    fprintf(f, "><title>%.*s</title>", (int)(end - text), text);
    return next;
}

/* From <svg on. Names of gnuplot's are the same in each picture: they get the number of the figure. */
static void print_svg(FILE *f, const char *svg, const char *alt)
{
    static unsigned figures;
    static const char *const names[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    const char *next;
    figures++;
    fputs("<svg role=\"img\" aria-label=\"", f);
    mw_html_escape(f, alt);
    fputs("\"", f);
    for (const char *c = svg + strlen("<svg"); *c;) {
        if ((next = hover(f, c)) || (next = skip(c, "<title>Gnuplot</title>"))) {
            c = next;
            continue;
        }
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if ((next = skip(c, names[i]))) {
                fprintf(f, "%sf%u_", names[i], figures);
                c = next;
                break;
            }
        if (!next)
            fputc(*c++, f);
    }
}

enum mw_err mw_figure_print(FILE *f, const struct mw_plot *plot, const char *caption, const char *alt,
                            struct mw_error *error)
{
    char *svg = NULL;
    enum mw_err err = mw_gnuplot_svg(plot, &svg, error);
    if (err)
        return err;
    const char *start = strstr(svg, "<svg"); /* without the XML declaration, which HTML does not take */
    if (start) {
        fputs("<figure>\n", f);
        print_svg(f, start, alt);
        fputs("<figcaption>", f);
        mw_html_escape(f, caption);
        fputs("</figcaption></figure>\n", f);
    }
    free(svg);
    return start ? MW_OK : mw_fail(error, MW_RUN, "gnuplot drew no SVG");
}
