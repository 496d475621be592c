// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/machine/machine.h"
#include "data/json.h"
#include "measure/machine/sysfile.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value ? value : json_null());
}

static json_t *whole_or_null(size_t value)
{
    return value ? json_integer((json_int_t)value) : json_null();
}

/* What the kernel writes may be anything: not valid UTF-8 is replaced by null. */
static json_t *text_or_null(const char *text)
{
    return *text ? json_string(text) : json_null();
}

static json_t *cpu_list(const unsigned *cpus, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(cpus[i]));
    return list;
}

/* The keys of data/profile.h: what `fit --machine` and `predict --target` read. */
static void put_profile(const struct machine *m, json_t *o)
{
    json_t *clock = json_array(), *freqs = json_array(), *boundaries = json_array(), *source = json_object();
    for (size_t i = 0; i < m->clock_count; i++)
        json_array_append_new(clock, json_pack("[i, f]", (int)m->clock[i].cores, m->clock[i].freq_hz * 1e-9));
    for (size_t i = 0; m->has_cpufreq && i < m->cpufreq.freq_count; i++)
        json_array_append_new(freqs, json_real(m->cpufreq.freqs_hz[i] * 1e-9));
    for (size_t i = 0; i < m->boundary_count; i++)
        json_array_append_new(boundaries, json_integer(m->boundaries[i]));
    put(o, "name", text_or_null(m->name));
    put(o, "cores", json_integer((json_int_t)m->topology.core_count));
    put(o, "cores_per_node", whole_or_null(m->cores_per_node));
    put(o, "sockets", json_integer(m->topology.package_count));
    put(o, "smt", json_integer(m->smt));
    put(o, "boundaries", boundaries);
    if (m->clock_count) {
        put(o, "clock_ghz", clock);
        put(source, "clock_ghz", json_string("measured"));
    } else {
        json_decref(clock);
        put(o, "clock_ghz", NULL);
    }
    put(o, "freqs_ghz", freqs);
    put(o, "stream_gbs", mw_json_real(m->stream_bps > 0, m->stream_bps * 1e-9));
    put(o, "stream_1_gbs", mw_json_real(m->stream_1_bps > 0, m->stream_1_bps * 1e-9));
    put(o, "latency_ns", mw_json_real(m->latency_s > 0, m->latency_s * 1e9));
    if (m->stream_bps > 0)
        put(source, "stream_gbs", json_string("measured"));
    if (m->latency_s > 0)
        put(source, "latency_ns", json_string("measured"));
    put(o, "channels", NULL); /* no table of a system has them: from the data sheet, by hand */
    put(o, "score", NULL);
    put(o, "mem_bytes", whole_or_null(m->memory_bytes));
    put(o, "llc_bytes", whole_or_null(m->llc_bytes));
    if (m->llc_bytes)
        put(source, "llc_bytes", json_string(m->llc_doubt ? "reported, doubtful" : "reported"));
    put(o, "mem_mts", whole_or_null(m->mts));
    put(o, "memory_freq_ghz", mw_json_real(m->memory_freq_hz > 0, m->memory_freq_hz * 1e-9));
    if (m->memory_freq_hz > 0)
        put(source, "memory_freq_ghz", json_string(m->memory_freq_given ? "given" : "SMBIOS"));
    put(o, "isa", text_or_null(m->isa));
    put(o, "source", source);
}

static json_t *topology_json(const struct machine *m)
{
    const struct mw_topology *t = &m->topology;
    json_t *o = json_object(), *cores = json_array(), *caches = json_array(), *nodes = json_array(),
           *kinds = json_array();
    put(o, "packages", json_integer(t->package_count));
    put(o, "kinds", json_integer(t->kind_count));
    put(o, "smt", json_boolean(t->smt));
    put(o, "cpus_total", json_integer(t->cpu_total_count));
    put(o, "cpus_offline", json_integer(t->cpu_offline_count));
    put(o, "cpus_allowed", cpu_list(m->cpus, t->cpu_allowed_count));
    put(o, "cpu_limit", json_real(fmin(m->limit.cpus, t->cpu_allowed_count)));
    put(o, "cpu_quota_group", text_or_null(m->limit.group));
    for (size_t i = 0; i < t->core_count; i++) {
        const struct mw_core *c = &t->cores[i];
        json_t *last = c->last_cache == UINT_MAX ? json_null() : json_integer(c->last_cache);
        json_array_append_new(cores,
                              json_pack("{s:o, s:i, s:I, s:i, s:o}", "cpus", cpu_list(c->cpus, c->cpu_count), "package",
                                        (int)c->package, "node", (json_int_t)t->nodes[c->node].os_index, "kind",
                                        (int)c->kind, "last_cache", last));
    }
    for (size_t i = 0; i < t->cache_count; i++) {
        const struct mw_cache *c = &t->caches[i];
        json_array_append_new(caches,
                              json_pack("{s:i, s:s, s:o, s:o, s:o, s:i}", "level", (int)c->level, "type",
                                        c->instruction ? "instruction" : "data", "size_bytes",
                                        whole_or_null(c->size_bytes), "line_bytes", whole_or_null(c->line_bytes),
                                        "ways", whole_or_null(c->ways), "cores", (int)c->core_count));
    }
    for (size_t i = 0; i < t->node_count; i++)
        json_array_append_new(nodes,
                              json_pack("{s:I, s:I, s:i}", "node", (json_int_t)t->nodes[i].os_index, "memory_bytes",
                                        (json_int_t)t->nodes[i].memory_bytes, "cores", (int)t->nodes[i].core_count));
    for (size_t i = 0; i < m->boundary_count; i++)
        json_array_append_new(kinds, json_string(mw_boundary_name(m->boundary_kinds[i])));
    put(o, "boundary_kinds", kinds);
    put(o, "cores", cores);
    put(o, "caches", caches);
    put(o, "nodes", nodes);
    return o;
}

