// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's own names for what every processor counts; it knows what the processor at hand calls them. */
static const struct {
    const char *name;
    uint64_t config;
} known[MW_EVENT_COUNT] = {
    [MW_EVENT_CYCLES] = {"cycles", PERF_COUNT_HW_CPU_CYCLES},
    [MW_EVENT_INSTRUCTIONS] = {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
    [MW_EVENT_CACHE_MISSES] = {"cache_misses", PERF_COUNT_HW_CACHE_MISSES},
    [MW_EVENT_STALLS] = {"stalls", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
};

const char *mw_event_name(enum mw_event event)
{
    return known[event].name;
}

static int open_event(enum mw_event event)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = known[event].config,
                                   .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
                                   .disabled = 1,
                                   .inherit = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .enable_on_exec = 1};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static enum mw_err say_why(int code, struct mw_error *error)
{
    if (code == EACCES || code == EPERM) {
        mw_fail(error, MW_PERM, "the processor's event counters may not be read");
        return mw_hint(error, "sysctl kernel.perf_event_paranoid=2 allows it; a container needs --cap-add PERFMON");
    }
    if (code == ENOSYS)
        return mw_fail(error, MW_UNSUPPORTED, "this kernel has no event counters");
    if (code == ENOENT || code == EOPNOTSUPP || code == ENODEV) {
        mw_fail(error, MW_UNSUPPORTED, "the kernel offers no event counters of this processor");
        return mw_hint(error, "virtual machines mostly have none");
    }
    return mw_fail_errno(error, MW_IO, code, "cannot open the processor's event counters");
}

enum mw_err mw_events_open(struct mw_events *events, struct mw_error *error)
{
    struct mw_events made;
    int code = 0, opened = 0;
    for (int i = 0; i < MW_EVENT_COUNT; i++) {
        made.fd[i] = open_event((enum mw_event)i);
        opened += made.fd[i] >= 0;
        if (made.fd[i] < 0 && !code) /* that of the first: cycles, which every counting processor has */
            code = errno;
    }
    if (!opened)
        return say_why(code, error);
    *events = made;
    return MW_OK;
}

void mw_events_read(const struct mw_events *events, struct mw_event_counts *counts)
{
    struct mw_event_counts c = {.share = 1};
    bool any = false;
    for (int i = 0; i < MW_EVENT_COUNT; i++) {
        uint64_t got[3]; /* count, time enabled, time running */
        if (events->fd[i] < 0 || read(events->fd[i], got, sizeof got) != sizeof got || !got[1] || !got[2])
            continue;
        double share = (double)got[2] / (double)got[1];
        c.has[i] = any = true;
        c.count[i] = (double)got[0] / share;
        c.share = share < c.share ? share : c.share;
    }
    if (!any)
        c.share = 0;
    *counts = c;
}

void mw_events_close(struct mw_events *events)
{
    for (int i = 0; i < MW_EVENT_COUNT; i++)
        if (events->fd[i] >= 0)
            close(events->fd[i]);
    memset(events->fd, -1, sizeof events->fd);
}
