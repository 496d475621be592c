// SPDX-License-Identifier: GPL-3.0-or-later
// Preloaded into memwall in tests: writes below $SHIM_ROOT behave as cpufreq's do, are logged and can be made to fail.
//   SHIM_ROOT=DIR      the tree
//   SHIM_LOG=FILE      each write: "policy0/scaling_governor userspace", with " = ENAME" where it failed
//   SHIM_FAIL_AT=K     the K-th write fails, with SHIM_ERRNO (default EBUSY); SHIM_FAIL_FROM=K: and all after it
//   SHIM_KILL_AT=K     the process is killed in place of the K-th write
//   SHIM_STUCK=KHZ     at this speed policies other than 0 stay where they were (nobody is told)
//   SHIM_LIMIT=KHZ     a cap that clamps maxima silently
//   SHIM_IGNORE=1      governor userspace is taken and changes nothing
//   SHIM_LAG=MS        limits are taken at once and shown so much later, as by the kernel's work queue
//   SHIM_RESET=1       a new governor resets the limits
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long setting(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static void get(const char *folder, const char *name, char *value, size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f || !fgets(value, (int)size, f))
        *value = '\0';
    if (f)
        fclose(f);
    value[strcspn(value, "\n")] = '\0';
}

static long get_khz(const char *folder, const char *name)
{
    char value[64];
    get(folder, name, value, sizeof value);
    return atol(value);
}

