// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Core counts that stand in the name of a benchmark. */

enum { MOST_CORES = 1000000 };

/* The expression between the slashes of "--map cores=/RE/"; NULL where it is not of this form. The caller frees. */
static char *expression(const struct mw_import_options *options)
{
    const char *text = mw_import_mapped(options, "cores");
    size_t n = text ? strlen(text) : 0;
    return n > 2 && *text == '/' && text[n - 1] == '/' ? strndup(text + 1, n - 2) : NULL;
}

enum mw_err mw_import_cores_by_map(const struct mw_import_options *options, const char *name, unsigned *cores,
                                   struct mw_error *error)
{
    regex_t compiled;
    regmatch_t match[2];
    char *text = expression(options), why[100];
    if (!text)
        return MW_OK;
    int status = strstr(text, "\\d") ? REG_BADPAT : regcomp(&compiled, text, REG_EXTENDED); /* \d would be a d */
    if (status) {
        regerror(status, &compiled, why, sizeof why);
        mw_fail(error, MW_USAGE, "--map 'cores=/%.60s/': %s", text, why);
        free(text);
        return error ? mw_hint(error, "it is an extended regular expression (POSIX): digits are [0-9]") : MW_USAGE;
    }
    enum mw_err err = MW_OK;
    if (regexec(&compiled, name, 2, match, 0)) {
        err = mw_fail(error, MW_DATA, "--map 'cores=/%.60s/' finds nothing in '%.100s'", text, name);
    } else {
        const regmatch_t *m = match[1].rm_so >= 0 ? &match[1] : &match[0];
        char *end;
        unsigned long value = strtoul(name + m->rm_so, &end, 10);
        if (!isdigit((unsigned char)name[m->rm_so]) || end != name + m->rm_eo || value < 1 || value > MOST_CORES)
            err = mw_fail(error, MW_DATA, "--map 'cores=/%.60s/' finds '%.*s' in '%.100s', not a number of cores", text,
                          (int)(m->rm_eo - m->rm_so), name + m->rm_so, name);
        else
            *cores = (unsigned)value;
    }
    regfree(&compiled);
    free(text);
    return err;
}

/* Is there a whole word of cores at `text`? Its length; 0 where there is none. */
static size_t cores_word(const char *text)
{
    static const char *const words[] = {"num_threads", "nthreads", "threads", "thread", "cores", "core",  "procs",
                                        "nprocs",      "workers",  "worker",  "cpus",   "jobs",  "ranks", NULL};
    for (size_t i = 0; words[i]; i++) {
        size_t n = strlen(words[i]);
        if (!strncasecmp(text, words[i], n) && !isalpha((unsigned char)text[n]))
            return n;
    }
    return 0;
}

/* Digits that are no part of a word or a fraction, as a number of cores; 0 where they are none. */
static unsigned number_at(const char *text)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return 0;
    unsigned long value = strtoul(text, &end, 10);
    return *end == '.' || value > MOST_CORES ? 0 : (unsigned)value;
}

unsigned mw_import_cores_in_name(const char *name)
{
    unsigned found = 0;
    for (const char *c = name; *c; c++) {
        size_t n = c == name || !isalpha((unsigned char)c[-1]) ? cores_word(c) : 0;
        if (!n)
            continue;
        const char *after = c + n + strspn(c + n, "/:=_- "), *before = c;
        while (before > name && strchr("/:=_- ", before[-1]))
            before--;
        const char *digits = before;
        while (digits > name && isdigit((unsigned char)digits[-1]))
            digits--;
        bool word = digits > name && (isalpha((unsigned char)digits[-1]) || digits[-1] == '.');
        unsigned here = digits < before && !word ? number_at(digits) : 0, there = number_at(after);
        if ((here && there) || (found && (here || there)))
            return 0;
        found = here ? here : there ? there : found;
    }
    return found;
}
