// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MODEL_TIME_H
#define MW_MODEL_TIME_H

#include "model/law.h"

/* Assumed, and said, where nobody tells the memory's frequency: DDR4-2133, of the machine that the paper measured. */
#define MW_MEMORY_FREQ_ASSUMED_HZ 2.133e9

/* phi = F/F_mem; 1 where the processor's frequency is unknown (freq_hz 0), so that A/F_mem is then a time. */
double mw_phi(double freq_hz, double memory_freq_hz);

/* T = A h(p, phi)/F in seconds; scale_s_hz is A. F = F_mem where the frequency is unknown. */
double mw_time_s(const struct mw_law *law, const double *params, double scale_s_hz, double p, double freq_hz,
                 double memory_freq_hz);

/* S = h(1, phi)/h(p, phi): over one core at the same frequency. */
double mw_speedup_same(const struct mw_law *law, const double *params, double p, double phi);

/* T(1, F_low)/T(p, F): over one core at the lowest frequency. */
double mw_speedup_lowest(const struct mw_law *law, const double *params, double p, double phi, double phi_low);

/* Cores from which the wall of the variable-latency law binds, at least 1; 0 where it does not up to p_max. */
double mw_vls_wall_cores(const double *params, double phi, double p_max);

/* Speedup over one core at the same frequency that no number of cores exceeds; 0 where there is no limit. */
double mw_vls_speedup_limit(const double *params, double phi);

#endif
