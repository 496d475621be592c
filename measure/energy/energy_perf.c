// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/energy/energy_counter.h"
#include "measure/machine/sysfile.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEVICE "/sys/bus/event_source/devices/power"

/* Virtual machines show RAPL events that stand still: such a counter is none. Real ones move every millisecond. */
static bool moves(const struct mw_counter *counter)
{
    const struct timespec wait = {.tv_nsec = 20000000};
    double first, later;
    int failed = mw_counter_read("", counter, &first);
    nanosleep(&wait, NULL);
    return !failed && !mw_counter_read("", counter, &later) && later > first;
}

static enum mw_err add_event(const char *event, const char *name, double type, struct mw_counters *counters,
                             bool *denied, struct mw_error *error)
{
    char config[64];
    double scale;
    struct mw_cpu_list cpus = {0}; /* one a package */
    enum mw_err err = MW_OK;
    if (mw_sysfile_text("", config, sizeof config, DEVICE "/events/%s", event) ||
        mw_sysfile_number("", &scale, DEVICE "/events/%s.scale", event) ||
        mw_sysfile_cpus("", DEVICE "/cpumask", &cpus))
        return MW_OK;
    const char *code = strstr(config, "event=");
    for (size_t i = 0; code && i < cpus.count && !err; i++) {
        struct perf_event_attr attr = {
            .size = sizeof attr, .type = (unsigned)type, .config = strtoull(code + 6, NULL, 0)};
        int fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpus.cpus[i], -1, PERF_FLAG_FD_CLOEXEC);
        if (fd < 0) {
            *denied = *denied || errno == EACCES || errno == EPERM;
            continue;
        }
        struct mw_counter c = {.fd = fd, .unit = scale, .update_s = 1e-3};
        snprintf(c.name, sizeof c.name, "%s of CPU %u", name, cpus.cpus[i]);
        if (!moves(&c)) {
            close(fd);
            continue;
        }
        mw_counters_tell(counters, c.name);
        err = mw_counters_add(counters, &c, error);
        if (err)
            close(fd);
    }
    mw_cpu_list_release(&cpus);
    return err;
}

/* The same domains as powercap's, by events that perf may be allowed to read where the files are not. */
static enum mw_err find(const char *root, struct mw_counters *counters, bool *denied, struct mw_error *error)
{
    double type;
    if (*root || mw_sysfile_number("", &type, DEVICE "/type"))
        return MW_OK;
    enum mw_err err = add_event("energy-pkg", "package", type, counters, denied, error);
    if (!err && counters->count)
        err = add_event("energy-ram", "dram", type, counters, denied, error);
    else if (!err)
        err = add_event("energy-psys", "psys", type, counters, denied, error);
    return err;
}

const struct mw_energy_source mw_energy_perf = {
    .name = "RAPL by perf",
    .find = find,
    .remedy = "perf's power events need CAP_PERFMON or kernel.perf_event_paranoid at 0 or below: run memwall with sudo",
};
