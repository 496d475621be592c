// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/stream_team.h"

#include "measure/probe/clock.h"
#include "measure/probe/reference.h"
#include "measure/probe/switches.h"

#include <math.h>

/* A trial runs on a part of the arrays, another one each time, so that it finds nothing of it in the caches: an eighth,
   or less where that is still far more than a second-level cache */
#define LEAST_TRIAL_PARTS 8
#define MOST_TRIAL_PARTS  64
#define TRIAL_BYTES       ((size_t)32 << 20)
#define TRIALS            3
/* The first repetition of each kernel is compared on this share of its elements, the last on all. */
#define CHECKED_PARTS 8
/* Values may grow by up to 1.18 a round where only some kernels are asked for: start again before that matters. */
#define ROUNDS_BETWEEN_STARTS 64

/* One thread's view. */
struct worker {
    struct stream_shared *s;
    struct mw_team *team;
    size_t index;
    struct stream_member *me;
    struct mw_reference reference[2];
    bool tried[2]; /* values changed by trials since they were started */
};

/* The thread's part of `parts` equal runs of blocks. */
static void part_of(size_t elements, size_t part, size_t parts, size_t *from, size_t *count)
{
    size_t blocks = elements / MW_STREAM_BLOCK;
    *from = blocks * part / parts * MW_STREAM_BLOCK;
    *count = blocks * (part + 1) / parts * MW_STREAM_BLOCK - *from;
}

/* Runs the kernel once, timed, between two barriers; returns what it returns. */
static double timed(struct worker *w, mw_stream_fn kernel, const struct stream_set *set, size_t from, size_t count,
                    double factor)
{
    struct mw_switches before;
    mw_team_wait(w->team);
    before = mw_switches_now();
    w->me->start_s = mw_now_s();
    double sum = kernel(set->a + from, set->b + from, set->c + from, factor, count);
    w->me->end_s = mw_now_s();
    w->me->disturbed = mw_switched_since(&before);
    mw_team_wait(w->team);
    return sum;
}

/* Latest end less earliest start; for the first thread, after the barrier. */
static double elapsed(const struct stream_shared *s, bool *disturbed)
{
    double start_s = INFINITY, end_s = 0;
    *disturbed = false;
    for (size_t i = 0; i < s->options->cpu_count; i++) {
        start_s = fmin(start_s, s->members[i].start_s);
        end_s = fmax(end_s, s->members[i].end_s);
        *disturbed = *disturbed || s->members[i].disturbed;
    }
    return end_s - start_s;
}

static bool is_stopped(const struct stream_shared *s)
{
    return s->options->stop && s->options->stop();
}

/* In blocks, since the first touch of all memory takes many seconds and an order to stop is obeyed within one. */
static void start_values(struct worker *w, int p)
{
    enum { BLOCK = 1 << 20 };
    size_t from, count;
    struct stream_set *set = &w->s->sets[p];
    double start_s = mw_now_s();
    if (!set->used)
        return;
    part_of(w->s->elements, w->index, w->s->options->cpu_count, &from, &count);
    mw_reference_start(&w->reference[p]);
    for (size_t at = from; at < from + count && !is_stopped(w->s); at += BLOCK)
        mw_reference_fill(&w->reference[p], set->a + at, set->b + at, set->c + at,
                          from + count - at < BLOCK ? from + count - at : BLOCK);
    w->tried[p] = false;
    if (!w->index) /* to compare takes about as long; what counts is the last time, when all has been touched */
        w->s->check_s = 2 * (mw_now_s() - start_s);
}

static mw_stream_fn kernel_of(const struct mw_stream_isa *isa, const struct mw_stream_variant *v)
{
    return isa->supported() ? (v->nt ? isa->nt : isa->plain)[v->op] : NULL;
}

static size_t trial_parts(size_t array_bytes)
{
    size_t parts = array_bytes / TRIAL_BYTES;
    return parts < LEAST_TRIAL_PARTS ? LEAST_TRIAL_PARTS : parts > MOST_TRIAL_PARTS ? MOST_TRIAL_PARTS : parts;
}

double mw_stream_least_moved(const struct mw_stream_options *options)
{
    double array = (double)options->array_bytes, moved = 0;
    bool used[2] = {false, false};
    for (size_t v = 0; v < options->variant_count; v++) {
        const struct mw_stream_variant *variant = &options->variants[v];
        double arrays = mw_op_infos[variant->op].bytes / (double)sizeof(double);
        size_t isas = 0;
        for (const struct mw_stream_isa *const *isa = options->isas; *isa; isa++)
            isas += kernel_of(*isa, variant) != NULL;
        moved += arrays * array * (1 + MW_STREAM_LEAST_RUNS);
        moved += arrays * array * TRIALS * (double)isas / (double)trial_parts(options->array_bytes);
        used[variant->pages] = true;
    }
    return moved + (used[0] + used[1]) * 2 * 3 * array; /* started again after the trials, and compared at the end */
}

/* Finds the fastest instruction set for a variant; the first thread decides. */
static void try_isas(struct worker *w, size_t variant, size_t *turn)
{
    struct stream_shared *s = w->s;
    const struct mw_stream_variant *v = &s->options->variants[variant];
    struct stream_times *times = &s->times[variant];
    size_t threads = s->options->cpu_count, parts = trial_parts(s->elements * sizeof(double));
    double best_s = INFINITY;
    w->tried[v->pages] = true;
    for (int t = 0; t < TRIALS; t++) {
        for (const struct mw_stream_isa *const *isa = s->options->isas; *isa; isa++) {
            mw_stream_fn kernel = kernel_of(*isa, v);
            if (!kernel)
                continue;
            size_t from, count;
            part_of(s->elements, (*turn)++ % parts * threads + w->index, parts * threads, &from, &count);
            (void)timed(w, kernel, &s->sets[v->pages], from, count, 1);
            bool disturbed;
            double time_s = w->index ? 0 : elapsed(s, &disturbed);
            if (!w->index && time_s < best_s) {
                best_s = time_s;
                times->isa = (*isa)->name;
                times->kernel = kernel;
            }
        }
    }
}

