// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/freq/cpufreq.h"

#include "data/stats.h"
#include "measure/freq/cpufreq_state.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_ROOT "/sys/devices/system/cpu"

int mw_policy_read(const struct mw_cpufreq *cpufreq, const struct mw_policy *policy, const char *name, char *value,
                   size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", policy->folder, name);
    return mw_attribute_read(&cpufreq->attributes, path, value, size);
}

int mw_policy_number(const struct mw_cpufreq *cpufreq, const struct mw_policy *policy, const char *name, long *value)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", policy->folder, name);
    return mw_attribute_number(&cpufreq->attributes, path, value);
}

/* "0 1 4" as the cpufreq files have it. */
static void read_cpus(const struct mw_cpufreq *cpufreq, const struct mw_policy *policy, const char *name,
                      struct mw_cpu_list *list)
{
    char text[8192];
    if (mw_policy_read(cpufreq, policy, name, text, sizeof text))
        return;
    for (char *c = text; *c; c++)
        if (*c == ' ')
            *c = ',';
    if (mw_cpu_list_parse(text, list))
        *list = (struct mw_cpu_list){0};
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

/* Appends the frequencies (kHz, any order) of a file of the policy. */
static enum mw_err read_table(const struct mw_cpufreq *cpufreq, struct mw_policy *policy, const char *name,
                              struct mw_error *error)
{
    char text[4096], *rest = text, *word;
    if (mw_policy_read(cpufreq, policy, name, text, sizeof text))
        return MW_OK;
    while ((word = strsep(&rest, " \t"))) {
        long khz = strtol(word, NULL, 10);
        if (khz <= 0)
            continue;
        double *table = realloc(policy->table_hz, (policy->table_count + 1) * sizeof *table);
        if (!table)
            return mw_fail(error, MW_NOMEM, "out of memory");
        policy->table_hz = table;
        table[policy->table_count++] = 1e3 * (double)khz;
    }
    return MW_OK;
}

static enum mw_err read_policy(struct mw_cpufreq *cpufreq, struct mw_policy *policy, struct mw_error *error)
{
    char text[512], mode[32] = "";
    if (mw_policy_read(cpufreq, policy, "scaling_driver", policy->driver_name, sizeof policy->driver_name))
        snprintf(policy->driver_name, sizeof policy->driver_name, "unknown");
    policy->driver = mw_cpufreq_driver_find(policy->driver_name, "");
    if (policy->driver->status && !mw_attribute_read(&cpufreq->attributes, policy->driver->status, mode, sizeof mode))
        policy->driver = mw_cpufreq_driver_find(policy->driver_name, mode);
    read_cpus(cpufreq, policy, "affected_cpus", &policy->cpus);
    read_cpus(cpufreq, policy, "freqdomain_cpus", &policy->domain);
    policy->has_userspace = !mw_policy_read(cpufreq, policy, "scaling_available_governors", text, sizeof text) &&
                            has_word(text, "userspace");
    enum mw_err err = read_table(cpufreq, policy, "scaling_available_frequencies", error);
    if (!err && policy->table_count)
        err = read_table(cpufreq, policy, "scaling_boost_frequencies", error);
    if (policy->table_count)
        mw_sort(policy->table_hz, policy->table_count);
    return err;
}

static enum mw_err add_policy(struct mw_cpufreq *cpufreq, unsigned number, const char *folder, struct mw_error *error)
{
    struct mw_policy *policies = realloc(cpufreq->policies, (cpufreq->count + 1) * sizeof *policies);
    if (!policies)
        return mw_fail(error, MW_NOMEM, "out of memory");
    cpufreq->policies = policies;
    struct mw_policy *policy = &policies[cpufreq->count++];
    *policy = (struct mw_policy){.number = number};
    snprintf(policy->folder, sizeof policy->folder, "%s", folder);
    enum mw_err err = read_policy(cpufreq, policy, error);
    /* cpuN/cpufreq of a policy's other CPUs are the same policy; one whose CPUs are all offline is none to set */
    bool first = policy->cpus.count && policy->cpus.cpus[0] == number;
    if (!err && (!policy->cpus.count || (strstr(folder, "/cpufreq/policy") == NULL && !first))) {
        mw_cpu_list_release(&policy->cpus);
        mw_cpu_list_release(&policy->domain);
        free(policy->table_hz);
        cpufreq->count--;
    }
    return err;
}

/* Folders of CPU_ROOT/cpufreq named policyN, or those of CPU_ROOT named cpuN that have a cpufreq folder of their own. */
static enum mw_err find_policies(struct mw_cpufreq *cpufreq, bool by_cpu, struct mw_error *error)
{
    char path[PATH_MAX];
    enum mw_err err = MW_OK;
    int length = snprintf(path, sizeof path, "%s%s%s", cpufreq->attributes.root, CPU_ROOT, by_cpu ? "" : "/cpufreq");
    DIR *folder = length > 0 && (size_t)length < sizeof path ? opendir(path) : NULL;
    struct dirent *entry;
    while (folder && !err && (entry = readdir(folder))) {
        unsigned number;
        int end = 0;
        if (sscanf(entry->d_name, by_cpu ? "cpu%u%n" : "policy%u%n", &number, &end) != 1 || !end || entry->d_name[end])
            continue;
        char found[sizeof cpufreq->policies->folder];
        snprintf(found, sizeof found, by_cpu ? CPU_ROOT "/cpu%u/cpufreq" : CPU_ROOT "/cpufreq/policy%u", number);
        if (!by_cpu || mw_sysfile_exists(cpufreq->attributes.root, found))
            err = add_policy(cpufreq, number, found, error);
    }
    if (folder)
        closedir(folder);
    return err;
}

static int by_number(const void *a, const void *b)
{
    const struct mw_policy *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static bool offers(const struct mw_policy *policy, double freq_hz)
{
    for (size_t i = 0; i < policy->table_count; i++)
        if (fabs(policy->table_hz[i] - freq_hz) < 500) /* the files count in kHz */
            return true;
    return !policy->table_count && freq_hz >= 1e3 * (double)policy->min_khz && freq_hz <= 1e3 * (double)policy->max_khz;
}

/* Candidates: a table as it is; a range by the driver's step, with both ends. */
static size_t candidates(const struct mw_policy *policy, double *list, size_t room)
{
    size_t n = 0;
    if (policy->table_count) {
        for (; n < policy->table_count && n < room; n++)
            list[n] = policy->table_hz[n];
        return n;
    }
    if (!policy->min_khz)
        return 0;
    long step = policy->driver->step_khz;
    for (long khz = policy->min_khz; n < room; khz = (khz / step + 1) * step) {
        list[n++] = 1e3 * (double)(khz < policy->max_khz ? khz : policy->max_khz);
        if (khz >= policy->max_khz)
            break;
    }
    return n;
}

static void read_limits(const struct mw_cpufreq *cpufreq, struct mw_policy *policy)
{
    if (mw_policy_number(cpufreq, policy, "cpuinfo_min_freq", &policy->min_khz) ||
        mw_policy_number(cpufreq, policy, "cpuinfo_max_freq", &policy->max_khz) || policy->min_khz <= 0 ||
        policy->max_khz < policy->min_khz)
        policy->min_khz = policy->max_khz = 0;
}

enum mw_err mw_cpufreq_list(struct mw_cpufreq *cpufreq, struct mw_error *error)
{
    enum { ROOM = 1024 };
    for (size_t p = 0; p < cpufreq->count; p++)
        read_limits(cpufreq, &cpufreq->policies[p]);
    double *list = calloc(ROOM, sizeof *list);
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory");
    size_t kept = 0, n = candidates(&cpufreq->policies[0], list, ROOM);
    for (size_t i = 0; i < n; i++) {
        bool all = !kept || list[i] > list[kept - 1];
        for (size_t p = 1; p < cpufreq->count && all; p++)
            all = offers(&cpufreq->policies[p], list[i]);
        if (all)
            list[kept++] = list[i];
    }
    free(cpufreq->freqs_hz);
    cpufreq->freqs_hz = list;
    cpufreq->freq_count = kept;
    return MW_OK;
}

enum mw_err mw_cpufreq_open(struct mw_cpufreq *cpufreq, const char *root, bool dry, struct mw_error *error)
{
    struct mw_cpufreq c = {0};
    enum mw_err err = mw_attributes_init(&c.attributes, root, dry, error);
    if (!err)
        err = find_policies(&c, false, error);
    if (!err && !c.count)
        err = find_policies(&c, true, error);
    if (!err && !c.count)
        err = mw_fail(error, MW_UNSUPPORTED, "there is no frequency control on this machine");
    if (!err) {
        qsort(c.policies, c.count, sizeof *c.policies, by_number);
        err = mw_cpufreq_list(&c, error);
    }
    if (err)
        mw_cpufreq_close(&c);
    else
        *cpufreq = c;
    return err;
}

void mw_cpufreq_close(struct mw_cpufreq *cpufreq)
{
    for (size_t i = 0; i < cpufreq->count; i++) {
        mw_cpu_list_release(&cpufreq->policies[i].cpus);
        mw_cpu_list_release(&cpufreq->policies[i].domain);
        free(cpufreq->policies[i].table_hz);
    }
    free(cpufreq->policies);
    free(cpufreq->freqs_hz);
    free(cpufreq->boosts);
    mw_attributes_release(&cpufreq->attributes);
    *cpufreq = (struct mw_cpufreq){0};
}

bool mw_cpu_list_has(const struct mw_cpu_list *list, unsigned cpu)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->cpus[i] == cpu)
            return true;
    return false;
}

