// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/freq/cpufreq.h"
#include "measure/freq/cpufreq_state.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Above what a work queue takes on a machine whose cores are all taken; lost once at each pin that the kernel clamps. */
static const long settle_pin_ms = 200;

int mw_policy_settings(const struct mw_cpufreq *cpufreq, const struct mw_policy *policy,
                       struct mw_policy_settings *settings)
{
    struct mw_policy_settings s = {0};
    int failed = mw_policy_read(cpufreq, policy, "scaling_governor", s.governor, sizeof s.governor);
    if (!failed)
        failed = mw_policy_number(cpufreq, policy, "scaling_min_freq", &s.min_khz);
    if (!failed)
        failed = mw_policy_number(cpufreq, policy, "scaling_max_freq", &s.max_khz);
    if (!failed && mw_policy_read(cpufreq, policy, "scaling_setspeed", s.speed, sizeof s.speed))
        *s.speed = '\0';
    if (!failed && !strcmp(s.governor, "userspace"))
        s.speed_khz = strtol(s.speed, NULL, 10);
    if (!failed)
        *settings = s;
    return failed;
}

void mw_policy_write(struct mw_cpufreq *cpufreq, const struct mw_policy *policy, const char *name, const char *value,
                     int *failed)
{
    char path[128], now[64];
    snprintf(path, sizeof path, "%s/%s", policy->folder, name);
    bool there = !mw_attribute_read(&cpufreq->attributes, path, now, sizeof now) && !strcmp(now, value);
    *failed = there ? 0 : mw_attribute_write(&cpufreq->attributes, path, value);
}

static int write_khz(struct mw_cpufreq *cpufreq, const struct mw_policy *policy, const char *name, long khz)
{
    char value[32];
    int failed;
    snprintf(value, sizeof value, "%ld", khz);
    mw_policy_write(cpufreq, policy, name, value, &failed);
    return failed;
}

/* Waits until the limits are read as they were written; what the kernel clamps never is. */
static void settle(struct mw_cpufreq *cpufreq, const struct mw_policy *policy, long min_khz, long max_khz)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (;; cpufreq->settle_ms--) {
        long min_now = 0, max_now = 0;
        int failed = mw_policy_number(cpufreq, policy, "scaling_min_freq", &min_now);
        failed = failed ? failed : mw_policy_number(cpufreq, policy, "scaling_max_freq", &max_now);
        if (failed || (min_now == min_khz && max_now == max_khz) || cpufreq->settle_ms <= 0)
            return;
        nanosleep(&pause, NULL);
    }
}

int mw_policy_limits(struct mw_cpufreq *cpufreq, const struct mw_policy *policy, long min_khz, long max_khz,
                     const char **name)
{
    static const char *const names[] = {"scaling_min_freq", "scaling_max_freq"};
    const long values[] = {min_khz, max_khz};
    long max_now = 0;
    int failed = mw_policy_number(cpufreq, policy, names[1], &max_now);
    *name = names[1];
    if (failed)
        return failed;
    int first = min_khz > max_now; /* raise max before min, lower min before max */
    for (int attempt = 0; attempt < 2; attempt++, first = !first) {
        *name = names[first];
        failed = write_khz(cpufreq, policy, names[first], values[first]);
        if (!failed) {
            *name = names[!first];
            failed = write_khz(cpufreq, policy, names[!first], values[!first]);
        }
        if (failed != EINVAL)
            break;
    }
    if (!failed)
        settle(cpufreq, policy, min_khz, max_khz);
    return failed;
}

static void note_add(struct mw_freq_note *note, const char *format, ...) MW_PRINTF(2, 3);
static void note_add(struct mw_freq_note *note, const char *format, ...)
{
    va_list args;
    note->off = true;
    if (note->text[0]) /* the first one is said; the others of the same kind follow from it */
        return;
    va_start(args, format);
    vsnprintf(note->text, sizeof note->text, format, args);
    va_end(args);
}

/* Why a frequency above `khz` is not to be had, with what to do. */
static void clamp_cause(const struct mw_cpufreq *cpufreq, const struct mw_policy *policy, long want_khz, char *text,
                        size_t size)
{
    long percent = 100, bios_khz = 0;
    if (policy->driver->cap && !mw_attribute_number(&cpufreq->attributes, policy->driver->cap, &percent) &&
        percent < 100)
        snprintf(text, size, "%s is %ld %%: write 100 to it", policy->driver->cap, percent);
    else if (!mw_policy_number(cpufreq, policy, "bios_limit", &bios_khz) && bios_khz > 0 && bios_khz < want_khz)
        snprintf(text, size, "the firmware's bios_limit is %.6g GHz (power supply or heat)", (double)bios_khz / 1e6);
    else if (mw_cpufreq_boost_state(cpufreq) == 0)
        snprintf(text, size, "boost is off: --boost on, or ask for less");
    else
        snprintf(text, size, "a power or thermal limit of the system holds it (thermald, tuned, TLP, a power cap)");
}

