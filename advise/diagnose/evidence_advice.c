// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/evidence.h"

#include "advise/recommend/recommend.h"

#include <math.h>

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
    [MW_VERDICT_WAITING] = "a quarter of the time and more nobody works: input and output, network, sleep",
    [MW_VERDICT_LIMIT] = "no more than a few cores ever worked at once: a quota, fixed threads, few pieces, or a lock",
    [MW_VERDICT_ONE_THREAD] = "one thread does the work",
    [MW_VERDICT_CLOCK] = "the clock falls with the cores in use",
    [MW_VERDICT_BUSY_CLOCK] =
        "the cores are busy with more than the work, and it scales with the clock: waiting threads that "
        "spin, extra work, slower cores; not memory",
    [MW_VERDICT_IDLE_CLOCK] =
        "the cores wait for computing: a serial part, uneven pieces or a lock; not for input and output",
    [MW_VERDICT_IDLE_FIXED] =
        "the cores wait for what the clock doesn't move: input and output, network, sleep, or a serial "
        "part bound by memory",
    [MW_VERDICT_BUSY_FIXED] =
        "the cores are busy with more than the work, and the clock doesn't matter: memory, or polling "
        "for messages",
    [MW_VERDICT_IDLE] = "the cores wait for something: serial work, uneven pieces, a lock, input and output",
    [MW_VERDICT_BUSY] =
        "the cores are busy, but the same work takes more of their time: memory, waiting threads that spin, "
        "slower cores, or a lower clock",
    [MW_VERDICT_BOTH] = "a part of the loss is cores without work, a part busy cores that get less done",
    [MW_VERDICT_UNDETERMINED] = "these points don't decide what it is",
};

