// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/machine/machine.h"
#include "measure/run/events.h"
#include "measure/probe/arena.h"
#include "measure/probe/clock.h"
#include "measure/probe/llc.h"
#include "measure/machine/sysfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

void machine_add_unknown(struct machine *m, const char *what, const char *why, const char *hint)
{
    if (m->unknown_count == MACHINE_UNKNOWN_MAX)
        return;
    struct machine_unknown *u = &m->unknown[m->unknown_count++];
    u->what = what;
    snprintf(u->why, sizeof u->why, "%s", why);
    snprintf(u->hint, sizeof u->hint, "%s", hint);
}

/* Value of the first line "key : value" of /proc/cpuinfo. */
static bool cpuinfo(const char *text, const char *key, char *value, size_t size)
{
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *rest = line + length;
        if (strncmp(line, key, length) || rest[strspn(rest, " \t")] != ':')
            continue;
        rest += strspn(rest, " \t") + 1;
        rest += strspn(rest, " \t");
        snprintf(value, size, "%.*s", (int)strcspn(rest, "\n"), rest);
        return *value != '\0';
    }
    return false;
}

/* Of a captured tree the architecture can only be told from what its /proc/cpuinfo says. */
static void guess_isa(const char *text, char *isa, size_t size)
{
    char value[4096];
    *isa = '\0';
    if (cpuinfo(text, "flags", value, sizeof value))
        snprintf(isa, size, "%s", strstr(value, " lm ") ? "x86_64" : "i686");
    else if (cpuinfo(text, "CPU architecture", value, sizeof value))
        snprintf(isa, size, "%s", strtol(value, NULL, 10) >= 8 || !strncmp(value, "AArch64", 7) ? "aarch64" : "arm");
    else if (cpuinfo(text, "cpu", value, sizeof value) && strstr(value, "POWER"))
        snprintf(isa, size, "ppc64");
    else if (cpuinfo(text, "vendor", value, sizeof value) && strstr(value, "Intel"))
        snprintf(isa, size, "ia64");
}

static void read_identity(struct machine *m)
{
    static const char *const model_keys[] = {"model name", "cpu", "Processor", "Hardware", "CPU part"};
    struct utsname host;
    char text[16384] = "";
    if (!*m->root && !uname(&host)) {
        snprintf(m->name, sizeof m->name, "%s", host.nodename);
        snprintf(m->isa, sizeof m->isa, "%s", host.machine);
    } else {
        size_t length = strlen(m->root);
        while (length && m->root[length - 1] == '/')
            length--;
        size_t from = length;
        while (from && m->root[from - 1] != '/')
            from--;
        snprintf(m->name, sizeof m->name, "%.*s", (int)(length - from), m->root + from);
    }
    int failed = mw_sysfile_text(m->root, text, sizeof text, "/proc/cpuinfo");
    for (size_t i = 0; i < sizeof model_keys / sizeof *model_keys && !*m->model; i++)
        if (!cpuinfo(text, model_keys[i], m->model, sizeof m->model))
            *m->model = '\0';
    if (*m->root)
        guess_isa(text, m->isa, sizeof m->isa);
    m->guest = strstr(text, " hypervisor") || mw_sysfile_exists(m->root, "/sys/hypervisor/type");
    if (failed || !*m->model)
        machine_add_unknown(m, "processor model",
                            failed ? "/proc/cpuinfo is not there" : "/proc/cpuinfo does not name it", "");
}