static enum mw_err fail_at(const struct mw_policy *policy, const char *name, const char *value, int failed,
                           struct mw_error *error)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", policy->folder, name);
    return mw_attribute_fail(failed, path, value, error);
}

static enum mw_err save(struct mw_cpufreq *cpufreq, struct mw_policy *policy, struct mw_error *error)
{
    if (policy->is_saved)
        return MW_OK;
    int failed = mw_policy_settings(cpufreq, policy, &policy->saved);
    if (failed)
        return mw_fail_errno(error, MW_IO, failed, "cannot read the settings in '%s'", policy->folder);
    policy->is_saved = true;
    enum mw_err err = mw_state_write(cpufreq, error);
    if (err)
        policy->is_saved = false;
    return err;
}

/* Governor userspace; *taken false where the kernel refuses it, or says yes and keeps another. */
static enum mw_err take_userspace(struct mw_cpufreq *cpufreq, struct mw_policy *policy, bool *taken,
                                  struct mw_error *error)
{
    char now[32] = "";
    int failed;
    mw_policy_write(cpufreq, policy, "scaling_governor", "userspace", &failed);
    if (failed && failed != EINVAL)
        return fail_at(policy, "scaling_governor", "userspace", failed, error);
    *taken =
        !failed && !mw_policy_read(cpufreq, policy, "scaling_governor", now, sizeof now) && !strcmp(now, "userspace");
    policy->has_userspace = *taken;
    return MW_OK;
}

static enum mw_err pin_speed(struct mw_cpufreq *cpufreq, struct mw_policy *policy, long khz, struct mw_error *error)
{
    char value[32];
    const char *name = "scaling_setspeed";
    struct mw_policy_settings now;
    snprintf(value, sizeof value, "%ld", khz);
    int failed = mw_policy_settings(cpufreq, policy, &now);
    if (!failed && (khz < now.min_khz || khz > now.max_khz)) /* the limits clamp a speed silently: widen them first */
        failed = mw_policy_limits(cpufreq, policy, khz < now.min_khz ? khz : now.min_khz,
                                  khz > now.max_khz ? khz : now.max_khz, &name);
    if (!failed) {
        name = "scaling_setspeed";
        mw_policy_write(cpufreq, policy, name, value, &failed);
    }
    return failed ? fail_at(policy, name, value, failed, error) : MW_OK;
}

static enum mw_err pin_policy(struct mw_cpufreq *cpufreq, struct mw_policy *policy, long khz, struct mw_freq_note *note,
                              struct mw_error *error)
{
    char value[32], cause[128];
    bool userspace = policy->driver->pin == MW_PIN_USERSPACE && policy->has_userspace;
    enum mw_err err = save(cpufreq, policy, error);
    if (!err && userspace)
        err = take_userspace(cpufreq, policy, &userspace, error);
    if (!err && userspace)
        err = pin_speed(cpufreq, policy, khz, error);
    if (!err && !userspace) {
        const char *name;
        int failed = mw_policy_limits(cpufreq, policy, khz, khz, &name);
        snprintf(value, sizeof value, "%ld", khz);
        err = failed ? fail_at(policy, name, value, failed, error) : MW_OK;
    }
    if (err)
        return err;
    int failed = mw_policy_settings(cpufreq, policy, &policy->seen);
    if (failed)
        return mw_fail_errno(error, MW_IO, failed, "cannot read the settings in '%s'", policy->folder);
    policy->is_pinned = true;
    const struct mw_policy_settings *seen = &policy->seen;
    long low = userspace ? seen->speed_khz : seen->min_khz, high = userspace ? low : seen->max_khz;
    if (userspace && seen->max_khz < khz)
        low = high = seen->max_khz;
    if (low == khz && high == khz)
        return MW_OK;
    clamp_cause(cpufreq, policy, khz, cause, sizeof cause);
    note_add(note, "policy%u: asked for %.6g GHz, the kernel keeps %.6g to %.6g GHz; %s", policy->number,
             (double)khz / 1e6, (double)low / 1e6, (double)high / 1e6, cause);
    return MW_OK;
}

/* Marks policies of the CPUs and of their SMT siblings, then those whose CPUs the hardware clocks with them. */
static void touched_policies(const struct mw_cpufreq *cpufreq, const unsigned *cpus, size_t count, bool *touched)
{
    for (size_t i = 0; i < count; i++) {
        char path[96];
        struct mw_cpu_list siblings = {0};
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpus[i]);
        if (mw_sysfile_cpus(cpufreq->attributes.root, path, &siblings))
            siblings = (struct mw_cpu_list){0};
        for (size_t p = 0; p < cpufreq->count; p++) {
            const struct mw_cpu_list *mine = &cpufreq->policies[p].cpus;
            touched[p] = touched[p] || mw_cpu_list_has(mine, cpus[i]);
            for (size_t s = 0; s < siblings.count; s++)
                touched[p] = touched[p] || mw_cpu_list_has(mine, siblings.cpus[s]);
        }
        mw_cpu_list_release(&siblings);
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t p = 0; p < cpufreq->count; p++)
            for (size_t q = 0; q < cpufreq->count && touched[p]; q++)
                for (size_t i = 0; i < cpufreq->policies[q].cpus.count && !touched[q]; i++)
                    if (mw_cpu_list_has(&cpufreq->policies[p].domain, cpufreq->policies[q].cpus.cpus[i]))
                        touched[q] = more = true;
    }
}

