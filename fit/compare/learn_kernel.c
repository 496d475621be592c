// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/compare/learners_internal.h"

#include "fit/numeric/linalg.h"

#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdlib.h>

static double covariance(const struct mw_kernel *kernel, const double *a, const double *b)
{
    double d0 = (a[0] - b[0]) / kernel->length[0], d1 = (a[1] - b[1]) / kernel->length[1];
    return kernel->amplitude * kernel->amplitude * exp(-.5 * (d0 * d0 + d1 * d1));
}

bool mw_kernel_solve(const struct mw_kernel *kernel, const double (*x)[2], const double *centred, size_t n,
                     const double (*query)[2], size_t m, double *out, double *work, struct mw_kernel_fit *fit)
{
    double *k = work, *inverse = k + n * n, *z = inverse + n * n, *alpha = z + n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            k[i * n + j] = covariance(kernel, x[i], x[j]) + (i == j ? kernel->noise * kernel->noise : 0);
    if (!mw_cholesky(k, n))
        return false;
    mw_lower_inverse(k, n, inverse);
    mw_lower_multiply(inverse, n, centred, z);
    mw_lower_multiply_transposed(inverse, n, z, alpha);
    *fit = (struct mw_kernel_fit){-.5 * (mw_dot(z, z, n) + mw_cholesky_log_det(k, n) + (double)n * log(2 * M_PI)), 0};
    for (size_t i = 0; i < n; i++) {
        double diagonal = 0;
        for (size_t r = i; r < n; r++)
            diagonal += inverse[r * n + i] * inverse[r * n + i];
        fit->left_out += alpha[i] / diagonal * (alpha[i] / diagonal);
    }
    for (size_t q = 0; out && q < m; q++) {
        out[q] = 0;
        for (size_t i = 0; i < n; i++)
            out[q] += alpha[i] * covariance(kernel, query[q], x[i]);
    }
    return true;
}

/* The targets less their mean, and room for a solution behind them. */
static double *centre(const double *y, size_t n, double *mean)
{
    double *centred = malloc((2 * n * n + 4 * n) * sizeof *centred);
    *mean = 0;
    for (size_t i = 0; i < n; i++)
        *mean += y[i] / (double)n;
    for (size_t i = 0; centred && i < n; i++)
        centred[i] = y[i] - *mean;
    return centred;
}

static void answer(const struct mw_kernel *kernel, const double (*x)[2], double *centred, double mean, size_t n,
                   const double (*query)[2], size_t m, double *out)
{
    struct mw_kernel_fit fit;
    bool good = mw_kernel_solve(kernel, x, centred, n, query, m, out, centred + n, &fit);
    for (size_t q = 0; q < m; q++)
        out[q] = good ? out[q] + mean : mean;
}

/* The setting of least leave-one-out error. */
enum mw_err mw_learn_ridge(const double (*x)[2], const double *y, size_t n, const double (*query)[2], size_t m,
                           int setting, double *out, struct mw_error *error)
{
    static const double lengths[] = {.3, .6, 1, 2, 4, 8}, lambdas[] = {1e-4, 1e-3, 1e-2, 1e-1};
    (void)setting;
    double mean, least = HUGE_VAL, *centred = centre(y, n, &mean);
    struct mw_kernel best = {1, {1, 1}, 1};
    if (!centred)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (size_t r = 0; r < sizeof lambdas / sizeof *lambdas; r++) {
            struct mw_kernel_fit fit;
            struct mw_kernel kernel = {1, {lengths[l], lengths[l]}, sqrt(lambdas[r])};
            if (mw_kernel_solve(&kernel, x, centred, n, NULL, 0, NULL, centred + n, &fit) && fit.left_out < least) {
                least = fit.left_out;
                best = kernel;
            }
        }
    }
    answer(&best, x, centred, mean, n, query, m, out);
    free(centred);
    return MW_OK;
}

/* Logarithms of the kernel's parameters, kept where the features (of unit variance) can tell anything. */
struct likelihood {
    const double (*x)[2];
    double *centred;
    size_t n;
};

static struct mw_kernel kernel_at(const gsl_vector *at)
{
    static const double low[] = {-4, -2, -2, -7}, high[] = {3, 3, 3, 0};
    double v[4];
    for (size_t i = 0; i < 4; i++)
        v[i] = exp(fmin(high[i], fmax(low[i], gsl_vector_get(at, i))));
    return (struct mw_kernel){v[0], {v[1], v[2]}, v[3]};
}

static double minus_log_likelihood(const gsl_vector *at, void *opaque)
{
    const struct likelihood *data = opaque;
    struct mw_kernel kernel = kernel_at(at);
    struct mw_kernel_fit fit;
    if (!mw_kernel_solve(&kernel, data->x, data->centred, data->n, NULL, 0, NULL, data->centred + data->n, &fit))
        return 1e300;
    return -fit.log_likelihood;
}

/* A length for each feature, amplitude and noise by the greatest marginal likelihood: Nelder and Mead from two starts. */
enum mw_err mw_learn_gaussian_process(const double (*x)[2], const double *y, size_t n, const double (*query)[2],
                                      size_t m, int setting, double *out, struct mw_error *error)
{
    enum { STEPS = 150, STARTS = 2 };
    static const double starts[STARTS][4] = {{0, 0, 0, -3}, {0, 1, 1, -4}};
    (void)setting;
    double mean, least = HUGE_VAL, *centred = centre(y, n, &mean);
    struct mw_kernel best = {1, {1, 1}, .1};
    gsl_multimin_fminimizer *search = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, 4);
    gsl_vector *start = gsl_vector_alloc(4), *step = gsl_vector_alloc(4);
    enum mw_err err = centred && search && start && step ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    struct likelihood data = {x, centred, n};
    gsl_multimin_function function = {minus_log_likelihood, 4, &data};
    for (size_t s = 0; s < STARTS && !err; s++) {
        for (size_t i = 0; i < 4; i++)
            gsl_vector_set(start, i, starts[s][i]);
        gsl_vector_set_all(step, .7);
        gsl_multimin_fminimizer_set(search, &function, start, step);
        for (size_t k = 0; k < STEPS && gsl_multimin_fminimizer_size(search) > 1e-3; k++)
            if (gsl_multimin_fminimizer_iterate(search))
                break;
        if (gsl_multimin_fminimizer_minimum(search) < least) {
            least = gsl_multimin_fminimizer_minimum(search);
            best = kernel_at(gsl_multimin_fminimizer_x(search));
        }
    }
    if (!err)
        answer(&best, x, centred, mean, n, query, m, out);
    if (search)
        gsl_multimin_fminimizer_free(search);
    gsl_vector_free(start);
    gsl_vector_free(step);
    free(centred);
    return err;
}
