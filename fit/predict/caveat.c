// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/caveat.h"

#include "fit/predict/beyond.h"
#include "data/stats.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ln: median and mean of a prediction further apart than this means two camps of fits. */
static const double gap_limit = 0.05;
/* ln: so far apart the fits that carry a discrepancy and those that do not are camps, too. */
static const double halves_limit = 0.2;
/* Programs whose best law is a power of the cores below this went on otherwise than any law said. */
static const double exponent_limit = 0.8;
/* So many times the measured cores or frequency is beyond all that predictions were ever checked at. */
static const double far_cores = 4, far_freq = 1.6;
/* How many cores the machine has is not in the model. */
static const char if_there[] = ", if the machine has as many";
/* Fewer configurations than a law has unknowns. */
enum { FEW_POINTS = 6 };

struct asked {
    double cores_most; /* of the queries */
    double measured_most;
    bool beyond;
    double freq_low, freq_high; /* measured; 0 where unknown */
    double below, above;        /* of the queries: by how many times they leave them */
    bool other_freq;
    size_t gap_at; /* query with the widest gap beyond the data */
    double gap, halves;
};

static struct asked look(const struct mw_model *model, const struct mw_config *query,
                         const struct mw_prediction *predictions, size_t n)
{
    struct asked asked = {.freq_low = INFINITY};
    for (size_t i = 0; i < model->points.count; i++) {
        asked.measured_most = fmax(asked.measured_most, model->points.items[i].cores);
        asked.freq_low = fmin(asked.freq_low, model->points.items[i].freq_hz);
        asked.freq_high = fmax(asked.freq_high, model->points.items[i].freq_hz);
    }
    for (size_t i = 0; i < n; i++) {
        asked.cores_most = fmax(asked.cores_most, query[i].cores);
        asked.other_freq |= predictions[i].extrapolated_freq;
        if (asked.freq_low > 0 && query[i].freq_hz > 0) {
            asked.above = fmax(asked.above, query[i].freq_hz / asked.freq_high);
            asked.below = fmax(asked.below, asked.freq_low / query[i].freq_hz);
        }
        if (query[i].cores <= asked.measured_most)
            continue;
        asked.beyond = true;
        asked.halves = fmax(asked.halves, predictions[i].ln_halves);
        if (predictions[i].ln_gap > asked.gap) {
            asked.gap = predictions[i].ln_gap;
            asked.gap_at = i;
        }
    }
    return asked;
}

/* What begins behind a boundary. */
static const char *const begins[] = {[MW_BOUNDARY_UNNAMED] = "something else begins",
                                     [MW_BOUNDARY_SOCKET] = "another socket begins",
                                     [MW_BOUNDARY_NODE] = "another NUMA node begins",
                                     [MW_BOUNDARY_KIND] = "slower cores begin",
                                     [MW_BOUNDARY_SMT] = "sibling threads begin"};

static size_t boundary(const struct mw_model *model, const struct asked *asked, struct mw_caveat *caveat)
{
    double after;
    enum mw_boundary_kind kind;
    if (mw_boundary_between(model, asked->measured_most, asked->cores_most, &after, &kind)) {
        caveat->kind = MW_CAVEAT_BOUNDARY;
        caveat->cores = asked->cores_most;
        snprintf(caveat->text, sizeof caveat->text,
                 "after %.0f cores %s, behind your data (up to %.0f cores): the interval is as wide as what such "
                 "boundaries cost elsewhere; one run there says more than any model: measure p = %.0f, else p = %.0f",
                 after, begins[kind], asked->measured_most, asked->cores_most, after + 1);
        return 1;
    }
    if (mw_boundaries_known(model) || !asked->beyond)
        return 0;
    caveat->kind = MW_CAVEAT_NO_TOPOLOGY;
    caveat->cores = asked->cores_most;
    snprintf(caveat->text, sizeof caveat->text,
             "whether a socket boundary lies between your data (up to %.0f cores) and this prediction (%.0f cores) is "
             "not known, and there the time may jump: fit with --boundaries or --machine, or measure p = %.0f%s",
             asked->measured_most, asked->cores_most, asked->cores_most, if_there);
    return 1;
}

static size_t moved(const struct mw_model *model, const struct asked *asked, struct mw_caveat *caveat)
{
    double fitted = mw_beyond_fitted(model);
    if (!(asked->cores_most > fitted))
        return 0;
    caveat->kind = MW_CAVEAT_MOVED;
    snprintf(caveat->text, sizeof caveat->text,
             "behind the boundary after %.0f cores the few runs there say how much, and the slope is that of the runs "
             "before it",
             fitted);
    return 1;
}

static size_t camps(const struct mw_config *query, const struct asked *asked, struct mw_caveat *caveat)
{
    if (!asked->beyond || !(asked->gap > gap_limit || asked->halves > halves_limit))
        return 0;
    double cores = asked->gap > gap_limit ? query[asked->gap_at].cores : asked->cores_most;
    caveat->kind = MW_CAVEAT_TWO_CAMPS;
    caveat->cores = cores;
    snprintf(caveat->text, sizeof caveat->text,
             "roof or no roof isn't decided: fits that describe your data equally well part by %.0f %% beyond them: "
             "measure p = %.0f%s",
             100 * expm1(fmax(2 * asked->gap, asked->halves)), cores, if_there);
    return 1;
}

