// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/beyond.h"

#include "data/stats.h"

#include <math.h>

/* Inside one kind of core: least error, drift a doubling, laws' spread; 5 and 95 % quantiles of the standardised error. From
   tasks that cross nothing on parsec-power, multicores (amd, arm, xeon) and parsec-speedup, times 1.25 since three corpora
   are few; left out one at a time they are (2.5, 2.1), (2.4, 1.6) and (3.2, 1.4). */
static const double least = 0.015, drift = 0.02, of_spread = 2, quantile_low = 3.4, quantile_high = 2.1;

/* What comes behind a boundary, ln: how much is lost in the median, and what opens below and above. Sockets: the 5 and 95 %
   quantiles of what lies behind the 12 cores of parsec-power and the 16 of parsec-speedup; a shift by half their median (.015)
   gains .1 on the former and loses .3 to .5 on the long runs of the latter, so there is none. Threads: i7 and xeon; slower
   cores: xu3 and tx2 (multicores), each checked with its machine left out. A boundary whose kind is not named opens as
   threads do; one that may be there, upwards alone. */
struct opening {
    double shift, low, high;
};
static const struct opening openings[] = {[MW_BOUNDARY_UNNAMED] = {0, .28, .43},
                                          [MW_BOUNDARY_SOCKET] = {0, .15, .23},
                                          [MW_BOUNDARY_NODE] = {0, .15, .23},
                                          [MW_BOUNDARY_KIND] = {.1, .51, .94},
                                          [MW_BOUNDARY_SMT] = {.05, .28, .43}};
static const struct opening not_known = {0, 0, .25};

/* With a run behind a boundary: 3 and 97 % of the error over q = .04 + |ln(p/p_1)|, 34 sets of multicores, one machine left
   out at a time. They scatter by about as much as a set is taken to (.03); what scatters more is added. */
static const double behind_low = 0.6, behind_high = 0.5, behind_least = 0.04, behind_noise = 0.03;
enum { BEHIND_FEW = 2, BEFORE_LEAST = 3 };

/* A power that goes on for ever is not the least it could take. */
static const double below_power = 0.05;

/* Intervals: quantiles of so few fits are a little narrow inside and, with so many opinions, wide beyond; a clock
   ticks; and what no data beside them can show (a knee of the clock) drifts by so much of ln value per doubling beyond the
   data, at Student's 95 %. */
static const double widen = 1.1, widen_below = 0.8, half_width_least = 0.01;
static const double drift_below = 0.085, drift_freq = 0.02, student_95 = 2.132;

double mw_drift_freq(double doublings_f)
{
    return student_95 * drift_freq * doublings_f;
}

double mw_interval_widen(double quantile[3], double doublings_p, double doublings_f)
{
    double p = student_95 * drift_below * doublings_p, f = mw_drift_freq(doublings_f);
    double extra = p * p + f * f;
    double times = doublings_p > 0 ? widen_below : widen;
    double down = times * (quantile[1] - quantile[0]), up = times * (quantile[2] - quantile[1]);
    double half = half_width_least * half_width_least;
    quantile[0] = quantile[1] - sqrt(down * down + extra + half);
    quantile[2] = quantile[1] + sqrt(up * up + extra + half);
    return extra / (MW_NORMAL_90 * MW_NORMAL_90);
}

bool mw_boundaries_known(const struct mw_model *model)
{
    return model->boundary_count > 0 || model->cores_per_socket > 0;
}

/* The i-th boundary, in the order of the list; sockets of equal size, up to `most` cores, where only that is known. */
static bool boundary_at(const struct mw_model *model, size_t i, double most, double *after, enum mw_boundary_kind *kind)
{
    if (model->boundary_count) {
        if (i >= model->boundary_count)
            return false;
        *after = model->boundaries[i];
        *kind = model->boundary_kinds ? model->boundary_kinds[i] : MW_BOUNDARY_UNNAMED;
        return true;
    }
    *after = model->cores_per_socket * (double)(i + 1);
    *kind = MW_BOUNDARY_SOCKET;
    return model->cores_per_socket > 0 && *after < most;
}

bool mw_boundary_between(const struct mw_model *model, double from, double to, double *after,
                         enum mw_boundary_kind *kind)
{
    double at, first = to;
    enum mw_boundary_kind what;
    for (size_t i = 0; boundary_at(model, i, to, &at, &what); i++)
        if (at >= from && at < first) {
            *after = first = at;
            *kind = what;
        }
    return first < to;
}

/* Distinct core counts of the points above `low` and up to `high`. */
static size_t levels_between(const struct mw_points *points, double low, double high)
{
    size_t count = 0;
    for (size_t i = 0; i < points->count; i++) {
        double p = points->items[i].cores;
        bool counted = points->quantity == MW_SPEEDUP && p <= 1;
        for (size_t k = 0; k < i && !counted; k++)
            counted = points->items[k].cores == points->items[i].cores;
        count += !counted && p > low && p <= high;
    }
    return count;
}

