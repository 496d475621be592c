// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/device_file.h"

#include "data/json.h"

#include <math.h>

const char *const device_keys[DEVICE_KEYS] = {"workload", "input", "cores", "freq_ghz"};

json_t *device_group_json(const struct mw_device_split *s)
{
    json_t *o = json_object(), *predicted = json_array();
    json_object_set_new(o, "told", json_boolean(s->told));
    json_object_set_new(o, "why", s->told ? json_null() : json_string(s->why));
    json_object_set_new(o, "x0", json_real(s->x0));
    json_object_set_new(o, "x_most", json_real(s->x_most));
    json_object_set_new(o, "host_s", mw_json_real(s->told, s->host_s));
    json_object_set_new(o, "device_s", mw_json_real(s->told, s->device_s));
    json_object_set_new(o, "device_share",
                        s->told ? json_pack("{s:f, s:f, s:f}", "value", s->share, "low", s->low, "high", s->high)
                                : json_null());
    json_object_set_new(o, "variances",
                        s->told ? json_pack("{s:f, s:f, s:f}", "host", s->variances[0], "both", s->variances[1],
                                            "device", s->variances[2])
                                : json_null());
    json_object_set_new(o, "noise", mw_json_real(s->told, s->noise));
    json_object_set_new(o, "freedom", mw_json_real(s->told, s->freedom));
    json_object_set_new(o, "misfit", mw_json_real(s->levels > 2, s->misfit));
    json_object_set_new(o, "runs", json_integer((json_int_t)s->runs));
    for (double at = s->x0; s->told && at < 2.001 * s->x_most; at *= 2) {
        double low, high;
        mw_device_interval(s, at, &low, &high);
        json_array_append_new(predicted, json_pack("{s:f, s:f, s:f, s:f, s:b}", "x", at, "time_s",
                                                   mw_device_time(s, at), "time_low_s", low, "time_high_s", high,
                                                   "extrapolated", at > 1.001 * s->x_most));
    }
    json_object_set_new(o, "predicted", predicted);
    return o;
}

enum mw_err device_group_read(struct mw_device_split *split, const json_t *group, struct mw_error *error)
{
    struct mw_device_split s = {.told = true};
    const struct {
        const char *key;
        double *value, least; /* what it must at least be */
    } members[] = {
        {"x0", &s.x0, 1e-30},
        {"x_most", &s.x_most, 1e-30},
        {"host_s", &s.host_s, 0},
        {"device_s", &s.device_s, 0},
        {"noise", &s.noise, 0},
        {"freedom", &s.freedom, 1},
        {"variances.host", &s.variances[0], 0},
        {"variances.both", &s.variances[1], -HUGE_VAL},
        {"variances.device", &s.variances[2], 0},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        enum mw_err err = mw_json_number(group, members[i].key, members[i].value, NULL, error);
        if (err)
            return err;
        if (!isfinite(*members[i].value) || *members[i].value < members[i].least)
            return mw_fail(error, MW_DATA, "%s is %g", members[i].key, *members[i].value);
    }
    if (s.host_s + s.device_s <= 0)
        return mw_fail(error, MW_DATA, "host_s and device_s are 0");
    *split = s;
    return MW_OK;
}
