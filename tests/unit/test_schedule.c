// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "advise/schedule/schedule.h"

enum { JOBS = 5, OPTIONS = 6 };

static unsigned long long seed_state;
static double uniform(void)
{
    seed_state = seed_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed_state >> 11) / 9007199254740992.0;
}

struct instance {
    struct mw_job jobs[JOBS];
    struct mw_job_option options[JOBS][OPTIONS];
    size_t count;
    struct mw_jobs_limits limits;
};

/* Every third instance has a tight power cap, every second deadlines; some have no solution. */
static void make(struct instance *x, unsigned long seed)
{
    seed_state = seed * 7919 + 1;
    *x = (struct instance){.count = 2 + (size_t)(uniform() * (JOBS - 1))};
    for (size_t j = 0; j < x->count; j++) {
        for (size_t o = 0; o < OPTIONS; o++) {
            unsigned cores = 1 + (unsigned)(uniform() * 8);
            double time = (20 + 80 * uniform()) / cores + 5 * uniform(), power = 10 + cores * (2 + 4 * uniform());
            x->options[j][o] = (struct mw_job_option){
                .cores = cores, .freq_hz = 2e9, .time_s = time, .power_w = power, .energy_j = time * power};
        }
        x->jobs[j] = (struct mw_job){.name = "job",
                                     .options = x->options[j],
                                     .option_count = 2 + (size_t)(uniform() * (OPTIONS - 1)),
                                     .deadline_s = seed % 2 ? 15 + 30 * uniform() : 0};
    }
    x->limits = (struct mw_jobs_limits){.cores = (unsigned)((double)x->count * (1.5 + 4 * uniform())),
                                        .power_cap_w = seed % 3 ? 0 : (double)x->count * (18 + 22 * uniform())};
}

/* Every assignment there is. */
static bool brute(const struct instance *x, enum mw_jobs_objective objective, double *energy, double *makespan)
{
    size_t pick[JOBS] = {0};
    bool any = false;
    for (;;) {
        double e = 0, w = 0, longest = 0;
        unsigned cores = 0;
        bool good = true;
        for (size_t j = 0; j < x->count; j++) {
            const struct mw_job_option *o = &x->options[j][pick[j]];
            e += o->energy_j;
            w += o->power_w;
            cores += o->cores;
            longest = fmax(longest, o->time_s);
            good = good && (!(x->jobs[j].deadline_s > 0) || o->time_s <= x->jobs[j].deadline_s);
        }
        good = good && cores <= x->limits.cores && (!(x->limits.power_cap_w > 0) || w <= x->limits.power_cap_w);
        bool better =
            !any ||
            (objective == MW_JOBS_ENERGY ? e < *energy : longest < *makespan || (longest <= *makespan && e < *energy));
        if (good && better) {
            any = true;
            *energy = e;
            *makespan = longest;
        }
        size_t j = 0;
        while (j < x->count && ++pick[j] == x->jobs[j].option_count)
            pick[j++] = 0;
        if (j == x->count)
            return any;
    }
}

static void equals_brute_force(void **state)
{
    (void)state;
    size_t infeasible = 0;
    for (unsigned long seed = 0; seed < 200; seed++) {
        struct instance x;
        make(&x, seed);
        for (enum mw_jobs_objective objective = MW_JOBS_ENERGY; objective <= MW_JOBS_MAKESPAN; objective++) {
            struct mw_assignment a;
            double energy = 0, makespan = 0;
            bool any = brute(&x, objective, &energy, &makespan);
            assert_int_equal(mw_jobs_assign(&a, x.jobs, x.count, &x.limits, objective, NULL), MW_OK);
            assert_int_equal(a.feasible, any);
            if (any) {
                assert_near(a.energy_j, energy, 1e-6 * energy);
                assert_true(a.cores <= x.limits.cores);
                if (objective == MW_JOBS_MAKESPAN)
                    assert_near(a.makespan_s, makespan, 1e-9 * makespan);
            } else {
                assert_true(a.obstacle[0] != '\0');
                infeasible++;
            }
            mw_assignment_release(&a);
        }
    }
    assert_true(infeasible > 20 && infeasible < 300);
}

static void obstacles(void **state)
{
    (void)state;
    const struct mw_job_option options[] = {{2, 2e9, 10, 20, 200}, {4, 2e9, 6, 35, 210}};
    struct mw_job jobs[] = {{"first", options, 2, 0}, {"second", options, 2, 0}};
    struct mw_assignment a;
    assert_int_equal(
        mw_jobs_assign(&a, jobs, 2, &(struct mw_jobs_limits){.cores = 3, .power_cap_w = 0}, MW_JOBS_ENERGY, NULL),
        MW_OK);
    assert_false(a.feasible);
    assert_non_null(strstr(a.obstacle, "need at least 4 at once, 3 are there"));
    mw_assignment_release(&a);
    assert_int_equal(
        mw_jobs_assign(&a, jobs, 2, &(struct mw_jobs_limits){.cores = 8, .power_cap_w = 39}, MW_JOBS_MAKESPAN, NULL),
        MW_OK);
    assert_non_null(strstr(a.obstacle, "power cap of 39 W"));
    assert_non_null(strstr(a.obstacle, "at least 40 W"));
    mw_assignment_release(&a);
    jobs[1].deadline_s = 5;
    assert_int_equal(
        mw_jobs_assign(&a, jobs, 2, &(struct mw_jobs_limits){.cores = 8, .power_cap_w = 0}, MW_JOBS_ENERGY, NULL),
        MW_OK);
    assert_non_null(strstr(a.obstacle, "job 'second' cannot keep its deadline of 5 s: 6 s on 4 cores"));
    mw_assignment_release(&a);
    assert_int_equal(
        mw_jobs_assign(&a, jobs, 1, &(struct mw_jobs_limits){.cores = 1, .power_cap_w = 0}, MW_JOBS_ENERGY, NULL),
        MW_OK);
    assert_non_null(strstr(a.obstacle, "more than the 1 cores"));
    mw_assignment_release(&a);
    jobs[0].option_count = 0;
    struct mw_error error;
    assert_int_equal(
        mw_jobs_assign(&a, jobs, 1, &(struct mw_jobs_limits){.cores = 1, .power_cap_w = 0}, MW_JOBS_ENERGY, &error),
        MW_USAGE);
}

/* A limit that is met to the last digit is met. */
static void exactly_full(void **state)
{
    (void)state;
    const struct mw_job_option options[] = {{3, 2e9, 1, 33.3, 33.3}, {1, 2e9, 3, 11.1, 40}};
    struct mw_job jobs[] = {{"a", options, 2, 0}, {"b", options, 2, 0}, {"c", options, 2, 0}};
    struct mw_assignment a;
    assert_int_equal(mw_jobs_assign(&a, jobs, 3, &(struct mw_jobs_limits){.cores = 9, .power_cap_w = 3 * 33.3},
                                    MW_JOBS_ENERGY, NULL),
                     MW_OK);
    assert_true(a.feasible);
    assert_near(a.energy_j, 99.9, 1e-9);
    mw_assignment_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_brute_force),
        cmocka_unit_test(obstacles),
        cmocka_unit_test(exactly_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
