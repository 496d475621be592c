// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/pace.h"

#include "measure/probe/arena.h"
#include "measure/probe/clock.h"
#include "measure/probe/ring.h"
#include "measure/probe/team.h"

#include <stdint.h>
#include <string.h>

/* as the walks of `latency` and `loaded` */
#define LINE_BYTES   64
#define GROUP_BYTES  ((size_t)64 * 4096)
#define STRIDE_BYTES 256

struct shared {
    size_t size_bytes;
    struct mw_pace *pace;
};

/* Seconds from here to where all threads are done. */
static double until_all(struct mw_team *team, double start_s)
{
    mw_team_wait(team);
    return mw_now_s() - start_s;
}

static enum mw_err member(void *opaque, struct mw_team *team, size_t index, struct mw_error *error)
{
    struct shared *s = opaque;
    struct mw_arena filled = {0}, ringed = {0};
    struct mw_growing_ring ring = {0};
    size_t size = s->size_bytes;
    enum mw_err err = mw_arena_open(&filled, size, MW_PAGES_HUGE, MW_NODE_FIRST_TOUCH, error);
    if (!err)
        err = mw_arena_open(&ringed, size, MW_PAGES_HUGE, MW_NODE_FIRST_TOUCH, error);
    if (!err)
        err = mw_growing_ring_init(&ring, ringed.data, size / LINE_BYTES, LINE_BYTES, GROUP_BYTES / LINE_BYTES,
                                   STRIDE_BYTES / LINE_BYTES, error);
    double time_s[3], start_s;
    for (int turn = 0; turn < 3; turn++) {
        mw_team_wait(team); /* also after a failure: the others wait */
        start_s = mw_now_s();
        if (!err && turn < 2)
            memset(filled.data, turn + 1, size);
        else if (!err)
            mw_growing_ring_extend(&ring, ring.lines_max, &(uint64_t){index + 1});
        __asm__ volatile("" : : "r"(filled.data) : "memory");
        time_s[turn] = until_all(team, start_s);
    }
    if (!index)
        *s->pace = (struct mw_pace){(double)size / time_s[0], (double)size / time_s[1], (double)size / time_s[2]};
    mw_growing_ring_release(&ring);
    mw_arena_close(&ringed);
    mw_arena_close(&filled);
    return err;
}

enum mw_err mw_pace_measure(const unsigned *cpus, size_t count, size_t size_bytes, struct mw_pace *pace,
                            struct mw_error *error)
{
    struct mw_pace one;
    struct shared s = {.size_bytes = size_bytes, .pace = &one};
    enum mw_err err = mw_team_run(cpus, count, member, &s, error);
    if (!err)
        *pace =
            (struct mw_pace){(double)count * one.touch_bps, (double)count * one.fill_bps, (double)count * one.ring_bps};
    return err;
}
