// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/freq/cpufreq_state.h"

#include "data/output.h"
#include "measure/machine/state_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char first_line[] = "memwall-state 1";

static int state_path(const char *root, bool make, char *path, size_t size)
{
    char folder[PATH_MAX];
    int failed = mw_state_folder(root, make, folder, sizeof folder);
    if (!failed && snprintf(path, size, "%s/state", folder) >= (int)size)
        failed = ENAMETOOLONG;
    return failed;
}

static void boot_id(const struct mw_attributes *attributes, char *id, size_t size)
{
    if (mw_attribute_read(attributes, "/proc/sys/kernel/random/boot_id", id, size))
        snprintf(id, size, "unknown");
}

static void print_state(const struct mw_cpufreq *cpufreq, FILE *f)
{
    char id[64];
    boot_id(&cpufreq->attributes, id, sizeof id);
    fprintf(f, "%s\nboot %s\nprocess %ld\n", first_line, id, (long)getpid());
    for (size_t i = 0; i < cpufreq->boost_count; i++)
        fprintf(f, "boost %s %s\n", cpufreq->boosts[i].path, cpufreq->boosts[i].value);
    for (size_t i = 0; i < cpufreq->count; i++) {
        const struct mw_policy_settings *s = &cpufreq->policies[i].saved;
        if (cpufreq->policies[i].is_saved)
            fprintf(f, "policy %u %s %ld %ld %s\n", cpufreq->policies[i].number, s->governor, s->min_khz, s->max_khz,
                    *s->speed ? s->speed : "-");
    }
}

enum mw_err mw_state_write(const struct mw_cpufreq *cpufreq, struct mw_error *error)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct mw_output output;
    if (cpufreq->attributes.dry)
        return MW_OK;
    int failed = mw_state_folder(cpufreq->attributes.root, true, folder, sizeof folder);
    if (!failed)
        failed = state_path(cpufreq->attributes.root, false, path, sizeof path);
    if (failed) {
        mw_fail_errno(error, failed == EACCES || failed == EROFS ? MW_PERM : MW_IO, failed,
                      "no place for the state file that brings frequencies back after a crash ('%s')", folder);
        return mw_hint(error, "setting frequencies needs root: run memwall with sudo, or leave out --freq");
    }
    struct mw_error why;
    enum mw_err err = mw_output_open(&output, path, true, &why);
    if (err) {
        mw_fail(error, why.sys_errno == EACCES ? MW_PERM : err, "%s", why.message);
        return why.sys_errno == EACCES
                   ? mw_hint(error, "setting frequencies needs root: run memwall with sudo, or leave out --freq")
                   : err;
    }
    print_state(cpufreq, output.stream);
    return mw_output_commit(&output, error);
}

void mw_state_remove(const struct mw_cpufreq *cpufreq)
{
    char path[PATH_MAX];
    if (!cpufreq->attributes.dry && !state_path(cpufreq->attributes.root, false, path, sizeof path))
        unlink(path);
}

static struct mw_policy *policy_numbered(struct mw_cpufreq *cpufreq, unsigned number)
{
    for (size_t i = 0; i < cpufreq->count; i++)
        if (cpufreq->policies[i].number == number)
            return &cpufreq->policies[i];
    return NULL;
}

static enum mw_err parse_line(struct mw_cpufreq *cpufreq, const char *line, bool *stale, struct mw_error *error)
{
    struct mw_policy_settings s = {0};
    struct mw_boost_saved boost;
    char id[64], now[64];
    unsigned number;
    if (sscanf(line, "boot %63s", id) == 1) {
        boot_id(&cpufreq->attributes, now, sizeof now);
        *stale = strcmp(id, now) != 0;
    } else if (sscanf(line, "policy %u %31s %ld %ld %23s", &number, s.governor, &s.min_khz, &s.max_khz, s.speed) == 5) {
        if (!strcmp(s.speed, "-"))
            *s.speed = '\0';
        if (!strcmp(s.governor, "userspace"))
            s.speed_khz = strtol(s.speed, NULL, 10);
        struct mw_policy *policy = policy_numbered(cpufreq, number);
        if (policy) {
            policy->saved = s;
            policy->is_saved = true;
        }
    } else if (sscanf(line, "boost %127s %7s", boost.path, boost.value) == 2) {
        struct mw_boost_saved *boosts = realloc(cpufreq->boosts, (cpufreq->boost_count + 1) * sizeof *boosts);
        if (!boosts)
            return mw_fail(error, MW_NOMEM, "out of memory");
        cpufreq->boosts = boosts;
        boosts[cpufreq->boost_count++] = boost;
    }
    return MW_OK;
}

enum mw_err mw_state_read(struct mw_cpufreq *cpufreq, bool *found, struct mw_error *error)
{
    char path[PATH_MAX], line[256] = "";
    bool stale = false;
    int failed = state_path(cpufreq->attributes.root, false, path, sizeof path);
    FILE *f = failed ? NULL : fopen(path, "re");
    *found = false;
    if (!f)
        return failed || errno == ENOENT || errno == ENOTDIR
                   ? MW_OK
                   : mw_fail_errno(error, MW_IO, errno, "cannot open '%s'", path);
    enum mw_err err = MW_OK;
    if (!fgets(line, sizeof line, f) || strncmp(line, first_line, sizeof first_line - 1)) {
        err = mw_fail(error, MW_DATA, "%s:1: not a state file of this version", path);
        mw_hint(error, "look at it, set the frequencies by hand, remove it");
    }
    while (!err && fgets(line, sizeof line, f))
        err = parse_line(cpufreq, line, &stale, error);
    fclose(f);
    if (!err && stale)
        unlink(path);
    if (!err)
        *found = !stale;
    return err;
}

bool mw_state_exists(const char *root)
{
    char path[PATH_MAX];
    return !state_path(root, false, path, sizeof path) && access(path, F_OK) == 0;
}
