// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "measure/probe/kernels/stream_isa.h"
#include "measure/probe/reference.h"
#include "measure/probe/stream.h"
#include "measure/machine/topology.h"

#include <float.h>

static struct mw_error error;

#define N (9 * 4096 + 64) /* runs of eight pages, and a rest */
static double *arrays[3];

static int make_arrays(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        if (!(arrays[i] = aligned_alloc(64, N * sizeof(double))))
            return -1;
    return 0;
}

static int free_arrays(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        free(arrays[i]);
    return 0;
}

/* Every kernel of every instruction set against the scalar shadow. */
static void check_kernel(const struct mw_stream_isa *isa, mw_stream_fn kernel, enum mw_op op)
{
    struct mw_reference reference;
    mw_reference_start(&reference);
    mw_reference_fill(&reference, arrays[0], arrays[1], arrays[2], N);
    double sum = kernel(arrays[0], arrays[1], arrays[2], mw_reference_factor(&reference, op), N);
    mw_reference_apply(&reference, op);
    for (int i = 0; i < 3; i++)
        if (!mw_reference_check(&reference, "abc"[i], arrays[i], N))
            fail_msg("%s %s: array %c is wrong", isa->name, mw_op_infos[op].name, "abc"[i]);
    if (!mw_op_infos[op].target && !mw_reference_check_sum(&reference, op, sum, N))
        fail_msg("%s %s: the sum is wrong", isa->name, mw_op_infos[op].name);
}

static void kernels_do_what_they_say(void **state)
{
    (void)state;
    const struct mw_stream_isa *all[10] = {&mw_stream_scalar, &mw_stream_scalar_paged};
    size_t count = 2;
    for (const struct mw_stream_isa *const *i = mw_stream_isas; *i && count < 9; i++)
        if ((*i)->supported())
            all[count++] = *i;
    for (size_t i = 0; i < count; i++)
        for (unsigned op = 0; op < MW_OP_COUNT; op++) {
            if (all[i]->plain[op])
                check_kernel(all[i], all[i]->plain[op], op);
            if (all[i]->nt[op])
                check_kernel(all[i], all[i]->nt[op], op);
        }
}

static void the_replay_sees_faults(void **state)
{
    (void)state;
    struct mw_reference reference;
    mw_reference_start(&reference);
    mw_reference_fill(&reference, arrays[0], arrays[1], arrays[2], N);
    assert_true(mw_reference_check(&reference, 'a', arrays[0], N));
    double kept = arrays[0][N - 1];
    const double faults[] = {NAN, INFINITY, -kept, kept * (1 + 1e-15), 0};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        arrays[0][N - 1] = faults[i];
        assert_false(mw_reference_check(&reference, 'a', arrays[0], N));
    }
    arrays[0][N - 1] = kept;
    assert_false(mw_reference_check_sum(&reference, MW_OP_READ, NAN, N));
    assert_false(mw_reference_check_sum(&reference, MW_OP_READ, INFINITY, N));
    assert_false(mw_reference_check_sum(&reference, MW_OP_READ, 0, N));
}

/* The values stay within the range of doubles however often the kernels are repeated in order. */
static void the_reference_neither_grows_nor_vanishes(void **state)
{
    (void)state;
    struct mw_reference reference;
    mw_reference_start(&reference);
    for (int round = 0; round < 100000; round++)
        for (unsigned op = 0; op < MW_OP_COUNT; op++)
            mw_reference_apply(&reference, op);
    for (int k = 0; k < MW_REFERENCE_CLASSES; k++)
        assert_true(fabs(reference.a[k]) > 1e-3 && fabs(reference.a[k]) < 1e3);
}

static double forgetful_copy(double *a, double *b, double *c, double s, size_t n)
{
    (void)b;
    (void)s;
    memcpy(c, a, (n - 1) * sizeof *a); /* the last element is left as it was */
    return 0;
}

static double nan_triad(double *a, double *b, double *c, double s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
    a[n / 2] = NAN;
    return 0;
}

static bool always(void)
{
    return true;
}

