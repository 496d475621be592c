// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/evidence.h"
#include "advise/recommend/recommend.h"

#include <math.h>
#include <stdio.h>

static const double SAID = .03;  /* smaller shares of the cores' time are not worth a sentence */
static const double SAME = .03;  /* of a speedup: nobody would call it faster or slower */
static const double TAKEN = .1;  /* of a time: more, and what is left is known roughly */
static const double ROUGH = .05; /* of a speedup: where its 90 % interval is wider, the third digit says nothing */

static const char *plural(unsigned n)
{
    return n > 1 ? "s" : "";
}

/* Which part of the loss is which, where there is one. */
static void describe_loss(char *text, size_t size, const struct mw_observation *seen, unsigned cores)
{
    double used = seen->busy_cores / cores, loss = seen->idle.median + seen->busy.median;
    double idle = loss > 0 ? fmin(fmax(seen->idle.median / loss, 0), 1) : 0;
    if (idle >= 2. / 3)
        snprintf(text, size, ": the cores have no work %.0f %% of the time", 100 * (1 - fmin(used, 1)));
    else if (idle <= 1. / 3)
        snprintf(text, size, ": they are busy, but the same work takes %.2g times the core seconds",
                 exp(seen->busy.median));
    else
        snprintf(text, size, ": %.0f %% of the loss is cores without work, %.0f %% busy cores that get less done",
                 100 * idle, 100 * (1 - idle));
}

/* Repetitions scatter, or much was taken off times for a wait that is itself an estimate. */
static bool is_rough(const struct mw_observation *seen)
{
    return seen->speedup_error > ROUGH * seen->speedup || seen->taken > TAKEN;
}

/* "1.98x on 2 cores", of two digits where repetitions scatter so that the third means nothing. */
static void name_speedup(char *text, size_t size, const struct mw_diagnosis *d)
{
    const struct mw_observation *seen = &d->seen;
    bool rough = is_rough(seen);
    char base[32] = "";
    if (seen->base > 1)
        snprintf(base, sizeof base, " of %u", seen->base);
    snprintf(text, size, "%s%.*gx%s%s on %u core%s", rough ? "About " : "", rough ? 2 : 3, seen->speedup,
             d->weak ? " the work" : "", base, seen->cores, plural(seen->cores));
}

/* In steps of five where repetitions scatter. */
static double named_efficiency(const struct mw_observation *seen)
{
    double percent = 100 * seen->efficiency;
    return is_rough(seen) ? 5 * round(percent / 5) : percent;
}

/* What follows the speedup, a fact that needs no law. */
static void describe_scaling(char *text, size_t size, const struct mw_observation *seen)
{
    char loss[160] = "";
    double gain = fmax(seen->speedup_error, SAME * seen->speedup);
    if (seen->efficiency >= MW_SCALES_FROM)
        snprintf(text, size, ": it scales");
    else if (seen->speedup < 1 - gain)
        snprintf(text, size, ": slower than on %u", seen->base);
    else if (seen->speedup < 1 + gain)
        snprintf(text, size, ": no faster than on %u", seen->base);
    else if (seen->has_cpu) {
        describe_loss(loss, sizeof loss, seen, seen->cores);
        snprintf(text, size, "%s", loss);
    } else
        snprintf(text, size, ": each core does %.0f %% of what it does where %u %s", 100 * seen->efficiency, seen->base,
                 seen->base > 1 ? "work" : "works alone");
}

static enum mw_err say_observation(struct mw_sentences *out, const struct mw_diagnosis *d, const char *run,
                                   struct mw_error *error)
{
    const struct mw_observation *seen = &d->seen;
    char speedup[96], scaling[200];
    if (!seen->present)
        return mw_sentences_add(out, error,
                                "The points hold one core count at each frequency: how it scales is not seen.");
    name_speedup(speedup, sizeof speedup, d);
    if (d->disturbed)
        return mw_sentences_add(out, error,
                                "Runs were disturbed: other programs had %.0f %% of these cores. %s all the same.",
                                100 * fmax(seen->others_blind, seen->others), speedup);
    if (seen->one_core)
        return mw_sentences_add(out, error, "Only one core ever worked (CPU time = time on %u to %u cores).",
                                seen->base, seen->cores);
    describe_scaling(scaling, sizeof scaling, seen);
    return mw_sentences_add(out, error, "%s (%.0f %%)%s.%s", speedup, named_efficiency(seen), scaling, run);
}

