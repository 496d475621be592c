// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "measure/machine/sysfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key, *path;
} files[] = {
    {"governor", "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"},
    {"freq_driver", "/sys/devices/system/cpu/cpufreq/policy0/scaling_driver"},
    {"transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled"},
    {"numa_balancing", "/proc/sys/kernel/numa_balancing"},
    {"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
};

/* "L1d 32 KiB x 2, L2 1024 KiB x 2": each level and size once, with the number of instances */
static enum mw_err add_caches(struct measure_run *run, struct mw_error *error)
{
    const struct mw_topology *t = &run->topology;
    char text[400] = "";
    for (size_t i = 0; i < t->cache_count; i++) {
        const struct mw_cache *c = &t->caches[i];
        unsigned instances = 0;
        bool first = true;
        for (size_t k = 0; k < t->cache_count; k++) {
            const struct mw_cache *d = &t->caches[k];
            bool same = d->level == c->level && d->size_bytes == c->size_bytes && d->instruction == c->instruction;
            first = first && !(same && k < i);
            instances += same;
        }
        if (first && !c->instruction)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%sL%u%s %zu KiB x %u", *text ? ", " : "",
                     c->level, c->level == 1 ? "d" : "", c->size_bytes / 1024, instances);
    }
    return mw_provenance_add(&run->provenance, error, "caches_reported", "%s", *text ? text : "none");
}

static enum mw_err add_cpus(struct measure_run *run, struct mw_error *error)
{
    char *list = mw_cpu_list_format(run->cpus, run->topology.core_count);
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = mw_provenance_add(&run->provenance, error, "cpus_in_order", "%s", list);
    free(list);
    return err;
}

/* What spoils any measurement here and can be changed. */
static void warn(struct measure_run *run)
{
    /* sources that a program reads without asking the kernel */
    static const char *const quick[] = {"tsc", "kvm-clock", "arch_sys_counter", "timebase", "riscv_clocksource"};
    char text[64];
    bool slow =
        !mw_sysfile_text("", text, sizeof text, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        slow = slow && strcmp(text, quick[i]) != 0;
    if (slow)
        cli_warn(run->cli, "the clock source '%s' takes a system call or more a reading: short windows are less exact",
                 text);
    double balancing;
    if (run->topology.node_count > 1 && !mw_sysfile_number("", &balancing, "/proc/sys/kernel/numa_balancing") &&
        balancing > 0)
        cli_warn(run->cli,
                 "automatic NUMA balancing may move pages while they are measured: sysctl kernel.numa_balancing=0");
}

enum mw_err measure_context(struct measure_run *run, struct mw_error *error)
{
    const char *root = run->cli->common.root;
    char text[4096];
    warn(run);
    enum mw_err err = add_caches(run, error);
    if (!err)
        err = add_cpus(run, error);
    for (size_t i = 0; !err && i < sizeof files / sizeof *files; i++)
        if (!mw_sysfile_text(root, text, sizeof text, "%s", files[i].path))
            err = mw_provenance_add(&run->provenance, error, files[i].key, "%s", text);
    run->guest = mw_sysfile_exists(root, "/sys/hypervisor/type");
    if (!mw_sysfile_text(root, text, sizeof text, "/proc/cpuinfo") && strstr(text, " hypervisor"))
        run->guest = true;
    if (!err && run->guest)
        err = mw_provenance_add(&run->provenance, error, "virtual_machine",
                                "yes; reported caches may be the host's, shared with other guests");
    return err;
}
