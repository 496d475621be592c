// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/search/starts.h"

#include "data/stats.h"
#include "model/laws.h"

#include <gsl/gsl_qrng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = MW_LAW_MAX_PARAMS };

double mw_start_value(double low, double high, double u)
{
    double sine = sin(M_PI_2 * u);
    return low + (high - low) * sine * sine;
}

double mw_start_unit(double low, double high, double value)
{
    return high > low ? asin(sqrt(fmin(fmax((value - low) / (high - low), 0), 1))) / M_PI_2 : 0;
}

void mw_starts_release(struct mw_starts *starts)
{
    free(starts->params);
    free(starts->block);
    *starts = (struct mw_starts){0};
}

static enum mw_err allocate(struct mw_starts *starts, size_t count, size_t block_count, struct mw_error *error)
{
    struct mw_starts made = {.params = calloc(count, MAX * sizeof *made.params),
                             .block = calloc(count, sizeof *made.block),
                             .block_count = block_count};
    if (!made.params || !made.block) {
        mw_starts_release(&made);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    *starts = made;
    return MW_OK;
}

/* Up to `wanted` of the distinct core counts, evenly in rank, one first; returns how many. */
static size_t core_counts(const struct mw_problem *problem, size_t wanted, double *out, double *scratch)
{
    size_t distinct = 0;
    memcpy(scratch, problem->p, problem->n * sizeof *scratch);
    mw_sort(scratch, problem->n);
    for (size_t i = 0; i < problem->n; i++)
        if (i == 0 || scratch[i] != scratch[distinct - 1])
            scratch[distinct++] = scratch[i];
    size_t count = distinct < wanted ? distinct : wanted;
    for (size_t i = 0; i < count; i++)
        out[i] = scratch[count > 1 ? i * (distinct - 1) / (count - 1) : 0];
    return count;
}

static bool is_variable_latency(const struct mw_law *law)
{
    return law == &mw_law_vls || law == &mw_law_vls_contention || law == &mw_law_vls_onecore;
}

enum { COUNTS = 12, K_CLASSES = 3, CLIPS = 2, PATTERNS = (COUNTS + 1) * (COUNTS + 1) * K_CLASSES * CLIPS };

/* The block of a point of the variable-latency family; p[0..count) ascending. */
static size_t pattern_of(const double *v, const double *p, size_t count, double phi)
{
    size_t first = COUNTS, last = 0;
    double k = v[MW_VLS_K], k_phi = k * phi;
    for (size_t i = 0; i < count; i++) {
        double mu = fmin(v[MW_VLS_M1] + v[MW_VLS_M2] / p[i], 1);
        if ((1 + k_phi) * mu > (1 + k_phi * mu) * ((1 - v[MW_VLS_F]) + v[MW_VLS_F] / p[i])) {
            first = first < i ? first : i;
            last = i + 1;
        }
    }
    size_t k_class = k < .3 ? 0 : k < 3 ? 1 : 2;
    size_t clipped = v[MW_VLS_M1] + v[MW_VLS_M2] / p[count > 1 ? 1 : 0] > 1;
    return ((first * (COUNTS + 1) + last) * K_CLASSES + k_class) * CLIPS + clipped;
}

/* Sobol's points; vls: those beyond the family's four parameters start at "no effect". */
static enum mw_err sobol(struct mw_starts *starts, const struct mw_problem *problem, size_t points, size_t d,
                         struct mw_error *error)
{
    gsl_qrng *sequence = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)d);
    if (!sequence)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < points; i++) {
        double u[MAX], *v = starts->params + starts->count++ * MAX;
        gsl_qrng_get(sequence, u);
        for (size_t j = 0; j < d; j++)
            v[j] = mw_start_value(problem->low[j], problem->high[j], u[j]);
    }
    gsl_qrng_free(sequence);
    return MW_OK;
}

