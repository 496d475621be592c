// SPDX-License-Identifier: GPL-3.0-or-later
// The verdicts of `measure cache` on simulated memory, whose truth is known. `make bench-cache` is the long form.
#include "tests/unit/unit.h"

#include "tests/machines/sim_hierarchy.h"

/* of the simulated clock */
#define MAX_TIME_S  50
#define LONG_TIME_S 5000 /* with interruptions in nearly all windows */

static struct sim_machine small_machine(void)
{
    struct sim_machine m = {.line_bytes = 64,
                            .level = {{64, 6, 1.1e-9}, {512, 10, 4e-9}},
                            .level_count = 2,
                            .memory_s = 80e-9,
                            .pairs = true,
                            .tlb_entries = {64, 512},
                            .tlb_miss_s = {2e-9, 12e-9},
                            .prefetch_bytes = {256, 512},
                            .noise = 0.1,
                            .spikes = 50,
                            .seed = 5,
                            .scan_bytes = 4 << 20};
    return m;
}

static void check(const struct sim_machine *m, bool marks)
{
    struct sim_judgement j;
    struct mw_cache_report report = {0};
    struct mw_error error;
    enum mw_err err = sim_judge(m, MAX_TIME_S, &j, &report, &error);
    if (err == MW_RUN) /* CPU 0 is not ours */
        skip();
    assert_int_equal(err, MW_OK);
    if (j.wrong || (j.unmarked && !marks) || !j.right)
        fail_msg("seed %lu:\n%s", (unsigned long)m->seed, j.text);
    mw_cache_report_release(&report);
}

static void test_known(void **state)
{
    (void)state;
    struct sim_machine m = small_machine();
    check(&m, false);
    m.line_bytes = 128;
    m.seed++;
    check(&m, false);
}

/* Memory that answers the first loads slowly: they are no part of its latency. */
static void test_cold(void **state)
{
    (void)state;
    struct sim_machine m = small_machine();
    m.cold_loads = 4000;
    check(&m, false);
}

/* Random replacement and pages that lie anywhere leave no sharp steps: marks, and nothing wrong without one. */
static void test_marked(void **state)
{
    (void)state;
    struct sim_machine m = small_machine();
    m.random_replacement = true;
    check(&m, true);
    m.random_replacement = false;
    m.scattered = true;
    check(&m, true);
}

static const struct mw_finding *finding(const struct mw_cache_report *r, const char *level, const char *property)
{
    for (size_t i = 0; i < r->finding_count; i++)
        if (!strcmp(r->findings[i].level, level) && !strcmp(r->findings[i].property, property))
            return &r->findings[i];
    fail_msg("no %s %s", level, property);
    return NULL;
}

static bool withheld(const struct mw_cache_report *r, const char *level, const char *property)
{
    const struct mw_finding *f = finding(r, level, property);
    assert_true(!f->disturbed || (f->verdict == MW_CACHE_UNKNOWN && strstr(f->why, "other work disturbed")));
    return f->disturbed;
}

/* The first level holds 128 lines: a page with one line costs what the TLB takes, not a miss of the first level as well. */
static void test_wide_lines(void **state)
{
    (void)state;
    struct sim_machine m = small_machine();
    struct sim_judgement j;
    struct mw_cache_report r = {0};
    struct mw_error error;
    m.line_bytes = 128;
    m.level[0].ways = 2;
    m.level[1].latency_s = 8e-9;
    m.scan_bytes = 8 << 20;
    m.seed++;
    enum mw_err err = sim_judge(&m, MAX_TIME_S, &j, &r, &error);
    if (err == MW_RUN)
        skip();
    assert_int_equal(err, MW_OK);
    if (j.wrong || j.unmarked)
        fail_msg("%s", j.text);
    assert_true(finding(&r, "tlb1", "miss_ns")->value < 1.5e9 * m.tlb_miss_s[0]);
    mw_cache_report_release(&r);
}

static struct mw_cache_report measured_among(double interruptions)
{
    struct sim_machine m = small_machine();
    struct sim_judgement j;
    struct mw_cache_report report = {0};
    struct mw_error error;
    m.spikes = interruptions;
    enum mw_err err = sim_judge(&m, LONG_TIME_S, &j, &report, &error);
    if (err == MW_RUN)
        skip();
    assert_int_equal(err, MW_OK);
    return report;
}

/* Windows of 0.15 ms and more always meet an interruption: those of memory. The first level's, 20 us, mostly don't. */
static void test_memory_disturbed(void **state)
{
    (void)state;
    struct mw_cache_report r = measured_among(8000);
    assert_false(withheld(&r, "1", "capacity_bytes"));
    assert_false(withheld(&r, "1", "latency_ns"));
    assert_false(withheld(&r, "1", "associativity"));
    assert_true(withheld(&r, "memory", "latency_ns"));
    assert_true(withheld(&r, "2", "capacity_bytes"));
    assert_true(withheld(&r, "prefetch", "random_ns"));
    assert_true(withheld(&r, "prefetch", "forward_limit_bytes"));
    size_t disturbed = 0;
    for (size_t i = 0; i < r.point_count; i++)
        disturbed += r.points[i].disturbed;
    assert_true(disturbed && disturbed < r.point_count);
    mw_cache_report_release(&r);
}

/* Nothing is told by windows that were all disturbed. */
static void test_all_disturbed(void **state)
{
    (void)state;
    struct mw_cache_report r = measured_among(1e9);
    assert_true(r.finding_count > 10);
    for (size_t i = 0; i < r.finding_count; i++)
        if (!withheld(&r, r.findings[i].level, r.findings[i].property) && r.findings[i].verdict != MW_CACHE_UNKNOWN)
            fail_msg("%s %s: %g is told", r.findings[i].level, r.findings[i].property, r.findings[i].value);
    mw_cache_report_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_cold),
        cmocka_unit_test(test_marked),
        cmocka_unit_test(test_wide_lines),
        cmocka_unit_test(test_memory_disturbed),
        cmocka_unit_test(test_all_disturbed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
