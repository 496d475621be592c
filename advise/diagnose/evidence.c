// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/evidence.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double FLAT_SPEEDUP = 1.25; /* of a flat curve the serial fraction says nothing */
static const double WAITING = .5;        /* of the cores busy: fewer are not working, whatever slows them */
static const double WAITING_ON_ONE = .8; /* busy on one core: less is said, since part of the CPU time may be missing */
static const double COMPUTATION_LOST = .9;                 /* under which it is said where the loss is */
static const double KERNEL_SHARE = .3, SWITCHES_MANY = 20; /* a second and core: joins alone make one or two */
/* The rules of thumb of Furtunato et al. (2020), 6: f under .7 serial; over .9 with large k and m1 memory; m2 cache. */
static const double THUMB_SERIAL = .7, THUMB_PARALLEL = .9, THUMB_LARGE = .5;

void mw_sentences_release(struct mw_sentences *sentences)
{
    for (size_t i = 0; i < sentences->count; i++)
        free(sentences->items[i]);
    free(sentences->items);
    *sentences = (struct mw_sentences){0};
}

enum mw_err mw_sentences_add(struct mw_sentences *sentences, struct mw_error *error, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    char **items = realloc(sentences->items, (sentences->count + 1) * sizeof *items);
    if (items)
        sentences->items = items;
    if (length < 0 || !items) {
        free(length < 0 ? NULL : text);
        return mw_fail(error, MW_NOMEM, "out of memory for a sentence");
    }
    sentences->items[sentences->count++] = text;
    return MW_OK;
}

static enum mw_err say_speedup(struct mw_sentences *out, const struct mw_scaling_row *rows, size_t n,
                               struct mw_error *error)
{
    const struct mw_scaling_row *best = NULL, *last = NULL, *middle = NULL;
    for (size_t i = 0; i < n; i++) {
        best = !best || rows[i].speedup > best->speedup ? &rows[i] : best;
        last = !last || rows[i].cores > last->cores ? &rows[i] : last;
    }
    for (size_t i = 0; i < n; i++)
        if (rows[i].cores > 1 && rows[i].cores * 4 >= last->cores && (!middle || rows[i].cores < middle->cores))
            middle = &rows[i];
    if (!last || last->cores < 2)
        return MW_OK;
    enum mw_err err = mw_sentences_add(out, error, "%u cores give a speedup of %.2f over one core (efficiency %.0f %%)",
                                       last->cores, last->speedup, 100 * last->efficiency);
    if (err == MW_OK && best->cores < last->cores && best->speedup > 1.05 * last->speedup)
        err = mw_sentences_add(out, error, "the best speedup measured is %.2f on %u core%s", best->speedup, best->cores,
                               best->cores > 1 ? "s" : "");
    if (err == MW_OK && middle && middle != last && last->speedup > FLAT_SPEEDUP)
        err = mw_sentences_add(out, error, "Karp-Flatt serial fraction %.3f on %u cores, %.3f on %u: %s",
                               middle->serial_fraction, middle->cores, last->serial_fraction, last->cores,
                               last->serial_fraction > 1.3 * middle->serial_fraction && last->serial_fraction > .01
                                   ? "it rises, so more than serial work is lost"
                                   : "it does not rise, as serial work alone would have it");
    return err;
}

/* What the same work costs more of on all cores, where there are counters. */
static enum mw_err say_computation(struct mw_sentences *out, const struct mw_scaling_row *rows, size_t n,
                                   struct mw_error *error)
{
    const struct mw_scaling_row *last = NULL;
    for (size_t i = 0; i < n; i++)
        last = rows[i].has_counters && (!last || rows[i].cores > last->cores) ? &rows[i] : last;
    if (!last || last->cores < 2 || last->computation > COMPUTATION_LOST)
        return MW_OK;
    double least = fmin(fmin(last->instructions, last->ipc), fmin(last->clock, last->user));
    const char *most = least >= last->instructions ? "it executes more instructions: extra work, or waiting that spins"
                       : least >= last->ipc        ? "each takes more cycles: memory, or a core that threads share"
                       : least >= last->clock      ? "the clock is lower"
                                                   : "more of it is spent in the kernel";
    return mw_sentences_add(
        out, error, "computation scaling %.2f on %u cores = instructions %.2f x IPC %.2f x clock %.2f x user %.2f: %s",
        last->computation, last->cores, last->instructions, last->ipc, last->clock, last->user, most);
}

