// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_ENERGY_COUNTER_H
#define MW_MEASURE_ENERGY_COUNTER_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/* One counter of energy or sensor of power that a source found. */
struct mw_counter {
    char name[48];
    char path[192]; /* below the root; empty for perf events */
    int fd;         /* of a perf event; -1 */
    double unit;    /* joules a count, or watts a count of a sensor of power */
    bool is_power;
    double range;              /* counts at which it wraps; 0: not known */
    double update_s;           /* how often the meter gives a new value */
    double first, last, sum_j; /* while measuring */
    double last_s;
    const char *failed; /* NULL, or why the stretch is lost */
};

struct mw_counters {
    struct mw_counter *items;
    size_t count;
    char describe[256];
};

/* A source: adds its counters; none found is MW_OK with none added. *denied: there are some that may not be read. */
struct mw_energy_source {
    const char *name;
    enum mw_err (*find)(const char *root, struct mw_counters *counters, bool *denied, struct mw_error *error);
    const char *remedy; /* where denied */
};
extern const struct mw_energy_source mw_energy_powercap, mw_energy_perf, mw_energy_cray, mw_energy_hwmon;

enum mw_err mw_counters_add(struct mw_counters *counters, const struct mw_counter *counter,
                            struct mw_error *error) MW_CHECKED;
/* Appends ", NAME" (or "NAME") to what the sum is made of. */
void mw_counters_tell(struct mw_counters *counters, const char *name);

/* The number at the start of a file or of a perf event; 0 or errno. */
int mw_counter_read(const char *root, const struct mw_counter *counter, double *value);

/*
 * Takes a new value at time now_s into the sum: differences, with one wrap of the counter by its own range, or power by
 * the trapezium rule. A pure function of its arguments.
 */
void mw_counter_advance(struct mw_counter *counter, double value, double now_s);

#endif
