// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/binding.h"
#include "advise/diagnose/diagnose_internal.h"
#include "data/units.h"

#include <string.h>

enum { DRAWS = 500 }; /* of 4,000, evenly: a chance of .9 to .013 */

const char *mw_binding_name(enum mw_binding binding)
{
    static const char *const names[] = {"", "compute", "serial", "latency", "bandwidth"};
    return names[binding];
}

static enum mw_binding word_of(enum mw_cause cause)
{
    switch (cause) {
    case MW_CAUSE_SCALES_WELL:
        return MW_BINDING_COMPUTE;
    case MW_CAUSE_SERIAL:
        return MW_BINDING_SERIAL;
    case MW_CAUSE_MEMORY_LATENCY:
        return MW_BINDING_LATENCY;
    case MW_CAUSE_MEMORY_BANDWIDTH:
        return MW_BINDING_BANDWIDTH;
    default:
        return MW_BINDING_UNDETERMINED;
    }
}

/* Measured, within what a frequency's name is rounded by. */
static bool is_inside(const struct mw_view *view, const struct mw_config *config)
{
    double f = config->freq_hz, low = view->freq_min_hz, high = view->freq_scale_hz;
    return config->cores <= view->cores && ((f >= low && f <= high) || mw_freq_same(f, low) || mw_freq_same(f, high));
}

static bool same_draw(const struct mw_posterior_draw *a, const struct mw_posterior_draw *b)
{
    return a->law == b->law && !memcmp(a->q, b->q, sizeof a->q);
}

enum mw_binding mw_diagnoser_binding(const struct mw_diagnoser *diagnoser, const struct mw_diagnosis *diagnosis,
                                     const struct mw_config *config)
{
    const struct mw_cautious *reading = &diagnoser->reading;
    const struct mw_posterior *posterior = &reading->posterior;
    const struct mw_posterior_draw *last = NULL;
    double chance[MW_BINDING_BANDWIDTH + 1] = {0}, x = mw_view_clock(&reading->view, config->cores, config->freq_hz);
    enum mw_binding word = MW_BINDING_UNDETERMINED;
    if (diagnosis->disturbed || reading->view.ratio || reading->view.one_clock || !is_inside(&reading->view, config) ||
        !mw_diagnose_may_name(diagnosis, &reading->view))
        return MW_BINDING_UNDETERMINED;
    size_t stride = posterior->count > DRAWS ? posterior->count / DRAWS : 1, used = 0;
    for (size_t i = 0; i < posterior->count; i += stride, used++) {
        const struct mw_posterior_draw *draw = &posterior->draws[i];
        if (!last || !same_draw(draw, last))
            word =
                word_of(mw_mechanism_cause_at(draw->law, draw->q, &reading->frame, &draw->outcome, config->cores, x));
        chance[word] += 1 - posterior->other;
        last = draw;
    }
    for (word = MW_BINDING_COMPUTE; word <= MW_BINDING_BANDWIDTH; word++)
        if (chance[word] >= MW_CAUSE_CERTAIN * (double)used)
            return word;
    return MW_BINDING_UNDETERMINED;
}