static struct mw_stream_result run(const struct mw_stream_isa *isa, const struct mw_stream_variant *variants,
                                   size_t count)
{
    const struct mw_stream_isa *isas[] = {isa, NULL};
    struct mw_topology t;
    struct mw_stream_result result;
    assert_int_equal(mw_topology_open(&t, "", &error), MW_OK);
    unsigned cpus[2];
    size_t n = t.core_count < 2 ? 1 : 2;
    assert_int_equal(mw_topology_select(&t, n, MW_ORDER_COMPACT, false, cpus, &error), MW_OK);
    struct mw_stream_options o = {.cpus = cpus,
                                  .cpu_count = n,
                                  .array_bytes = 1 << 20,
                                  .variants = variants,
                                  .variant_count = count,
                                  .runs = 3,
                                  .max_time_s = HUGE_VAL,
                                  .node = MW_NODE_FIRST_TOUCH,
                                  .isas = isa ? isas : mw_stream_isas};
    if (mw_stream_run(&o, &result, &error))
        fail_msg("%s", error.message);
    mw_topology_close(&t);
    return result;
}

static void a_run_is_complete(void **state)
{
    (void)state;
    struct mw_stream_variant all[3 * MW_OP_COUNT];
    for (unsigned i = 0; i < 2 * MW_OP_COUNT; i++)
        all[i] = (struct mw_stream_variant){i % MW_OP_COUNT, false, i < MW_OP_COUNT ? MW_PAGES_HUGE : MW_PAGES_BASE};
    struct mw_stream_result r = run(NULL, all, 2 * MW_OP_COUNT);
    assert_int_equal(r.elements * sizeof(double), 1 << 20);
    assert_int_equal(r.row_count, 2 * MW_OP_COUNT);
    for (size_t i = 0; i < r.row_count; i++) {
        assert_true(r.rows[i].valid);
        assert_int_equal(r.rows[i].bytes, r.elements * mw_op_infos[i % MW_OP_COUNT].bytes);
        double avg_s = r.rows[i].avg_s, rounding = 4 * DBL_EPSILON * avg_s; /* of a sum of three and a division */
        assert_true(r.rows[i].min_s > 0 && r.rows[i].min_s <= avg_s + rounding && avg_s <= r.rows[i].max_s + rounding);
        assert_int_equal(r.rows[i].runs + (r.rows[i].all_disturbed ? 0 : r.rows[i].disturbed), 3);
    }
    assert_int_equal(r.placement[MW_PAGES_BASE].page_bytes, mw_page_bytes());
    mw_stream_release(&r);
}

static void faulty_kernels_are_found(void **state)
{
    (void)state;
    struct mw_stream_isa bad = mw_stream_scalar;
    bad.supported = always;
    bad.plain[MW_OP_COPY] = forgetful_copy;
    static const struct mw_stream_variant copy = {MW_OP_COPY, false, MW_PAGES_HUGE};
    struct mw_stream_result r = run(&bad, &copy, 1);
    assert_false(r.rows[0].valid);
    mw_stream_release(&r);
    bad = mw_stream_scalar;
    bad.plain[MW_OP_TRIAD] = nan_triad;
    static const struct mw_stream_variant two[] = {{MW_OP_TRIAD, false, MW_PAGES_HUGE},
                                                   {MW_OP_READ, false, MW_PAGES_BASE}};
    r = run(&bad, two, 2);
    assert_false(r.rows[0].valid);
    assert_true(r.rows[1].valid);
    mw_stream_release(&r);
}

static void names_are_parsed(void **state)
{
    (void)state;
    struct mw_stream_variant v;
    char text[32];
    static const char *const good[] = {"copy", "triad", "read-4k", "dot", "update"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(mw_stream_parse(good[i], &v, &error), MW_OK);
        mw_stream_name(&v, text, sizeof text);
        assert_string_equal(text, good[i]);
    }
    static const char *const bad[] = {"", "tria", "triad-", "read-nt", "nt-copy", "copy-4k-nt"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(mw_stream_parse(bad[i], &v, &error), MW_USAGE);
    assert_int_equal(mw_stream_least_array(0), 8000000);
    assert_int_equal(mw_stream_least_array((size_t)260 << 20), (size_t)1040 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_do_what_they_say),
        cmocka_unit_test(the_replay_sees_faults),
        cmocka_unit_test(the_reference_neither_grows_nor_vanishes),
        cmocka_unit_test(a_run_is_complete),
        cmocka_unit_test(faulty_kernels_are_found),
        cmocka_unit_test(names_are_parsed),
    };
    return cmocka_run_group_tests(tests, make_arrays, free_arrays);
}
