// SPDX-License-Identifier: GPL-3.0-or-later
// Rings to walk: one cycle over all places, whatever the order.
#include "tests/unit/unit.h"

#include "measure/probe/kernels/walk.h"
#include "measure/probe/ring.h"

#define LINE 64

/* Loads until the walk is back at its start; more than `most`: it never is. */
static size_t cycle_length(void *start, size_t most)
{
    size_t n = 0;
    void *p = start;
    do {
        p = mw_kernel_walk(p, 1);
        n++;
    } while (p != start && n <= most);
    return n;
}

static void test_random_ring(void **state)
{
    (void)state;
    static _Alignas(LINE) char buffer[1000 * LINE];
    size_t offset[1000];
    uint64_t random = 7;
    for (size_t n = 1; n <= 1000; n = n * 3 + 1) {
        for (size_t i = 0; i < n; i++)
            offset[i] = i * LINE;
        void *p = mw_ring_random(buffer, offset, n, &random);
        assert_int_equal(cycle_length(p, n), n);
        assert_ptr_equal(mw_kernel_walk(p, 3 * n), p);
    }
}

static void test_ordered_ring(void **state)
{
    (void)state;
    static _Alignas(LINE) char buffer[4 * LINE];
    size_t offset[] = {3 * LINE, 0, 2 * LINE, LINE};
    char *p = mw_ring_ordered(buffer, offset, 4);
    for (int i = 0; i < 4; i++, p = mw_kernel_walk(p, 1))
        assert_ptr_equal(p, buffer + offset[i]);
    assert_ptr_equal(p, buffer + offset[0]);
}

/* At every length a single cycle, and each group is walked in one piece. */
static void test_growing_ring(void **state)
{
    (void)state;
    enum { LINES = 700, GROUP = 32 };
    static _Alignas(LINE) char buffer[LINES * LINE];
    struct mw_growing_ring ring;
    struct mw_error error;
    uint64_t random = 99;
    assert_int_equal(mw_growing_ring_init(&ring, buffer, LINES, LINE, GROUP, 1, &error), MW_OK);
    for (size_t n = 1; n <= LINES; n += 1 + n / 5) {
        mw_growing_ring_extend(&ring, n, &random);
        assert_int_equal(cycle_length(buffer, n), n);
        size_t changes = 0;
        char *p = buffer;
        for (size_t i = 0; i < n; i++) {
            char *next = mw_kernel_walk(p, 1);
            changes += (size_t)(p - buffer) / LINE / GROUP != (size_t)(next - buffer) / LINE / GROUP;
            p = next;
        }
        size_t groups = (n + GROUP - 1) / GROUP;
        assert_int_equal(changes, groups == 1 ? 0 : groups);
    }
    mw_growing_ring_extend(&ring, LINES * 2, &random);
    assert_int_equal(ring.lines, LINES);
    assert_int_equal(cycle_length(buffer, LINES), LINES);
    mw_growing_ring_release(&ring);
}

/* With a stride a single cycle as well, and lines closer than the stride follow one another only by chance of groups. */
static void test_stride(void **state)
{
    (void)state;
    enum { LINES = 700, GROUP = 32, STRIDE = 4 };
    static _Alignas(LINE) char buffer[LINES * LINE];
    struct mw_growing_ring ring;
    struct mw_error error;
    uint64_t random = 3;
    assert_int_equal(mw_growing_ring_init(&ring, buffer, LINES, LINE, GROUP, STRIDE, &error), MW_OK);
    for (size_t n = 1; n <= LINES; n += 1 + n / 5) {
        mw_growing_ring_extend(&ring, n, &random);
        assert_int_equal(cycle_length(buffer, n), n);
    }
    mw_growing_ring_extend(&ring, LINES, &random);
    size_t changes = 0, groups = (LINES / GROUP + 1) * STRIDE;
    char *p = buffer;
    for (size_t i = 0; i < LINES; i++) {
        char *next = mw_kernel_walk(p, 1);
        size_t a = (size_t)(p - buffer) / LINE, b = (size_t)(next - buffer) / LINE;
        changes += a / GROUP != b / GROUP || a % STRIDE != b % STRIDE;
        p = next;
    }
    assert_int_equal(changes, groups);
    mw_growing_ring_release(&ring);
}

/* A line and its neighbour of two are met half a walk apart, to within the lines of a group that isn't full. */
static void test_neighbours(void **state)
{
    (void)state;
    enum { LINES = 4096, GROUP = 256, STRIDE = 4 };
    static _Alignas(LINE) char buffer[LINES * LINE];
    static size_t turn[LINES];
    struct mw_growing_ring ring;
    struct mw_error error;
    uint64_t random = 7;
    assert_int_equal(mw_growing_ring_init(&ring, buffer, LINES, LINE, GROUP, STRIDE, &error), MW_OK);
    mw_growing_ring_extend(&ring, LINES, &random);
    char *p = buffer;
    for (size_t i = 0; i < LINES; i++, p = mw_kernel_walk(p, 1))
        turn[(size_t)(p - buffer) / LINE] = i;
    for (size_t line = 0; line < LINES; line += 2)
        assert_int_equal((turn[line + 1] + LINES - turn[line]) % LINES, LINES / 2);
    mw_growing_ring_release(&ring);
}

/* A random order is not the order of addresses: what a prefetcher could follow is rare. */
static void test_disorder(void **state)
{
    (void)state;
    enum { LINES = 4096 };
    static _Alignas(LINE) char buffer[LINES * LINE];
    struct mw_growing_ring ring;
    struct mw_error error;
    uint64_t random = 5;
    size_t neighbours = 0;
    assert_int_equal(mw_growing_ring_init(&ring, buffer, LINES, LINE, LINES, 1, &error), MW_OK);
    mw_growing_ring_extend(&ring, LINES, &random);
    char *p = buffer;
    for (size_t i = 0; i < LINES; i++) {
        char *next = mw_kernel_walk(p, 1);
        neighbours += next == p + LINE || next == p - LINE;
        p = next;
    }
    assert_true(neighbours < 30); /* 2 are expected, 30 never happens by chance */
    mw_growing_ring_release(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_ring), cmocka_unit_test(test_ordered_ring), cmocka_unit_test(test_growing_ring),
        cmocka_unit_test(test_stride),      cmocka_unit_test(test_neighbours),   cmocka_unit_test(test_disorder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