static enum mw_err say_frequency(struct mw_sentences *out, const struct mw_diagnosis *d, struct mw_error *error)
{
    if (d->speedups)
        return mw_sentences_add(out, error,
                                "speedups without times: what moves with the frequency on one core is not seen");
    if (d->memory_open)
        return mw_sentences_add(out, error,
                                "one frequency only: memory is not excluded, its time looks like computing");
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < 2 && d->has_fixed && i < d->end_count && err == MW_OK; i++)
        if (i == 0 || d->cores > 1)
            err = mw_sentences_add(out, error,
                                   "on %.0f core%s %.2f (%.2f to %.2f) of the time at %.3g GHz does not depend on the "
                                   "frequency",
                                   d->ends[i].cores, d->ends[i].cores > 1 ? "s" : "", d->fixed[i].median,
                                   d->fixed[i].low, d->fixed[i].high, d->freq_max_hz / 1e9);
    return err;
}

/* Run time in which no thread had work, kernel time, switches: what names one idle or busy cause among several. */
static enum mw_err say_usage(struct mw_sentences *out, const struct mw_diagnosis *d, struct mw_error *error)
{
    const struct mw_observation *seen = &d->seen;
    enum mw_err err = MW_OK;
    if (seen->has_cpu)
        err = mw_sentences_add(out, error, "CPU time over wall time is %.1f on %u core%s, %.1f on %u",
                               seen->busy_cores_base, seen->base, seen->base > 1 ? "s" : "", seen->busy_cores,
                               seen->cores);
    if (!err && seen->has_cpu && d->verdict == MW_VERDICT_SLOWS_DOWN && seen->busy_cores < WAITING * d->cores)
        err = mw_sentences_add(out, error,
                               "the cores wait rather than work, for input and output, for locks, or for other "
                               "programs on the same cores; see that the machine was quiet before blaming the "
                               "code");
    if (!err && seen->has_cpu && seen->base == 1 && seen->busy_cores_base < WAITING_ON_ONE)
        err = mw_sentences_add(out, error, "already on one core %.0f %% of the time is no CPU time of the program",
                               100 * (1 - seen->busy_cores_base));
    if (!err && seen->system > KERNEL_SHARE)
        err = mw_sentences_add(out, error,
                               "%.0f %% of the CPU time is spent in the kernel: page faults, input and output",
                               100 * seen->system);
    if (!err && seen->switches > SWITCHES_MANY)
        err = mw_sentences_add(out, error, "threads give up their core %.0f times a second and core: locks or barriers",
                               seen->switches);
    if (!err && seen->faults > 0 && !(seen->faults_base > 0))
        err = mw_sentences_add(out, error,
                               "%.0f pages had to be read from disk on %u cores, none on %u: too little memory",
                               seen->faults, seen->cores, seen->base);
    if (!err && seen->clock_base_hz > 0)
        err = mw_sentences_add(out, error, "the clock was %.3g GHz on %u core%s, %.3g GHz on %u",
                               seen->clock_base_hz / 1e9, seen->base, seen->base > 1 ? "s" : "", seen->clock_hz / 1e9,
                               seen->cores);
    if (!err && d->witness.cpu_time.state == MW_WITNESS_IGNORED)
        err = mw_sentences_add(out, error, "the CPU time is not used: %s", d->witness.cpu_time.why);
    return err;
}

