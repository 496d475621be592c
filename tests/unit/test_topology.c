// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "measure/probe/clock.h"
#include "measure/machine/sysfile.h"
#include "measure/probe/llc.h"
#include "measure/probe/team.h"
#include "measure/machine/topology.h"

#include <limits.h>
#include <math.h>
#include <sched.h>

static struct mw_error error;

static struct mw_topology synthetic(const char *description)
{
    struct mw_topology t;
    setenv("HWLOC_SYNTHETIC", description, 1);
    assert_int_equal(mw_topology_open(&t, "", &error), MW_OK);
    unsetenv("HWLOC_SYNTHETIC");
    return t;
}

static void smt_comes_after_cores(void **state)
{
    (void)state;
    struct mw_topology t = synthetic("pack:2 l3:1(size=8388608) core:4 pu:2");
    unsigned cpus[16];
    assert_int_equal(t.core_count, 8);
    assert_true(t.smt);
    assert_int_equal(t.package_count, 2);
    assert_int_equal(t.cpu_allowed_count, 16);
    assert_int_equal(mw_topology_select(&t, 16, MW_ORDER_COMPACT, true, cpus, &error), MW_OK);
    static const unsigned compact[] = {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15};
    assert_memory_equal(cpus, compact, sizeof compact);
    assert_int_equal(mw_topology_select(&t, 8, MW_ORDER_SPREAD, false, cpus, &error), MW_OK);
    static const unsigned spread[] = {0, 8, 2, 10, 4, 12, 6, 14};
    assert_memory_equal(cpus, spread, sizeof spread);
    assert_int_equal(mw_topology_select(&t, 9, MW_ORDER_SPREAD, false, cpus, &error), MW_USAGE);
    assert_non_null(strstr(error.message, "8 physical cores"));
    mw_topology_close(&t);
}

static void boundaries_of_compact_order(void **state)
{
    (void)state;
    struct mw_topology t = synthetic("pack:2 numa:2 core:3 pu:2");
    unsigned *at = NULL;
    enum mw_boundary_kind *what = NULL;
    size_t count;
    assert_int_equal(mw_topology_boundaries(&t, MW_ORDER_COMPACT, true, &at, &what, &count, &error), MW_OK);
    assert_int_equal(count, 4);
    static const unsigned want[] = {3, 6, 9, 12};
    assert_memory_equal(at, want, sizeof want);
    assert_int_equal(what[0], MW_BOUNDARY_NODE);
    assert_int_equal(what[1], MW_BOUNDARY_SOCKET);
    assert_int_equal(what[2], MW_BOUNDARY_NODE);
    assert_int_equal(what[3], MW_BOUNDARY_SMT);
    free(at);
    free(what);
    mw_topology_close(&t);
}

static void last_caches_are_summed_once(void **state)
{
    (void)state;
    struct mw_topology t = synthetic("pack:1 l3:4(size=16777216) l2:2(size=524288) core:1 pu:1");
    static const unsigned two_of_one[] = {0, 1}, all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    assert_int_equal(mw_topology_llc_bytes(&t, two_of_one, 2), 16777216);
    assert_int_equal(mw_topology_llc_bytes(&t, all, 8), 4 * 16777216);
    assert_int_equal(mw_topology_llc_bytes(&t, all, 0), 0);
    assert_int_equal(t.caches[t.cores[3].last_cache].level, 3);
    assert_int_equal(t.caches[t.cores[3].last_cache].core_count, 2);
    mw_topology_close(&t);
}

static void no_caches_no_size(void **state)
{
    (void)state;
    struct mw_topology t = synthetic("pack:1 core:4 pu:1");
    static const unsigned all[] = {0, 1, 2, 3};
    assert_int_equal(mw_topology_llc_bytes(&t, all, 4), 0);
    assert_int_equal(t.cores[0].last_cache, UINT_MAX);
    mw_topology_close(&t);
}

