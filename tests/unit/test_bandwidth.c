// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes counted, and that each test of bandwidth really writes what it must.
#include "tests/unit/unit.h"

#include "measure/probe/bandwidth.h"
#include "measure/probe/kernels/walk.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KIB ((size_t)1024)

static void test_bytes(void **state)
{
    (void)state;
    assert_int_equal(mw_bandwidth_bytes(MW_BW_MEMSET, 4096), 4096);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_READ, 4096), 4096);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_MEMCPY, 4096), 8192);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_COPY_NT, 4096), 8192);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_STRIDED_READ, 4096), 4096);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_RANDOM_READ, 4096), 4096);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_RANDOM_READ, 6144), 4096);
    assert_int_equal(mw_bandwidth_bytes(MW_BW_READ_BESIDE_FILL, 4096), 4096);
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
        for (int i = 0; i < 3 && mw_bandwidth_exists((enum mw_bandwidth_test)t) && t != MW_BW_READ_BESIDE_FILL; i++) {
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
            assert_true(rate.windows >= 1 && rate.isa);
        }
    mw_bandwidth_close(&b);
    mw_bandwidth_close(&b);
}

/* Pages that a sweep touches, one place in each: a page faults at the first read of it. */
enum { PAGES = 64, PAGE = 4096 };
static char *watched;
static size_t touched[PAGES], touched_count;

static void note_page(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    size_t page = (size_t)((char *)info->si_addr - watched) / PAGE;
    if (page >= PAGES || mprotect(watched + page * PAGE, PAGE, PROT_READ))
        _exit(9);
    touched[touched_count++] = page;
}

static size_t pages_of(size_t stride)
{
    touched_count = 0;
    assert_int_equal(mprotect(watched, PAGES * PAGE, PROT_NONE), 0);
    if (stride)
        mw_kernel_sweep_strided(watched, PAGES * PAGE, PAGE, stride * PAGE);
    else
        mw_kernel_sweep_random(watched, 6, PAGE);
    return touched_count;
}

/* The same number of distinct places at every stride: what was touched less at larger ones fitted the caches. */
static void test_distinct_lines(void **state)
{
    (void)state;
    const char *preloaded = getenv("LD_PRELOAD");
    if (sysconf(_SC_PAGESIZE) != PAGE || (preloaded && strstr(preloaded, "vgpreload")))
        skip(); /* valgrind leaves out reads whose value nobody uses */
    struct sigaction action = {.sa_sigaction = note_page, .sa_flags = SA_SIGINFO}, before;
    watched = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(watched != MAP_FAILED && !sigaction(SIGSEGV, &action, &before));
    for (size_t stride = 1; stride <= PAGES; stride++) {
        assert_int_equal(pages_of(stride), PAGES);
        size_t near = 0;
        for (size_t i = 1; i < PAGES; i++) /* neighbours of two are never met one after the other */
            near += touched[i] / 2 == touched[i - 1] / 2;
        assert_true(stride == 1 || near == 0);
    }
    assert_int_equal(pages_of(0), PAGES);
    size_t in_order = 0;
    for (size_t i = 1; i < PAGES; i++)
        in_order += touched[i] == touched[i - 1] + 1;
    assert_true(in_order < PAGES / 8);
    sigaction(SIGSEGV, &before, NULL);
    munmap(watched, PAGES * PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_distinct_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
