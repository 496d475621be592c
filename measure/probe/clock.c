// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/clock.h"

#include "measure/probe/kernels/chain.h"
#include "measure/probe/team.h"

#include <stdint.h>
#include <time.h>

/* short against a time slice (so that most windows see no other program), long against the clock's 30 ns */
#define WINDOW_S 1e-3
#define WINDOWS  24
/* a core leaves its idle frequency within some ten milliseconds */
#define WARM_UP_S    20e-3
#define FIRST_BLOCKS 256

double mw_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double chain_hz(uint64_t blocks, uint64_t *x)
{
    double start = mw_now_s();
    *x = mw_kernel_add_chain(*x, 1, blocks);
    double time_s = mw_now_s() - start;
    return time_s > 0 ? (double)(blocks * MW_CHAIN_BLOCK) / time_s : 0;
}

static enum mw_err clock_member(void *shared, struct mw_team *team, size_t index, struct mw_error *error)
{
    (void)error;
    double *freq_hz = shared, best = 0;
    uint64_t x = 0, blocks = FIRST_BLOCKS;
    for (double start = mw_now_s(); mw_now_s() - start < WARM_UP_S;) {
        double hz = chain_hz(blocks, &x);
        if (hz > 0)
            blocks = (uint64_t)(hz * WINDOW_S / MW_CHAIN_BLOCK) + 1;
    }
    mw_team_wait(team);
    for (int w = 0; w < WINDOWS; w++) {
        double hz = chain_hz(blocks, &x);
        best = hz > best ? hz : best;
    }
    freq_hz[index] = best;
    return MW_OK;
}

enum mw_err mw_clock_effective(const unsigned *cpus, size_t count, double *freq_hz, struct mw_error *error)
{
    return mw_team_run(cpus, count, clock_member, freq_hz, error);
}
