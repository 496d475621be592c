// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/rows.h"

#include "data/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * 112 cores as 56 processes of two threads or as 28 of four are one core count and two programs. Each core count is
 * fitted with the shape that is fastest there; rows of the others are set aside with what they lost.
 */
static const double same = 1.05; /* shapes this near are repetitions: no more than runs differ */

static const char slower[] = "a slower shape of processes x threads";

struct shaped {
    struct mw_row *row;
    double ranks;
};

static int by_shape(const void *a, const void *b)
{
    const struct shaped *x = a, *y = b;
    const struct mw_row *r = x->row, *s = y->row;
    if (r->freq_hz < s->freq_hz || r->freq_hz > s->freq_hz)
        return r->freq_hz < s->freq_hz ? -1 : 1;
    if (r->cores != s->cores)
        return r->cores < s->cores ? -1 : 1;
    if (x->ranks < y->ranks || x->ranks > y->ranks)
        return x->ranks < y->ranks ? -1 : 1;
    return r < s ? -1 : r > s;
}

static bool same_point(const struct mw_row *a, const struct mw_row *b)
{
    return a->cores == b->cores && !(a->freq_hz < b->freq_hz) && !(a->freq_hz > b->freq_hz);
}

static double median(const struct shaped *items, size_t n, double *work)
{
    for (size_t i = 0; i < n; i++)
        work[i] = items[i].row->value;
    return mw_median(work, n);
}

/* Rows of one shape, from items on; less is better. */
static size_t shape_end(const struct shaped *items, size_t from, size_t to)
{
    size_t end = from + 1;
    while (end < to && !(items[end].ranks > items[from].ranks))
        end++;
    return end;
}

static enum mw_err set_slower_aside(struct mw_dataset *dataset, const struct shaped *items, size_t n, double best,
                                    double ranks, bool less, double *work, size_t *aside, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    for (size_t from = 0, to; from < n && !err; from = to) {
        to = shape_end(items, from, n);
        double loss = median(items + from, to - from, work) / best;
        loss = less ? loss : 1 / loss;
        for (size_t i = from; i < to && loss > same && !err; i++, ++*aside) {
            items[i].row->set_aside = slower;
            err = mw_dataset_set_aside(dataset, items[i].row, error,
                                       "%.0f processes take %.3g times as long on %u cores as %.0f processes",
                                       items[from].ranks, loss, items[i].row->cores, ranks);
        }
    }
    return err;
}

enum mw_err mw_shapes_settle(struct mw_dataset *dataset, struct mw_error *error)
{
    struct shaped *items = malloc((dataset->count + 1) * sizeof *items);
    double *work = malloc((dataset->count + 1) * sizeof *work);
    bool less = dataset->quantity != MW_SPEEDUP;
    size_t n = 0, aside = 0;
    enum mw_err err = items && work ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < dataset->count && !err; i++) {
        struct mw_row *row = &dataset->rows[i];
        if (!row->set_aside && row->has & MW_HAS_VALUE && row->usage.has[MW_USAGE_RANKS] &&
            row->usage.has[MW_USAGE_THREADS])
            items[n++] = (struct shaped){row, row->usage.of[MW_USAGE_RANKS]};
    }
    if (!err)
        qsort(items, n, sizeof *items, by_shape);
    for (size_t from = 0, to; from < n && !err; from = to) {
        double best = 0, ranks = 0;
        for (to = from + 1; to < n && same_point(items[from].row, items[to].row);)
            to++;
        for (size_t s = from, end; s < to; s = end) {
            end = shape_end(items, s, to);
            double value = median(items + s, end - s, work);
            if (!(best > 0) || (less ? value < best : value > best)) {
                best = value;
                ranks = items[s].ranks;
            }
        }
        err = set_slower_aside(dataset, items + from, to - from, best, ranks, less, work, &aside, error);
    }
    free(items);
    free(work);
    if (err || !aside)
        return err;
    n = 0;
    for (size_t i = 0; i < dataset->count; i++)
        if (dataset->rows[i].set_aside != slower)
            dataset->rows[n++] = dataset->rows[i];
    dataset->count = n;
    return mw_dataset_warn(dataset, error,
                           "processes x threads: each core count is fitted with its fastest shape, %zu row%s of slower "
                           "ones set aside",
                           aside, aside == 1 ? "" : "s");
}
