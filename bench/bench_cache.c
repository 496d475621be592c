// SPDX-License-Identifier: GPL-3.0-or-later
// The detectors of `measure cache` on simulated memory with known answers: bench_cache COUNT SEED. Exit status 1 where a
// verdict is wrong without a mark, fewer than 98 of 100 machines are wholly right or marked, or more than 5 are marked.
#include "tests/machines/sim_hierarchy.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_TIME_S 50 /* of the simulated clock */

static void show(const struct mw_cache_report *r)
{
    for (size_t i = 0; i < r->finding_count; i++)
        printf("    %s %s %.6g (%s)\n", r->findings[i].level, r->findings[i].property, r->findings[i].value,
               r->findings[i].why);
    for (size_t i = 0; i < r->point_count && getenv("CURVE"); i++)
        printf("    %s %g %g\n", r->points[i].curve, r->points[i].x, 1e9 * r->points[i].time_s);
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 200, seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    unsigned long wrong = 0, marked = 0, right = 0, findings = 0;
    for (unsigned long k = argc > 3 ? strtoul(argv[3], NULL, 10) : 0; k < count; k++) {
        struct sim_machine m = sim_draw(seed * 1000003 + k);
        struct sim_judgement j;
        struct mw_cache_report report = {0};
        struct mw_error error;
        if (sim_judge(&m, MAX_TIME_S, &j, &report, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        wrong += j.wrong_any;
        marked += j.marked_any;
        right += j.right;
        findings += j.right + j.wrong + j.unmarked;
        if (*j.text)
            printf("machine %lu of seed %lu:\n%s", k, seed, j.text);
        if (getenv("SHOW")) {
            printf("%.3g loads, %.3g s\n", (double)sim_loads(), report.time_s);
            show(&report);
        }
        fflush(stdout);
        mw_cache_report_release(&report);
    }
    printf("%lu machines: %lu with a wrong verdict, %lu with a mark; %lu of %lu verdicts right\n", count, wrong, marked,
           right, findings);
    return wrong * 50 > count || marked * 20 > count;
}