/* A text file of a policy, null where it is not there. */
static json_t *policy_text(const struct machine *m, const struct mw_policy *p, const char *name)
{
    char text[512];
    return mw_sysfile_text(m->root, text, sizeof text, "%s/%s", p->folder, name) ? json_null() : json_string(text);
}

static json_t *frequency_json(const struct machine *m)
{
    json_t *o = json_object(), *policies = json_array();
    int boost = m->has_cpufreq ? mw_cpufreq_boost_state(&m->cpufreq) : -1;
    for (size_t i = 0; m->has_cpufreq && i < m->cpufreq.count; i++) {
        const struct mw_policy *p = &m->cpufreq.policies[i];
        json_t *table = json_array(), *policy = json_object();
        double khz;
        bool has = !mw_sysfile_number(m->root, &khz, "%s/scaling_cur_freq", p->folder);
        for (size_t k = 0; k < p->table_count; k++)
            json_array_append_new(table, json_real(p->table_hz[k] * 1e-9));
        put(policy, "policy", json_integer(p->number));
        put(policy, "cpus", cpu_list(p->cpus.cpus, p->cpus.count));
        put(policy, "driver", json_string(p->driver_name));
        put(policy, "governor", policy_text(m, p, "scaling_governor"));
        put(policy, "governors", policy_text(m, p, "scaling_available_governors"));
        put(policy, "min_ghz", mw_json_real(p->min_khz > 0, (double)p->min_khz * 1e-6));
        put(policy, "max_ghz", mw_json_real(p->max_khz > 0, (double)p->max_khz * 1e-6));
        put(policy, "current_ghz", mw_json_real(has, has ? khz * 1e-6 : 0));
        put(policy, "table_ghz", table);
        json_array_append_new(policies, policy);
    }
    put(o, "control", json_boolean(m->has_cpufreq));
    put(o, "boost", boost < 0 ? json_null() : json_boolean(boost));
    put(o, "policies", policies);
    return o;
}

static json_t *memory_json(const struct machine *m)
{
    json_t *o = json_object(), *dimms = json_array(), *pools = json_array();
    for (size_t i = 0; i < m->devices.count; i++) {
        const struct mw_dimm *d = &m->devices.dimms[i];
        json_array_append_new(dimms, json_pack("{s:s, s:s, s:s, s:I, s:o, s:o}", "locator", d->locator, "bank", d->bank,
                                               "type", mw_dimm_type_name(d->type), "size_bytes",
                                               (json_int_t)d->size_bytes, "rated_mts", whole_or_null(d->rated_mts),
                                               "configured_mts", whole_or_null(d->configured_mts)));
    }
    for (size_t i = 0; i < m->pool_count; i++)
        json_array_append_new(pools, json_pack("{s:I, s:f, s:f}", "page_bytes", (json_int_t)m->pools[i].page_bytes,
                                               "total", m->pools[i].total, "free", m->pools[i].free));
    put(o, "dimms", dimms);
    put(o, "mts_doubtful", json_boolean(m->mts_doubtful));
    put(o, "page_bytes", whole_or_null(m->page_bytes));
    put(o, "transparent_hugepage", text_or_null(m->thp));
    put(o, "transparent_hugepage_bytes", whole_or_null(m->thp_bytes));
    put(o, "huge_page_pools", pools);
    put(o, "numa_balancing", m->numa_balancing < 0 ? json_null() : json_integer((json_int_t)m->numa_balancing));
    return o;
}

json_t *machine_json(const struct machine *m, const struct mw_provenance *run)
{
    json_t *o = json_object(), *meters = json_array(), *unknown = json_array();
    put(o, "schema", json_string("memwall-machine/1"));
    put(o, "memwall_machine", json_integer(1));
    put_profile(m, o);
    put(o, "cpu_model", text_or_null(m->model));
    put(o, "virtual_machine", json_boolean(m->guest));
    put(o, "topology", topology_json(m));
    put(o, "frequency", frequency_json(m));
    put(o, "memory", memory_json(m));
    for (size_t i = 0; i < m->meter_count; i++) {
        const struct mw_meter *e = &m->meters[i];
        json_array_append_new(meters, json_pack("{s:s, s:s, s:s, s:b, s:o}", "source", e->source, "name", e->name,
                                                "path", e->path, "readable", e->failed == 0, "why",
                                                e->failed ? json_string(strerror(e->failed)) : json_null()));
    }
    for (size_t i = 0; i < m->unknown_count; i++)
        json_array_append_new(unknown, json_pack("{s:s, s:s, s:o}", "what", m->unknown[i].what, "why",
                                                 m->unknown[i].why, "hint", text_or_null(m->unknown[i].hint)));
    put(o, "energy", meters);
    put(o, "counters", text_or_null(m->events));
    put(o, "gpus", m->gpus ? machine_gpus_json(m) : NULL);
    put(o, "unknown", unknown);
    put(o, "run", mw_provenance_json(run));
    return o;
}
