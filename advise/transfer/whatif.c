// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/transfer/whatif.h"
#include "advise/transfer/transfer.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The same machine with more cores: 7 % at twice the measured ones, 13 % at four times; no test went further. */
static const double MOST_CORES = 4;
/* A tenth of measured twins leave their bounds by more than this, from noise. */
static const double CROSSED = .02;

enum mw_err mw_whatif_parse(struct mw_whatif *result, const char *text, struct mw_error *error)
{
    static const char *const KEYS[] = {"memory-latency", "memory-bandwidth", "cores"};
    struct mw_whatif what = {.latency = 1, .bandwidth = 1};
    double *const target[] = {&what.latency, &what.bandwidth, &what.cores};
    char copy[256], *rest = copy, *item;
    if (strlen(text) >= sizeof copy || !*text)
        return mw_fail(error, MW_USAGE, "'%.60s' is no list of key=value", text);
    strcpy(copy, text);
    while ((item = strsep(&rest, ","))) {
        char *equals = strchr(item, '=');
        size_t k = 0;
        if (equals)
            *equals = '\0';
        while (k < 3 && strcmp(item, KEYS[k]))
            k++;
        if (k == 3) {
            const char *near = mw_nearest(item, KEYS, 3);
            mw_fail(error, MW_USAGE,
                    "'%s' is nothing that can be changed; memory-latency, memory-bandwidth and cores can", item);
            return near ? mw_hint(error, "did you mean '%s'?", near) : MW_USAGE;
        }
        double value;
        if (!equals || mw_parse_number(equals + 1, &value, NULL) != MW_OK || !(value > 0) ||
            (k == 2 && fabs(value - nearbyint(value)) > 0))
            return mw_fail(error, MW_USAGE, "'%s' wants a %s above 0, as in %s=%s", KEYS[k],
                           k == 2 ? "whole number" : "number", KEYS[k], k == 2 ? "64" : "0.7");
        *target[k] = value;
    }
    *result = what;
    return MW_OK;
}

struct domain {
    double cores, freq_low_hz, freq_high_hz;
};

static struct domain domain_of(const struct mw_points *points)
{
    struct domain d = {0, HUGE_VAL, 0};
    for (size_t i = 0; i < points->count; i++) {
        d.cores = fmax(d.cores, points->items[i].cores);
        d.freq_low_hz = fmin(d.freq_low_hz, points->items[i].freq_hz);
        d.freq_high_hz = fmax(d.freq_high_hz, points->items[i].freq_hz);
    }
    return d;
}

static bool is_memory(enum mw_verdict verdict)
{
    return verdict == MW_VERDICT_MEMORY_LATENCY || verdict == MW_VERDICT_MEMORY_BANDWIDTH ||
           verdict == MW_VERDICT_MEMORY;
}

/*
 * T(p, F) of the measured runs on p cores: C/F + m through the two that bracket F, which is exact at both. false where they
 * don't; the model's interval is carried by its ratio.
 */
static bool between_runs(double *value, double runs_hz[2], const struct mw_points *points, double cores, double freq_hz)
{
    const struct mw_point *below = NULL, *above = NULL;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *point = &points->items[i];
        if (fabs(point->cores - cores) > .5 || point->freq_hz <= 0)
            continue;
        if (point->freq_hz <= freq_hz * (1 + MW_FREQ_TOLERANCE) && (!below || point->freq_hz > below->freq_hz))
            below = point;
        if (point->freq_hz >= freq_hz * (1 - MW_FREQ_TOLERANCE) && (!above || point->freq_hz < above->freq_hz))
            above = point;
    }
    if (!below || !above)
        return false;
    runs_hz[0] = below->freq_hz;
    runs_hz[1] = above->freq_hz;
    double u = 1 / below->freq_hz, v = 1 / above->freq_hz, w = 1 / freq_hz;
    *value = below == above ? below->value : above->value + (below->value - above->value) * (w - v) / (u - v);
    return true;
}

