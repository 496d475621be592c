// SPDX-License-Identifier: GPL-3.0-or-later
// The polish against NIST's certified values (Statistical Reference Datasets, nonlinear regression).
#include "tests/unit/unit.h"

#include "fit/numeric/polish.h"

struct strd {
    size_t n;
    const double *x, *y;
    double (*model)(const double *b, double x);
};

static void residuals(void *context, const double *b, double *r)
{
    const struct strd *d = context;
    for (size_t i = 0; i < d->n; i++)
        r[i] = d->y[i] - d->model(b, d->x[i]);
}

static const double unbounded_low[7] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
static const double unbounded_high[7] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};

/* Fits from `start`; parameters within 1e-6 of the certified ones (relative), sum of squares within 1e-8. */
static void certify(struct strd *data, size_t d, const double *start, const double *certified, double squares)
{
    struct mw_least_squares ls = {
        .n = data->n, .d = d, .low = unbounded_low, .high = unbounded_high, .residuals = residuals, .context = data};
    struct mw_polish_scratch room;
    double b[7], value;
    memcpy(b, start, d * sizeof *b);
    assert_int_equal(mw_polish_scratch_init(&room, data->n, d, NULL), MW_OK);
    mw_polish_lm(&ls, b, 2000, true, &value, &room);
    assert_near(value * (double)data->n / squares, 1, 1e-8);
    for (size_t j = 0; j < d; j++)
        assert_near(b[j] / certified[j], 1, 1e-6);
    mw_polish_scratch_release(&room);
}

static double misra1a_model(const double *b, double x)
{
    return b[0] * (1 - exp(-b[1] * x));
}

static void misra1a(void **state)
{
    (void)state;
    static const double y[] = {10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02,
                               44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78};
    static const double x[] = {77.6,  114.9, 141.1, 190.8, 239.9, 289.0, 332.8,
                               378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0};
    static const double certified[] = {2.3894212918e2, 5.5015643181e-4};
    struct strd d = {14, x, y, misra1a_model};
    certify(&d, 2, (double[]){500, 1e-4}, certified, 1.2455138894e-1);
    certify(&d, 2, (double[]){250, 5e-4}, certified, 1.2455138894e-1);
}

static double mgh09_model(const double *b, double x)
{
    return b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3]);
}

static void mgh09(void **state)
{
    (void)state;
    static const double y[] = {.1957, .1947, .1735, .16, .0844, .0627, .0456, .0342, .0323, .0235, .0246};
    static const double x[] = {4, 2, 1, .5, .25, .167, .125, .1, .0833, .0714, .0625};
    static const double certified[] = {1.9280693458e-1, 1.9128232873e-1, 1.2305650693e-1, 1.3606233068e-1};
    struct strd d = {11, x, y, mgh09_model};
    certify(&d, 4, (double[]){.25, .39, .415, .39}, certified, 3.0750560385e-4);
}

static double thurber_model(const double *b, double x)
{
    return (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1 + x * (b[4] + x * (b[5] + x * b[6])));
}

static void thurber(void **state)
{
    (void)state;
    static const double y[] = {80.574,   84.248,   87.264,   87.195,   89.076,   89.608,   89.868,   90.101,
                               92.405,   95.854,   100.696,  101.060,  401.672,  390.724,  567.534,  635.316,
                               733.054,  759.087,  894.206,  990.785,  1090.109, 1080.914, 1122.643, 1178.351,
                               1260.531, 1273.514, 1288.339, 1327.543, 1353.863, 1414.509, 1425.208, 1421.384,
                               1442.962, 1464.350, 1468.705, 1447.894, 1457.628};
    static const double x[] = {-3.067, -2.981, -2.921, -2.912, -2.840, -2.797, -2.702, -2.699, -2.633, -2.481,
                               -2.363, -2.322, -1.501, -1.460, -1.274, -1.212, -1.100, -1.046, -.915,  -.714,
                               -.566,  -.545,  -.400,  -.309,  -.109,  -.103,  .010,   .119,   .377,   .790,
                               .963,   1.006,  1.115,  1.572,  1.841,  2.047,  2.200};
    static const double certified[] = {1.2881396800e3,  1.4910792535e3,  5.8323836877e2, 7.5416644291e1,
                                       9.6629502864e-1, 3.9797285797e-1, 4.9727297349e-2};
    struct strd d = {37, x, y, thurber_model};
    certify(&d, 7, (double[]){1000, 1000, 400, 40, .7, .3, .03}, certified, 5.6427082397e3);
    certify(&d, 7, (double[]){1300, 1500, 500, 75, 1, .4, .05}, certified, 5.6427082397e3);
}

/* (x - 2)^2 + (y + 1)^2 + (x - y)^2 inside [0, 1]^2 is least at (1, 0), on both bounds: 3, their mean 1 */
static void bowl(void *context, const double *x, double *r)
{
    (void)context;
    r[0] = x[0] - 2;
    r[1] = x[1] + 1;
    r[2] = x[0] - x[1];
}

static void bounds_hold(void **state)
{
    (void)state;
    static const double low[] = {0, 0}, high[] = {1, 1};
    struct mw_least_squares ls = {.n = 3, .d = 2, .low = low, .high = high, .residuals = bowl};
    struct mw_polish_scratch room;
    double x[] = {.3, .6}, value;
    assert_int_equal(mw_polish_scratch_init(&room, 3, 2, NULL), MW_OK);
    mw_polish_lm(&ls, x, 50, true, &value, &room);
    assert_near(x[0], 1, 1e-9);
    assert_near(x[1], 0, 1e-9);
    assert_near(value, 1, 1e-9);
    mw_polish_scratch_release(&room);
}

/* |x - .3| + 2 |y - .7|: derivatives do not help */
static double ridge(void *context, const double *x)
{
    (void)context;
    return fabs(x[0] - .3) + 2 * fabs(x[1] - .7);
}

static void simplex_on_kinks(void **state)
{
    (void)state;
    static const double low[] = {0, 0, 5}, high[] = {1, 1, 5};
    double x[] = {.9, .1, 5}, value;
    mw_polish_simplex(3, low, high, ridge, NULL, x, .1, 500, &value);
    assert_near(x[0], .3, 1e-6);
    assert_near(x[1], .7, 1e-6);
    assert_near(x[2], 5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misra1a),          cmocka_unit_test(mgh09),
        cmocka_unit_test(thurber),          cmocka_unit_test(bounds_hold),
        cmocka_unit_test(simplex_on_kinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
