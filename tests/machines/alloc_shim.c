// SPDX-License-Identifier: GPL-3.0-or-later
// LD_PRELOAD: the ALLOC_FAIL_AT-th allocation of the process fails (each from there on with ALLOC_FAIL_ALL); how many there
// were goes to the file ALLOC_LOG at the end. Counting is over all threads; OMP_NUM_THREADS=1 makes it repeat.
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern char **environ;

static atomic_long count;
static long fail_at = -1; /* -1: not asked for yet */
static int all;

/* getenv is not to be relied on before the C library has been set up. */
static const char *variable(const char *name)
{
    size_t length = strlen(name);
    for (char **e = environ; e && *e; e++)
        if (!strncmp(*e, name, length) && (*e)[length] == '=')
            return *e + length + 1;
    return NULL;
}

static int fails(void)
{
    if (fail_at < 0) {
        const char *at = variable("ALLOC_FAIL_AT");
        fail_at = at ? atol(at) : 0;
        all = variable("ALLOC_FAIL_ALL") != NULL;
    }
    long now = atomic_fetch_add(&count, 1) + 1;
    if (!fail_at || !(all ? now >= fail_at : now == fail_at))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = variable("ALLOC_LOG");
    long so_far = atomic_load(&count);
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f) {
        fprintf(f, "%ld\n", so_far);
        fclose(f);
    }
}