/* x T(p, x F), where x F was measured or lies between frequencies that were. */
static enum mw_err read_twin(struct mw_whatif_answer *a, double x, const struct domain *d, const struct mw_model *model,
                             struct mw_error *error)
{
    double freq = x * a->freq_hz;
    if (a->freq_hz <= 0 || d->freq_high_hz <= d->freq_low_hz * (1 + MW_FREQ_TOLERANCE)) {
        snprintf(a->why, sizeof a->why, "the runs hold one frequency only; runs at %.2g of it would give the figure",
                 x);
        return MW_OK;
    }
    if (freq < d->freq_low_hz * (1 - MW_FREQ_TOLERANCE) || freq > d->freq_high_hz * (1 + MW_FREQ_TOLERANCE)) {
        snprintf(a->why, sizeof a->why, "it would be read from runs at %.3g GHz, outside the measured %.3g to %.3g GHz",
                 freq / 1e9, d->freq_low_hz / 1e9, d->freq_high_hz / 1e9);
        return MW_OK;
    }
    struct mw_config query = {a->cores, freq};
    struct mw_prediction twin;
    enum mw_err err = mw_predict(model, &query, 1, &twin, error);
    if (err != MW_OK)
        return err;
    double read = twin.value;
    (void)between_runs(&read, a->runs_hz, &model->points, a->cores, freq);
    a->has_figure = true;
    a->value = x * read;
    a->low = x * twin.low * read / twin.value;
    a->high = x * twin.high * read / twin.value;
    a->read_at_hz = freq;
    return MW_OK;
}

/* m of a time C/F + m at another frequency, from what it is at one. */
static double carry(double share, double ratio)
{
    return share * ratio / (share * ratio + 1 - share);
}

/*
 * The most that does not depend on the frequency: between the ends that the diagnosis has, linear in ln of the cores; all where it
 * has none.
 */
static double fixed_most(const struct mw_diagnosis *d, double cores, double freq_hz)
{
    if (!d->has_fixed || d->end_count < 2 || cores > d->cores)
        return 1;
    double ratio = freq_hz / d->freq_max_hz, w = d->cores > 1 ? log(cores) / log(d->cores) : 0;
    return (1 - w) * carry(d->fixed[0].high, ratio) + w * carry(d->fixed[1].high, ratio);
}

/* Bandwidth alone: a figure only where the share that cores don't shrink was identified as such. */
static void by_bandwidth(struct mw_whatif_answer *a, double now, double y, const struct mw_diagnosis *diagnosis,
                         double cores_measured)
{
    if (diagnosis->verdict == MW_VERDICT_MEMORY_BANDWIDTH && diagnosis->end_count > 1 &&
        fabs(a->cores - diagnosis->cores) < .5) {
        const struct mw_interval *share = &diagnosis->ends[1].nonscaling;
        a->has_figure = true;
        a->value = now * (1 - share->median * (1 - 1 / y));
        a->low = now * (1 - (y > 1 ? share->high : share->low) * (1 - 1 / y));
        a->high = now * (1 - (y > 1 ? share->low : share->high) * (1 - 1 / y));
        return;
    }
    double high = fixed_most(diagnosis, a->cores, a->freq_hz);
    if (y > 1 && high < 1 - 1 / y) {
        a->bound_low = now * (1 - high);
        snprintf(a->why, sizeof a->why, "at most %.0f %% of the time does not depend on the frequency", 100 * high);
        return;
    }
    snprintf(a->why, sizeof a->why,
             "whether bandwidth limits this program was not seen (no saturation up to %.0f cores)", cores_measured);
}

