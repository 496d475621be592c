// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/numeric/polish.h"

#include "fit/numeric/hot_normal.h"
#include "fit/numeric/hot_residual.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = MW_POLISH_MAX_PARAMS };

enum mw_err mw_polish_scratch_init(struct mw_polish_scratch *scratch, size_t n, size_t d, struct mw_error *error)
{
    struct mw_polish_scratch made = {malloc(2 * n * sizeof(double)), malloc(2 * n * sizeof(double)),
                                     malloc(n * d * sizeof(double))};
    if (!made.r || !made.trial || !made.jacobian) {
        mw_polish_scratch_release(&made);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    *scratch = made;
    return MW_OK;
}

void mw_polish_scratch_release(struct mw_polish_scratch *scratch)
{
    free(scratch->r);
    free(scratch->trial);
    free(scratch->jacobian);
    *scratch = (struct mw_polish_scratch){0};
}

double mw_loss_mean(const double *r, size_t n, double c)
{
    double sum = 0;
    if (!(c > 0)) {
        for (size_t i = 0; i < n; i++)
            sum += r[i] * r[i];
        return sum / (double)n;
    }
    return c * c * mw_hot_student(r, 1 / (c * c), n) / (double)n;
}

/* The difference step: relative to the parameter, or to a thousandth of its range where it is small. */
static double difference(const struct mw_least_squares *ls, const double *x, size_t j, bool central)
{
    double range = ls->high[j] - ls->low[j];
    double size = fmax(fabs(x[j]), isfinite(range) ? 1e-3 * range : 1e-3);
    return size * (central ? 6e-6 : 3e-8); /* cube and square root of the double's epsilon */
}

/* Columns of d r/d x_j; scratch->trial is scratch. */
static unsigned long jacobian(const struct mw_least_squares *ls, const double *x, bool central,
                              struct mw_polish_scratch *scratch)
{
    double at[D];
    unsigned long evaluations = 0;
    memcpy(at, x, ls->d * sizeof *at);
    for (size_t j = 0; j < ls->d; j++) {
        double *column = scratch->jacobian + j * ls->n, h = difference(ls, x, j, central);
        if (!(ls->low[j] < ls->high[j])) {
            memset(column, 0, ls->n * sizeof *column);
            continue;
        }
        double up = fmin(x[j] + h, ls->high[j]), down = x[j];
        if (central || up == x[j])
            down = fmax(x[j] - h, ls->low[j]);
        const double *low_r = scratch->r;
        if (down != x[j]) {
            at[j] = down;
            ls->residuals(ls->context, at, scratch->trial);
            low_r = scratch->trial;
            evaluations++;
        }
        const double *high_r = scratch->r;
        if (up != x[j]) {
            at[j] = up;
            ls->residuals(ls->context, at, column);
            high_r = column;
            evaluations++;
        }
        double inverse = 1 / (up - down);
        for (size_t i = 0; i < ls->n; i++)
            column[i] = (high_r[i] - low_r[i]) * inverse;
        at[j] = x[j];
    }
    return evaluations;
}

static void normal_equations(const struct mw_least_squares *ls, struct mw_polish_scratch *scratch, double *gradient,
                             double *hessian)
{
    size_t n = ls->n - ls->penalties;
    mw_hot_normal(scratch->jacobian, ls->n, scratch->r, n, ls->d, ls->cauchy_scale > 0 ? 1 / ls->cauchy_scale : 0,
                  scratch->trial, gradient, hessian, D);
    for (size_t i = n; i < ls->n; i++) {
        for (size_t j = 0; j < ls->d; j++) {
            double slope = scratch->jacobian[j * ls->n + i];
            gradient[j] += slope * scratch->r[i];
            for (size_t k = 0; k < ls->d; k++)
                hessian[j * D + k] += slope * scratch->jacobian[k * ls->n + i];
        }
    }
}

static double mean_loss(const struct mw_least_squares *ls, const double *r)
{
    size_t n = ls->n - ls->penalties;
    double sum = mw_loss_mean(r, n, ls->cauchy_scale) * (double)n;
    for (size_t i = n; i < ls->n; i++)
        sum += r[i] * r[i];
    return sum / (double)ls->n;
}

/* Solves (H + lambda diag H) step = -g over the free parameters, the others' steps given; false where singular. */
static bool damped_step(size_t d, const double *gradient, const double *hessian, const bool *is_free, double lambda,
                        double *step)
{
    double a[D * D], b[D];
    size_t index[D], m = 0;
    for (size_t j = 0; j < d; j++)
        if (is_free[j])
            index[m++] = j;
    if (m == 0)
        return true;
    for (size_t j = 0; j < m; j++) {
        b[j] = -gradient[index[j]];
        for (size_t k = 0; k < d; k++)
            if (!is_free[k])
                b[j] -= hessian[index[j] * D + k] * step[k];
        for (size_t k = 0; k < m; k++)
            a[j * m + k] = hessian[index[j] * D + index[k]];
        a[j * m + j] = a[j * m + j] * (1 + lambda) + 1e-300;
    }
    gsl_matrix_view matrix = gsl_matrix_view_array(a, m, m);
    gsl_vector_view vector = gsl_vector_view_array(b, m);
    if (gsl_linalg_cholesky_decomp1(&matrix.matrix) || gsl_linalg_cholesky_svx(&matrix.matrix, &vector.vector))
        return false;
    for (size_t j = 0; j < m; j++) {
        if (!isfinite(b[j]))
            return false;
        step[index[j]] = b[j];
    }
    return true;
}

/* The damped step inside the bounds: parameters that would leave them stop there, and the others are solved for anew. */
static bool bounded_step(const struct mw_least_squares *ls, const double *x, const double *gradient,
                         const double *hessian, const bool *may_move, double lambda, double *step)
{
    bool is_free[D], stopped = true, any = false;
    memcpy(is_free, may_move, ls->d * sizeof *is_free);
    memset(step, 0, ls->d * sizeof *step);
    while (stopped) {
        stopped = false;
        if (!damped_step(ls->d, gradient, hessian, is_free, lambda, step))
            return false;
        for (size_t j = 0; j < ls->d; j++) {
            double to = x[j] + step[j];
            if (is_free[j] && (to < ls->low[j] || to > ls->high[j])) {
                step[j] = (to < ls->low[j] ? ls->low[j] : ls->high[j]) - x[j];
                is_free[j] = false;
                stopped = true;
            }
        }
    }
    for (size_t j = 0; j < ls->d; j++)
        any = any || step[j] != 0;
    return any;
}

unsigned long mw_polish_lm(const struct mw_least_squares *ls, double *x, unsigned iterations, bool central,
                           double *value, struct mw_polish_scratch *scratch)
{
    const double lambda_min = 1e-12, lambda_max = 1e12, least_gain = central ? 1e-13 : 1e-6;
    double gradient[D], hessian[D * D], step[D], next[D], lambda = 1e-3;
    bool is_free[D];
    ls->residuals(ls->context, x, scratch->r);
    double now = mean_loss(ls, scratch->r);
    unsigned long evaluations = 1;
    for (unsigned iteration = 0; iteration < iterations; iteration++) {
        if (ls->jacobian)
            ls->jacobian(ls->context, x, scratch->jacobian);
        else
            evaluations += jacobian(ls, x, central, scratch);
        normal_equations(ls, scratch, gradient, hessian);
        for (size_t j = 0; j < ls->d; j++)
            is_free[j] = ls->low[j] < ls->high[j] && hessian[j * D + j] > 0 &&
                         !(x[j] <= ls->low[j] && gradient[j] > 0) && !(x[j] >= ls->high[j] && gradient[j] < 0);
        double gain = -1;
        for (; gain < 0 && lambda < lambda_max; lambda = fmax(lambda, lambda_min) * 4) {
            if (!bounded_step(ls, x, gradient, hessian, is_free, lambda, step))
                continue;
            for (size_t j = 0; j < ls->d; j++)
                next[j] = fmin(fmax(x[j] + step[j], ls->low[j]), ls->high[j]);
            ls->residuals(ls->context, next, scratch->trial);
            evaluations++;
            double then = mean_loss(ls, scratch->trial);
            if (then <= now) {
                gain = now - then;
                now = then;
                memcpy(x, next, ls->d * sizeof *x);
                double *swap = scratch->r;
                scratch->r = scratch->trial;
                scratch->trial = swap;
                break;
            }
        }
        if (gain < 0 || gain <= least_gain * now)
            break;
        lambda = fmax(lambda / 10, lambda_min);
    }
    *value = now;
    return evaluations;
}

struct simplex_context {
    size_t d;
    const double *low, *high;
    double (*value_of)(void *context, const double *x);
    void *context;
    double *best_x, best;
    unsigned long evaluations;
};

static double simplex_value(const gsl_vector *u, void *context)
{
    struct simplex_context *s = context;
    double x[D];
    for (size_t j = 0, free_j = 0; j < s->d; j++) {
        x[j] = s->low[j];
        if (s->low[j] < s->high[j]) {
            double sine = sin(gsl_vector_get(u, free_j++));
            x[j] += (s->high[j] - s->low[j]) * sine * sine;
        }
    }
    double value = s->value_of(s->context, x);
    s->evaluations++;
    if (value < s->best) {
        s->best = value;
        memcpy(s->best_x, x, s->d * sizeof *x);
    }
    return value;
}

unsigned long mw_polish_simplex(size_t d, const double *low, const double *high,
                                double (*value_of)(void *context, const double *x), void *context, double *x,
                                double step, unsigned iterations, double *value)
{
    double start[D], size[D];
    size_t m = 0;
    for (size_t j = 0; j < d; j++) {
        if (low[j] < high[j]) {
            start[m] = asin(sqrt(fmin(fmax((x[j] - low[j]) / (high[j] - low[j]), 0), 1)));
            size[m] = start[m] > M_PI_4 ? -step : step;
            m++;
        }
    }
    struct simplex_context s = {d, low, high, value_of, context, x, value_of(context, x), 1};
    gsl_multimin_function f = {simplex_value, m, &s};
    gsl_multimin_fminimizer *minimizer =
        m ? gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, m) : NULL;
    if (minimizer) {
        gsl_vector_view u = gsl_vector_view_array(start, m), du = gsl_vector_view_array(size, m);
        int status = gsl_multimin_fminimizer_set(minimizer, &f, &u.vector, &du.vector);
        for (unsigned i = 0; !status && i < iterations; i++) {
            status = gsl_multimin_fminimizer_iterate(minimizer);
            if (gsl_multimin_test_size(gsl_multimin_fminimizer_size(minimizer), 1e-9) == GSL_SUCCESS)
                break;
        }
        gsl_multimin_fminimizer_free(minimizer);
    }
    *value = s.best;
    return s.evaluations;
}
