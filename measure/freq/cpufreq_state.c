// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/freq/cpufreq_state.h"

#include "data/output.h"
#include "measure/freq/cpufreq_driver.h"
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

/* A switch of this driver, and one of its two values: the file may be another's, or be damaged. */
static bool is_boost(const struct mw_cpufreq *cpufreq, const struct mw_boost_saved *boost)
{
    char path[sizeof boost->path + 64];
    bool known = false;
    for (unsigned k = 0; k < mw_boost_attribute_count; k++) {
        const struct mw_boost_attribute *a = &mw_boost_attributes[k];
        known = known || (!a->per_policy && !strcmp(boost->path, a->path));
        for (size_t i = 0; a->per_policy && i < cpufreq->count; i++) {
            snprintf(path, sizeof path, "%s/%s", cpufreq->policies[i].folder, a->path);
            known = known || !strcmp(boost->path, path);
        }
    }
    return known && (!strcmp(boost->value, "0") || !strcmp(boost->value, "1"));
}

/* Settings that this policy can have had: a governor that it offers, limits within the processor's. */
static bool is_possible(const struct mw_cpufreq *cpufreq, const struct mw_policy *policy,
                        const struct mw_policy_settings *s)
{
    char offered[512], *rest = NULL;
    bool known = mw_policy_read(cpufreq, policy, "scaling_available_governors", offered, sizeof offered) != 0;
    for (char *word = known ? NULL : strtok_r(offered, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        known = known || !strcmp(word, s->governor);
    bool speed = !*s->speed || !strcmp(s->speed, "<unsupported>") || !s->speed[strspn(s->speed, "0123456789")];
    return known && speed && !s->governor[strspn(s->governor, "abcdefghijklmnopqrstuvwxyz0123456789_-")] &&
           s->min_khz > 0 && s->min_khz <= s->max_khz;
}

static enum mw_err parse_line(struct mw_cpufreq *cpufreq, const char *line, bool *stale, struct mw_error *error)
{
    struct mw_policy_settings s = {0};
    struct mw_boost_saved boost;
    char id[64], now[64];
    unsigned number;
    long process;
    int end = 0;
    if (sscanf(line, "process %ld %n", &process, &end) == 1 && end && !line[end])
        return MW_OK;
    if (sscanf(line, "boot %63s %n", id, &end) == 1 && end && !line[end]) {
        boot_id(&cpufreq->attributes, now, sizeof now);
        *stale = strcmp(id, now) != 0;
    } else if (sscanf(line, "policy %u %31s %ld %ld %23s %n", &number, s.governor, &s.min_khz, &s.max_khz, s.speed,
                      &end) == 5 &&
               end && !line[end]) {
        if (!strcmp(s.speed, "-"))
            *s.speed = '\0';
        if (!strcmp(s.governor, "userspace"))
            s.speed_khz = strtol(s.speed, NULL, 10);
        struct mw_policy *policy = policy_numbered(cpufreq, number);
        if (!policy) /* its CPUs are offline now */
            return MW_OK;
        if (!is_possible(cpufreq, policy, &s))
            return mw_fail(error, MW_DATA, "no settings that policy %u of this machine can have had", number);
        policy->saved = s;
        policy->is_saved = true;
    } else if (sscanf(line, "boost %127s %7s %n", boost.path, boost.value, &end) == 2 && end && !line[end]) {
        if (!is_boost(cpufreq, &boost))
            return mw_fail(error, MW_DATA, "no switch for boost that memwall writes");
        struct mw_boost_saved *boosts = realloc(cpufreq->boosts, (cpufreq->boost_count + 1) * sizeof *boosts);
        if (!boosts)
            return mw_fail(error, MW_NOMEM, "out of memory");
        cpufreq->boosts = boosts;
        boosts[cpufreq->boost_count++] = boost;
    } else {
        return mw_fail(error, MW_DATA, "not a line that memwall writes");
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
    /* every line is checked before the first is acted on */
    for (long number = 2; !err && fgets(line, sizeof line, f); number++) {
        struct mw_error why;
        err = parse_line(cpufreq, line, &stale, &why);
        if (err == MW_DATA) {
            mw_fail(error, err, "%s:%ld: %s", path, number, why.message);
            mw_hint(error, "nothing is put back: look at it, set the frequencies by hand, remove it");
        } else if (err && error) {
            *error = why;
        }
    }
    fclose(f);
    if (err || stale) {
        for (size_t i = 0; i < cpufreq->count; i++)
            cpufreq->policies[i].is_saved = false;
        cpufreq->boost_count = 0;
    }
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