/* cores: the law carried on; where memory binds, also as if memory grew with the cores. */
static enum mw_err by_cores(struct mw_whatif_answer *a, const struct mw_model *model,
                            const struct mw_diagnosis *diagnosis, const struct domain *d, bool memory_too, bool twin,
                            struct mw_error *error)
{
    struct mw_config query[3] = {{a->cores, a->freq_hz},
                                 {fmax(a->cores / pow(a->cores / d->cores, MW_TRANSFER_EXPONENT), 1), a->freq_hz},
                                 {1, a->freq_hz}};
    struct mw_prediction out[3];
    enum mw_err err = mw_predict(model, query, 3, out, error);
    if (err != MW_OK)
        return err;
    a->has_figure = true;
    a->value = out[0].value;
    a->low = out[0].low;
    a->high = out[0].high;
    if (twin || !is_memory(diagnosis->verdict) || a->cores <= d->cores) /* the twin says what its own memory does */
        return MW_OK;
    a->has_wider = true; /* efficiency of fewer cores: S(p) = p e(p / kappa) */
    a->wider = out[2].value / (a->cores * (out[2].value / out[1].value) / query[1].cores);
    if (memory_too) {
        double t = a->value;
        a->value = a->wider;
        a->wider = t;
        a->low = fmin(a->low, a->value * a->low / t);
    }
    return MW_OK;
}

/* Faster memory: x T <= T' <= T, more bandwidth: T/y <= T'; slower memory the other way round. */
static void set_bounds(struct mw_whatif_answer *a, double base, double x, double y)
{
    double factor = fmin(x, 1 / y), other = fmax(x, 1 / y);
    a->bound_low = fmax(a->bound_low, base * fmin(factor, 1));
    a->bound_high = base * fmax(other, 1);
    a->crossed = a->has_figure && (a->value < a->bound_low * (1 - CROSSED) || a->value > a->bound_high * (1 + CROSSED));
    if (!a->has_figure || a->crossed || !(factor < 1 || other > 1)) /* crossed: it is shown and said */
        return;
    a->value = fmin(fmax(a->value, a->bound_low), a->bound_high);
    a->low = fmin(fmax(a->low, a->bound_low), a->value);
    a->high = fmax(fmin(a->high, a->bound_high), a->value);
}

enum mw_err mw_whatif_answer(struct mw_whatif_answer *answer, const struct mw_whatif *what,
                             const struct mw_model *model, const struct mw_diagnosis *diagnosis,
                             const struct mw_config *query, struct mw_error *error)
{
    if (model->quantity != MW_TIME)
        return mw_fail(error, MW_USAGE, "what-if is answered in time, and this model has none");
    struct domain d = domain_of(&model->points);
    struct mw_whatif_answer a = {.cores = what->cores > 0 ? what->cores : query->cores, .freq_hz = query->freq_hz};
    if (a.cores > MOST_CORES * d.cores) {
        mw_fail(error, MW_USAGE, "%.0f cores are over four times the %.0f measured: nothing can be promised", a.cores,
                d.cores);
        return mw_hint(error, "ask for at most %.0f, or measure on more cores", MOST_CORES * d.cores);
    }
    struct mw_prediction now;
    enum mw_err err = mw_predict(model, query, 1, &now, error);
    if (err != MW_OK)
        return err;
    a.now = now.value;
    double runs_hz[2];
    (void)between_runs(&a.now, runs_hz, &model->points, query->cores, query->freq_hz);
    a.now_low = now.low * a.now / now.value;
    a.now_high = now.high * a.now / now.value;
    double x = what->latency, y = what->bandwidth, base = a.now;
    bool latency = x < 1 || x > 1, bandwidth = y < 1 || y > 1, cores = what->cores > 0;
    if (cores) {
        err = by_cores(&a, model, diagnosis, &d, bandwidth, latency, error);
        base = a.value;
    }
    if (err == MW_OK && (latency || (bandwidth && !cores))) {
        a.has_figure = false;
        if (latency && bandwidth && fabs(x * y - 1) > CROSSED)
            snprintf(a.why, sizeof a.why,
                     "latency and bandwidth change by different factors; only one factor for both can be read "
                     "from runs at another frequency");
        else if (latency && !bandwidth && diagnosis->verdict == MW_VERDICT_MEMORY_BANDWIDTH)
            snprintf(a.why, sizeof a.why,
                     "bandwidth limits this program, so latency alone changes less than the runs can tell");
        else if (latency)
            err = read_twin(&a, x, &d, model, error);
        else
            by_bandwidth(&a, base, y, diagnosis, d.cores);
    }
    if (err != MW_OK)
        return err;
    set_bounds(&a, base, x, cores && !latency ? 1 : y);
    *answer = a;
    return MW_OK;
}
