// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_SITES_H
#define MW_FIT_SITES_H

#include "data/clock.h"
#include "fit/predict/discrepancy.h"

/*
 * Points as the samplers see them. A one-core speedup is 1 by definition and says nothing: such points are left out.
 * Frequencies that a file does not name count as F_mem: phi = 1.
 */
struct mw_sites {
    struct mw_site *items;
    size_t *point;   /* index of the point that items[i] is from */
    double *reading; /* variance of items[i].ln_value about what the point takes on average, by its repetitions
                        (fit/predict/reading.h); 0: not known, infinite: an outlier, which says nothing of its point */
    size_t count;
    double p_min, p_max, freq_min_hz, freq_max_hz; /* over all usable points, also those thinned out */
    double memory_freq_hz;
    struct mw_clock *clocks; /* of the items, where times say at which clock their cores ran */
    size_t clock_count;      /* 0: they don't */
};

/* Sampling from the laws needs no more sites than this, conditioning the discrepancy no more than that. */
enum { MW_SITES_SAMPLE = 64, MW_SITES_CONDITION = 320 };

/*
 * The sites of the points on up to cores_most cores (INFINITY: all), at most about `most` of them: where there are more, core counts spread in ln p at evenly
 * spread frequencies, the lowest and highest always among them. Noise is points->items[].noise_factor, less where a
 * point has more repetitions than the median point. MW_NOFIT where no point is usable, MW_NOMEM.
 */
enum mw_err mw_sites_init(struct mw_sites *sites, const struct mw_points *points, double memory_freq_hz, size_t most,
                          double cores_most, struct mw_error *error) MW_CHECKED;
void mw_sites_release(struct mw_sites *sites);

/* The index of the site measured at just these cores and frequency, an outlier not counted; sites->count: none. */
size_t mw_sites_find(const struct mw_sites *sites, const struct mw_site *site);

/* A site at the frequency asked for, as its clock too; the same with the clock that the points of `sites` tell of. */
struct mw_site mw_site_at(double cores, double freq_hz, double memory_freq_hz);
struct mw_site mw_sites_at(const struct mw_sites *sites, double cores, double freq_hz);

#endif