static enum mw_err vls_starts(struct mw_starts *starts, const struct mw_problem *problem, struct mw_error *error)
{
    enum { POINTS = 8000, FAMILY = 4 };
    double counts[COUNTS], *scratch = malloc(problem->n * sizeof *scratch);
    enum mw_err err = scratch ? allocate(starts, POINTS, PATTERNS, error) : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = sobol(starts, problem, POINTS, FAMILY, error);
    if (!err) {
        size_t count = core_counts(problem, COUNTS, counts, scratch);
        double phi = problem->phi[problem->n / 2]; /* the middle one: points are sorted by frequency */
        for (size_t i = 0; i < starts->count; i++) {
            double *v = starts->params + i * MAX;
            v[FAMILY] = problem->law == &mw_law_vls_onecore ? 1 : 0;
            starts->block[i] = pattern_of(v, counts, count, phi);
        }
    }
    free(scratch);
    return err;
}

static enum mw_err whole_starts(struct mw_starts *starts, const struct mw_problem *problem, size_t whole,
                                struct mw_error *error)
{
    enum { EACH = 8, VALUES_MAX = 512, PARTS_MAX = 6 };
    double low = floor(problem->low[whole]), high = floor(problem->high[whole]);
    double step = fmax(ceil((high - low + 1) / VALUES_MAX), 1);
    size_t values = (size_t)((high - low) / step) + 1;
    size_t parts = VALUES_MAX / values < PARTS_MAX ? VALUES_MAX / values : PARTS_MAX; /* blocks of one value */
    parts = parts ? parts : 1;
    enum mw_err err = allocate(starts, values * parts * EACH, values * parts, error);
    for (size_t i = 0; i < values && !err; i++) {
        size_t first = starts->count;
        err = sobol(starts, problem, parts * EACH, problem->law->param_count, error);
        for (size_t k = first; k < starts->count; k++) {
            starts->params[k * MAX + whole] = low + step * (double)i;
            starts->block[k] = i * parts + (k - first) / EACH;
        }
    }
    return err;
}

/* A block for each way in which the corners fall between the measured core counts. */
static enum mw_err kink_starts(struct mw_starts *starts, const struct mw_problem *problem, struct mw_error *error)
{
    enum { POINTS = 4000 };
    double counts[COUNTS], kinks[MW_LAW_CORNERS], *scratch = malloc(problem->n * sizeof *scratch);
    size_t block_count = 1;
    for (size_t k = 0; k < MW_LAW_CORNERS; k++)
        block_count *= COUNTS + 1;
    enum mw_err err =
        scratch ? allocate(starts, POINTS, block_count, error) : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = sobol(starts, problem, POINTS, problem->law->param_count, error);
    size_t count = err ? 0 : core_counts(problem, COUNTS, counts, scratch);
    for (size_t i = 0; i < starts->count && !err; i++) {
        problem->law->kinks(starts->params + i * MAX, kinks);
        for (size_t k = 0; k < MW_LAW_CORNERS; k++) {
            size_t below = 0;
            while (below < count && counts[below] <= kinks[k])
                below++;
            starts->block[i] = starts->block[i] * (COUNTS + 1) + below;
        }
    }
    free(scratch);
    return err;
}

enum mw_err mw_starts_init(struct mw_starts *starts, const struct mw_problem *problem, struct mw_error *error)
{
    enum { PLAIN = 256, BLOCK = 8 };
    struct mw_starts made = {0};
    size_t whole = MAX;
    for (size_t j = 0; j < problem->law->param_count; j++)
        if (problem->law->whole & 1u << j)
            whole = j;
    enum mw_err err;
    if (is_variable_latency(problem->law)) {
        err = vls_starts(&made, problem, error);
    } else if (whole < MAX) {
        err = whole_starts(&made, problem, whole, error);
    } else if (problem->law->kinks) {
        err = kink_starts(&made, problem, error);
    } else {
        err = allocate(&made, PLAIN, PLAIN / BLOCK, error);
        if (!err)
            err = sobol(&made, problem, PLAIN, problem->law->param_count, error);
        for (size_t i = 0; i < made.count; i++)
            made.block[i] = i / BLOCK;
    }
    if (err)
        mw_starts_release(&made);
    else
        *starts = made;
    return err;
}
