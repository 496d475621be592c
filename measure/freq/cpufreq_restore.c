// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/freq/cpufreq_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For all policies together: a machine left changed is worse than a second lost. */
static const long settle_restore_ms = 2000;

/* One pass over governor, limits and speed; errno of the first failure. */
static int put_back(struct mw_cpufreq *cpufreq, const struct mw_policy *policy, const char **name)
{
    const struct mw_policy_settings *saved = &policy->saved;
    char speed[24];
    int failed, limits;
    *name = "scaling_governor"; /* first: setting it may reset the limits (likwid#404) */
    mw_policy_write(cpufreq, policy, "scaling_governor", saved->governor, &failed);
    const char *limit_name;
    limits = mw_policy_limits(cpufreq, policy, saved->min_khz, saved->max_khz, &limit_name);
    if (!failed && limits) {
        failed = limits;
        *name = limit_name;
    }
    /* the kernel itself goes back to "<unsupported>" with the governor, a tree of plain files does not */
    if (!failed && *saved->speed && !mw_policy_read(cpufreq, policy, "scaling_setspeed", speed, sizeof speed) &&
        strcmp(speed, saved->speed)) {
        *name = "scaling_setspeed";
        mw_policy_write(cpufreq, policy, "scaling_setspeed", saved->speed, &failed);
    }
    return failed;
}

static enum mw_err restore_policy(struct mw_cpufreq *cpufreq, struct mw_policy *policy, struct mw_error *error)
{
    enum { ATTEMPTS = 3 }; /* a write may fail once (EBUSY, EINTR of a driver) and must not leave the machine changed */
    const struct mw_policy_settings *saved = &policy->saved;
    struct mw_policy_settings now = {0};
    const char *name = "scaling_governor";
    int failed = 0;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        failed = put_back(cpufreq, policy, &name);
        if (!mw_policy_settings(cpufreq, policy, &now) && !strcmp(now.governor, saved->governor) &&
            now.min_khz == saved->min_khz && now.max_khz == saved->max_khz &&
            (!saved->speed_khz || now.speed_khz == saved->speed_khz)) {
            policy->is_saved = policy->is_pinned = false;
            return MW_OK;
        }
    }
    if (failed)
        mw_fail_errno(error, MW_IO, failed, "cannot put back '%s/%s'", policy->folder, name);
    else
        mw_fail(error, MW_IO, "'%s' reads governor %s, %ld to %ld kHz, and was %s, %ld to %ld", policy->folder,
                now.governor, now.min_khz, now.max_khz, saved->governor, saved->min_khz, saved->max_khz);
    return mw_hint(error, "memwall restore tries again; the old settings stand in memwall's state file");
}

static enum mw_err restore_boost(struct mw_cpufreq *cpufreq, const struct mw_boost_saved *boost, struct mw_error *error)
{
    char now[8] = "";
    int failed = 0;
    for (int attempt = 0; attempt < 3; attempt++) {
        if (mw_attribute_read(&cpufreq->attributes, boost->path, now, sizeof now) == 0 && !strcmp(now, boost->value))
            return MW_OK;
        failed = mw_attribute_write(&cpufreq->attributes, boost->path, boost->value);
    }
    if (mw_attribute_read(&cpufreq->attributes, boost->path, now, sizeof now) == 0 && !strcmp(now, boost->value))
        return MW_OK;
    mw_fail_errno(error, MW_IO, failed ? failed : EIO, "cannot put back '%s'", boost->path);
    return mw_hint(error, "memwall restore tries again; the old settings stand in memwall's state file");
}

enum mw_err mw_cpufreq_restore(struct mw_cpufreq *cpufreq, struct mw_error *error)
{
    enum mw_err first = MW_OK;
    struct mw_error other;
    bool any = cpufreq->boost_count > 0;
    size_t kept = 0;
    cpufreq->settle_ms = settle_restore_ms;
    for (size_t i = 0; i < cpufreq->boost_count; i++) { /* boost first: it bounds the limits */
        enum mw_err err = restore_boost(cpufreq, &cpufreq->boosts[i], first ? &other : error);
        if (err)
            cpufreq->boosts[kept++] = cpufreq->boosts[i];
        first = first ? first : err;
    }
    cpufreq->boost_count = kept;
    for (size_t i = 0; i < cpufreq->count; i++) {
        if (!cpufreq->policies[i].is_saved)
            continue;
        any = true;
        enum mw_err err = restore_policy(cpufreq, &cpufreq->policies[i], first ? &other : error);
        first = first ? first : err;
    }
    if (any && !first)
        mw_state_remove(cpufreq);
    return first;
}

/* What will be put back, one line each. */
static char *describe(const struct mw_cpufreq *cpufreq)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (size_t i = 0; f && i < cpufreq->boost_count; i++)
        fprintf(f, "%s: %s\n", cpufreq->boosts[i].path, cpufreq->boosts[i].value);
    for (size_t i = 0; f && i < cpufreq->count; i++) {
        const struct mw_policy_settings *s = &cpufreq->policies[i].saved;
        if (!cpufreq->policies[i].is_saved)
            continue;
        fprintf(f, "policy%u: governor %s, %.6g to %.6g GHz", cpufreq->policies[i].number, s->governor,
                (double)s->min_khz / 1e6, (double)s->max_khz / 1e6);
        fprintf(f, s->speed_khz > 0 ? ", speed %.6g GHz\n" : "\n", (double)s->speed_khz / 1e6);
    }
    if (f && fclose(f)) {
        free(text);
        return NULL;
    }
    return text;
}

enum mw_err mw_cpufreq_recover(const char *root, char **report, struct mw_error *error)
{
    struct mw_cpufreq cpufreq;
    bool found = false;
    char *text = NULL;
    if (!mw_state_exists(root)) {
        *report = NULL;
        return MW_OK;
    }
    enum mw_err err = mw_cpufreq_open(&cpufreq, root, false, error);
    if (err)
        return err;
    err = mw_state_read(&cpufreq, &found, error);
    if (!err && found && !(text = describe(&cpufreq)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (!err && found)
        err = mw_cpufreq_restore(&cpufreq, error);
    mw_cpufreq_close(&cpufreq);
    if (err)
        free(text);
    else
        *report = text;
    return err;
}
