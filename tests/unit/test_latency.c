// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "measure/probe/latency.h"
#include "measure/machine/topology.h"

static struct mw_error error;

static void chains_walk_their_rings(void **state)
{
    (void)state;
    enum { RING = 24 };
    void *places[MW_CHASE_CHAINS_MAX][RING];
    for (unsigned chains = 1; chains <= MW_CHASE_CHAINS_MAX; chains++) {
        void *p[MW_CHASE_CHAINS_MAX];
        for (unsigned c = 0; c < chains; c++) {
            for (unsigned i = 0; i < RING; i++)
                places[c][i] = &places[c][(i + 1) % RING];
            p[c] = &places[c][c];
        }
        mw_kernel_chase(p, chains, 32 + 3); /* rounded down to 32 */
        for (unsigned c = 0; c < chains; c++)
            assert_ptr_equal(p[c], &places[c][(c + 32) % RING]);
    }
}

static bool at_once(void)
{
    return true;
}

static struct mw_latency_options small(const unsigned *cpus, size_t count, const size_t *sizes, const unsigned *chains)
{
    return (struct mw_latency_options){.cpus = cpus,
                                       .cpu_count = count,
                                       .sizes_bytes = sizes,
                                       .size_count = 3,
                                       .chains = chains,
                                       .chain_count = 2,
                                       .pages = MW_PAGES_HUGE,
                                       .line_bytes = 64,
                                       .stride_bytes = 256,
                                       .group_bytes = 256 << 10,
                                       .node = MW_NODE_FIRST_TOUCH,
                                       .rounds = 2,
                                       .max_time_s = HUGE_VAL,
                                       .seed = 1};
}

static void a_measurement_is_complete_and_plausible(void **state)
{
    (void)state;
    struct mw_topology t;
    assert_int_equal(mw_topology_open(&t, "", &error), MW_OK);
    unsigned cpus[2];
    size_t n = t.core_count < 2 ? 1 : 2;
    const double fastest_hz = 10e9; /* no processor's clock is above */
    assert_int_equal(mw_topology_select(&t, n, MW_ORDER_COMPACT, false, cpus, &error), MW_OK);
    static const size_t sizes[] = {4096, 16384, 1 << 20};
    static const unsigned chains[] = {1, 4};
    struct mw_latency_options o = small(cpus, n, sizes, chains);
    struct mw_latency_result r;
    if (mw_latency_run(&o, &r, &error))
        fail_msg("%s", error.message);
    assert_int_equal(r.point_count, 6);
    assert_int_equal(r.rounds, 2);
    for (size_t i = 0; i < r.point_count; i++) {
        assert_int_equal(r.points[i].size_bytes, sizes[i / 2]);
        assert_int_equal(r.points[i].chains, chains[i % 2]);
        assert_true(r.points[i].windows > r.points[i].rejected || r.points[i].disturbed);
        assert_true(r.points[i].latency_s > mw_latency_floor(fastest_hz, chains[i % 2]));
        assert_true(isfinite(r.points[i].latency_s));
    }
    mw_latency_release(&r);
    o.stop = at_once;
    assert_int_equal(mw_latency_run(&o, &r, &error), MW_INTERRUPTED);
    mw_topology_close(&t);
}

/* A member that can't have its memory must not leave the others waiting. */
static void a_failure_ends_all(void **state)
{
    (void)state;
    struct mw_topology t;
    assert_int_equal(mw_topology_open(&t, "", &error), MW_OK);
    unsigned cpus[] = {t.cores[0].cpus[0], t.cores[0].cpus[0]};
    static const size_t sizes[] = {4096, 16384, (size_t)1 << 56};
    static const unsigned chains[] = {1, 2};
    struct mw_latency_options o = small(cpus, 2, sizes, chains);
    struct mw_latency_result r;
    assert_int_equal(mw_latency_run(&o, &r, &error), MW_NOMEM);
    mw_topology_close(&t);
}

static void the_floor_is_three_cycles(void **state)
{
    (void)state;
    assert_near(mw_latency_floor(3e9, 1), .9e-9, 1e-12);
    assert_near(mw_latency_floor(3e9, 12), .1e-9, 1e-12);
    assert_near(mw_latency_floor(0, 1), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_walk_their_rings),
        cmocka_unit_test(a_measurement_is_complete_and_plausible),
        cmocka_unit_test(a_failure_ends_all),
        cmocka_unit_test(the_floor_is_three_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
