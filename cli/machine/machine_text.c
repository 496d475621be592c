// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/machine/machine.h"
#include "measure/machine/sysfile.h"

#include <stdlib.h>
#include <string.h>

#define GIB 1073741824.

static void label(FILE *f, const char *text)
{
    fprintf(f, "%s%-13s%s ", cli_bold(), text, cli_reset());
}

static const char *plural(unsigned long n)
{
    return n == 1 ? "" : "s";
}

static void print_cpus(const struct machine *m, FILE *f)
{
    const struct mw_topology *t = &m->topology;
    label(f, "cores");
    fprintf(f, "%zu physical core%s in %u package%s", t->core_count, plural(t->core_count), t->package_count,
            plural(t->package_count));
    if (t->kind_count > 1) {
        fprintf(f, ", %u kinds (", t->kind_count);
        for (unsigned k = t->kind_count; k-- > 0;) {
            size_t n = 0;
            for (size_t c = 0; c < t->core_count; c++)
                n += t->cores[c].kind == k;
            fprintf(f, "%zu%s", n, k ? " + " : ", fastest first)");
        }
    }
    fputc('\n', f);
    char *list = mw_cpu_list_format(m->cpus, t->cpu_allowed_count);
    label(f, "CPUs");
    fprintf(f, "%u of %u may be used: %s", t->cpu_allowed_count, t->cpu_total_count, list ? list : "?");
    if (t->cpu_offline_count)
        fprintf(f, "; %u offline", t->cpu_offline_count);
    fprintf(f, t->smt ? "; hyper-threads: %u a core\n" : "; no hyper-threads\n", m->smt);
    free(list);
    if (m->limit.cpus < t->cpu_allowed_count) {
        label(f, "quota");
        fprintf(f, "%.4g CPUs' worth of time, by the control group '%s': more cores than that only wait\n",
                m->limit.cpus, m->limit.group);
    }
    if (!m->boundary_count)
        return;
    label(f, "boundaries");
    for (size_t i = 0; i < m->boundary_count; i++)
        fprintf(f, "%safter %u (%s)", i ? ", " : "", m->boundaries[i], mw_boundary_name(m->boundary_kinds[i]));
    fputc('\n', f);
}

static void print_caches(const struct machine *m, FILE *f)
{
    const struct mw_topology *t = &m->topology;
    bool first = true;
    for (size_t i = 0; i < t->cache_count; i++) {
        const struct mw_cache *c = &t->caches[i];
        unsigned instances = 0;
        bool seen = false;
        for (size_t k = 0; k < t->cache_count; k++) {
            const struct mw_cache *d = &t->caches[k];
            bool same = d->level == c->level && d->instruction == c->instruction && d->size_bytes == c->size_bytes &&
                        d->core_count == c->core_count;
            seen = seen || (same && k < i);
            instances += same;
        }
        if (seen)
            continue;
        label(f, first ? "caches" : "");
        first = false;
        fprintf(f, "L%u%s %zu KiB x %u, shared by %u core%s", c->level,
                c->level > 1     ? ""
                : c->instruction ? "i"
                                 : "d",
                c->size_bytes / 1024, instances, c->core_count, plural(c->core_count));
        if (c->ways)
            fprintf(f, ", %u ways", c->ways);
        fprintf(f, c->line_bytes ? ", lines of %zu bytes\n" : "\n", c->line_bytes);
    }
    if (first)
        return;
    label(f, "");
    fprintf(f, "sizes as reported");
    if (m->llc_doubt && m->llc_measured_bytes)
        fprintf(f, "; the last level is not believed (%s): measured %zu KiB", m->llc_doubt,
                m->llc_measured_bytes / 1024);
    else if (m->llc_doubt)
        fprintf(f, "; the last level is not believed (%s): memwall measure finds its size", m->llc_doubt);
    fputc('\n', f);
}

static void print_nodes(const struct machine *m, FILE *f)
{
    for (size_t i = 0; i < m->topology.node_count; i++) {
        const struct mw_node *n = &m->topology.nodes[i];
        label(f, i ? "" : "memory");
        fprintf(f, "node %u: %.1f GiB", n->os_index, (double)n->memory_bytes / GIB);
        if (n->core_count)
            fprintf(f, ", %u core%s\n", n->core_count, plural(n->core_count));
        else
            fputs(", no cores\n", f);
    }
}

/* What a policy says, but for its CPUs. */
static void policy_text(const struct machine *m, const struct mw_policy *p, char *text, size_t size)
{
    char governor[64], steps[32] = "a range";
    if (mw_sysfile_text(m->root, governor, sizeof governor, "%s/scaling_governor", p->folder))
        snprintf(governor, sizeof governor, "unknown");
    if (p->table_count)
        snprintf(steps, sizeof steps, "%zu steps", p->table_count);
    snprintf(text, size, "%s, governor %s, %.2f to %.2f GHz, %s", p->driver_name, governor, (double)p->min_khz * 1e-6,
             (double)p->max_khz * 1e-6, steps);
}