/* Runs there at several frequencies are as many as a law needs: ten designed points of parsec-power, four of them behind the
   socket, are predicted to 3.0 % by laws of all and to 4.6 by those before it. */
static bool has_few_behind(const struct mw_points *points, double after, double most)
{
    size_t behind = 0;
    for (size_t i = 0; i < points->count; i++)
        behind += points->items[i].cores > after;
    return behind <= BEHIND_FEW && behind == levels_between(points, after, most);
}

double mw_beyond_fitted(const struct mw_model *model)
{
    double after, most = 0, fitted = INFINITY;
    enum mw_boundary_kind kind;
    for (size_t i = 0; i < model->points.count; i++)
        most = fmax(most, model->points.items[i].cores);
    for (size_t i = 0; boundary_at(model, i, most, &after, &kind); i++)
        if (after < most && has_few_behind(&model->points, after, most) &&
            levels_between(&model->points, 0, after) >= BEFORE_LEAST)
            fitted = fmin(fitted, after);
    return fitted;
}

enum mw_err mw_beyond_init(struct mw_beyond *beyond, const struct mw_model *model, const struct mw_sites *sites,
                           struct mw_error *error)
{
    struct mw_beyond made = {.model = model, .fitted = mw_beyond_fitted(model)};
    enum mw_err err = mw_stack_fit(&made.stack, sites, model->quantity, error);
    if (!err)
        *beyond = made;
    return err;
}

/* All that is crossed on the way: shifts add, openings in quadrature. */
static struct opening crossing(const struct mw_model *model, double from, double to)
{
    struct opening all = {0, 0, 0};
    double after;
    enum mw_boundary_kind kind;
    for (size_t i = 0; boundary_at(model, i, to, &after, &kind); i++)
        if (after >= from && after < to) {
            all.shift += openings[kind].shift;
            all.low = hypot(all.low, openings[kind].low);
            all.high = hypot(all.high, openings[kind].high);
        }
    return mw_boundaries_known(model) ? all : not_known;
}

/* Through the runs behind the cut: the nearest says how far, all of them how much. */
static void through_runs(const struct mw_beyond *beyond, const struct mw_site *site, const struct mw_behind *behind,
                         size_t count, double *middle, double *down, double *up)
{
    double psi = 0, far = INFINITY, most = 0, noise = beyond->stack.noise;
    for (size_t i = 0; i < count; i++) {
        psi += behind[i].psi / (double)count;
        far = fmin(far, fabs(site->ln_p - behind[i].site.ln_p));
        most = fmax(most, behind[i].site.p);
    }
    double q = behind_least + far;
    double more = noise > behind_noise ? (noise * noise - behind_noise * behind_noise) / (double)count : 0;
    struct opening further = crossing(beyond->model, most, site->p);
    *middle += psi + further.shift;
    *down = sqrt(behind_low * q * behind_low * q + MW_NORMAL_90 * MW_NORMAL_90 * more + further.low * further.low);
    *up = sqrt(behind_high * q * behind_high * q + MW_NORMAL_90 * MW_NORMAL_90 * more + further.high * further.high);
}

static void from_laws(const struct mw_beyond *beyond, const struct mw_site *site, double *middle, double *down,
                      double *up)
{
    const struct mw_stack *stack = &beyond->stack;
    double doublings = log2(fmax(site->p / stack->p_max, 1)), spread = of_spread * mw_stack_spread(stack, site);
    double drifted = drift * doublings;
    double sigma = sqrt(least * least + stack->noise * stack->noise + drifted * drifted + spread * spread);
    struct opening o = crossing(beyond->model, stack->p_max, site->p);
    *down = hypot(quantile_low * sigma, o.low);
    *up = hypot(quantile_high * sigma, o.high);
    if (stack->no_floor) {
        double power = mw_stack_power(stack, site), time = stack->quantity == MW_SPEEDUP ? -power : power;
        *down = fmax(*down, *middle + o.shift - (time - below_power));
    }
    *middle += o.shift;
}

double mw_beyond_open(const struct mw_beyond *beyond, const struct mw_site *site, const struct mw_behind *behind,
                      size_t behind_count, bool inverse, double freq_half, double quantile[3])
{
    double middle = inverse ? -quantile[1] : quantile[1], down, up;
    if (behind_count && site->p > beyond->fitted)
        through_runs(beyond, site, behind, behind_count, &middle, &down, &up);
    else
        from_laws(beyond, site, &middle, &down, &up);
    down = hypot(down, freq_half);
    up = hypot(up, freq_half);
    quantile[0] = inverse ? -middle - up : middle - down;
    quantile[2] = inverse ? -middle + down : middle + up;
    quantile[1] = inverse ? -middle : middle;
    return (down + up) / (2 * MW_NORMAL_90);
}
