// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Energies and powers that no meter can have meant, before anything is advised by them. */

/*
 * Energy beside mean power and time: where the three disagree, the energy is the rounded one (counters that step by
 * 360 J, meters read in Wh), so power x time takes its place. A meter and a timer that are started one after the other
 * agree within 2 % on runs worth fitting.
 */
enum mw_err mw_energies_reconcile(struct mw_dataset *dataset, struct mw_error *error)
{
    const double tolerance = 0.02;
    size_t off = 0, both = 0;
    if (dataset->quantity != MW_TIME || dataset->rate_unit)
        return MW_OK;
    for (size_t i = 0; i < dataset->count; i++) {
        struct mw_row *row = &dataset->rows[i];
        if (!(row->has & MW_HAS_ENERGY) || !(row->has & MW_HAS_POWER) || !(row->has & MW_HAS_VALUE))
            continue;
        both++;
        off += fabs(log(row->energy_j / (row->power_w * row->value))) > tolerance;
    }
    if (2 * off <= both)
        return MW_OK;
    for (size_t i = 0; i < dataset->count; i++)
        if (dataset->rows[i].has & MW_HAS_POWER && dataset->rows[i].has & MW_HAS_ENERGY) {
            dataset->rows[i].has &= ~(unsigned)MW_HAS_ENERGY;
            dataset->rows[i].energy_j = 0;
        }
    return mw_dataset_warn(
        dataset, error, "energy differs from power x time by more than 2 %% in %zu of %zu rows: power x time is used",
        off, both);
}

/* A 32-bit counter at its end, in joules, milli- or microjoules: what a failed read or an overflow leaves. */
static bool is_full_counter(double energy_j)
{
    static const double full[] = {4294967295.0, 4294967.295, 4294.967295};
    for (size_t i = 0; i < sizeof full / sizeof *full; i++)
        if (fabs(energy_j - full[i]) < 1e-9 * full[i])
            return true;
    return false;
}

/* Mean power of a run on its own; 0 where none is known. */
static double power_of(const struct mw_row *row)
{
    if (row->has & MW_HAS_POWER)
        return row->power_w;
    return row->has & MW_HAS_ENERGY && row->has & MW_HAS_VALUE ? row->energy_j / row->value : 0;
}

/* Takes energy and power from the row, its time stays; says so for the first few. */
static enum mw_err drop_energy(struct mw_dataset *dataset, struct mw_row *row, bool keep, size_t *dropped,
                               const char *why, struct mw_error *error)
{
    enum { SAID = 5 };
    if (!keep)
        row->has &= ~(unsigned)(MW_HAS_ENERGY | MW_HAS_POWER);
    if (++*dropped > SAID)
        return MW_OK;
    return mw_dataset_warn(dataset, error, "line %ld: %s: the energy of this run is %s", row->line, why,
                           keep ? "kept (--keep-all)" : "set aside, its time is used");
}

struct meter {
    double power_w, freq_hz;
    unsigned cores;
    size_t row, against; /* how many other rows contradict it */
    const struct meter *witness;
};

/*
 * More cores at a clock no lower take no less power, but for programs whose cores wait: they never halve it (of the
 * shared sets none does). So of two such rows with half the power on more, one is wrong: a counter that wrapped between
 * two reads or stood still, power below idle. The row with the most against it goes, again and again.
 */
static bool contradict(const struct meter *a, const struct meter *b)
{
    const double half = 0.5;
    if (a->cores > b->cores || (a->cores == b->cores && a->freq_hz > b->freq_hz)) {
        const struct meter *swap = a;
        a = b;
        b = swap;
    }
    bool ordered = a->cores <= b->cores && a->freq_hz <= b->freq_hz;
    bool equal = a->cores == b->cores && !(a->freq_hz < b->freq_hz) && !(a->freq_hz > b->freq_hz);
    return ordered && (b->power_w < half * a->power_w || (equal && a->power_w < half * b->power_w));
}

/* The meter that most others contradict, of several the one farthest from the middle of all; NULL where none is. */
static struct meter *worst(struct meter *meters, size_t n, double middle)
{
    struct meter *found = NULL;
    for (size_t i = 0; i < n; i++) {
        meters[i].against = 0;
        for (size_t j = 0; j < n; j++)
            if (j != i && contradict(&meters[i], &meters[j])) {
                meters[i].against++;
                meters[i].witness = &meters[j];
            }
        if (!meters[i].against)
            continue;
        double off = fabs(log(meters[i].power_w / middle)), other = found ? fabs(log(found->power_w / middle)) : 0;
        if (!found || meters[i].against > found->against || (meters[i].against == found->against && off > other))
            found = &meters[i];
    }
    return found;
}

static enum mw_err screen_powers(struct mw_dataset *dataset, struct meter *meters, size_t n, double middle, bool keep,
                                 size_t *dropped, struct mw_error *error)
{
    struct meter *bad;
    enum mw_err err = MW_OK;
    size_t most = n / 3; /* with more of them wrong nobody knows which are */
    while (!err && most-- && (bad = worst(meters, n, middle))) {
        char why[160];
        snprintf(why, sizeof why, "%.3g W on %u core%s beside %.3g W on %u", bad->power_w, bad->cores,
                 bad->cores == 1 ? "" : "s", bad->witness->power_w, bad->witness->cores);
        err = drop_energy(dataset, &dataset->rows[bad->row], keep, dropped, why, error);
        *bad = meters[--n];
    }
    return err;
}

static int by_power(const void *a, const void *b)
{
    double x = ((const struct meter *)a)->power_w, y = ((const struct meter *)b)->power_w;
    return (x > y) - (x < y);
}

enum mw_err mw_energies_screen(struct mw_dataset *dataset, bool keep, struct mw_error *error)
{
    enum { MOST = 2000 }; /* rows compared with each other; longer tables have their medians */
    struct meter *meters = malloc((dataset->count < MOST ? dataset->count + 1 : MOST) * sizeof *meters);
    size_t n = 0, dropped = 0;
    bool whole = dataset->quantity == MW_TIME && !dataset->rate_unit; /* the time of a run, not of one of its items */
    enum mw_err err = meters ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < dataset->count && !err; i++)
        if (dataset->rows[i].has & MW_HAS_ENERGY && is_full_counter(dataset->rows[i].energy_j))
            err = drop_energy(dataset, &dataset->rows[i], keep, &dropped,
                              "the energy is the largest number of a 32-bit counter", error);
    for (size_t i = 0; i < dataset->count && !err && whole && dataset->count <= MOST; i++) {
        const struct mw_row *row = &dataset->rows[i];
        if (!row->set_aside && power_of(row) > 0)
            meters[n++] = (struct meter){power_of(row), row->freq_hz, row->cores, i, 0, NULL};
    }
    if (!err && n > 2) {
        qsort(meters, n, sizeof *meters, by_power);
        err = screen_powers(dataset, meters, n, meters[n / 2].power_w, keep, &dropped, error);
    }
    free(meters);
    return err;
}
