// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/stats.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void mw_sort(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
}

size_t mw_sort_distinct(double *values, size_t n)
{
    bool sorted = true; /* often so, and cheaper to see than to sort */
    for (size_t i = 1; i < n && sorted; i++)
        sorted = values[i - 1] <= values[i];
    if (!sorted)
        mw_sort(values, n);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (count == 0 || values[i] > values[count - 1])
            values[count++] = values[i];
    return count;
}

double mw_quantile_sorted(const double *sorted, size_t n, double q)
{
    assert(n >= 1);
    double position = q * (double)(n - 1);
    size_t below = (size_t)position;
    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Sorted copy, or NULL; the caller frees. */
static double *sorted_copy(const double *values, size_t n)
{
    double *copy = malloc(n * sizeof *copy);
    if (copy) {
        memcpy(copy, values, n * sizeof *copy);
        mw_sort(copy, n);
    }
    return copy;
}

/* Reorders values so that values[k] is what it would be if sorted, with nothing greater before it (Hoare's Find, 1961). */
static void select_kth(double *values, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        double pivot = values[k];
        size_t i = low, j = high;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i <= j) {
                double swap = values[i];
                values[i++] = values[j];
                values[j] = swap;
                if (!j)
                    break;
                j--;
            }
            if (i > j)
                break;
        }
        if (j < k)
            low = i;
        if (k < i)
            high = j;
    }
}

double mw_median(const double *values, size_t n)
{
    assert(n >= 1);
    double small[64];
    double *copy = n <= 64 ? small : malloc(n * sizeof *copy);
    if (!copy)
        return values[n / 2]; /* out of memory: callers that fit have failed long before */
    memcpy(copy, values, n * sizeof *copy);
    size_t k = (n - 1) / 2;
    select_kth(copy, n, k);
    double below = copy[k], median = below;
    if (n % 2 == 0) { /* the next larger one is the least of what follows */
        double above = copy[k + 1];
        for (size_t i = k + 2; i < n; i++)
            above = copy[i] < above ? copy[i] : above;
        median = below + 0.5 * (above - below);
    }
    if (copy != small)
        free(copy);
    return median;
}

double mw_mad(const double *values, size_t n)
{
    assert(n >= 1);
    double center = mw_median(values, n);
    double *distance = malloc(n * sizeof *distance);
    if (!distance)
        return 0;
    for (size_t i = 0; i < n; i++)
        distance[i] = fabs(values[i] - center);
    double mad = mw_median(distance, n);
    free(distance);
    return 1.4826 * mad;
}

double mw_minimum(const double *values, size_t n)
{
    assert(n >= 1);
    double best = values[0];
    for (size_t i = 1; i < n; i++)
        best = fmin(best, values[i]);
    return best;
}

double mw_maximum(const double *values, size_t n)
{
    assert(n >= 1);
    double best = values[0];
    for (size_t i = 1; i < n; i++)
        best = fmax(best, values[i]);
    return best;
}

double mw_mean(const double *values, size_t n)
{
    assert(n >= 1);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

double mw_median_interval(const double *values, size_t n, double level, double *low, double *high)
{
    assert(n >= 1);
    double *sorted = sorted_copy(values, n);
    if (!sorted) {
        *low = mw_minimum(values, n);
        *high = mw_maximum(values, n);
        return 0;
    }
    /* P(X_(r) <= median <= X_(n+1-r)) = 1 - 2 sum_{i<r} C(n,i) 2^-n; the largest r that keeps the level */
    double tail = 0, reached = 1;
    size_t rank = 0;
    for (size_t r = 1; r <= n / 2 || r == 1; r++) {
        tail += exp(lgamma((double)n + 1) - lgamma((double)r) - lgamma((double)(n - r) + 2) - (double)n * M_LN2);
        double confidence = 1 - 2 * tail;
        if (r > 1 && confidence < level)
            break;
        reached = fmax(confidence, 0);
        rank = r;
        if (confidence < level)
            break;
    }
    *low = sorted[rank - 1];
    *high = sorted[n - rank];
    free(sorted);
    return reached;
}

double mw_spread(const double *values, size_t n)
{
    enum { FEW = 6 };
    double mean = mw_mean(values, n), sum = 0;
    if (n >= FEW)
        return mw_mad(values, n);
    for (size_t i = 0; i < n; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum / (double)(n - 1));
}