static int by_number(const void *a, const void *b)
{
    const unsigned *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static enum mw_err read_topology(struct machine *m, struct mw_error *error)
{
    enum mw_err err = mw_topology_open(&m->topology, m->root, error);
    if (err)
        return err;
    const struct mw_topology *t = &m->topology;
    size_t n = 0;
    m->cpus = calloc(t->cpu_allowed_count + 1, sizeof *m->cpus);
    if (!m->cpus)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t c = 0; c < t->core_count; c++) {
        m->smt = t->cores[c].cpu_count > m->smt ? (unsigned)t->cores[c].cpu_count : m->smt;
        for (size_t i = 0; i < t->cores[c].cpu_count; i++)
            m->cpus[n++] = t->cores[c].cpus[i];
    }
    qsort(m->cpus, n, sizeof *m->cpus, by_number);
    for (size_t i = 0; i < t->node_count; i++) {
        m->memory_bytes += t->nodes[i].memory_bytes;
        m->cores_per_node = t->nodes[i].core_count > m->cores_per_node ? t->nodes[i].core_count : m->cores_per_node;
    }
    m->llc_bytes = mw_topology_llc_bytes(t, m->cpus, n);
    bool level_one = false;
    for (size_t i = 0; i < t->cache_count; i++)
        level_one = level_one || (t->caches[i].level == 1 && t->caches[i].size_bytes);
    if (!m->llc_bytes || !level_one)
        machine_add_unknown(m, m->llc_bytes ? "first-level caches" : "caches", "the kernel does not report them",
                            "memwall measure cache finds them by measurement");
    if (!m->memory_bytes)
        machine_add_unknown(m, "memory size", "the kernel does not report it", "");
    return mw_topology_boundaries(t, MW_ORDER_COMPACT, true, &m->boundaries, &m->boundary_kinds, &m->boundary_count,
                                  error);
}

/* What the cores really run at: on this machine only, a tree can't be run on. */
static void read_clock(struct machine *m)
{
    const struct mw_topology *t = &m->topology;
    unsigned counts[] = {1, (unsigned)t->core_count};
    unsigned *cpus = calloc(t->core_count, sizeof *cpus);
    double *freq_hz = calloc(t->core_count, sizeof *freq_hz);
    struct mw_error ignored;
    bool foreign = *m->root || !hwloc_topology_is_thissystem(t->hwloc);
    if (cpus && freq_hz && !foreign && !mw_topology_select(t, t->core_count, MW_ORDER_COMPACT, false, cpus, &ignored))
        for (size_t k = 0; k < (t->core_count > 1 ? 2u : 1u); k++) {
            if (mw_clock_effective(cpus, counts[k], freq_hz, &ignored))
                continue;
            double lowest = freq_hz[0];
            for (unsigned i = 1; i < counts[k]; i++)
                lowest = freq_hz[i] < lowest ? freq_hz[i] : lowest;
            m->clock[m->clock_count++] = (struct machine_clock){counts[k], lowest};
        }
    free(cpus);
    free(freq_hz);
}

static enum mw_err read_frequencies(struct machine *m, struct mw_error *error)
{
    struct mw_error inner;
    enum mw_err err = mw_cpufreq_open(&m->cpufreq, m->root, true, &inner);
    m->has_cpufreq = !err;
    if (err == MW_NOMEM)
        return mw_fail(error, err, "%s", inner.message);
    if (err)
        machine_add_unknown(m, "frequency control", inner.message,
                            "usual in virtual machines; frequency effects can't be identified here");
    else if (!m->cpufreq.freq_count)
        machine_add_unknown(m, "settable frequencies", "the policies name neither a table nor limits", "");
    return MW_OK;
}

/* What probes would size their arrays by. */
static void doubt_caches(struct machine *m)
{
    if (!m->llc_bytes || !m->topology.core_count)
        return;
    unsigned cpu = m->topology.cores[0].cpus[0];
    m->llc_doubt = mw_llc_doubt(&m->topology, cpu, m->guest);
    if (!m->llc_doubt || *m->root || !mw_llc_kept(mw_llc_reported(&m->topology, cpu), &m->llc_measured_bytes))
        m->llc_measured_bytes = 0;
}

static void read_memory(struct machine *m, double memory_freq_hz)
{
    struct mw_error why;
    enum mw_err err = mw_smbios_read(&m->devices, m->root, &why);
    m->mts = err ? 0 : mw_smbios_mts(&m->devices, &m->mts_doubtful);
    m->memory_freq_given = memory_freq_hz > 0;
    m->memory_freq_hz = memory_freq_hz > 0 ? memory_freq_hz : m->mts * 1e6;
    if (err && !m->memory_freq_given)
        machine_add_unknown(m, "memory speed", why.message, why.hint);
    else if (!err && !m->mts && !m->memory_freq_given)
        machine_add_unknown(m, "memory speed", "the SMBIOS table has no speed (virtual machine)", "--memory-freq GHz");
    else if (m->mts_doubtful && !m->memory_freq_given)
        machine_add_unknown(
            m, "memory speed for sure",
            "the SMBIOS value is below the lowest rate of its kind: it may be the clock, half of the transfers",
            "--memory-freq GHz");
}

