// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/profile.h"

#include "data/bind.h"
#include "data/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mw_profile_release(struct mw_profile *profile)
{
    free(profile->name);
    free(profile->boundaries);
    free(profile->boundary_kinds);
    free(profile->clock);
    free(profile->freqs_hz);
    free(profile->score_name);
    free(profile->isa);
    *profile = (struct mw_profile){0};
}

/* A number in the unit of its key, to SI; where the key is missing the target stays 0. Never negative. */
struct quantity {
    const char *key;
    size_t offset;
    double factor;
};
static const struct quantity quantities[] = {
    {"stream_gbs", offsetof(struct mw_profile, stream_bps), 1e9},
    {"stream_1_gbs", offsetof(struct mw_profile, stream_1_bps), 1e9},
    {"mem_bytes", offsetof(struct mw_profile, memory_bytes), 1},
    {"llc_bytes", offsetof(struct mw_profile, llc_bytes), 1},
    {"latency_ns", offsetof(struct mw_profile, latency_s), 1e-9},
    {"mem_mts", offsetof(struct mw_profile, memory_transfers_hz), 1e6},
    {"memory_freq_ghz", offsetof(struct mw_profile, memory_freq_hz), 1e9},
    {"score.value", offsetof(struct mw_profile, score), 1},
};
static const struct quantity counts[] = {
    {"cores", offsetof(struct mw_profile, cores), 1},
    {"cores_per_node", offsetof(struct mw_profile, cores_per_node), 1},
    {"sockets", offsetof(struct mw_profile, sockets), 1},
    {"smt", offsetof(struct mw_profile, smt), 1},
    {"channels", offsetof(struct mw_profile, channels), 1},
};

static enum mw_err read_numbers(struct mw_profile *profile, const json_t *root, struct mw_error *error)
{
    double value;
    bool found;
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        enum mw_err err = mw_json_number(root, quantities[i].key, &value, &found, error);
        if (err)
            return err;
        if (found && value < 0)
            return mw_fail(error, MW_DATA, "'%s' is negative", quantities[i].key);
        if (found)
            *(double *)((char *)profile + quantities[i].offset) = value * quantities[i].factor;
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        enum mw_err err = mw_json_number(root, counts[i].key, &value, &found, error);
        if (err)
            return err;
        if (found && (value < 0 || value > 1e6 || value < floor(value) || value > floor(value)))
            return mw_fail(error, MW_DATA, "'%s' is not a whole number from 0 to 1000000", counts[i].key);
        if (found)
            *(unsigned *)((char *)profile + counts[i].offset) = (unsigned)value;
    }
    return MW_OK;
}

static enum mw_err read_text(char **target, const json_t *root, const char *key, struct mw_error *error)
{
    const char *text;
    bool found;
    enum mw_err err = mw_json_string(root, key, &text, &found, error);
    if (err || !found)
        return err;
    *target = strdup(text);
    return *target ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
}

static int by_cores(const void *a, const void *b)
{
    const struct mw_profile_clock *x = a, *y = b;
    return (x->active_cores > y->active_cores) - (x->active_cores < y->active_cores);
}

