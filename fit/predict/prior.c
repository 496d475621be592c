// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/prior.h"

#include <math.h>
#include <string.h>

/* clang-format off */
static const struct mw_prior_member members[] = {
    {"amdahl-memory", MW_PRIOR_ROOT}, {"amdahl-memory", MW_PRIOR_FOURTH},
    {"usl-memory", MW_PRIOR_ROOT}, {"usl-memory", MW_PRIOR_FOURTH},
    {"contention-memory", MW_PRIOR_ROOT}, {"contention-memory", MW_PRIOR_FOURTH}, {"contention-memory", MW_PRIOR_LOG},
    {"saturating", MW_PRIOR_ROOT}, {"saturating", MW_PRIOR_FOURTH}, {"saturating", MW_PRIOR_LOG},
    {"granularity", MW_PRIOR_ROOT}, {"granularity", MW_PRIOR_FOURTH},
    {"power", MW_PRIOR_ROOT}, {"power", MW_PRIOR_FOURTH}, {"power", MW_PRIOR_LOG},
};
/* clang-format on */

size_t mw_prior_members(const struct mw_prior_member **list)
{
    *list = members;
    return sizeof members / sizeof *members;
}

/* Costs flat in their square root reach far up, which few points at few cores do not contradict: such fits count half.
   Laws without contention are few; half as much again for this one lets programs that just go on have a voice. What
   the choice is worth on each corpus, and how far it flatters: docs/prediction.md. */
double mw_prior_beyond(const char *law, int prior)
{
    return (prior == MW_PRIOR_ROOT ? 0.5 : 1) * (strcmp(law, "amdahl-memory") ? 1 : 1.5);
}

enum kind {
    SHARE,     /* 1 - u^2: the serial share flat in its root, whatever the prior */
    COST,      /* the prior's own shape */
    EVEN,      /* flat */
    EVEN_ROOT, /* flat, but flat in the root under the logarithmic prior */
    SCALE,     /* log-uniform between the bounds */
    /* COST, resolved */
    ROOT,
    FOURTH,
};

/* By the letter of the parameter, which means the same in every law; least: where a logarithmic prior starts. */
static const struct {
    const char *name;
    enum kind kind;
    double least;
} shapes[] = {
    {"f", SHARE, 0},     {"a", COST, 1e-3},  {"alpha", COST, 1e-4}, {"beta", COST, 1e-7}, {"c", COST, 1e-6},
    {"q", EVEN_ROOT, 0}, {"r", SCALE, 0},    {"N", SCALE, 0},       {"e", EVEN, 0},       {"k", COST, 1e-2},
    {"m1", COST, 1e-4},  {"m2", COST, 1e-4}, {"b", EVEN, 0},        {"g", SCALE, 0},
};

static struct mw_prior_axis axis(const char *name, enum mw_prior prior, double low, double high)
{
    enum kind kind = EVEN;
    double least = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!strcmp(shapes[i].name, name)) {
            kind = shapes[i].kind;
            least = shapes[i].least;
        }
    if (kind == EVEN_ROOT)
        kind = prior == MW_PRIOR_LOG ? ROOT : EVEN;
    else if (kind == SCALE && low <= 0)
        kind = EVEN;
    else if (kind == COST && prior == MW_PRIOR_LOG && least < high)
        return (struct mw_prior_axis){SCALE, least, high, log(high / least)};
    else if (kind == COST)
        kind = prior == MW_PRIOR_FOURTH ? FOURTH : ROOT;
    return (struct mw_prior_axis){(int)kind, low, high, kind == SCALE ? log(high / low) : 0};
}

void mw_prior_map_init(struct mw_prior_map *map, const struct mw_law *law, enum mw_prior prior, double p_max,
                       const struct mw_law_limits *limits)
{
    double low[MW_LAW_MAX_PARAMS], high[MW_LAW_MAX_PARAMS];
    for (size_t j = 0; j < law->param_count; j++) {
        low[j] = law->params[j].low;
        high[j] = law->params[j].high;
    }
    if (law->bound)
        law->bound(low, high, p_max);
    mw_law_limit(law, limits, high);
    map->law = law;
    map->lattice = NULL;
    for (size_t j = 0; j < law->param_count; j++) {
        const char *name = law->params[j].name;
        map->axes[j] = axis(name, prior, low[j], high[j]);
    }
}

double mw_prior_whole_mass(double value, size_t param, const void *map)
{
    const struct mw_prior_axis *a = &((const struct mw_prior_map *)map)->axes[param];
    double next = fmin(value + 1, a->high);
    return next <= value ? 0 : a->kind == SCALE ? log(next / value) : next - value;
}

double mw_prior_apply(const struct mw_prior_map *map, const double *u, double *params)
{
    double ln_ratio = 0;
    for (size_t j = 0; j < map->law->param_count; j++) {
        const struct mw_prior_axis *a = &map->axes[j];
        double width = a->high - a->low, v = u[j];
        if (map->lattice && j == map->lattice->param) {
            params[j] = mw_lattice_value(map->lattice, v, &ln_ratio);
            continue;
        }
        switch ((enum kind)a->kind) {
        case SHARE:
            params[j] = a->high - width * v * v;
            break;
        case SCALE:
            params[j] = a->low * exp(v * a->ln_ratio);
            break;
        case ROOT:
            params[j] = a->low + width * v * v;
            break;
        case FOURTH:
            params[j] = a->low + width * v * v * v * v;
            break;
        case COST:
        case EVEN_ROOT:
        case EVEN:
            params[j] = a->low + width * v;
            break;
        }
    }
    return ln_ratio;
}