static enum mw_err say_limit(struct mw_sentences *out, const struct mw_diagnosis *d, struct mw_error *error)
{
    const struct mw_observation *seen = &d->seen;
    double most = seen->has_cpu && seen->busy_cores < d->limit_cores ? seen->busy_cores : d->limit_cores;
    if (d->cpu_limit > 0 && fabs(most / d->cpu_limit - 1) < .15)
        return mw_sentences_add(
            out, error, "No more than %.2g cores ever worked at once: a CPU quota of %.3g (cgroup), not the program.",
            most, d->cpu_limit);
    if (seen->throttled > SAID)
        return mw_sentences_add(
            out, error, "No more than %.2g cores ever worked at once: a CPU quota stopped it %.0f %% of the time.",
            most, 100 * seen->throttled);
    if (seen->switches > 20)
        return mw_sentences_add(out, error,
                                "No more than %.2g cores ever worked at once: threads give up their core %.0f times a "
                                "second, so a lock that they hand on.",
                                most, seen->switches);
    return mw_sentences_add(
        out, error,
        "No more than %.2g cores ever worked at once: a quota, a fixed number of threads, %.0f pieces of "
        "work, or a lock.",
        most, ceil(most));
}

static enum mw_err say_waiting(struct mw_sentences *out, const struct mw_diagnosis *d, struct mw_error *error)
{
    const struct mw_observation *seen = &d->seen;
    double wait = d->end_count > 1 ? d->ends[1].wait.median : 0, first = d->end_count ? d->ends[0].wait.median : 0;
    return mw_sentences_add(
        out, error,
        "%.3g s of the %.3g s on %u cores nobody works: input and output, network, sleep (and %.3g of "
        "%.3g s on %u).",
        wait * seen->time_s, seen->time_s, seen->cores, first * seen->time_base_s, seen->time_base_s, seen->base);
}

static enum mw_err say_one_thread(struct mw_sentences *out, const struct mw_diagnosis *d, struct mw_error *error)
{
    if (d->seen.threads >= 1 && d->seen.threads < 2)
        return mw_sentences_add(out, error,
                                "It never had more than one thread: it was not told how many cores it has.");
    return mw_sentences_add(
        out, error,
        "One thread does the work. Was the program told how many cores it has (OMP_NUM_THREADS, -t, "
        "{cores})?");
}

static enum mw_err say_clock(struct mw_sentences *out, const struct mw_diagnosis *d, struct mw_error *error)
{
    if (d->seen.clock_base_hz > 0)
        return mw_sentences_add(out, error, "The clock falls from %.3g to %.3g GHz with all cores: that costs %.0f %%.",
                                d->seen.clock_base_hz / 1e9, d->seen.clock_hz / 1e9,
                                100 * (1 - d->seen.clock_hz / d->seen.clock_base_hz));
    return mw_sentences_add(
        out, error,
        "The clock falls with the cores in use (turbo): that costs %.0f %% of them, and nothing else "
        "does.",
        100 * (1 - d->seen.efficiency));
}