static enum mw_err say_facts(struct mw_sentences *out, const struct mw_diagnosis *d, struct mw_error *error)
{
    enum mw_err err = say_usage(out, d, error);
    if (!err && d->step_chance >= .5 && (d->step_flag || d->verdict == MW_VERDICT_STEP))
        err = mw_sentences_add(out, error, "a step of %.0f %% in time from %u to %u cores (chance %.2f)",
                               100 * d->step_size, d->step_after, d->step_after + 1, d->step_chance);
    if (!err && d->flat_fact == MW_FLAT_POWER)
        err = mw_sentences_add(out, error, "power rises by %.2f %% for each core more: the others hardly work",
                               100 * d->power_per_core);
    if (!err && d->points_used < d->points_given)
        err = mw_sentences_add(out, error, "%zu of %zu points used: the others say the same again", d->points_used,
                               d->points_given);
    if (!err && d->effective < 30)
        err = mw_sentences_add(out, error, "the chances rest on an effective sample of %.0f: rough", d->effective);
    return err;
}

static const struct mw_model_param *parameter(const struct mw_model *model, const char *name)
{
    for (size_t i = 0; i < model->param_count; i++)
        if (strcmp(model->params[i].name, name) == 0)
            return &model->params[i];
    return NULL;
}

static bool identified(const struct mw_model_param *param)
{
    return param && param->status == MW_PARAM_IDENTIFIED;
}

/* The paper's rules of thumb, where what they look at is identified and its whole interval agrees. */
static enum mw_err say_thumb(struct mw_sentences *out, const struct mw_model *model, struct mw_error *error)
{
    const struct mw_model_param *f = parameter(model, "f"), *k = parameter(model, "k");
    const struct mw_model_param *m1 = parameter(model, "m1"), *m2 = parameter(model, "m2");
    enum mw_err err = MW_OK;
    if (identified(f) && f->high < THUMB_SERIAL)
        err = mw_sentences_add(out, error, "f = %.3f (%.3f to %.3f), under .7: the paper's rule of thumb says serial",
                               f->value, f->low, f->high);
    if (err == MW_OK && identified(f) && f->low > THUMB_PARALLEL && identified(k) && identified(m1) &&
        k->low > THUMB_LARGE && m1->low > m2->high)
        err =
            mw_sentences_add(out, error, "f over .9 with k = %.2f and m1 = %.3f: the paper's rule of thumb says memory",
                             k->value, m1->value);
    if (err == MW_OK && identified(m2) && identified(m1) && m2->low > m1->high)
        err = mw_sentences_add(out, error, "m2 = %.3f over m1: further cores' caches take memory accesses away",
                               m2->value);
    return err;
}

enum mw_err mw_diagnosis_evidence(struct mw_sentences *evidence, const struct mw_diagnosis *d,
                                  const struct mw_model *model, struct mw_error *error)
{
    struct mw_scaling_row *rows = NULL;
    size_t n = 0;
    enum mw_err err = mw_scaling_table(&rows, &n, &model->points, d->seen.has_cpu, error);
    if (err == MW_OK)
        err = say_speedup(evidence, rows, n, error);
    if (err == MW_OK)
        err = say_computation(evidence, rows, n, error);
    if (err == MW_OK)
        err = say_frequency(evidence, d, error);
    if (err == MW_OK)
        err = say_facts(evidence, d, error);
    if (err == MW_OK)
        err = say_thumb(evidence, model, error);
    free(rows);
    return err;
}

/* Shares that could be anything say nothing. */
bool mw_diagnosis_shares_told(const struct mw_diagnosis *d)
{
    static const double anything = .6; /* of an interval from 0 to 1 */
    for (size_t i = 0; i < d->end_count; i++) {
        const struct mw_shares *s = &d->ends[i];
        const struct mw_interval *of[] = {&s->parallel, &s->serial, &s->latency, &s->nonscaling,
                                          &s->overhead, &s->uneven, &s->wait};
        for (size_t k = 0; k < sizeof of / sizeof *of; k++)
            if (of[k]->high - of[k]->low > anything)
                return false;
    }
    return d->end_count > 0;
}
