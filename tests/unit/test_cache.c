// SPDX-License-Identifier: GPL-3.0-or-later
// The verdicts of `measure cache` on simulated memory, whose truth is known. `make bench-cache` is the long form.
#include "tests/unit/unit.h"

#include "tests/machines/sim_hierarchy.h"

/* of the simulated clock */
#define MAX_TIME_S 50

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
