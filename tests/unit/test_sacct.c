// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Energies of points from what sacct printed: captured from Slurm 22.05 with slurmdbd (format of mw_sacct_columns), whose nodes drew
 * fifty watts: an array of seven, of which element 1 was requeued, 2 cancelled, 3 failed, and the rest was under way.
 */
#include "measure/batch/batch_internal.h"

#include "tests/unit/unit.h"

#include <unistd.h>

static const char captured[] = "14_0|COMPLETED|11|552\n14_0.batch|COMPLETED|11|552\n14_0.0|COMPLETED|11|552\n"
                               "14_2|CANCELLED by 0|2|\n14_2.batch|CANCELLED|2|125\n14_2.0|CANCELLED|2|125\n"
                               "14_3|FAILED|11|551\n14_3.batch|FAILED|11|551\n14_3.0|FAILED|11|551\n"
                               "14_4|RUNNING|9|\n14_4.batch|RUNNING|9|0\n14_4.0|RUNNING|9|0\n"
                               "14_5|RUNNING|3|\n14_5.batch|RUNNING|3|0\n14_5.0|RUNNING|3|0\n"
                               "14_[2-6]|PENDING|0|0\n14_1|PENDING|0|0";
static const char later[] = "14_4|COMPLETED|11|550\n14_4.batch|COMPLETED|11|556\n14_4.0|COMPLETED|11|550\n"
                            "14_6|COMPLETED|100|4999\n14_6.batch|COMPLETED|100|4999\n14_6.0|COMPLETED|100|4999\n"
                            "14_1|COMPLETED|11|552\n14_1.batch|COMPLETED|11|553\n14_1.0|COMPLETED|11|552";

enum { POINTS = 8 };

/* A folder of one submission, job 14, whose element e is point e + 1. */
struct scene {
    char folder[64];
    struct mw_batch_point points[POINTS];
    struct mw_batch_job_state jobs[POINTS];
    struct mw_batch batch;
};

static void write_file(const struct scene *s, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void begin(struct scene *s)
{
    *s = (struct scene){.folder = "/tmp/mw_sacctXXXXXX"};
    assert_non_null(mkdtemp(s->folder));
    for (size_t i = 0; i < POINTS; i++) {
        s->points[i] = (struct mw_batch_point){.nodes = 1, .cores = 1};
        s->jobs[i].measured = true;
    }
    s->batch = (struct mw_batch){.setup.folder = s->folder, .points = s->points, .jobs = s->jobs, .count = POINTS};
    write_file(s, "jobs", "14 0\n");
    write_file(s, "map.0", "1\n2\n3\n4\n5\n6\n7\n");
}

static void take(struct scene *s, const char *text)
{
    struct mw_error error = {0};
    char *copy = strdup(text);
    assert_int_equal(mw_sacct_take(&s->batch, copy, &error), MW_OK);
    free(copy);
}

static void end(struct scene *s)
{
    char path[128];
    snprintf(path, sizeof path, "%s/jobs", s->folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/map.0", s->folder);
    unlink(path);
    rmdir(s->folder);
}

/* Steps that ended by themselves have theirs; one cut off has none; what runs or waits is asked for again. */
static void captured_array(void **state)
{
    (void)state;
    static const struct {
        bool accounted;
        double energy_j;
    } first[POINTS] = {{0}, {true, 552}, {0}, {true, 0}, {true, 551}, {0}, {0}, {0}},
      last[POINTS] = {{0}, {true, 552}, {true, 552}, {true, 0}, {true, 551}, {true, 550}, {0}, {true, 4999}};
    struct scene s;
    begin(&s);
    take(&s, captured);
    for (size_t i = 0; i < POINTS; i++) {
        assert_int_equal(s.jobs[i].accounted, first[i].accounted);
        assert_true(s.jobs[i].energy_j == first[i].energy_j);
    }
    assert_true(s.jobs[1].accounted_s == 11);
    take(&s, later);
    for (size_t i = 0; i < POINTS; i++) {
        assert_int_equal(s.jobs[i].accounted, last[i].accounted);
        assert_true(s.jobs[i].energy_j == last[i].energy_j);
    }
    end(&s);
}

/* Other people's jobs, points without a result, on several nodes or measured by an earlier submission take nothing. */
static void of_somebody_else(void **state)
{
    (void)state;
    struct scene s;
    begin(&s);
    s.jobs[1].measured = false;
    s.points[4].nodes = 2;
    s.jobs[5].map = 1;
    take(&s, captured);
    take(&s, later);
    take(&s, "15_6.0|COMPLETED|11|77\n14_7.0|COMPLETED|11|77\n14_0.1|COMPLETED|11|77\n14.0|COMPLETED|11|77\n14_0.0\n");
    assert_false(s.jobs[1].accounted || s.jobs[4].accounted || s.jobs[5].accounted || s.jobs[0].accounted);
    assert_true(s.jobs[7].energy_j == 4999);
    end(&s);
}

/* A site without a meter (empty, as captured there, or 0), Slurm's "no value", and more than a node can draw. */
static void no_energy(void **state)
{
    (void)state;
    struct scene s;
    begin(&s);
    take(&s, "14_0.0|COMPLETED|5|\n14_1.0|COMPLETED|5|0\n14_2.0|COMPLETED|5|18446744073709551614\n"
             "14_3.0|COMPLETED|5|4294967294\n14_4.0|COMPLETED|0|3\n");
    for (size_t i = 1; i <= 5; i++) {
        assert_true(s.jobs[i].accounted);
        assert_true(s.jobs[i].energy_j == 0);
    }
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(captured_array), cmocka_unit_test(of_somebody_else),
                                       cmocka_unit_test(no_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