/* Variants that differ in the pages only share the choice, so that the pages alone make their difference. */
static void choose_isas(struct worker *w)
{
    const struct mw_stream_options *o = w->s->options;
    size_t turn = 0;
    for (size_t v = 0; v < o->variant_count; v++) {
        size_t twin = 0;
        while (twin < v && (o->variants[twin].op != o->variants[v].op || o->variants[twin].nt != o->variants[v].nt))
            twin++;
        if (twin == v) {
            try_isas(w, v, &turn);
        } else if (!w->index) {
            w->s->times[v].isa = w->s->times[twin].isa;
            w->s->times[v].kernel = w->s->times[twin].kernel;
        }
    }
    mw_team_wait(w->team);
}

static double *array_of(const struct stream_set *set, char name)
{
    return name == 'a' ? set->a : name == 'b' ? set->b : set->c;
}

/* One repetition of a variant; round 0 is left out of the times and checked. */
static void repeat(struct worker *w, size_t variant, unsigned long round)
{
    struct stream_shared *s = w->s;
    const struct mw_stream_variant *v = &s->options->variants[variant];
    struct stream_times *times = &s->times[variant];
    struct mw_reference *reference = &w->reference[v->pages];
    size_t from, count;
    part_of(s->elements, w->index, s->options->cpu_count, &from, &count);
    double sum = timed(w, times->kernel, &s->sets[v->pages], from, count, mw_reference_factor(reference, v->op));
    bool disturbed;
    double time_s = w->index ? 0 : elapsed(s, &disturbed);
    mw_reference_apply(reference, v->op);
    char target = mw_op_infos[v->op].target;
    w->me->wrong = false;
    if (!target)
        w->me->wrong = !mw_reference_check_sum(reference, v->op, sum, count);
    else if (!round) {
        size_t at, some;
        part_of(count, variant % CHECKED_PARTS, CHECKED_PARTS, &at, &some);
        w->me->wrong = !mw_reference_check(reference, target, array_of(&s->sets[v->pages], target) + from + at, some);
    }
    if (!w->index)
        s->stopped = is_stopped(s);
    mw_team_wait(w->team);
    if (w->index)
        return;
    for (size_t i = 0; i < s->options->cpu_count; i++)
        times->valid = times->valid && !s->members[i].wrong;
    if (round) {
        times->disturbed[times->count] = disturbed;
        times->time_s[times->count++] = time_s;
    }
}

/* After the last round all arrays are compared: a fault then spoils every variant on these pages. */
static void check_all(struct worker *w)
{
    struct stream_shared *s = w->s;
    size_t from, count;
    part_of(s->elements, w->index, s->options->cpu_count, &from, &count);
    for (int p = 0; p < 2; p++) {
        const struct stream_set *set = &s->sets[p];
        w->me->wrong = false;
        for (const char *name = "abc"; set->used && *name; name++)
            w->me->wrong =
                w->me->wrong || !mw_reference_check(&w->reference[p], *name, array_of(set, *name) + from, count);
        mw_team_wait(w->team);
        for (size_t i = 0; !w->index && i < s->options->cpu_count; i++)
            for (size_t v = 0; s->members[i].wrong && v < s->options->variant_count; v++)
                s->times[v].valid = s->times[v].valid && s->options->variants[v].pages != (enum mw_pages)p;
        mw_team_wait(w->team);
    }
}

/* The first thread looks at the clock. */
static bool next_round(struct worker *w, unsigned long round, double *round_start_s)
{
    struct stream_shared *s = w->s;
    if (!w->index) {
        double now_s = mw_now_s(), last_s = now_s - *round_start_s;
        bool time_left = now_s - s->start_s + last_s + s->check_s <= s->options->max_time_s;
        s->go_on = !s->stopped && round <= s->options->runs && (round <= MW_STREAM_LEAST_RUNS || time_left);
        *round_start_s = now_s;
    }
    mw_team_wait(w->team);
    return s->go_on;
}

static enum mw_err inspect(struct worker *w, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    for (int p = 0; p < 2 && !err && !w->index; p++)
        if (w->s->sets[p].used)
            err = mw_arena_inspect(w->s->sets[p].arena, &w->s->sets[p].placement, error);
    return err;
}

enum mw_err mw_stream_member(void *shared, struct mw_team *team, size_t index, struct mw_error *error)
{
    struct stream_shared *s = shared;
    struct worker w = {.s = s, .team = team, .index = index, .me = &s->members[index]};
    double round_start_s = 0;
    for (int p = 0; p < 2; p++)
        start_values(&w, p); /* the first touch */
    if (!index)
        s->stopped = is_stopped(s);
    mw_team_wait(team);
    enum mw_err err = inspect(&w, error);
    if (!s->stopped)
        choose_isas(&w);
    for (unsigned long round = 0; next_round(&w, round, &round_start_s); round++) {
        for (int p = 0; p < 2; p++)
            if (w.tried[p] || (round && round % ROUNDS_BETWEEN_STARTS == 0))
                start_values(&w, p);
        for (size_t v = 0; v < s->options->variant_count && !s->stopped; v++)
            repeat(&w, v, round);
    }
    if (!s->stopped)
        check_all(&w);
    return err;
}
