// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_BINDING_H
#define MW_FIT_BINDING_H

#include "fit/predict/predict.h"
#include "fit/share.h"

/* What the answers of one model share. */
struct mw_binder {
    struct mw_shares shares;
    bool flat; /* cores gain nothing */
};
struct mw_binder mw_binder_of(const struct mw_model *model);

/*
 * What more than half of the time on `cores` cores at freq_hz goes into, whichever way the 90 % intervals have it;
 * MW_BINDING_UNDETERMINED where none does or the data can't tell. The efficiency E (the prediction's speedup over one core at
 * base_hz, 0: freq_hz itself) is the part that the cores divide, the rest they don't; the share m that does not depend on
 * the frequency, as the model states it for the fewest and the most measured cores, is memory. So E (1 - m_1) is compute,
 * E m_1 latency, m_p - E m_1 bandwidth and the rest serial. Without shares (one frequency, speedups alone) nothing is
 * said; of bandwidth and serial nothing beyond the measured cores, of memory nothing where cores gain nothing.
 */
enum mw_binding mw_binding_at(const struct mw_binder *binder, const struct mw_prediction *prediction, double cores,
                              double freq_hz, double base_hz);

#endif
