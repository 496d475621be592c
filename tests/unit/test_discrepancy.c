// SPDX-License-Identifier: GPL-3.0-or-later
// The discrepancy's algebra beside GSL's.
#include "tests/unit/unit.h"

#include "fit/numeric/panel.h"
#include "fit/predict/predictive.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>

enum { N = 37, M = 9 };

static double draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state / 4294967296.0;
}

static void make_sites(struct mw_site *sites, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++) {
        sites[i] = mw_site_at(1 + floor(40 * draw(&seed)), (1.2 + .1 * floor(13 * draw(&seed))) * 1e9, 2e9);
        sites[i].ln_value = draw(&seed) - sites[i].ln_p;
        sites[i].noise = i % 7 ? 1 : 9;
    }
}

/* k written out once more, from the header's formula. */
static double kernel(const struct mw_kernel *a, enum mw_quantity quantity, const struct mw_site *x,
                     const struct mw_site *y)
{
    double dp = fabs(log(x->p / y->p)), df = fabs(log(x->freq_hz / y->freq_hz));
    double kp = exp(-dp / .3) / 2 + exp(-dp / 2) / 2, kf = quantity == MW_SPEEDUP ? df < 1e-3 : exp(-df / .3);
    return a->cores * kp + a->freq * kf + a->both * kp * exp(-df / .3);
}

static gsl_matrix *covariance(const struct mw_kernel *a, enum mw_quantity quantity, const struct mw_site *sites)
{
    gsl_matrix *k = gsl_matrix_alloc(N, N);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            gsl_matrix_set(k, i, j, kernel(a, quantity, &sites[i], &sites[j]) + (i == j ? sites[i].noise : 0));
    return k;
}

static void whitening_is_gsls(void **state)
{
    (void)state;
    static struct mw_site sites[N];
    static double parts[3 * N * N], scratch[N * N], w[N * N];
    make_sites(sites, N, 3);
    for (int k = 1; k < MW_KERNEL_COUNT; k++) {
        double log_det, want = 0;
        mw_kernel_parts(MW_TIME, sites, N, sites, N, parts);
        assert_true(mw_kernel_whiten(&mw_kernels[k], parts, sites, N, scratch, w, &log_det));
        gsl_matrix *c = covariance(&mw_kernels[k], MW_TIME, sites), *product = gsl_matrix_calloc(N, N);
        gsl_matrix_view root = gsl_matrix_view_array(w, N, N);
        gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, &root.matrix, c, 0, product);
        gsl_matrix *unit = gsl_matrix_calloc(N, N);
        gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, product, &root.matrix, 0, unit);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                assert_near(gsl_matrix_get(unit, i, j), i == j, 1e-10);
        gsl_linalg_cholesky_decomp1(c);
        for (size_t i = 0; i < N; i++)
            want += 2 * log(gsl_matrix_get(c, i, i));
        assert_near(log_det, want, 1e-10);
        gsl_matrix_free(c);
        gsl_matrix_free(product);
        gsl_matrix_free(unit);
    }
}

static void panels_multiply_as_matrices_do(void **state)
{
    (void)state;
    unsigned seed = 5;
    for (size_t n = 1; n < 70; n += 3) {
        size_t pad = mw_panel_pad(n);
        double *w = calloc(n * n, sizeof *w), *panel = mw_panel_alloc(mw_panel_size(n));
        double *r = mw_panel_alloc(pad), *z = mw_panel_alloc(pad), *rows = mw_panel_alloc(5 * pad), sums[5] = {0};
        for (size_t i = 0; i < n; i++) {
            r[i] = draw(&seed) - .5;
            for (size_t j = 0; j < n; j++)
                w[i * n + j] = draw(&seed) - .5; /* the upper triangle must not count */
            for (size_t k = 0; k < 5; k++)
                rows[k * pad + i] = draw(&seed);
        }
        mw_panel_pack(w, n, panel);
        mw_panel_multiply(panel, n, r, z);
        for (size_t i = 0; i < n; i++) {
            double want = 0;
            for (size_t j = 0; j <= i; j++)
                want += w[i * n + j] * r[j];
            assert_near(z[i], want, 1e-13);
        }
        mw_panel_add_products(rows, 5, n, z, sums);
        for (size_t k = 0; k < 5; k++) {
            double want = 0, alone = 0;
            for (size_t i = 0; i < n; i++)
                want += rows[k * pad + i] * z[i];
            mw_panel_add_products(rows + k * pad, 1, n, z, &alone);
            assert_near(sums[k], want, 1e-12);
            assert_true(sums[k] == alone);
        }
        free(w), free(panel), free(r), free(z), free(rows);
    }
}

/* One draw of Amdahl's law: mean and variances at new sites by GSL's solver. */
static void conditional_is_gsls(void **state)
{
    (void)state;
    static struct mw_site sites[N], at[M];
    make_sites(sites, N, 11);
    make_sites(at, M, 17);
    size_t partner[M];
    for (size_t i = 0; i < M; i++)
        partner[i] = (i + 1) % M;
    for (int k = 0; k < MW_KERNEL_COUNT; k += 5) {
        double f = .9, scale = log(3e9), sigma = .1;
        struct mw_ensemble_fit fit = {.law = "amdahl",
                                      .draw_count = 1,
                                      .param_count = 1,
                                      .params = &f,
                                      .scale = &scale,
                                      .sigma = &sigma,
                                      .kernel = &k};
        struct mw_ensemble ensemble = {&fit, 1};
        struct mw_sites data = {.items = sites, .count = N};
        struct mw_predictive predictive;
        bool needed = true;
        assert_int_equal(mw_predictive_init(&predictive, &ensemble, &needed, &data, MW_TIME, at, partner, M, NULL),
                         MW_OK);
        gsl_matrix *c = covariance(&mw_kernels[k], MW_TIME, sites);
        gsl_vector *r = gsl_vector_alloc(N), *s = gsl_vector_alloc(N);
        gsl_linalg_cholesky_decomp1(c);
        for (size_t i = 0; i < M; i++) {
            double mean = scale + log((1 - f) + f / at[i].p) - at[i].ln_freq, variance, paired;
            for (size_t j = 0; j < N; j++)
                gsl_vector_set(r, j, kernel(&mw_kernels[k], MW_TIME, &at[i], &sites[j]));
            gsl_linalg_cholesky_solve(c, r, s);
            variance = kernel(&mw_kernels[k], MW_TIME, &at[i], &at[i]);
            paired = kernel(&mw_kernels[k], MW_TIME, &at[i], &at[partner[i]]);
            for (size_t j = 0; j < N; j++) {
                double law = scale + log((1 - f) + f / sites[j].p) - sites[j].ln_freq;
                mean += gsl_vector_get(s, j) * (sites[j].ln_value - law);
                variance -= gsl_vector_get(s, j) * gsl_vector_get(r, j);
                paired -= gsl_vector_get(s, j) * kernel(&mw_kernels[k], MW_TIME, &at[partner[i]], &sites[j]);
            }
            assert_near(predictive.mean[i], mean, 1e-10);
            assert_near(predictive.reduced[k][i], variance, 1e-9);
            assert_near(predictive.paired[k][i], paired, 1e-9);
        }
        gsl_vector_free(r);
        gsl_vector_free(s);
        gsl_matrix_free(c);
        mw_predictive_release(&predictive);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whitening_is_gsls),
        cmocka_unit_test(panels_multiply_as_matrices_do),
        cmocka_unit_test(conditional_is_gsls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
