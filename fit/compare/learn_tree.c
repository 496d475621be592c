// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/compare/learners_internal.h"

#include <math.h>
#include <stdlib.h>

/*
 * CART (Breiman, Friedman, Olshen, Stone 1984): split where the sum of squares falls most, until a leaf would have fewer
 * rows than the setting allows. No tree is kept: a query walks down by splitting the rows it belongs to.
 */
struct split {
    size_t feature;
    double at, gain;
};

struct rows {
    const double (*x)[2];
    const double *y;
    size_t *index; /* rows of the node */
    size_t n;
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double fall(const struct rows *rows, size_t feature, double at, size_t leaf)
{
    double sum[2] = {0}, all = 0;
    size_t count[2] = {0};
    for (size_t i = 0; i < rows->n; i++) {
        size_t side = rows->x[rows->index[i]][feature] > at;
        sum[side] += rows->y[rows->index[i]];
        count[side]++;
    }
    if (count[0] < leaf || count[1] < leaf)
        return 0;
    all = sum[0] + sum[1];
    return sum[0] * sum[0] / (double)count[0] + sum[1] * sum[1] / (double)count[1] - all * all / (double)rows->n;
}

static struct split best_split(const struct rows *rows, size_t leaf, double *scratch)
{
    struct split best = {0};
    for (size_t feature = 0; feature < 2; feature++) {
        for (size_t i = 0; i < rows->n; i++)
            scratch[i] = rows->x[rows->index[i]][feature];
        qsort(scratch, rows->n, sizeof *scratch, compare_doubles);
        for (size_t i = 1; i < rows->n; i++) {
            double at = (scratch[i - 1] + scratch[i]) / 2;
            if (!(scratch[i] > scratch[i - 1]))
                continue;
            double gain = fall(rows, feature, at, leaf);
            if (gain > best.gain)
                best = (struct split){feature, at, gain};
        }
    }
    return best;
}

static double answer(struct rows rows, const double *query, size_t leaf, double *scratch)
{
    const double none = 1e-12;
    for (;;) {
        struct split split = best_split(&rows, leaf, scratch);
        size_t kept = 0;
        if (!(split.gain > none))
            break;
        for (size_t i = 0; i < rows.n; i++)
            if ((rows.x[rows.index[i]][split.feature] > split.at) == (query[split.feature] > split.at))
                rows.index[kept++] = rows.index[i];
        rows.n = kept;
    }
    double mean = 0;
    for (size_t i = 0; i < rows.n; i++)
        mean += rows.y[rows.index[i]] / (double)rows.n;
    return mean;
}

enum mw_err mw_learn_tree(const double (*x)[2], const double *y, size_t n, const double (*query)[2], size_t m,
                          int setting, double *out, struct mw_error *error)
{
    static const size_t leaves[MW_TREE_SETTINGS] = {1, 2, 4, 8};
    size_t *index = malloc(n * sizeof *index);
    double *scratch = malloc(n * sizeof *scratch);
    if (!index || !scratch) {
        free(index);
        free(scratch);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    for (size_t q = 0; q < m; q++) {
        for (size_t i = 0; i < n; i++)
            index[i] = i;
        out[q] = answer((struct rows){x, y, index, n}, query[q], leaves[setting], scratch);
    }
    free(index);
    free(scratch);
    return MW_OK;
}
