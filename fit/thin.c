// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/thin.h"

#include <math.h>

/* Farthest-point choice (Gonzalez, Theoretical Computer Science 38, 1985): each next site is the one farthest from all kept. */
static double distance(const struct mw_site *a, const struct mw_site *b)
{
    /* a factor of two in cores says as much as the whole usual range of frequency, which is about a factor of two */
    return hypot(log(a->cores / b->cores), log(a->freq_ghz / b->freq_ghz));
}

/* More cores and the higher frequency come first, so that ties do not depend on the order of the sites. */
static bool before(const struct mw_site *a, const struct mw_site *b)
{
    return a->freq_ghz > b->freq_ghz || (a->freq_ghz == b->freq_ghz && a->cores > b->cores);
}

static double nearest(const struct mw_site *sites, size_t i, const size_t *kept, size_t count)
{
    double best = INFINITY;
    for (size_t k = 0; k < count; k++)
        best = fmin(best, distance(&sites[i], &sites[kept[k]]));
    return best;
}

size_t mw_thin(const struct mw_site *sites, size_t n, size_t limit, size_t *kept)
{
    if (n <= limit) {
        for (size_t i = 0; i < n; i++)
            kept[i] = i;
        return n;
    }
    size_t count = 0, first = 0;
    for (size_t i = 1; i < n; i++)
        if (before(&sites[i], &sites[first]))
            first = i;
    kept[count++] = first;
    while (count < limit) {
        size_t best = n;
        double best_distance = -1;
        for (size_t i = 0; i < n; i++) {
            double d = nearest(sites, i, kept, count);
            if (d > best_distance || (d == best_distance && before(&sites[i], &sites[best]))) {
                best = i;
                best_distance = d;
            }
        }
        kept[count++] = best;
    }
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && kept[j] < kept[j - 1]; j--) {
            size_t swap = kept[j];
            kept[j] = kept[j - 1];
            kept[j - 1] = swap;
        }
    return count;
}