/* In one piece, for who reads meanwhile. */
static void put(const char *folder, const char *name, const char *value)
{
    char path[PATH_MAX], beside[PATH_MAX], line[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(beside, sizeof beside, "%s/.%s", folder, name);
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    int length = snprintf(line, sizeof line, "%s\n", value);
    if (fd < 0)
        return;
    bool whole = syscall(SYS_write, fd, line, (size_t)length) == length;
    close(fd);
    if (whole)
        rename(beside, path);
}

static void put_khz(const char *folder, const char *name, long khz)
{
    char value[32];
    snprintf(value, sizeof value, "%ld", khz);
    put(folder, name, value);
}

static long clamp(long khz, long low, long high)
{
    return khz < low ? low : khz > high ? high : khz;
}

/* The governor's choice under load, where the hardware follows. */
static void settle(const char *folder)
{
    char governor[64];
    get(folder, "scaling_governor", governor, sizeof governor);
    long low = get_khz(folder, "scaling_min_freq"), high = get_khz(folder, "scaling_max_freq");
    long khz = !strcmp(governor, "userspace") ? clamp(get_khz(folder, "scaling_setspeed"), low, high)
               : !strcmp(governor, "powersave") && access(folder, F_OK) ? low
                                                                        : high;
    if (khz == setting("SHIM_STUCK") && !strstr(folder, "/policy0"))
        return;
    put_khz(folder, "scaling_cur_freq", khz);
}

static int set_governor(const char *folder, const char *value)
{
    char offered[256], word[80], now[64];
    get(folder, "scaling_available_governors", offered, sizeof offered);
    snprintf(word, sizeof word, "%s ", value);
    if (setting("SHIM_IGNORE") && !strcmp(value, "userspace"))
        return 0;
    if (!strstr(offered, word))
        return EINVAL;
    get(folder, "scaling_governor", now, sizeof now);
    put(folder, "scaling_governor", value);
    if (!strcmp(value, "userspace"))
        put_khz(folder, "scaling_setspeed", get_khz(folder, "scaling_cur_freq"));
    else
        put(folder, "scaling_setspeed", "<unsupported>");
    if (setting("SHIM_RESET") && strcmp(now, value)) {
        put_khz(folder, "scaling_min_freq", get_khz(folder, "cpuinfo_min_freq"));
        put_khz(folder, "scaling_max_freq", get_khz(folder, "cpuinfo_max_freq"));
    }
    return 0;
}

struct late {
    char folder[PATH_MAX];
    const char *name;
    long khz;
};

static void *put_late(void *data)
{
    struct late *late = data;
    usleep(1000 * (useconds_t)setting("SHIM_LAG"));
    put_khz(late->folder, late->name, late->khz);
    settle(late->folder);
    free(late);
    return NULL;
}

/* Limits come to be read after the lag. */
static int put_lagging(const char *folder, const char *name, long khz)
{
    pthread_t thread;
    struct late *late = malloc(sizeof *late);
    if (!late)
        return ENOMEM;
    snprintf(late->folder, sizeof late->folder, "%s", folder);
    late->name = strcmp(name, "scaling_min_freq") ? "scaling_max_freq" : "scaling_min_freq";
    late->khz = khz;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    return pthread_create(&thread, &detached, put_late, late) ? EAGAIN : 0;
}

static int apply(const char *folder, const char *name, const char *value)
{
    long khz = atol(value), low = get_khz(folder, "cpuinfo_min_freq"), high = get_khz(folder, "cpuinfo_max_freq");
    char governor[64];
    int failed = 0;
    if (setting("SHIM_LIMIT"))
        high = setting("SHIM_LIMIT");
    if (!strcmp(name, "scaling_governor"))
        failed = set_governor(folder, value);
    else if (setting("SHIM_LAG") && (!strcmp(name, "scaling_min_freq") || !strcmp(name, "scaling_max_freq")))
        failed = put_lagging(folder, name, clamp(khz, low, high));
    else if (!strcmp(name, "scaling_min_freq") && khz > get_khz(folder, "scaling_max_freq"))
        failed = EINVAL;
    else if (!strcmp(name, "scaling_max_freq") && khz < get_khz(folder, "scaling_min_freq"))
        failed = EINVAL;
    else if (!strcmp(name, "scaling_min_freq") || !strcmp(name, "scaling_max_freq"))
        put_khz(folder, name, clamp(khz, low, high));
    else if (!strcmp(name, "scaling_setspeed")) {
        get(folder, "scaling_governor", governor, sizeof governor);
        if (strcmp(governor, "userspace"))
            failed = EINVAL;
        else
            put_khz(folder, name, clamp(khz, get_khz(folder, "scaling_min_freq"), get_khz(folder, "scaling_max_freq")));
    } else {
        put(folder, name, value);
    }
    if (!failed && strstr(folder, "/policy"))
        settle(folder);
    return failed;
}

static void note(const char *path, const char *value, int failed)
{
    const char *log = getenv("SHIM_LOG"), *slash = strrchr(path, '/');
    FILE *f = log ? fopen(log, "a") : NULL;
    if (!f)
        return;
    const char *from = slash;
    while (from > path && from[-1] != '/')
        from--;
    fprintf(f, "%s %s%s%s\n", from, value, failed ? " = " : "", failed ? strerrorname_np(failed) : "");
    fclose(f);
}

ssize_t write(int fd, const void *data, size_t size)
{
    static long count;
    char link[64], path[PATH_MAX], value[64], folder[PATH_MAX];
    const char *root = getenv("SHIM_ROOT");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = root ? readlink(link, path, sizeof path - 1) : -1;
    if (length > 0)
        path[length] = '\0';
    size_t root_length = root ? strlen(root) : 0;
    if (length <= 0 || strncmp(path, root, root_length) || strncmp(path + root_length, "/sys/", 5))
        return syscall(SYS_write, fd, data, size);
    snprintf(value, sizeof value, "%.*s", (int)size, (const char *)data);
    value[strcspn(value, "\n")] = '\0';
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    count++;
    if (count == setting("SHIM_KILL_AT"))
        kill(getpid(), SIGKILL);
    long from = setting("SHIM_FAIL_FROM");
    int failed = count == setting("SHIM_FAIL_AT") || (from && count >= from)
                     ? (setting("SHIM_ERRNO") ? (int)setting("SHIM_ERRNO") : EBUSY)
                     : apply(folder, strrchr(path, '/') + 1, value);
    note(path, value, failed);
    if (failed) {
        errno = failed;
        return -1;
    }
    return (ssize_t)size;
}

/* The file has been written anew by then. */
int ftruncate(int fd, off_t size)
{
    char link[64], path[PATH_MAX];
    const char *root = getenv("SHIM_ROOT");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = root ? readlink(link, path, sizeof path - 1) : -1;
    if (length > 0 && !strncmp(path, root, strlen(root)) && !strncmp(path + strlen(root), "/sys/", 5))
        return 0;
    return (int)syscall(SYS_ftruncate, fd, size);
}
