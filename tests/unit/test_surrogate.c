// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "data/stats.h"
#include "fit/surrogate.h"
#include "fit/thin.h"

static struct mw_site site(double cores, double freq)
{
    return (struct mw_site){
        .cores = cores, .freq_ghz = freq, .phi = freq / 2.133, .x = freq / 2.4, .sockets = ceil(cores / 12)};
}

static double ln_time(const struct mw_site *s)
{
    return log(50 * ((.03 + .97 / s->cores) / s->freq_ghz + .1 * (.2 + .8 / s->cores)));
}

/* Gauss-Jordan with pivoting: a second way to the same numbers. */
static void solve(size_t n, double *a, double *b)
{
    for (size_t c = 0; c < n; c++) {
        size_t pivot = c;
        for (size_t r = c; r < n; r++)
            if (fabs(a[r * n + c]) > fabs(a[pivot * n + c]))
                pivot = r;
        for (size_t k = 0; k < n; k++) {
            double t = a[c * n + k];
            a[c * n + k] = a[pivot * n + k];
            a[pivot * n + k] = t;
        }
        double t = b[c];
        b[c] = b[pivot];
        b[pivot] = t;
        for (size_t r = 0; r < n; r++) {
            double f = r == c ? 0 : a[r * n + c] / a[c * n + c];
            for (size_t k = 0; k < n && f != 0; k++)
                a[r * n + k] -= f * a[c * n + k];
            b[r] -= f * b[c];
        }
    }
    for (size_t c = 0; c < n; c++)
        b[c] /= a[c * n + c];
}

/* Kriging with an unknown mean, solved as one saddle-point system, gives gain, variance and square. */
static void kriging(void **state)
{
    (void)state;
    enum { N = 4 };
    struct mw_site s[N] = {site(24, 2.4), site(24, 1.2), site(12, 2.4), site(11, 2.2)}, q = site(13, 2);
    double r[N] = {.1, -.2, .05, .3}, factor[N] = {1, 3, 1, 1}, k[N][N], kq[N], gain[N], offset;
    const struct mw_residual_kernel *kernel = &mw_residual_time;
    for (size_t i = 0; i <= N; i++)
        for (size_t j = 0; j < N; j++) {
            const struct mw_site *a = i < N ? &s[i] : &q;
            double dp = log(a->cores / s[j].cores) / .15, df = log(a->freq_ghz / s[j].freq_ghz);
            double c = .77 * (.4 * (a->cores == s[j].cores) + .6 * exp(-dp * dp / 2)) * exp(-df * df / 2);
            if (i < N)
                k[i][j] = c + (i == j ? .23 * factor[i] : 0);
            else
                kq[j] = c;
        }
    double a[(N + 1) * (N + 1)], b[N + 1];
    for (size_t i = 0; i <= N; i++)
        for (size_t j = 0; j <= N; j++)
            a[i * (N + 1) + j] = i == N && j == N ? 0 : i == N || j == N ? 1 : k[i][j];
    for (size_t i = 0; i <= N; i++)
        b[i] = i < N ? kq[i] : 1;
    solve(N + 1, a, b); /* weights of the readings, multiplier */
    double variance = 1 - b[N], prediction = 0;
    for (size_t i = 0; i < N; i++) {
        variance -= b[i] * kq[i];
        prediction += b[i] * r[i];
    }
    struct mw_residual residual;
    assert_int_equal(mw_residual_init(&residual, kernel, N, s, factor, NULL), MW_OK);
    assert_near(mw_residual_gain(&residual, &q, gain), variance, 1e-12);
    double square = mw_residual_square(&residual, r, &offset), mine = offset;
    for (size_t i = 0; i < N; i++)
        mine += gain[i] * (r[i] - offset);
    assert_near(mine, prediction, 1e-12);
    double ki[N * N], x[N], direct = 0;
    memcpy(ki, k, sizeof ki);
    for (size_t i = 0; i < N; i++)
        x[i] = r[i] - offset;
    solve(N, ki, x);
    for (size_t i = 0; i < N; i++)
        direct += x[i] * (r[i] - offset);
    assert_near(square, direct, 1e-12);
    assert_near(mw_residual_variance(&residual, square), (square + 2 * .02 * .02) / (N - 1 + 2), 1e-12);
    mw_residual_release(&residual);
}

static void laws(void **state)
{
    (void)state;
    /* by hand: f .9, k 2, m1 .1, m2 .2 at p 4, F 2.133: mu .15, (1 + .3)(.1 + .225) = .4225 against 3 x .15 = .45 */
    double vls[] = {.9, 2, .1, .2, .01}, usl[] = {.1, .01, .5}, additive[] = {.9, .5, .8, .01},
           power[] = {1, .5, .1, .2};
    struct mw_site s = site(4, 2.133), two = {24, 1, 1, .5, 2};
    double v;
    mw_surrogate_time_laws[0].eval(vls, 1, &s, &v);
    assert_near(v, log(.45 / 2.133), 1e-12);
    mw_surrogate_time_laws[1].eval(vls, 1, &s, &v);
    assert_near(v, log(1.3 * (.325 + .03) / 2.133), 1e-12);
    mw_surrogate_time_laws[3].eval(usl, 1, &s, &v);
    assert_near(v, log((1 + .3 + .12) / 4 * (1 / 2.133 + .5)), 1e-12);
    mw_surrogate_time_laws[4].eval(additive, 1, &s, &v);
    assert_near(v, log((.1 + .225 + .03) / 2.133 + .5 * (.2 + .2)), 1e-12);
    mw_surrogate_power_law.eval(power, 1, &two, &v);
    assert_near(v, log(1 + 1 + .5 * 2 * .125 + 24 * (.05 + .2 * .125)), 1e-12);
}

