// SPDX-License-Identifier: GPL-3.0-or-later
// Each multiply-add kernel against a replay with the C library, and its values after many rounds.
#include "tests/unit/unit.h"

#include "measure/probe/flops.h"

#include <math.h>

#include <stdbool.h>

#define VALUES 512

union lanes {
    double fp64[VALUES];
    float fp32[VALUES];
};

static void replay64(bool fused, bool rotates, double *a, double *b)
{
    double x = *a, y = *b;
    if (rotates) {
        x = fma(y, MW_FLOPS_ROTATION, x);
        y = fma(-x, MW_FLOPS_ROTATION, y);
    } else if (fused) {
        x = fma(x, y, y);
        y = fma(y, x, x);
    } else {
        volatile double t = x * y;
        x = t + y;
        t = y * x;
        y = t + x;
    }
    *a = x;
    *b = y;
}

static void replay32(bool fused, bool rotates, float *a, float *b)
{
    float x = *a, y = *b;
    if (rotates) {
        x = fmaf(y, (float)MW_FLOPS_ROTATION, x);
        y = fmaf(-x, (float)MW_FLOPS_ROTATION, y);
    } else if (fused) {
        x = fmaf(x, y, y);
        y = fmaf(y, x, x);
    } else {
        volatile float t = x * y;
        x = t + y;
        t = y * x;
        y = t + x;
    }
    *a = x;
    *b = y;
}

/* Bit for bit, each lane from its own start. */
static void test_replay(void **state)
{
    (void)state;
    enum { ROUNDS = 9 };
    for (size_t k = 0; k < mw_flops_kernel_count; k++) {
        const struct mw_flops_kernel *kernel = &mw_flops_kernels[k];
        if (!kernel->supported())
            continue;
        size_t n = kernel->chains * kernel->lanes;
        bool fused = strstr(kernel->variant, "fma"), rotates = strstr(kernel->variant, "neon");
        union lanes a, b, want_a, want_b;
        bool single = !strcmp(kernel->precision, "fp32");
        assert_true(n <= VALUES);
        for (size_t i = 0; i < n; i++) {
            double x = -0.1 - 0.7 * (double)i / (double)n, y = -0.8 + 0.6 * (double)i / (double)n;
            if (single) {
                a.fp32[i] = want_a.fp32[i] = (float)x;
                b.fp32[i] = want_b.fp32[i] = (float)y;
            } else {
                a.fp64[i] = want_a.fp64[i] = x;
                b.fp64[i] = want_b.fp64[i] = y;
            }
        }
        kernel->run(&a, &b, ROUNDS);
        for (size_t i = 0; i < n; i++)
            for (size_t r = 0; r < ROUNDS * kernel->unroll; r++) {
                if (single)
                    replay32(fused, rotates, want_a.fp32 + i, want_b.fp32 + i);
                else
                    replay64(fused, rotates, want_a.fp64 + i, want_b.fp64 + i);
            }
        size_t bytes = n * (single ? sizeof(float) : sizeof(double));
        if (memcmp(&a, &want_a, bytes) || memcmp(&b, &want_b, bytes))
            fail_msg("%s %s differs from its replay", kernel->precision, kernel->variant);
    }
}

/* A quarter of a million rounds: no value has grown, and they are far from subnormal. */
static void test_values_stay(void **state)
{
    (void)state;
    for (size_t k = 0; k < mw_flops_kernel_count; k++) {
        const struct mw_flops_kernel *kernel = &mw_flops_kernels[k];
        union lanes a, b;
        bool single = !strcmp(kernel->precision, "fp32");
        if (!kernel->supported())
            continue;
        for (size_t i = 0; i < VALUES; i++) {
            if (single)
                a.fp32[i] = b.fp32[i] = -0.5f;
            else
                a.fp64[i] = b.fp64[i] = -0.5;
        }
        kernel->run(&a, &b, 1 << 18);
        double x = single ? (double)a.fp32[0] : a.fp64[0], y = single ? (double)b.fp32[0] : b.fp64[0];
        double size = hypot(x, y);
        if (!(size < 1 && size > 1e-12))
            fail_msg("%s %s ends at %g, %g", kernel->precision, kernel->variant, x, y);
    }
}

static void test_rate(void **state)
{
    (void)state;
    struct mw_flops flops = {0};
    struct mw_error error;
    unsigned cpu = 0;
    enum mw_err err = mw_flops_measure(&mw_flops_kernels[0], &cpu, 1, 3, HUGE_VAL, &flops, &error);
    if (err == MW_RUN) /* CPU 0 is not ours */
        skip();
    assert_int_equal(err, MW_OK);
    assert_true(flops.best_per_s > 0 && flops.best_per_s >= flops.median_per_s && flops.best_per_s < 1e13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_values_stay),
        cmocka_unit_test(test_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
