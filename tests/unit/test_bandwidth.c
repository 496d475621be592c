// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes counted, and that each test of bandwidth really writes what it must.
#include "tests/unit/unit.h"

#include "measure/probe/bandwidth.h"

#define KIB ((size_t)1024)

static void test_bytes(void **state)
{
    (void)state;
    assert_int_equal(mw_bandwidth_bytes(MW_BW_MEMSET, 4096, 0), 4096);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_READ, 4096, 0), 4096);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_MEMCPY, 4096, 0), 8192);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_COPY_NT, 4096, 0), 8192);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_STRIDED_READ, 4096, 64), 4096);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_STRIDED_READ, 4096, 128), 2048);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_STRIDED_READ, 4096, 192), 22 * 64);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_STRIDED_READ, 4096, 8192), 64);
}

static void test_memory(void **state)
{
    (void)state;
    assert_true(mw_bandwidth_memory(1, 1) >= 2 + MW_BW_OFFSET_MAX);
    assert_int_equal(mw_bandwidth_memory(3, 64 * KIB), 3 * mw_bandwidth_memory(1, 64 * KIB));
}

/* _run looks at what was written by itself: a kernel that does not write is MW_UNTRUSTED. */
static void test_all(void **state)
{
    (void)state;
    static const unsigned cpus[] = {0};
    static const size_t sizes[] = {512, 8 * KIB, 192 * KIB}, offsets[] = {0, 0x1000, 0x40};
    struct mw_bandwidth b = {0};
    struct mw_error error;
    enum mw_err err = mw_bandwidth_open(&b, cpus, 1, 192 * KIB, &error);
    if (err == MW_RUN) /* CPU 0 is not ours */
        skip();
    assert_int_equal(err, MW_OK);
    for (int t = 0; t < MW_BW_TESTS; t++)
        for (int i = 0; i < 3 && mw_bandwidth_exists((enum mw_bandwidth_test)t); i++) {
            struct mw_bandwidth_case c = {.test = (enum mw_bandwidth_test)t,
                                          .cores = 1,
                                          .size_bytes = sizes[i],
                                          .offset_bytes = offsets[i],
                                          .stride_bytes = t == MW_BW_STRIDED_READ ? 128 : 0};
            struct mw_bandwidth_rate rate = {0};
            err = mw_bandwidth_run(&b, &c, &rate, &error);
            if (err)
                fail_msg("%s over %zu bytes: %s", mw_bandwidth_name(c.test), c.size_bytes, error.message);
            assert_true(rate.best_bps >= rate.median_bps && rate.median_bps > 1e3);
            assert_true(rate.windows >= MW_BW_LEAST_WINDOWS && rate.isa);
        }
    mw_bandwidth_close(&b);
    mw_bandwidth_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