static size_t fit_and_ask(enum mw_surrogate_kind kind, size_t n, struct mw_site *sites, double *y, size_t asked,
                          struct mw_site *query, double *mean, double *variance)
{
    struct mw_surrogate *surrogate;
    assert_int_equal(mw_surrogate_alloc(&surrogate, kind, 0, 1, NULL), MW_OK);
    assert_int_equal(mw_surrogate_fit(surrogate, n, sites, y, NULL, NULL), MW_OK);
    assert_int_equal(mw_surrogate_predict(surrogate, asked, query, mean, variance, NULL), MW_OK);
    size_t draws = mw_surrogate_draw_count(surrogate);
    mw_surrogate_free(surrogate);
    return draws;
}

/* Six points of a law that is none of the five by name: everything between is predicted and covered. */
static void recovery(void **state)
{
    (void)state;
    enum { N = 6, Q = 24 * 4 };
    struct mw_site s[N] = {site(24, 2.4), site(24, 1.2), site(12, 2.4), site(4, 1.2), site(4, 2.4), site(1, 2.4)}, q[Q];
    double y[N], mean[Q], variance[Q], worst = 0;
    for (size_t i = 0; i < N; i++)
        y[i] = ln_time(&s[i]);
    for (size_t i = 0; i < Q; i++)
        q[i] = site((double)(i % 24 + 1), 1.2 + .4 * (double)(i / 24));
    assert_int_equal(fit_and_ask(MW_SURROGATE_TIME, N, s, y, Q, q, mean, variance), 5 * 24 * 4);
    size_t covered = 0;
    for (size_t i = 0; i < Q; i++) {
        double miss = fabs(mean[i] - ln_time(&q[i]));
        worst = fmax(worst, miss);
        covered += miss <= MW_NORMAL_90 * sqrt(variance[i]);
    }
    assert_true(worst < .08);
    assert_true(covered >= Q * 9 / 10);
}

/* A common factor on all values moves the means by its logarithm and nothing else. */
static void scale(void **state)
{
    (void)state;
    enum { N = 4 };
    struct mw_site s[N] = {site(24, 2.4), site(24, 1.2), site(12, 2.4), site(5, 2)}, q = site(18, 1.8);
    double y[N], mean[2], variance[2];
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < N; i++)
            y[i] = ln_time(&s[i]) + (k ? 8 : 0);
        fit_and_ask(MW_SURROGATE_TIME, N, s, y, 1, &q, &mean[k], &variance[k]);
    }
    /* rounding sends the chains apart, so sampling error remains */
    assert_near(mean[1] - mean[0], 8, .02);
    assert_near(sqrt(variance[1] / variance[0]), 1, .2);
}

/* Energies alone: time times power, each with its law. */
static void energy(void **state)
{
    (void)state;
    enum { N = 8 };
    struct mw_site s[N] = {site(24, 2.4), site(24, 1.2), site(12, 2.4), site(6, 1.2),
                           site(6, 2.4),  site(18, 1.8), site(2, 1.2),  site(2, 2.4)};
    struct mw_site q[3] = {site(20, 2), site(9, 1.5), site(4, 2)};
    double y[N], mean[3], variance[3];
    for (size_t i = 0; i < N; i++)
        y[i] = ln_time(&s[i]) + log(40 + s[i].cores * (s[i].x + 1.5 * pow(s[i].x, 3)));
    fit_and_ask(MW_SURROGATE_ENERGY, N, s, y, 3, q, mean, variance);
    for (size_t i = 0; i < 3; i++) {
        double want = ln_time(&q[i]) + log(40 + q[i].cores * (q[i].x + 1.5 * pow(q[i].x, 3)));
        assert_near(mean[i], want, .04);
    }
}

static void one_point_and_equal_points(void **state)
{
    (void)state;
    struct mw_site s[2] = {site(8, 2), site(8, 2)}, q[2] = {site(1, 1.2), site(16, 2.4)};
    double y[2] = {1, 1.1}, mean[2], variance[2];
    for (size_t n = 1; n <= 2; n++) {
        fit_and_ask(MW_SURROGATE_TIME, n, s, y, 2, q, mean, variance);
        for (size_t i = 0; i < 2; i++)
            assert_true(isfinite(mean[i]) && isfinite(variance[i]) && variance[i] > 0);
        assert_true(mean[0] > mean[1]);
    }
}

static void thinning(void **state)
{
    (void)state;
    struct mw_site s[24 * 13];
    size_t kept[24], low = 0, high = 0, one = 0, all = 0;
    for (size_t i = 0; i < 24 * 13; i++)
        s[i] = site((double)(i % 24 + 1), 1.2 + .1 * (double)(i / 24));
    assert_int_equal(mw_thin(s, 24 * 13, 24, kept), 24);
    for (size_t i = 0; i < 24; i++) {
        assert_true(i == 0 || kept[i] > kept[i - 1]);
        low += s[kept[i]].freq_ghz < 1.21;
        high += s[kept[i]].freq_ghz > 2.39;
        one += s[kept[i]].cores <= 1;
        all += s[kept[i]].cores >= 24;
    }
    assert_true(low >= 2 && high >= 2 && one >= 2 && all >= 2);
    assert_int_equal(mw_thin(s, 5, 24, kept), 5);
    assert_int_equal(kept[4], 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kriging),  cmocka_unit_test(laws),   cmocka_unit_test(recovery),
        cmocka_unit_test(scale),    cmocka_unit_test(energy), cmocka_unit_test(one_point_and_equal_points),
        cmocka_unit_test(thinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