/* "clock_ghz": [[cores, GHz], …], or one number for all core counts. */
static enum mw_err read_clock(struct mw_profile *profile, const json_t *root, struct mw_error *error)
{
    const json_t *table = json_object_get(root, "clock_ghz");
    size_t n = json_is_number(table) ? 1 : json_array_size(table);
    if (!table || json_is_null(table))
        return MW_OK;
    if (!n)
        return mw_fail(error, MW_DATA, "'clock_ghz' is neither a number nor a list of [cores, GHz]");
    profile->clock = calloc(n, sizeof *profile->clock);
    if (!profile->clock)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const json_t *pair = json_array_get(table, i);
        double cores = json_is_number(table) ? 1 : json_number_value(json_array_get(pair, 0));
        double ghz = json_number_value(json_is_number(table) ? table : json_array_get(pair, 1));
        if (!(cores >= 1 && cores <= 1e6 && ghz > 0 && ghz < 1000))
            return mw_fail(error, MW_DATA, "'clock_ghz[%zu]' is not [cores, GHz]", i);
        profile->clock[i] = (struct mw_profile_clock){(unsigned)cores, nearbyint(ghz * 1e9)};
    }
    profile->clock_count = n;
    qsort(profile->clock, n, sizeof *profile->clock, by_cores);
    for (size_t i = 1; i < n; i++)
        if (profile->clock[i].active_cores == profile->clock[i - 1].active_cores)
            return mw_fail(error, MW_DATA, "'clock_ghz' names %u cores twice", profile->clock[i].active_cores);
    return MW_OK;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static enum mw_err read_lists(struct mw_profile *profile, const json_t *root, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    if (json_object_get(root, "freqs_ghz"))
        err = mw_bind_read_reals(root, "freqs_ghz", "", &profile->freqs_hz, &profile->freq_count, error);
    for (size_t i = 0; i < profile->freq_count && !err; i++) {
        profile->freqs_hz[i] = nearbyint(profile->freqs_hz[i] * 1e9);
        if (!(profile->freqs_hz[i] > 0))
            err = mw_fail(error, MW_DATA, "'freqs_ghz[%zu]' is not greater than 0", i);
    }
    if (!err && profile->freq_count)
        qsort(profile->freqs_hz, profile->freq_count, sizeof *profile->freqs_hz, ascending);
    double *values = NULL;
    if (!err && json_object_get(root, "boundaries")) {
        err = mw_bind_read_reals(root, "boundaries", "", &values, &profile->boundary_count, error);
        profile->boundaries = calloc(profile->boundary_count + 1, sizeof *profile->boundaries);
        if (!err && !profile->boundaries)
            err = mw_fail(error, MW_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < profile->boundary_count && !err; i++) {
        if (!(values[i] >= 1 && values[i] <= 1e6))
            err = mw_fail(error, MW_DATA, "'boundaries[%zu]' is not a core count", i);
        else
            profile->boundaries[i] = (unsigned)values[i];
    }
    free(values);
    const json_t *topology = json_object_get(root, "topology"); /* where `memwall machine --json` has them */
    if (!json_object_get(topology, "boundary_kinds"))
        topology = root;
    return err ? err : mw_bind_read_boundary_kinds(topology, &profile->boundary_kinds, profile->boundary_count, error);
}

static enum mw_err read_profile(struct mw_profile *profile, const json_t *root, struct mw_error *error)
{
    double version;
    bool found;
    const char *source;
    enum mw_err err = mw_json_number(root, "memwall_machine", &version, &found, error);
    if (!err && (!found || version < 1 || version > 1)) {
        mw_fail(error, MW_DATA, found ? "its version of a machine profile is not 1" : "not a machine profile");
        return mw_hint(error, "memwall machine --json writes one; by hand, begin with \"memwall_machine\": 1");
    }
    if (!err)
        err = read_numbers(profile, root, error);
    if (!err)
        err = read_text(&profile->name, root, "name", error);
    if (!err)
        err = read_text(&profile->isa, root, "isa", error);
    if (!err)
        err = read_text(&profile->score_name, root, "score.name", error);
    if (!err)
        err = read_clock(profile, root, error);
    if (!err)
        err = read_lists(profile, root, error);
    if (!err)
        err = mw_json_string(root, "source.stream_gbs", &source, &found, error);
    if (!err)
        profile->stream_guessed = found && !strcmp(source, "guessed");
    /* the clock of a double-data-rate memory is half of its transfers; the model takes the transfers (DDR4-2133: 2.133) */
    if (!err && !(profile->memory_freq_hz > 0))
        profile->memory_freq_hz = profile->memory_transfers_hz;
    return err;
}

enum mw_err mw_profile_read(struct mw_profile *profile, const char *path, struct mw_error *error)
{
    struct mw_profile got = {0};
    struct mw_error inner;
    json_t *root;
    enum mw_err err = mw_json_read(&root, path, error);
    if (err)
        return err;
    err = read_profile(&got, root, &inner);
    json_decref(root);
    if (err) {
        mw_profile_release(&got);
        mw_fail(error, err, "%s: %s", !strcmp(path, "-") ? "standard input" : path, inner.message);
        return *inner.hint && error ? mw_hint(error, "%s", inner.hint) : err;
    }
    *profile = got;
    return MW_OK;
}

double mw_profile_clock_at(const struct mw_profile *profile, double cores)
{
    const struct mw_profile_clock *clock = profile->clock;
    size_t n = profile->clock_count;
    if (!n)
        return 0;
    if (cores <= clock[0].active_cores)
        return clock[0].freq_hz;
    for (size_t i = 1; i < n; i++)
        if (cores <= clock[i].active_cores) {
            double t =
                (cores - clock[i - 1].active_cores) / (double)(clock[i].active_cores - clock[i - 1].active_cores);
            return clock[i - 1].freq_hz + t * (clock[i].freq_hz - clock[i - 1].freq_hz);
        }
    return clock[n - 1].freq_hz;
}
