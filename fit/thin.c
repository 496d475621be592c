// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/thin.h"

#include <math.h>
#include <stdlib.h>

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

static void sort(size_t *kept, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && kept[j] < kept[j - 1]; j--) {
            size_t swap = kept[j];
            kept[j] = kept[j - 1];
            kept[j - 1] = swap;
        }
}

size_t mw_thin(const struct mw_site *sites, size_t n, size_t limit, size_t *kept)
{
    double *nearest = n > limit ? malloc(n * sizeof *nearest) : NULL; /* of each site to those kept */
    size_t best = 0, count = 0;
    for (size_t i = 0; i < n && !nearest; i++) /* all of them; where memory is short the first */
        if (count < limit)
            kept[count++] = i;
    for (size_t i = 1; i < n; i++)
        if (before(&sites[i], &sites[best]))
            best = i;
    while (nearest && count < limit) {
        size_t last = best;
        kept[count++] = last;
        best = n;
        for (size_t i = 0; i < n; i++) {
            double d = distance(&sites[i], &sites[last]);
            nearest[i] = count > 1 ? fmin(nearest[i], d) : d;
            if (best == n || nearest[i] > nearest[best] ||
                (nearest[i] >= nearest[best] && before(&sites[i], &sites[best])))
                best = i;
        }
    }
    free(nearest);
    sort(kept, count);
    return count;
}
