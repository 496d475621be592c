// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_SYSFILE_H
#define MW_MEASURE_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Small files of /sys and /proc below `root` ("" for this machine). All return 0 or an errno (ENOENT for what is not
 * there, EINVAL for what does not parse); outputs are unchanged on failure. `path` is a printf format.
 */
int mw_sysfile_text(const char *root, char *text, size_t size, const char *path, ...)
    __attribute__((format(printf, 4, 5))); /* first `size`-1 bytes, trailing newline and blanks cut */
int mw_sysfile_number(const char *root, double *value, const char *path, ...) __attribute__((format(printf, 3, 4)));
bool mw_sysfile_exists(const char *root, const char *path);

/* A list of the kernel: "0-3,8,10-11"; empty is a list of none. _release frees. */
struct mw_cpu_list {
    unsigned *cpus; /* ascending */
    size_t count;
};
int mw_cpu_list_parse(const char *text, struct mw_cpu_list *list);
int mw_sysfile_cpus(const char *root, const char *path, struct mw_cpu_list *list);
/* The list as the kernel writes it; caller frees, NULL without memory. */
char *mw_cpu_list_format(const unsigned *cpus, size_t count);
void mw_cpu_list_release(struct mw_cpu_list *list);

/* Value in bytes of "key:   123 kB" in a file like /proc/meminfo; 0 or errno. */
int mw_sysfile_kb(const char *root, const char *path, const char *key, size_t *size_bytes);

#endif
