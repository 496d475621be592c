// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json.h"
#include "data/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#ifndef MW_KERNEL_FLAGS
#define MW_KERNEL_FLAGS "unknown"
#endif

enum mw_err mw_provenance_add(struct mw_provenance *provenance, struct mw_error *error, const char *key,
                              const char *format, ...)
{
    struct mw_provenance_item item = {.key = strdup(key)};
    va_list args;
    va_start(args, format);
    if (vasprintf(&item.value, format, args) < 0)
        item.value = NULL;
    va_end(args);
    struct mw_provenance_item *items = realloc(provenance->items, (provenance->count + 1) * sizeof *items);
    if (items)
        provenance->items = items;
    if (!item.key || !item.value || !items) {
        free(item.key);
        free(item.value);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    for (char *c = item.value; *c; c++) /* one line each */
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    provenance->items[provenance->count++] = item;
    return MW_OK;
}

/* "model name" of /proc/cpuinfo (x86), else "Processor"/"Hardware"; "unknown" where there is none. */
static void cpu_model(char *text, size_t size)
{
    static const char *const keys[] = {"model name", "Processor", "Hardware", "cpu"};
    snprintf(text, size, "unknown");
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[512];
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        for (size_t i = 0; colon && i < sizeof keys / sizeof *keys; i++) {
            size_t n = strlen(keys[i]);
            if (!strncmp(line, keys[i], n) && strspn(line + n, " \t") == (size_t)(colon - line) - n) {
                colon[strcspn(colon, "\n")] = '\0';
                snprintf(text, size, "%s", colon + 1 + strspn(colon + 1, " "));
                fclose(f);
                return;
            }
        }
    }
    if (f)
        fclose(f);
}

void mw_quote_word(FILE *stream, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/%@";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    for (const char *c = word; *c; c++) {
        if (*c == '\'')
            fputs("'\\''", stream);
        else
            fputc(*c, stream);
    }
    fputc('\'', stream);
}

static char *command_line(int argc, char *const *argv)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    for (int i = 0; i < argc; i++) {
        fputs(i ? " " : "", f);
        mw_quote_word(f, i ? argv[i] : "memwall");
    }
    if (fclose(f)) {
        free(text);
        return NULL;
    }
    return text;
}

enum mw_err mw_provenance_init(struct mw_provenance *provenance, int argc, char *const *argv, struct mw_error *error)
{
    struct mw_provenance p = {0};
    struct utsname host = {.nodename = "unknown"};
    char model[256], utc[32];
    time_t now = time(NULL);
    struct tm parts;
    uname(&host);
    cpu_model(model, sizeof model);
    strftime(utc, sizeof utc, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    char *command = command_line(argc, argv);
    enum mw_err err = command ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_provenance_add(&p, error, "version", "memwall %s", MW_VERSION);
    if (!err)
        err = mw_provenance_add(&p, error, "command", "%s", command);
    if (!err)
        err = mw_provenance_add(&p, error, "host", "%s", host.nodename);
    if (!err)
        err = mw_provenance_add(&p, error, "cpu_model", "%s", model);
    if (!err)
        err = mw_provenance_add(&p, error, "kernel", "%s %s %s", host.sysname, host.release, host.machine);
    if (!err)
        err = mw_provenance_add(&p, error, "compiler", "%s", __VERSION__);
    if (!err)
        err = mw_provenance_add(&p, error, "kernel_flags", "%s", MW_KERNEL_FLAGS);
    if (!err)
        err = mw_provenance_add(&p, error, "utc", "%s", utc);
    free(command);
    if (err)
        mw_provenance_release(&p);
    else
        *provenance = p;
    return err;
}

void mw_provenance_print(const struct mw_provenance *provenance, FILE *stream)
{
    for (size_t i = 0; i < provenance->count; i++)
        fprintf(stream, "# %s: %s\n", provenance->items[i].key, provenance->items[i].value);
}

void mw_provenance_release(struct mw_provenance *provenance)
{
    for (size_t i = 0; i < provenance->count; i++) {
        free(provenance->items[i].key);
        free(provenance->items[i].value);
    }
    free(provenance->items);
    *provenance = (struct mw_provenance){0};
}

json_t *mw_provenance_json(const struct mw_provenance *provenance)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < provenance->count; i++)
        json_object_set_new(object, provenance->items[i].key, json_string_nocheck(provenance->items[i].value));
    return object;
}