static void read_pages(struct machine *m)
{
    char text[128];
    double number;
    m->page_bytes = *m->root ? 0 : mw_page_bytes();
    if (!mw_sysfile_text(m->root, text, sizeof text, "/sys/kernel/mm/transparent_hugepage/enabled")) {
        const char *from = strchr(text, '['), *to = from ? strchr(from, ']') : NULL;
        if (to)
            snprintf(m->thp, sizeof m->thp, "%.*s", (int)(to - from - 1), from + 1);
    }
    if (!mw_sysfile_number(m->root, &number, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"))
        m->thp_bytes = (size_t)number;
    for (size_t kb = 64; kb <= (size_t)16 << 20 && m->pool_count < MACHINE_POOLS_MAX; kb *= 2) {
        struct machine_pool pool = {.page_bytes = kb * 1024};
        if (mw_sysfile_number(m->root, &pool.total, "/sys/kernel/mm/hugepages/hugepages-%zukB/nr_hugepages", kb))
            continue;
        if (mw_sysfile_number(m->root, &pool.free, "/sys/kernel/mm/hugepages/hugepages-%zukB/free_hugepages", kb))
            pool.free = 0;
        m->pools[m->pool_count++] = pool;
    }
    m->numa_balancing = -1;
    if (!mw_sysfile_number(m->root, &number, "/proc/sys/kernel/numa_balancing"))
        m->numa_balancing = number;
}

static enum mw_err read_meters(struct machine *m, struct mw_error *error)
{
    enum mw_err err = mw_meters_find(&m->meters, &m->meter_count, m->root, error);
    size_t readable = 0;
    for (size_t i = 0; i < m->meter_count; i++)
        readable += !m->meters[i].failed;
    if (!err && !m->meter_count)
        machine_add_unknown(m, "energy", "there is no powercap, perf, hwmon, Cray or battery meter",
                            "scan --energy-command takes any program that prints joules");
    else if (!err && !readable)
        machine_add_unknown(m, "energy", "the meters there are may not be read (root only since 2020)",
                            "sudo, or: chmod a+r /sys/class/powercap/intel-rapl*/energy_uj");
    return err;
}

/* The processor's event counters, which only this machine's can be asked for. */
static void read_events(struct machine *m)
{
    struct mw_events events;
    struct mw_error why;
    if (*m->root)
        return;
    if (mw_events_open(&events, &why)) {
        machine_add_unknown(m, "counters", why.message, why.hint);
        return;
    }
    for (int i = 0; i < MW_EVENT_COUNT; i++) {
        size_t used = strlen(m->events);
        if (events.fd[i] >= 0)
            snprintf(m->events + used, sizeof m->events - used, "%s%s", used ? ", " : "",
                     mw_event_name((enum mw_event)i));
    }
    mw_events_close(&events);
}

enum mw_err machine_read(struct machine *machine, const char *root, double memory_freq_hz, struct mw_error *error)
{
    struct machine m = {.root = root};
    read_identity(&m);
    enum mw_err err = read_topology(&m, error);
    if (!err)
        err = read_frequencies(&m, error);
    if (!err)
        err = read_meters(&m, error);
    if (!err && !*root) /* drivers of a captured tree can't be called */
        err = machine_read_gpus(&m, error);
    if (!err) {
        doubt_caches(&m);
        read_clock(&m);
        read_memory(&m, memory_freq_hz);
        read_pages(&m);
        read_events(&m);
        mw_cpu_limit(root, &m.limit);
        *machine = m;
    } else {
        machine_release(&m);
    }
    return err;
}

void machine_release(struct machine *machine)
{
    if (machine->has_cpufreq)
        mw_cpufreq_close(&machine->cpufreq);
    mw_topology_close(&machine->topology);
    mw_smbios_release(&machine->devices);
    free(machine->cpus);
    free(machine->boundaries);
    free(machine->boundary_kinds);
    free(machine->meters);
    free(machine->gpus);
    *machine = (struct machine){0};
}
