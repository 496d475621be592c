// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/compare/learners_internal.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * CART (Breiman, Friedman, Olshen, Stone 1984): split where the sum of squares falls most, until a leaf would have fewer
 * rows than the setting allows. No tree is kept: rows and queries go down together.
 */
struct split {
    size_t feature;
    double at, gain;
};

struct tree {
    const double (*x)[2];
    const double *y;
    const double (*query)[2];
    size_t leaf;
    double *scratch; /* room for the rows */
    double *out;     /* the mean of its leaf is added for each query, times weight */
    double weight;
};

/* A node: rows of the training set and queries that belong to it, as indices. */
struct node {
    size_t *rows, n, *queries, m;
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double fall(const struct tree *tree, const struct node *node, size_t feature, double at)
{
    double sum[2] = {0}, all = 0;
    size_t count[2] = {0};
    for (size_t i = 0; i < node->n; i++) {
        size_t side = tree->x[node->rows[i]][feature] > at;
        sum[side] += tree->y[node->rows[i]];
        count[side]++;
    }
    if (count[0] < tree->leaf || count[1] < tree->leaf)
        return 0;
    all = sum[0] + sum[1];
    return sum[0] * sum[0] / (double)count[0] + sum[1] * sum[1] / (double)count[1] - all * all / (double)node->n;
}

static struct split best_split(const struct tree *tree, const struct node *node)
{
    struct split best = {0};
    for (size_t feature = 0; feature < 2; feature++) {
        for (size_t i = 0; i < node->n; i++)
            tree->scratch[i] = tree->x[node->rows[i]][feature];
        qsort(tree->scratch, node->n, sizeof *tree->scratch, compare_doubles);
        for (size_t i = 1; i < node->n; i++) {
            double at = (tree->scratch[i - 1] + tree->scratch[i]) / 2;
            if (!(tree->scratch[i] > tree->scratch[i - 1]))
                continue;
            double gain = fall(tree, node, feature, at);
            if (gain > best.gain)
                best = (struct split){feature, at, gain};
        }
    }
    return best;
}

/* Puts what is not above the split first; returns how many that are. */
static size_t part(const double (*x)[2], size_t *index, size_t count, const struct split *split)
{
    size_t below = 0;
    for (size_t i = 0; i < count; i++)
        if (!(x[index[i]][split->feature] > split->at)) {
            size_t other = index[below];
            index[below++] = index[i];
            index[i] = other;
        }
    return below;
}

/* Depth is the number of rows at most, each level one call: a table of runs has hundreds. */
static void grow(const struct tree *tree, struct node node)
{
    const double none = 1e-12;
    if (node.m == 0)
        return;
    struct split split = best_split(tree, &node);
    if (split.gain > none) {
        size_t rows = part(tree->x, node.rows, node.n, &split),
               queries = part(tree->query, node.queries, node.m, &split);
        grow(tree, (struct node){node.rows, rows, node.queries, queries});
        grow(tree, (struct node){node.rows + rows, node.n - rows, node.queries + queries, node.m - queries});
        return;
    }
    double mean = 0;
    for (size_t i = 0; i < node.n; i++)
        mean += tree->y[node.rows[i]] / (double)node.n;
    for (size_t i = 0; i < node.m; i++)
        tree->out[node.queries[i]] += tree->weight * mean;
}

/* The mean of `trees` trees; bootstrap: each of its own sample of the rows with replacement, from a fixed seed. */
static enum mw_err answer(const double (*x)[2], const double *y, size_t n, const double (*query)[2], size_t m,
                          size_t leaf, size_t trees, bool bootstrap, double *out, struct mw_error *error)
{
    size_t *index = malloc((n + m) * sizeof *index);
    double *scratch = malloc(n * sizeof *scratch);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    enum mw_err err = index && scratch && rng ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    const struct tree tree = {x, y, query, leaf, scratch, out, 1 / (double)trees};
    memset(out, 0, m * sizeof *out);
    for (size_t t = 0; t < trees && !err; t++) {
        for (size_t i = 0; i < n; i++)
            index[i] = bootstrap ? gsl_rng_uniform_int(rng, n) : i;
        for (size_t q = 0; q < m; q++)
            index[n + q] = q;
        grow(&tree, (struct node){index, n, index + n, m});
    }
    free(index);
    free(scratch);
    if (rng)
        gsl_rng_free(rng);
    return err;
}

enum mw_err mw_learn_tree(const double (*x)[2], const double *y, size_t n, const double (*query)[2], size_t m,
                          int setting, double *out, struct mw_error *error)
{
    static const size_t leaves[MW_TREE_SETTINGS] = {1, 2, 4, 8};
    return answer(x, y, n, query, m, leaves[setting], 1, false, out, error);
}

/* Bagging (Breiman, Machine Learning 24, 1996): with two features a forest has none to leave out. */
enum mw_err mw_learn_forest(const double (*x)[2], const double *y, size_t n, const double (*query)[2], size_t m,
                            int setting, double *out, struct mw_error *error)
{
    enum { TREES = 100 };
    (void)setting;
    return answer(x, y, n, query, m, 1, TREES, true, out, error);
}