/* What to change: code first, then hardware. */
static const char *const REMEDY[MW_VERDICT_COUNT][2] = {
    [MW_VERDICT_SCALES_WELL] = {"Use all cores.", NULL},
    [MW_VERDICT_SERIAL] =
        {"Find what runs on one core (input, output, set-up, a lock, a reduction) by a profile of a run on "
         "all cores, and make it parallel or overlap it.",
         "Until then further cores gain ever less (memwall recommend --within 5 names the fewest that are enough); run "
         "several instances side by side."},
    [MW_VERDICT_MEMORY_LATENCY] =
        {"Make accesses fewer or earlier: a denser layout, blocking for the caches, software "
         "prefetch, independent accesses in flight, huge pages.",
         "Larger caches and lower memory latency help; a faster clock helps only the time that moves with it."},
    [MW_VERDICT_MEMORY_BANDWIDTH] =
        {"Move fewer bytes: fuse loops, block for the caches, narrower types, non-temporal stores; "
         "on several sockets place pages by first touch.",
         "Use the fewest cores that saturate the memory; more channels or faster memory help."},
    [MW_VERDICT_CACHE] =
        {"The working set of each core shrinks into its cache: on few cores, blocking to cache size wins the same.",
         "Use many cores; large private caches are what this program should be given."},
    [MW_VERDICT_GRANULARITY] =
        {"Cut the work into more and smaller pieces, or schedule them dynamically, largest first.",
         "Until then choose core counts that divide the number of pieces."},
    [MW_VERDICT_STEP] =
        {"Beyond the boundary place memory and threads by node (first touch, OMP_PROC_BIND=spread, numactl "
         "--interleave) and don't share written lines across it; hyper-threads and slow cores that join there add less "
         "than a core each.",
         NULL},
    [MW_VERDICT_FLAT] =
        {"Record CPU time (memwall scan does) or power over cores: one busy core means serial, all busy means that "
         "the work grows with the cores or that they spin.",
         "Ask whether the input grows with the core count; if so, compare runs at a fixed input."},
    [MW_VERDICT_SLOWS_DOWN] =
        {"Run it on the core count of the least time; on one core where that is it.",
         "Look for threads that contend: a lock, a shared counter, allocation, false sharing, communication "
         "that grows with the cores."},
    [MW_VERDICT_WAITING] =
        {"Overlap or shorten input and output: read ahead, write behind, fewer and larger requests, a faster disk or network.",
         "Cores that wait can run another program meanwhile; neither more cores nor a faster clock shortens the wait."},
    [MW_VERDICT_LIMIT] =
        {"Look for what allows no more: the quota (cpu.max, docker --cpus, the batch job), the number of threads asked for, the "
         "number of pieces of work, a lock.",
         "Until then more cores than that change nothing."},
    [MW_VERDICT_ONE_THREAD] =
        {"Tell the program its cores: OMP_NUM_THREADS, an option such as -t or -j, or {cores} in the command of memwall scan.",
         "If it has no threads, run several instances side by side."},
    [MW_VERDICT_CLOCK] = {"Nothing in the code: fewer cores run faster each.",
                          "A fixed frequency, one that all cores keep, shows the program itself."},
    [MW_VERDICT_BUSY_CLOCK] =
        {"One run with OMP_WAIT_POLICY=passive (MPI: I_MPI_WAIT_MODE=1) shows whether threads spin: CPU time then falls.",
         "If they spin, look for the serial part or the lock they wait for; if not, for work that each thread does again, or "
         "shared lines that they write (false sharing)."},
    [MW_VERDICT_IDLE_CLOCK] =
        {"Find what runs on few cores by a profile of a run on all: a serial part, uneven pieces, a lock; make it parallel, cut "
         "the pieces smaller, or hold the lock shorter.",
         NULL},
    [MW_VERDICT_IDLE_FIXED] =
        {"Look at input and output, network and sleeps first (strace -c -f, iostat); then at serial work on large data.",
         NULL},
    [MW_VERDICT_BUSY_FIXED] =
        {"Move fewer bytes: fuse loops, block for the caches, narrower types; place pages by first touch.",
         "Of an MPI program, look at communication: ranks that poll for messages look the same."},
    [MW_VERDICT_IDLE] =
        {"Find what the cores wait for by a profile of a run on all of them: serial work, uneven pieces, a lock, input and "
         "output.",
         NULL},
    [MW_VERDICT_BUSY] =
        {"One run with OMP_WAIT_POLICY=passive shows whether threads spin: CPU time then falls.",
         "If the frequency can be set, one run on all cores at a lower one shows whether it is memory: that does not move."},
    [MW_VERDICT_BOTH] = {"Look at both: what the cores wait for, and why the same work takes more of their time.",
                         NULL},
    [MW_VERDICT_MEMORY] =
        {"Make memory traffic smaller (layout, blocking for the caches, narrower types) before buying cores.", NULL},
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
    if (d->disturbed)
        return mw_sentences_add(advice, error, "Measure again while nothing else runs on these cores.");
    err = mw_sentences_add(advice, error, "Perhaps %s, perhaps %s: these points don't tell which.",
                           mw_cause_names[d->likeliest], mw_cause_names[d->second]);
    if (!err && d->witness.cpu_time.state == MW_WITNESS_ABSENT && !d->speedups)
        err = mw_sentences_add(advice, error,
                               "Record the CPU time of the runs (memwall scan does; a column cpu_s): it tells "
                               "whether the cores wait or are busy.");
    if (!err && d->memory_open && !d->clock_fixed)
        err = mw_sentences_add(
            advice, error,
            "If it can be set, measure all %u cores once more at the lowest frequency: memory time does "
            "not move with it; that one run settles most.",
            d->cores);
    return err;
}

const struct mw_recommendation *mw_diagnosis_best(struct mw_diagnosis_choice *choice)
{
    static const struct mw_goal goal = {.objective = MW_OBJECTIVE_TIME, .certainty = .9};
    static const struct mw_recommend_options usual;
    struct mw_error ignored; /* where no choice can be made nothing is said */
    if (!choice->asked && mw_recommend(&choice->best, choice->model, &goal, &usual, &ignored))
        choice->best = (struct mw_recommendation){0};
    choice->asked = true;
    return choice->best.options ? &choice->best : NULL;
}

void mw_diagnosis_choice_release(struct mw_diagnosis_choice *choice)
{
    mw_recommendation_release(&choice->best);
}

/* What the step costs a core, and on which side of it the least time is. */
static enum mw_err advise_side(struct mw_sentences *advice, const struct mw_diagnosis *d,
                               struct mw_diagnosis_choice *choice, struct mw_error *error)
{
    const struct mw_recommendation *r = d->step_after ? mw_diagnosis_best(choice) : NULL;
    if (!r)
        return MW_OK;
    const struct mw_option *best = &r->options[r->choice], *below = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (r->options[i].candidate.cores <= d->step_after && (!below || r->options[i].expected < below->expected))
            below = &r->options[i];
    enum mw_err err = MW_OK;
    if (best->candidate.cores <= d->step_after)
        err = mw_sentences_add(
            advice, error,
            "For time, stay at %.0f core%s: the cores beyond the boundary at %u don't make up for the step "
            "of %.0f %%.",
            best->candidate.cores, best->candidate.cores > 1 ? "s" : "", d->step_after, 100 * d->step_size);
    else if (below)
        err = mw_sentences_add(
            advice, error,
            "More cores still gain: %.0f take %.0f %% less time than %.0f; the first cores beyond %u pay the step of "
            "%.0f %%.",
            best->candidate.cores, -100 * expm1(best->outlook.ln_time - below->outlook.ln_time), below->candidate.cores,
            d->step_after, 100 * d->step_size);
    return err;
}