const struct mw_policy *mw_cpufreq_policy(const struct mw_cpufreq *cpufreq, unsigned cpu)
{
    for (size_t i = 0; i < cpufreq->count; i++)
        if (mw_cpu_list_has(&cpufreq->policies[i].cpus, cpu))
            return &cpufreq->policies[i];
    return NULL;
}

double mw_cpufreq_current(const struct mw_cpufreq *cpufreq, unsigned cpu)
{
    const struct mw_policy *policy = mw_cpufreq_policy(cpufreq, cpu);
    long khz = 0;
    if (policy && mw_policy_number(cpufreq, policy, "cpuinfo_cur_freq", &khz) &&
        mw_policy_number(cpufreq, policy, "scaling_cur_freq", &khz))
        khz = 0;
    return khz > 0 ? 1e3 * (double)khz : 0;
}

void mw_cpufreq_governor(const struct mw_cpufreq *cpufreq, const struct mw_policy *policy, char *name, size_t size)
{
    if (mw_policy_read(cpufreq, policy, "scaling_governor", name, size))
        snprintf(name, size, "unknown");
}

int mw_cpufreq_boost_state(const struct mw_cpufreq *cpufreq)
{
    char path[128], value[8];
    for (unsigned k = 0; k < mw_boost_attribute_count; k++) {
        const struct mw_boost_attribute *attribute = &mw_boost_attributes[k];
        snprintf(path, sizeof path, "%s%s%s", attribute->per_policy ? cpufreq->policies[0].folder : "",
                 attribute->per_policy ? "/" : "", attribute->path);
        if (!mw_attribute_read(&cpufreq->attributes, path, value, sizeof value))
            return !strcmp(value, attribute->on);
    }
    return -1;
}