/* What the reports of last levels are worth, on the cases that they were false in. */
static void last_levels_are_believed_where_they_can_be(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *doubt;
        bool guest;
    } cases[] = {
        {"pack:1 l3:2(size=16777216) core:4 pu:1", NULL, false},
        {"pack:1 l3:2(size=16777216) core:4 pu:1", "a guest", true},
        {"pack:2 l3:1(size=33554432) core:1 pu:1", "to itself", false},
        {"pack:1 l2:4(size=8388608) core:1 pu:2", NULL, false},
        {"pack:1 l3:1(size=1073741824) core:8 pu:1", "quarter of memory", false},
        {"pack:1 core:4 pu:1", "none is reported", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mw_topology t = synthetic(cases[i].machine);
        snprintf(t.root, sizeof t.root, "/nowhere"); /* this machine's kernel knows nothing of that one */
        const char *doubt = mw_llc_doubt(&t, 0, cases[i].guest);
        assert_true(cases[i].doubt ? doubt && strstr(doubt, cases[i].doubt) : !doubt);
        mw_topology_close(&t);
    }
    static const unsigned cpus[] = {0, 1, 2, 3, 4};
    struct mw_topology shared = synthetic("pack:1 l3:2(size=16777216) core:4 pu:1"),
                       none = synthetic("pack:1 core:5 pu:1");
    assert_int_equal(mw_llc_sum(&shared, cpus, 4, 1000), 1000);
    assert_int_equal(mw_llc_sum(&shared, cpus, 5, 1000), 2000);
    assert_int_equal(mw_llc_sum(&none, cpus, 4, 1000), 1000);
    assert_int_equal(mw_llc_sum(&none, cpus, 5, 1000), 2000);
    mw_topology_close(&shared);
    mw_topology_close(&none);
}

/* Curves of caches whose end is known: c bytes that hold their share of a larger set, noise that only adds. */
static void end_of_the_last_level_is_found(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int trial = 0; trial < 200; trial++) {
        double x[60], time_s[60], memory_s = 100e-9, cache_s = (20 + trial % 30) * 1e-9, c = exp2(20 + trial % 9);
        size_t n = 0, least = 0;
        bool passed = false;
        for (double size = 1 << 18; n < 60 && !passed; size *= 1.189207115) {
            double held = fmin(1, c / size);
            random = random * 6364136223846793005u + 1442695040888963407u;
            double noise = 1 + .1 * (double)(random >> 40) / (1 << 24);
            x[n] = size;
            time_s[n++] = noise * (held * cache_s + (1 - held) * memory_s);
            least = mw_llc_end(x, time_s, n, memory_s, &passed);
        }
        assert_true(passed);
        /* caches that hold a share h give less than .7 while h > .3 / (1 - cache / memory) */
        double end = c * (1 - cache_s / memory_s) / .3;
        assert_true((double)least >= .99 * c && (double)least <= 1.01 * end);
    }
}

static void more_cpus_than_a_fixed_mask(void **state)
{
    (void)state;
    struct mw_topology t = synthetic("pack:8 core:256 pu:1");
    unsigned *cpus = calloc(2048, sizeof *cpus);
    assert_int_equal(t.cpu_allowed_count, 2048);
    assert_int_equal(mw_topology_select(&t, 2048, MW_ORDER_COMPACT, false, cpus, &error), MW_OK);
    assert_int_equal(cpus[2047], 2047);
    free(cpus);
    mw_topology_close(&t);
}

static void binding_is_read_back(void **state)
{
    (void)state;
    struct mw_topology t;
    assert_int_equal(mw_topology_open(&t, "", &error), MW_OK);
    unsigned cpu = t.cores[t.core_count - 1].cpus[0], nowhere = 60000;
    cpu_set_t before;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(mw_bind_thread(&cpu, 1, &error), MW_OK);
    assert_int_equal(sched_getcpu(), (int)cpu);
    assert_int_equal(mw_bind_thread(&nowhere, 1, &error), MW_RUN);
    assert_non_null(strstr(error.message, "60000"));
    struct mw_topology one;
    assert_int_equal(mw_topology_open(&one, "", &error), MW_OK);
    assert_int_equal(one.cpu_allowed_count, 1);
    assert_int_equal(one.cores[0].cpus[0], cpu);
    mw_topology_close(&one);
    sched_setaffinity(0, sizeof before, &before);
    mw_topology_close(&t);
}