static int by_number(const void *a, const void *b)
{
    const unsigned *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* One line for all policies that say the same. */
static void print_policies(const struct machine *m, FILE *f)
{
    const struct mw_cpufreq *c = &m->cpufreq;
    char mine[256], other[256];
    bool first = true;
    unsigned *cpus = calloc(m->topology.cpu_total_count + c->count + 1, sizeof *cpus);
    for (size_t i = 0; cpus && i < c->count; i++) {
        size_t n = 0, total = m->topology.cpu_total_count + c->count;
        bool seen = false;
        policy_text(m, &c->policies[i], mine, sizeof mine);
        for (size_t k = 0; k < c->count && !seen; k++) {
            policy_text(m, &c->policies[k], other, sizeof other);
            bool same = !strcmp(mine, other);
            seen = same && k < i;
            for (size_t j = 0; same && j < c->policies[k].cpus.count && n < total; j++)
                cpus[n++] = c->policies[k].cpus.cpus[j];
        }
        if (seen)
            continue;
        qsort(cpus, n, sizeof *cpus, by_number);
        char *list = mw_cpu_list_format(cpus, n);
        label(f, first ? "frequency" : "");
        fprintf(f, "CPU %s: %s\n", list ? list : "?", mine);
        free(list);
        first = false;
    }
    free(cpus);
}

static void print_frequencies(const struct machine *m, FILE *f)
{
    if (m->has_cpufreq) {
        print_policies(m, f);
    } else {
        label(f, "frequency");
        fputs("can't be set here\n", f);
    }
    for (size_t i = 0; i < m->clock_count; i++) {
        label(f, i ? "" : "measured");
        fprintf(f, "%.2f GHz with %u core%s at work\n", m->clock[i].freq_hz * 1e-9, m->clock[i].cores,
                plural(m->clock[i].cores));
    }
    int boost = m->has_cpufreq ? mw_cpufreq_boost_state(&m->cpufreq) : -1;
    if (boost >= 0) {
        label(f, "boost");
        fputs(boost ? "on\n" : "off\n", f);
    }
}

static void print_memory(const struct machine *m, FILE *f)
{
    if (m->memory_freq_hz > 0) {
        label(f, "memory speed");
        fprintf(f, "%.0f MT/s (%s)\n", m->memory_freq_hz * 1e-6, m->memory_freq_given ? "given" : "SMBIOS");
    }
    for (size_t i = 0; i < m->devices.count; i++) {
        const struct mw_dimm *d = &m->devices.dimms[i];
        if (!d->size_bytes)
            continue;
        label(f, "");
        fprintf(f, "%s: %s %.0f GiB, rated %u MT/s, runs at %u\n", d->locator, mw_dimm_type_name(d->type),
                (double)d->size_bytes / GIB, d->rated_mts, d->configured_mts);
    }
    if (m->stream_bps > 0) {
        label(f, "bandwidth");
        fprintf(f, "triad %.4g GB/s", m->stream_bps * 1e-9);
        if (m->stream_1_bps > 0)
            fprintf(f, ", %.4g on one core", m->stream_1_bps * 1e-9);
        fputc('\n', f);
    }
    if (m->latency_s > 0) {
        label(f, "latency");
        fprintf(f, "%.4g ns\n", m->latency_s * 1e9);
    }
    label(f, "pages");
    if (m->page_bytes)
        fprintf(f, "%zu KiB", m->page_bytes / 1024);
    fprintf(f, "%stransparent huge pages %s", m->page_bytes ? "; " : "", *m->thp ? m->thp : "unknown");
    if (m->thp_bytes)
        fprintf(f, " (%zu KiB)", m->thp_bytes / 1024);
    for (size_t i = 0; i < m->pool_count; i++)
        fprintf(f, "; pool of %zu KiB: %.0f, %.0f free", m->pools[i].page_bytes / 1024, m->pools[i].total,
                m->pools[i].free);
    fputc('\n', f);
    if (m->numa_balancing > 0) {
        label(f, "");
        fputs("automatic NUMA balancing is on: it moves pages while they are measured\n", f);
    }
}

void machine_print(const struct machine *m, FILE *f)
{
    label(f, "machine");
    fprintf(f, "%s: %s%s%s%s\n", m->name, *m->model ? m->model : "model unknown", *m->isa ? ", " : "", m->isa,
            m->guest ? ", virtual machine (caches may be the host's)" : "");
    print_cpus(m, f);
    print_caches(m, f);
    print_nodes(m, f);
    print_frequencies(m, f);
    print_memory(m, f);
    for (size_t i = 0; i < m->meter_count; i++) {
        label(f, i ? "" : "energy");
        fprintf(f, "%s %s%s%s\n", m->meters[i].source, m->meters[i].name, m->meters[i].failed ? ": " : "",
                m->meters[i].failed ? strerror(m->meters[i].failed) : "");
    }
    if (*m->events) {
        label(f, "counters");
        fprintf(f, "%s\n", m->events);
    }
    machine_print_gpus(m, f);
    for (size_t i = 0; i < m->unknown_count; i++) {
        label(f, i ? "" : "not known");
        fprintf(f, "%s: %s%s%s%s\n", m->unknown[i].what, m->unknown[i].why, *m->unknown[i].hint ? " (" : "",
                m->unknown[i].hint, *m->unknown[i].hint ? ")" : "");
    }
}
