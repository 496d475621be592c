// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/machine/sysfile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* no kernel is built for more CPUs (CONFIG_NR_CPUS), so a larger number is no CPU list */
#define MAX_CPU 65535

static int open_below(const char *root, const char *format, va_list args)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s", root);
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int m = vsnprintf(path + n, sizeof path - (size_t)n, format, args);
    if (m < 0 || (size_t)(n + m) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static int text_below(const char *root, char *text, size_t size, const char *format, va_list args)
{
    int fd = open_below(root, format, args);
    if (fd < 0)
        return errno;
    size_t used = 0;
    int failed = 0;
    for (ssize_t n = 1; n > 0 && used < size - 1;) {
        n = read(fd, text + used, size - 1 - used);
        if (n > 0)
            used += (size_t)n;
        else if (n < 0 && errno == EINTR)
            n = 1;
        else if (n < 0)
            failed = errno;
    }
    close(fd);
    if (failed)
        return failed;
    while (used && isspace((unsigned char)text[used - 1]))
        used--;
    text[used] = '\0';
    return 0;
}

int mw_sysfile_text(const char *root, char *text, size_t size, const char *path, ...)
{
    char *buffer = malloc(size);
    if (!buffer)
        return ENOMEM;
    va_list args;
    va_start(args, path);
    int failed = text_below(root, buffer, size, path, args);
    va_end(args);
    if (!failed)
        memcpy(text, buffer, strlen(buffer) + 1);
    free(buffer);
    return failed;
}

int mw_sysfile_number(const char *root, double *value, const char *path, ...)
{
    char text[64], *end;
    va_list args;
    va_start(args, path);
    int failed = text_below(root, text, sizeof text, path, args);
    va_end(args);
    if (failed)
        return failed;
    double parsed = strtod(text, &end);
    if (end == text || *end || !isfinite(parsed))
        return EINVAL;
    *value = parsed;
    return 0;
}

bool mw_sysfile_exists(const char *root, const char *path)
{
    char full[PATH_MAX];
    int n = snprintf(full, sizeof full, "%s%s", root, path);
    return n > 0 && (size_t)n < sizeof full && access(full, F_OK) == 0;
}

static int add_range(struct mw_cpu_list *list, unsigned long first, unsigned long last)
{
    if (last < first || last > MAX_CPU || (list->count && first <= list->cpus[list->count - 1]))
        return EINVAL;
    unsigned *cpus = realloc(list->cpus, (list->count + (last - first) + 1) * sizeof *cpus);
    if (!cpus)
        return ENOMEM;
    list->cpus = cpus;
    for (unsigned long c = first; c <= last; c++)
        cpus[list->count++] = (unsigned)c;
    return 0;
}

int mw_cpu_list_parse(const char *text, struct mw_cpu_list *list)
{
    struct mw_cpu_list parsed = {0};
    int failed = 0;
    while (!failed && *text && *text != '\n') {
        char *end;
        if (!isdigit((unsigned char)*text)) {
            failed = EINVAL;
            break;
        }
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (*end == '-' && isdigit((unsigned char)end[1]))
            last = strtoul(end + 1, &end, 10);
        failed = add_range(&parsed, first, last);
        if (!failed && *end && *end != ',' && *end != '\n')
            failed = EINVAL;
        text = end + (*end == ',');
    }
    if (failed) {
        free(parsed.cpus);
        return failed;
    }
    *list = parsed;
    return 0;
}

int mw_sysfile_cpus(const char *root, const char *path, struct mw_cpu_list *list)
{
    char text[8192]; /* a page is the most that the kernel writes */
    int failed = mw_sysfile_text(root, text, sizeof text, "%s", path);
    return failed ? failed : mw_cpu_list_parse(text, list);
}

char *mw_cpu_list_format(const unsigned *cpus, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (size_t i = 0, j; f && i < count; i = j) {
        for (j = i + 1; j < count && cpus[j] == cpus[j - 1] + 1; j++)
            ;
        fprintf(f, j - i > 1 ? "%s%u-%u" : "%s%u", i ? "," : "", cpus[i], cpus[j - 1]);
    }
    if (f && fclose(f)) {
        free(text);
        return NULL;
    }
    return text;
}

void mw_cpu_list_release(struct mw_cpu_list *list)
{
    free(list->cpus);
    *list = (struct mw_cpu_list){0};
}

int mw_sysfile_kb(const char *root, const char *path, const char *key, size_t *size_bytes)
{
    char text[16384];
    int failed = mw_sysfile_text(root, text, sizeof text, "%s", path);
    size_t length = strlen(key);
    for (const char *line = failed ? NULL : text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) || line[length] != ':')
            continue;
        char *end;
        unsigned long long kb = strtoull(line + length + 1, &end, 10);
        if (end == line + length + 1)
            return EINVAL;
        *size_bytes = (size_t)kb * 1024;
        return 0;
    }
    return failed ? failed : ENOENT;
}
