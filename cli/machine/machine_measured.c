// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/machine/machine.h"
#include "data/table.h"
#include "data/units.h"

#include <string.h>

/* Number of a cell; false where it holds none. */
static bool number(const struct mw_table *table, size_t row, size_t column, double *value)
{
    struct mw_error ignored;
    return mw_parse_number(mw_table_cell(table, row, column), value, &ignored) == MW_OK;
}

static enum mw_err find_columns(const struct mw_table *table, const char *const *names, size_t count, size_t *columns,
                                const char *command, struct mw_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!mw_table_find(table, names[i], &columns[i])) {
            mw_fail(error, MW_DATA, "%s: there is no column '%s'", table->name, names[i]);
            return mw_hint(error, "memwall measure %s writes such a file", command);
        }
    return MW_OK;
}

enum mw_err machine_add_stream(struct machine *machine, const char *path, struct mw_error *error)
{
    static const char *const names[] = {"cores", "kernel", "best_mb_s", "valid"};
    size_t c[4];
    struct mw_table table;
    double most_cores = 0, cores, rate, valid;
    enum mw_err err = mw_table_read(&table, path, error);
    if (err)
        return err;
    err = find_columns(&table, names, 4, c, "stream", error);
    for (size_t r = 0; !err && r < table.row_count; r++) {
        if (strcmp(mw_table_cell(&table, r, c[1]), "triad") || !number(&table, r, c[0], &cores) ||
            !number(&table, r, c[2], &rate) || !number(&table, r, c[3], &valid) || valid < 1 || !(rate > 0))
            continue;
        if (cores < 1.5 && 1e6 * rate > machine->stream_1_bps)
            machine->stream_1_bps = 1e6 * rate;
        if (cores > most_cores)
            machine->stream_bps = 0; /* the rate on most cores, at whichever frequency it was best */
        if (cores >= most_cores && 1e6 * rate > machine->stream_bps) {
            most_cores = cores;
            machine->stream_bps = 1e6 * rate;
        }
    }
    if (!err && !(machine->stream_bps > 0))
        err = mw_fail(error, MW_DATA, "%s: there is no valid row of triad", table.name);
    mw_table_release(&table);
    return err;
}

enum mw_err machine_add_latency(struct machine *machine, const char *path, struct mw_error *error)
{
    static const char *const names[] = {"working_set_bytes", "latency_ns", "chains", "valid"};
    size_t c[4];
    struct mw_table table;
    double largest = 0, size, latency_ns, chains, valid;
    enum mw_err err = mw_table_read(&table, path, error);
    if (err)
        return err;
    err = find_columns(&table, names, 4, c, "latency", error);
    for (size_t r = 0; !err && r < table.row_count; r++) {
        if (!number(&table, r, c[0], &size) || !number(&table, r, c[1], &latency_ns) ||
            !number(&table, r, c[2], &chains) || !number(&table, r, c[3], &valid) || chains > 1 || valid < 1 ||
            !(latency_ns > 0))
            continue;
        if (size > largest || (size >= largest && latency_ns * 1e-9 < machine->latency_s)) {
            largest = size;
            machine->latency_s = latency_ns * 1e-9;
        }
    }
    if (!err && !(machine->latency_s > 0))
        err = mw_fail(error, MW_DATA, "%s: there is no valid row of one chain", table.name);
    mw_table_release(&table);
    return err;
}