enum mw_err mw_cpufreq_pin(struct mw_cpufreq *cpufreq, const unsigned *cpus, size_t count, double freq_hz,
                           struct mw_freq_note *note, struct mw_error *error)
{
    bool *touched = calloc(cpufreq->count + 1, sizeof *touched);
    if (!touched)
        return mw_fail(error, MW_NOMEM, "out of memory");
    *note = (struct mw_freq_note){0};
    cpufreq->settle_ms = settle_pin_ms;
    touched_policies(cpufreq, cpus, count, touched);
    enum mw_err err = MW_OK;
    for (size_t p = 0; p < cpufreq->count && !err; p++) {
        cpufreq->policies[p].is_pinned = false;
        if (touched[p])
            err = pin_policy(cpufreq, &cpufreq->policies[p], lround(freq_hz / 1e3), note, error);
    }
    free(touched);
    return err;
}

static void verify_number(const struct mw_policy *policy, const char *name, long now, long before,
                          struct mw_freq_note *note)
{
    if (now != before)
        note_add(note,
                 "policy%u: %s went from %ld to %ld during the run; a daemon changes it (thermald, tuned, TLP, "
                 "power-profiles-daemon): stop it for the time of the scan",
                 policy->number, name, before, now);
}

void mw_cpufreq_verify(const struct mw_cpufreq *cpufreq, struct mw_freq_note *note)
{
    for (size_t p = 0; p < cpufreq->count; p++) {
        const struct mw_policy *policy = &cpufreq->policies[p];
        struct mw_policy_settings now;
        if (!policy->is_pinned || mw_policy_settings(cpufreq, policy, &now))
            continue;
        if (strcmp(now.governor, policy->seen.governor))
            note_add(note,
                     "policy%u: the governor went from %s to %s during the run; a daemon changes it (tuned, TLP, "
                     "power-profiles-daemon): stop it for the time of the scan",
                     policy->number, policy->seen.governor, now.governor);
        verify_number(policy, "scaling_max_freq", now.max_khz, policy->seen.max_khz, note);
        verify_number(policy, "scaling_min_freq", now.min_khz, policy->seen.min_khz, note);
        verify_number(policy, "scaling_setspeed", now.speed_khz, policy->seen.speed_khz, note);
    }
}

static enum mw_err set_boost(struct mw_cpufreq *cpufreq, const char *path, const char *value, struct mw_error *error)
{
    char now[8];
    if (mw_attribute_read(&cpufreq->attributes, path, now, sizeof now) || !strcmp(now, value))
        return MW_OK;
    struct mw_boost_saved *boosts = realloc(cpufreq->boosts, (cpufreq->boost_count + 1) * sizeof *boosts);
    if (!boosts)
        return mw_fail(error, MW_NOMEM, "out of memory");
    cpufreq->boosts = boosts;
    struct mw_boost_saved *saved = &boosts[cpufreq->boost_count++];
    snprintf(saved->path, sizeof saved->path, "%s", path);
    snprintf(saved->value, sizeof saved->value, "%s", now);
    enum mw_err err = mw_state_write(cpufreq, error);
    if (err) {
        cpufreq->boost_count--;
        return err;
    }
    int failed = mw_attribute_write(&cpufreq->attributes, path, value);
    if (failed)
        return mw_attribute_fail(failed, path, value, error);
    if (mw_attribute_read(&cpufreq->attributes, path, now, sizeof now) || strcmp(now, value)) {
        mw_fail(error, MW_IO, "'%s' was set to %s and reads %s", path, value, now);
        return mw_hint(error, "the firmware decides on boost here: leave out --boost");
    }
    return MW_OK;
}

enum mw_err mw_cpufreq_boost(struct mw_cpufreq *cpufreq, bool on, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    if (mw_cpufreq_boost_state(cpufreq) < 0)
        return mw_fail(error, MW_UNSUPPORTED, "there is no switch for boost on this machine");
    for (unsigned k = 0; k < mw_boost_attribute_count && !err; k++) {
        const struct mw_boost_attribute *attribute = &mw_boost_attributes[k];
        for (size_t p = 0; p < (attribute->per_policy ? cpufreq->count : 1) && !err; p++) {
            char path[128];
            snprintf(path, sizeof path, "%s%s%s", attribute->per_policy ? cpufreq->policies[p].folder : "",
                     attribute->per_policy ? "/" : "", attribute->path);
            err = set_boost(cpufreq, path, on ? attribute->on : attribute->off, error);
        }
    }
    return err ? err : mw_cpufreq_list(cpufreq, error);
}