static size_t no_floor(const struct mw_model *model, const struct mw_config *query,
                       const struct mw_prediction *predictions, size_t n, const struct asked *asked,
                       struct mw_caveat *caveat)
{
    size_t far = 0;
    for (size_t i = 0; i < n; i++)
        if (query[i].cores > query[far].cores)
            far = i;
    if (!n || !(predictions[far].power_value > 0))
        return 0;
    bool times = model->quantity == MW_TIME;
    caveat->kind = MW_CAVEAT_POWER;
    caveat->cores = 2 * asked->measured_most;
    snprintf(
        caveat->text, sizeof caveat->text,
        "up to %.0f cores no floor is in sight: on %.0f cores %s may go on to %.4g%s or level off at %.4g%s, which "
        "such data can't tell: measure p = %.0f%s",
        asked->measured_most, query[far].cores, times ? "the time" : "the speedup", predictions[far].power_value,
        times ? " s" : "", predictions[far].value, times ? " s" : "", caveat->cores, if_there);
    return 1;
}

static size_t low_power(const struct mw_model *model, const struct asked *asked, struct mw_caveat *caveat)
{
    enum { E = 2, MOST_DRAWS = 256 };
    const struct mw_ensemble_fit *best = NULL;
    for (size_t f = 0; f < model->ensemble.count; f++) {
        const struct mw_ensemble_fit *fit = &model->ensemble.fits[f];
        if (!fit->independent && (!best || fit->log_evidence > best->log_evidence))
            best = fit;
    }
    if (!asked->beyond || !best || strcmp(best->law, "power") != 0 || best->draw_count == 0)
        return 0;
    double exponents[MOST_DRAWS];
    size_t count = best->draw_count < MOST_DRAWS ? best->draw_count : MOST_DRAWS;
    for (size_t s = 0; s < count; s++)
        exponents[s] = best->params[s * best->param_count + E];
    double exponent = mw_median(exponents, count);
    if (exponent >= exponent_limit)
        return 0;
    caveat->kind = MW_CAVEAT_POWER;
    caveat->cores = asked->cores_most;
    snprintf(caveat->text, sizeof caveat->text,
             "up to %.0f cores the program gains as p^%.2f, which no law explains: programs like it went on faster or "
             "slower than predicted, by half: measure p = %.0f%s",
             asked->measured_most, exponent, asked->cores_most, if_there);
    return 1;
}

static size_t data_caveats(const struct mw_model *model, const struct asked *asked, struct mw_caveat *caveats)
{
    size_t count = 0, repetitions = 0;
    for (size_t i = 0; i < model->points.count; i++)
        repetitions += model->points.items[i].count > 1;
    if (model->points.count < FEW_POINTS && repetitions == 0) {
        struct mw_caveat *caveat = &caveats[count++];
        *caveat = (struct mw_caveat){.kind = MW_CAVEAT_FEW_POINTS};
        snprintf(caveat->text, sizeof caveat->text,
                 "%zu configuration%s without repetitions: the intervals are wide because little is known",
                 model->points.count, model->points.count == 1 ? "" : "s");
    }
    if (asked->other_freq && asked->freq_low == asked->freq_high) {
        struct mw_caveat *caveat = &caveats[count++];
        *caveat = (struct mw_caveat){.kind = MW_CAVEAT_ONE_FREQ};
        snprintf(caveat->text, sizeof caveat->text,
                 "the data have one frequency (%.3g GHz), so what another one changes rests on assumptions: measure "
                 "one configuration at another frequency",
                 asked->freq_low / 1e9);
    }
    return count;
}

/* Answers so far out that no interval covers them. */
static size_t far_beyond(const struct asked *asked, struct mw_caveat *caveats)
{
    static const char last[] = "nothing was checked so far out, and neither the answer nor its interval can be trusted";
    size_t count = 0;
    double times = asked->cores_most / asked->measured_most;
    if (times > far_cores) {
        struct mw_caveat *caveat = &caveats[count++];
        *caveat = (struct mw_caveat){.kind = MW_CAVEAT_FAR_CORES, .cores = asked->cores_most};
        snprintf(caveat->text, sizeof caveat->text, "%.0f cores are %.*f times the most measured (%.0f): %s",
                 asked->cores_most, times < 10 ? 1 : 0, times, asked->measured_most, last);
    }
    if (fmax(asked->above, asked->below) > far_freq * (1 + MW_FREQ_TOLERANCE)) {
        struct mw_caveat *caveat = &caveats[count++];
        bool above = asked->above > asked->below;
        *caveat = (struct mw_caveat){.kind = MW_CAVEAT_FAR_FREQ};
        snprintf(caveat->text, sizeof caveat->text, "%.3g GHz is %s measured (%.3g GHz) by %.2g times: %s",
                 (above ? asked->above * asked->freq_high : asked->freq_low / asked->below) / 1e9,
                 above ? "above the highest" : "below the lowest", (above ? asked->freq_high : asked->freq_low) / 1e9,
                 above ? asked->above : asked->below, last);
    }
    return count;
}

size_t mw_caveats(const struct mw_model *model, const struct mw_config *query, const struct mw_prediction *predictions,
                  size_t n, struct mw_caveat caveats[MW_CAVEAT_COUNT])
{
    struct asked asked = look(model, query, predictions, n);
    size_t count = boundary(model, &asked, caveats);
    count += moved(model, &asked, caveats + count);
    count += camps(query, &asked, caveats + count);
    size_t open = no_floor(model, query, predictions, n, &asked, caveats + count);
    count += open ? open : low_power(model, &asked, caveats + count);
    count += data_caveats(model, &asked, caveats + count);
    count += far_beyond(&asked, caveats + count);
    return count;
}
