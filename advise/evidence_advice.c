// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/evidence.h"

#include <stdio.h>

static const char *const MEANING[MW_VERDICT_COUNT] = {
    [MW_VERDICT_SCALES_WELL] = "the cores are used: three quarters of the time and more is parallel computing",
    [MW_VERDICT_SERIAL] = "work that only one core does takes a quarter of the time or more",
    [MW_VERDICT_MEMORY_LATENCY] = "waiting for single memory accesses takes a quarter of the time or more",
    [MW_VERDICT_MEMORY_BANDWIDTH] = "memory time that further cores don't shrink takes a quarter of the time or more",
    [MW_VERDICT_CACHE] = "superlinear: the caches of further cores take memory accesses away",
    [MW_VERDICT_GRANULARITY] = "the parallel work comes in pieces that don't divide evenly among the cores",
    [MW_VERDICT_STEP] = "time jumps where the first core beyond a boundary joins",
    [MW_VERDICT_FLAT] = "more cores change nothing: serial, or the work grows with the cores; times don't tell which",
    [MW_VERDICT_SLOWS_DOWN] = "more cores make it slower",
    [MW_VERDICT_MEMORY] = "memory takes a quarter of the time or more; latency or bandwidth is open",
    [MW_VERDICT_WEAK_SCALING] =
        "time stays while all cores work: the work grows with the cores (weak scaling), or they spin",
    [MW_VERDICT_UNDETERMINED] = "these points don't decide it",
};

/* What to change: code first, then hardware. */
static const char *const REMEDY[MW_VERDICT_COUNT][2] = {
    [MW_VERDICT_SCALES_WELL] = {"Use all cores; a faster clock or more cores still pay.", NULL},
    [MW_VERDICT_SERIAL] =
        {"Find what runs on one core (input, output, set-up, a lock, a reduction) by a profile of a run on "
         "all cores, and make it parallel or overlap it.",
         "Until then few fast cores serve it as well as many; run several instances side by side."},
    [MW_VERDICT_MEMORY_LATENCY] =
        {"Make accesses fewer or earlier: a denser layout, blocking for the caches, software "
         "prefetch, independent accesses in flight, huge pages.",
         "A lower core frequency costs little time and saves energy; larger caches and lower memory "
         "latency help, a faster clock hardly."},
    [MW_VERDICT_MEMORY_BANDWIDTH] =
        {"Move fewer bytes: fuse loops, block for the caches, narrower types, non-temporal stores; "
         "on several sockets place pages by first touch.",
         "More cores on the same memory gain nothing, so use the fewest that saturate it and a lower "
         "frequency; more channels or faster memory help."},
    [MW_VERDICT_CACHE] =
        {"The working set of each core shrinks into its cache: on few cores, blocking to cache size wins the same.",
         "Use many cores; large private caches are what this program should be given."},
    [MW_VERDICT_GRANULARITY] =
        {"Cut the work into more and smaller pieces, or schedule them dynamically, largest first.",
         "Until then choose core counts that divide the number of pieces."},
    [MW_VERDICT_STEP] =
        {"Stay on one side of the boundary, or beyond it place memory and threads by node (first touch, "
         "OMP_PROC_BIND=spread, numactl --interleave) and don't share written lines across it.",
         "Where hyper-threads or slow cores join there, bind one thread to a core and leave them out."},
    [MW_VERDICT_FLAT] =
        {"Record CPU time (memwall scan does) or power over cores: one busy core means serial, all busy means that "
         "the work grows with the cores or that they spin.",
         "Ask whether the input grows with the core count; if so, compare runs at a fixed input."},
    [MW_VERDICT_SLOWS_DOWN] =
        {"Run it on the core count of the least time; on one core where that is it.",
         "Look for threads that contend: a lock, a shared counter, allocation, false sharing, communication "
         "that grows with the cores."},
    [MW_VERDICT_MEMORY] =
        {"Make memory traffic smaller (layout, blocking for the caches, narrower types) before buying cores.",
         "A lower core frequency costs little time and saves energy."},
    [MW_VERDICT_WEAK_SCALING] =
        {"If the input grows with the cores, this is good scaling: fit it with --weak.",
         "If it does not, threads spin while they wait: find the lock or barrier in a profile."},
};

const char *mw_verdict_sentence(enum mw_verdict verdict)
{
    return MEANING[verdict];
}

static enum mw_err advise_open(struct mw_sentences *advice, const struct mw_diagnosis *d, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    if (d->scales_coarse)
        err = mw_sentences_add(advice, error, "It scales, by computing or by memory accesses that the cores share.");
    else if (d->stops_coarse)
        err = mw_sentences_add(advice, error,
                               "It stops scaling, by serial work or by memory that further cores don't shrink.");
    else
        err =
            mw_sentences_add(advice, error, "The likeliest are %s (%.2f) and %s (%.2f).", mw_verdict_name(d->likeliest),
                             d->chance[d->likeliest], mw_verdict_name(d->second), d->chance[d->second]);
    if (err == MW_OK && d->memory_open)
        err = mw_sentences_add(advice, error,
                               "Measure all %u cores once more at the lowest frequency: memory time does not move "
                               "with it; that one run settles most.",
                               d->cores);
    return err;
}

enum mw_err mw_diagnosis_advice(struct mw_sentences *advice, const struct mw_diagnosis *d, struct mw_error *error)
{
    if (d->verdict == MW_VERDICT_UNDETERMINED)
        return advise_open(advice, d, error);
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < 2 && err == MW_OK; i++)
        if (REMEDY[d->verdict][i])
            err = mw_sentences_add(advice, error, "%s", REMEDY[d->verdict][i]);
    if (err == MW_OK && d->step_flag)
        err = mw_sentences_add(advice, error,
                               "Beside it, time steps up by %.0f %% beyond %u cores: place threads and memory "
                               "by node, or stay below.",
                               100 * d->step_size, d->step_after);
    if (err == MW_OK && d->memory_open && d->verdict != MW_VERDICT_FLAT && d->flat_fact == MW_FLAT_UNKNOWN &&
        d->verdict != MW_VERDICT_SLOWS_DOWN)
        err = mw_sentences_add(
            advice, error, "Memory is not excluded: one run of all %u cores at the lowest frequency tells.", d->cores);
    return err;
}
