// SPDX-License-Identifier: GPL-3.0-or-later
// Time to schedule a hundred measured workloads on 1,024 cores. `make bench-advice`.
#include "advise/schedule/schedule.h"
#include "bench/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { JOBS = 100, CORES = 1024 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Job j: a measured table, its work scaled so that the jobs differ by up to a factor of eight. */
static struct mw_job make_job(const struct bench_tables *tables, size_t j, struct mw_job_option **list)
{
    const struct bench_table *t = &tables->items[j % tables->count];
    double scale = (1 + (double)((j * 37) % 71) / 10) * 100 / t->time_s[0];
    struct mw_job_option *options = calloc(t->count, sizeof *options);
    for (size_t i = 0; options && i < t->count; i++)
        options[i] = (struct mw_job_option){.cores = t->cores[i],
                                            .freq_hz = t->freq_hz[i],
                                            .time_s = t->time_s[i] * scale,
                                            .energy_j = t->energy_j[i] * scale,
                                            .power_w = t->energy_j[i] / t->time_s[i]};
    *list = options;
    return (struct mw_job){.name = t->name, .options = options, .option_count = options ? t->count : 0};
}

int main(void)
{
    struct bench_tables tables = {0};
    if (!bench_read_power(&tables)) {
        printf("bench-advice: no measured tables at ../shared/data: the schedule is skipped\n");
        return 0;
    }
    struct mw_job jobs[JOBS];
    struct mw_job_option *options[JOBS];
    for (size_t j = 0; j < JOBS; j++)
        jobs[j] = make_job(&tables, j, &options[j]);
    static const double caps_w[] = {0, 8000, 6500};
    printf("\nschedule of %d jobs of 312 configurations each on %d cores\n%-10s %8s %8s %8s %10s %12s %8s\n", JOBS,
           CORES, "least", "cap W", "cores", "W", "longest s", "energy J", "took s");
    for (size_t c = 0; c < 3; c++) {
        for (enum mw_jobs_objective o = MW_JOBS_ENERGY; o <= MW_JOBS_MAKESPAN; o++) {
            struct mw_assignment a;
            struct mw_error error;
            double start = now_s();
            if (mw_jobs_assign(&a, jobs, JOBS, &(struct mw_jobs_limits){CORES, caps_w[c]}, o, &error)) {
                fprintf(stderr, "bench-advice: %s\n", error.message);
                return 1;
            }
            printf("%-10s %8.0f ", o == MW_JOBS_ENERGY ? "energy" : "longest", caps_w[c]);
            if (a.feasible)
                printf("%8u %8.0f %10.2f %12.1f %8.2f\n", a.cores, a.power_w, a.makespan_s, a.energy_j,
                       now_s() - start);
            else
                printf("%s (%.2f s)\n", a.obstacle, now_s() - start);
            mw_assignment_release(&a);
        }
    }
    for (size_t j = 0; j < JOBS; j++)
        free(options[j]);
    bench_release(&tables);
    return 0;
}