static void cpu_lists(void **state)
{
    (void)state;
    struct mw_cpu_list list = {0};
    assert_int_equal(mw_cpu_list_parse("0-3,8,10-11", &list), 0);
    assert_int_equal(list.count, 7);
    assert_int_equal(list.cpus[6], 11);
    char *text = mw_cpu_list_format(list.cpus, list.count);
    assert_string_equal(text, "0-3,8,10-11");
    free(text);
    mw_cpu_list_release(&list);
    assert_int_equal(mw_cpu_list_parse("", &list), 0);
    assert_int_equal(list.count, 0);
    static const char *const bad[] = {"3-1", "a", "1,,2", "0-99999999999", "2,1", "-1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_not_equal(mw_cpu_list_parse(bad[i], &list), 0);
    assert_int_equal(list.count, 0);
}

static void every_core_has_a_clock(void **state)
{
    (void)state;
    struct mw_topology t;
    assert_int_equal(mw_topology_open(&t, "", &error), MW_OK);
    size_t n = t.core_count < 4 ? t.core_count : 4;
    unsigned cpus[4];
    double freq_hz[4] = {0};
    assert_int_equal(mw_topology_select(&t, n, MW_ORDER_COMPACT, false, cpus, &error), MW_OK);
    assert_int_equal(mw_clock_effective(cpus, n, freq_hz, &error), MW_OK);
    for (size_t i = 0; i < n; i++) {
        /* no processor in use is slower or faster; an addition done by the renamer would show as 10 GHz and more */
        if (!(freq_hz[i] > 5e7 && freq_hz[i] < 7e9))
            fail_msg("CPU %u at %g Hz", cpus[i], freq_hz[i]);
    }
    mw_topology_close(&t);
}

static enum mw_err meet_often(void *shared, struct mw_team *team, size_t index, struct mw_error *e)
{
    size_t *turns = shared;
    for (size_t i = 0; i < 50; i++) {
        if (i % 2 == index)
            turns[0]++; /* only one of the two writes between two meetings */
        mw_team_wait(team);
    }
    return index == 1 ? mw_fail(e, MW_DATA, "from the second") : MW_OK;
}

static void team_meets_and_reports(void **state)
{
    (void)state;
    cpu_set_t set;
    unsigned cpus[2], found = 0;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    for (unsigned c = 0; c < CPU_SETSIZE && found < 2; c++)
        if (CPU_ISSET(c, &set))
            cpus[found++] = c;
    if (found < 2)
        cpus[1] = cpus[0]; /* both on one CPU: the barrier has to yield */
    size_t turns = 0;
    assert_int_equal(mw_team_run(cpus, 2, meet_often, &turns, &error), MW_DATA);
    assert_string_equal(error.message, "from the second");
    assert_int_equal(turns, 50);
    cpus[1] = 60000;
    turns = 0;
    assert_int_equal(mw_team_run(cpus, 2, meet_often, &turns, &error), MW_RUN);
    assert_int_equal(turns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smt_comes_after_cores),
        cmocka_unit_test(boundaries_of_compact_order),
        cmocka_unit_test(last_caches_are_summed_once),
        cmocka_unit_test(no_caches_no_size),
        cmocka_unit_test(last_levels_are_believed_where_they_can_be),
        cmocka_unit_test(end_of_the_last_level_is_found),
        cmocka_unit_test(more_cpus_than_a_fixed_mask),
        cmocka_unit_test(binding_is_read_back),
        cmocka_unit_test(cpu_lists),
        cmocka_unit_test(every_core_has_a_clock),
        cmocka_unit_test(team_meets_and_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
