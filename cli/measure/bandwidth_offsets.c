// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/bandwidth_round.h"

#include "measure/probe/bandwidth_verdict.h"

/* Each offset is visited in this many passes over all of them, every other one backwards: what slows the machine for a
   while then strikes all of them, and each has passes without it. */
#define PASSES 3
/* A conflict is one that these further visits of the slowest offsets leave. */
#define MORE_VISITS 8

static const size_t near_offsets[] = {0x40, 0x80, 0x100, 0x400, 0x800};
#define LENGTH(a) (sizeof(a) / sizeof *(a))

struct offsets {
    struct bandwidth_round *r;
    size_t count;
    size_t offset_bytes[BANDWIDTH_OFFSETS];
    struct mw_bandwidth_rate best[BANDWIDTH_OFFSETS]; /* windows 0: no visit yet */
    unsigned visits[BANDWIDTH_OFFSETS];
};

static struct mw_bandwidth_case case_of(const struct offsets *o, size_t i)
{
    return (struct mw_bandwidth_case){.test = MW_BW_COPY,
                                      .cores = o->r->cores,
                                      .size_bytes = o->r->memory.size_bytes,
                                      .offset_bytes = o->offset_bytes[i],
                                      .time_s = o->r->time_s / PASSES};
}

static const char *const name = "copy-offset";

/* The best of the visits is kept, an undisturbed one before a disturbed one: other work only takes away. */
static enum mw_err visit(struct offsets *o, size_t i, struct mw_error *error)
{
    struct mw_bandwidth_case c = case_of(o, i);
    struct mw_bandwidth_rate rate, *best = &o->best[i];
    enum mw_err err = bandwidth_visit(o->r, name, &c, &rate, error);
    if (err || !rate.windows)
        return err;
    bool cleaner = best->disturbed && !rate.disturbed, dirtier = rate.disturbed && !best->disturbed;
    if (!best->windows || cleaner || (!dirtier && rate.best_bps > best->best_bps))
        *best = rate;
    o->visits[i] += !rate.disturbed;
    return MW_OK;
}

/* The undisturbed ones, for the verdict; indices of them in at. */
static void keep(struct offsets *o, size_t *at)
{
    struct bandwidth_round *r = o->r;
    r->offset_count = 0;
    for (size_t i = 0; i < o->count; i++)
        if (o->best[i].windows && !o->best[i].disturbed) {
            at[r->offset_count] = i;
            r->offset_bytes[r->offset_count] = o->offset_bytes[i];
            r->offset_visits[r->offset_count] = o->visits[i];
            r->offset_bps[r->offset_count++] = o->best[i].best_bps;
        }
}

enum mw_err bandwidth_offsets(struct bandwidth_round *r, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    struct offsets o = {.r = r};
    size_t at[BANDWIDTH_OFFSETS];
    for (size_t i = 0; i < LENGTH(near_offsets); i++)
        o.offset_bytes[o.count++] = near_offsets[i];
    for (size_t offset = 0; offset <= MW_BW_OFFSET_MAX; offset += offset < 0x10000 ? 0x1000 : offset)
        o.offset_bytes[o.count++] = offset;
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < o.count && !err; i++)
            err = visit(&o, pass % 2 ? o.count - 1 - i : i, error);
    keep(&o, at);
    for (int more = 0; more < MORE_VISITS && r->offset_count >= 3 && !err; more++) {
        struct mw_bw_offsets v = mw_bw_offsets(r->offset_bps, r->offset_count);
        if (!v.conflict)
            break;
        err = visit(&o, at[v.worst], error);
        keep(&o, at);
    }
    for (size_t i = 0; i < o.count; i++) {
        struct mw_bandwidth_case c = case_of(&o, i);
        bandwidth_row(r, name, &c, &o.best[i]);
    }
    return err;
}