static enum mw_err say_cause(struct mw_sentences *out, const struct mw_diagnosis *d, struct mw_error *error)
{
    if (d->seen.one_core &&
        !d->disturbed) /* seen without any law: no cause that one of them prefers stands beside it */
        return say_one_thread(out, d, error);
    switch (d->verdict) {
    case MW_VERDICT_LIMIT:
        return say_limit(out, d, error);
    case MW_VERDICT_WAITING:
        return say_waiting(out, d, error);
    case MW_VERDICT_ONE_THREAD:
        return say_one_thread(out, d, error);
    case MW_VERDICT_CLOCK:
        return say_clock(out, d, error);
    case MW_VERDICT_STEP:
        return mw_sentences_add(out, error,
                                "Behind %u cores time steps up by %.0f %%: a socket, a node, hyper-threads or slower "
                                "cores begin there.",
                                d->step_after, 100 * d->step_size);
    case MW_VERDICT_SCALES_WELL:
        if (d->memory_open)
            return mw_sentences_add(out, error,
                                    d->clock_fixed ? "It scales; whether it waits for memory, one clock does not show."
                                                   : "It scales. Whether it waits for memory needs a second frequency, "
                                                     "or a counter.");
        break;
    case MW_VERDICT_MEMORY:
    case MW_VERDICT_MEMORY_LATENCY:
    case MW_VERDICT_MEMORY_BANDWIDTH:
        if (!d->seen.has_cpu)
            return mw_sentences_add(
                out, error, "%s, or waiting for input and output: CPU time would tell.",
                d->verdict == MW_VERDICT_MEMORY ? "Memory takes a quarter of the time or more"
                : d->verdict == MW_VERDICT_MEMORY_LATENCY
                    ? "Waiting for single memory accesses takes a quarter of the time or more"
                    : "Memory time that further cores don't shrink takes a quarter of the time or more");
        break;
    case MW_VERDICT_UNDETERMINED:
        if (d->disturbed)
            return mw_sentences_add(out, error,
                                    "No verdict: nothing tells how long the program itself waited for a core.");
        break;
    default:
        break;
    }
    const char *sentence = mw_verdict_sentence(d->verdict);
    return mw_sentences_add(out, error, "%c%s.",
                            sentence[0] >= 'a' && sentence[0] <= 'z' ? sentence[0] - 'a' + 'A' : sentence[0],
                            sentence + 1);
}

static enum mw_err say_others(struct mw_sentences *out, const struct mw_diagnosis *d, struct mw_error *error)
{
    const struct mw_observation *seen = &d->seen;
    enum mw_err err = MW_OK;
    if (d->witness.main_wait.state == MW_WITNESS_USED && seen->taken > SAID)
        err = mw_sentences_add(out, error,
                               "The main thread waited for a core up to %.0f %% of a run: other programs' load, "
                               "taken off the times.",
                               100 * seen->taken);
    else if (seen->others > SAID && !d->disturbed)
        err = mw_sentences_add(out, error, "Other programs had up to %.0f %% of these cores.", 100 * seen->others);
    else if (seen->disturbed > 0 && !d->disturbed)
        err =
            mw_sentences_add(out, error, "Other programs ran beside %zu of %zu points.", seen->disturbed, seen->points);
    if (!err && seen->steal > SAID)
        err =
            mw_sentences_add(out, error, "The hypervisor took up to %.0f %% of these cores' time.", 100 * seen->steal);
    if (!err && seen->throttled > SAID && d->verdict != MW_VERDICT_LIMIT)
        err = mw_sentences_add(out, error, "A CPU quota stopped it up to %.0f %% of the time.", 100 * seen->throttled);
    return err;
}

/* " Run it on 6; 4 are as good within 2 %." of what was measured; nothing where no choice can be made. */
static void advise_run(char *text, size_t size, const struct mw_diagnosis *d, struct mw_diagnosis_choice *choice)
{
    const struct mw_recommendation *r = choice && !d->disturbed ? mw_diagnosis_best(choice) : NULL;
    *text = '\0';
    if (!r)
        return;
    const struct mw_option *best = &r->options[r->choice], *few = &r->options[r->cheapest];
    if (r->feasible && best->measured) {
        int used = snprintf(text, size, " Run it on %.0f", best->candidate.cores);
        if (d->freq_max_hz > 0 && best->candidate.freq_hz > 0 && best->candidate.freq_hz < .999 * d->freq_max_hz)
            used += snprintf(text + used, size - (size_t)used, " at %.4g GHz", best->candidate.freq_hz / 1e9);
        if (few->measured && few->candidate.cores < best->candidate.cores)
            used += snprintf(text + used, size - (size_t)used, "; %.0f %s as good within 2 %%", few->candidate.cores,
                             few->candidate.cores > 1 ? "are" : "is");
        snprintf(text + used, size - (size_t)used, ".");
    }
}

enum mw_err mw_diagnosis_headline(struct mw_sentences *lines, const struct mw_diagnosis *d,
                                  struct mw_diagnosis_choice *choice, struct mw_error *error)
{
    char run[128];
    advise_run(run, sizeof run, d, choice);
    enum mw_err err = say_observation(lines, d, run, error);
    if (!err)
        err = say_cause(lines, d, error);
    if (!err)
        err = say_others(lines, d, error);
    return err;
}