/* What the frequency of the least energy costs and saves, by the model. */
static enum mw_err advise_clock(struct mw_sentences *advice, const struct mw_diagnosis *d,
                                struct mw_diagnosis_choice *choice, struct mw_error *error)
{
    static const struct mw_goal goal = {.objective = MW_OBJECTIVE_ENERGY, .certainty = .9};
    struct mw_recommendation r;
    struct mw_error ignored;
    const struct mw_model *model = choice->model;
    if (d->memory_open || model->quantity != MW_TIME || !model->power.present)
        return MW_OK;
    const struct mw_recommendation *for_time = mw_diagnosis_best(choice);
    if (!for_time || mw_recommend_again(&r, for_time, model, &goal, &ignored))
        return MW_OK;
    const struct mw_option *best = &r.options[r.choice];
    enum mw_err err = MW_OK;
    if (best->candidate.freq_hz < .999 * d->freq_max_hz && r.energy_change.high < 0)
        err = mw_sentences_add(
            advice, error,
            "The least energy is on %.0f core%s at %.4g GHz: time %+.0f %%, energy %+.0f %% against all "
            "cores at the highest frequency.",
            best->candidate.cores, best->candidate.cores > 1 ? "s" : "", best->candidate.freq_hz / 1e9,
            100 * r.time_change.value, 100 * r.energy_change.value);
    mw_recommendation_release(&r);
    return err;
}

bool mw_diagnosis_memory_open(const struct mw_diagnosis *d)
{
    return d->memory_open &&
           (d->verdict == MW_VERDICT_SCALES_WELL || d->verdict == MW_VERDICT_STEP || d->verdict == MW_VERDICT_CACHE ||
            d->verdict == MW_VERDICT_GRANULARITY || d->verdict == MW_VERDICT_UNDETERMINED);
}

static bool is_memory(enum mw_verdict verdict)
{
    return verdict == MW_VERDICT_MEMORY || verdict == MW_VERDICT_MEMORY_LATENCY ||
           verdict == MW_VERDICT_MEMORY_BANDWIDTH;
}

enum mw_err mw_diagnosis_advice(struct mw_sentences *advice, const struct mw_diagnosis *d,
                                struct mw_diagnosis_choice *choice, struct mw_error *error)
{
    bool told = d->seen.one_core && !d->disturbed; /* seen without any law */
    enum mw_verdict verdict = told ? MW_VERDICT_ONE_THREAD : d->verdict;
    if (verdict == MW_VERDICT_UNDETERMINED)
        return advise_open(advice, d, error);
    enum mw_err err = MW_OK;
    if (d->verdict == MW_VERDICT_STEP)
        err = advise_side(advice, d, choice, error);
    bool at_other_clock = !d->clock_fixed || (d->verdict != MW_VERDICT_BUSY && d->verdict != MW_VERDICT_CLOCK);
    for (size_t i = 0; i < 2 && err == MW_OK; i++)
        if (REMEDY[verdict][i] && (i == 0 || at_other_clock))
            err = mw_sentences_add(advice, error, "%s", REMEDY[verdict][i]);
    if (err == MW_OK && d->step_flag)
        err = mw_sentences_add(advice, error,
                               "Beside it, time steps up by %.0f %% beyond %u cores: place threads and memory by node.",
                               100 * d->step_size, d->step_after);
    if (err == MW_OK && d->step_flag)
        err = advise_side(advice, d, choice, error);
    if (err == MW_OK && is_memory(d->verdict))
        err = advise_clock(advice, d, choice, error);
    if (err == MW_OK && mw_diagnosis_memory_open(d) && !d->clock_fixed && !told)
        err = mw_sentences_add(
            advice, error,
            "Memory is not excluded: if the frequency can be set, one run of all %u cores at the lowest frequency tells.",
            d->cores);
    return err;
}
