// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "measure/probe/clock.h"

#include <math.h>

#define MIB ((size_t)1 << 20)
/* of the memory to be made ready, for a try of how long that takes; within these bounds for a core */
#define TRY_SHARE   8
#define TRY_LEAST   (4 * MIB)
#define TRY_MOST    (64 * MIB)
#define ASSUMED_BPS 1e9 /* where there is no room even for a try */

struct mw_pace measure_pace(const unsigned *cpus, size_t count, size_t bytes)
{
    struct mw_pace pace = {ASSUMED_BPS, ASSUMED_BPS, ASSUMED_BPS}, tried;
    struct mw_error ignored;
    size_t size = bytes / count / TRY_SHARE / MIB * MIB;
    size = size < TRY_LEAST ? TRY_LEAST : size > TRY_MOST ? TRY_MOST : size;
    return mw_pace_measure(cpus, count, size, &tried, &ignored) ? pace : tried;
}

bool measure_fits(const struct measure_run *run, double least_s)
{
    return least_s <= MEASURE_OVERRUN * measure_max_time_s(run);
}

void measure_say_least(struct measure_run *run, double least_s, const char *fits)
{
    if (measure_fits(run, least_s))
        return;
    run->overrun_said = true;
    cli_warn(
        run->cli,
        "the time asked for can't be held: what is left of it is %.3g s, and the least that gives each row a value "
        "takes about %.2g s here; what would fit: %s%s--max-time %.0f",
        fmax(measure_max_time_s(run), 0), least_s, fits ? fits : "", fits ? ", or " : "",
        ceil((least_s + mw_now_s() - run->start_s) * (double)run->freqs_left));
}
