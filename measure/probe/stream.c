// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/stream.h"

#include "measure/probe/clock.h"
#include "measure/probe/reference.h"
#include "measure/probe/stream_team.h"
#include "measure/probe/team.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arrays start at different offsets within a page: with equal ones a load waits for the stores to the same offset of
   another array, which the processor can't tell apart by the low 12 bits of their addresses. */
#define ARRAY_SKEW_BYTES 1024

#define STREAM_LEAST_ELEMENTS 1000000

void mw_stream_name(const struct mw_stream_variant *variant, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", mw_op_infos[variant->op].name, variant->nt ? "-nt" : "",
             variant->pages == MW_PAGES_BASE ? "-4k" : "");
}

enum mw_err mw_stream_parse(const char *name, struct mw_stream_variant *variant, struct mw_error *error)
{
    char list[100] = "", text[32];
    for (unsigned op = 0; op < MW_OP_COUNT; op++) {
        for (unsigned k = 0; k < 4; k++) {
            struct mw_stream_variant v = {op, k & 1, k & 2 ? MW_PAGES_BASE : MW_PAGES_HUGE};
            mw_stream_name(&v, text, sizeof text);
            if (!strcmp(text, name) && mw_stream_exists(&v, mw_stream_isas)) {
                *variant = v;
                return MW_OK;
            }
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", op ? ", " : "", mw_op_infos[op].name);
    }
    return mw_fail(error, MW_USAGE, "unknown kernel '%s', the valid ones are %s, with the suffixes -nt and -4k", name,
                   list);
}

bool mw_stream_exists(const struct mw_stream_variant *variant, const struct mw_stream_isa *const *isas)
{
    for (; *isas; isas++)
        if ((*isas)->supported() && (variant->nt ? (*isas)->nt : (*isas)->plain)[variant->op])
            return true;
    return false;
}

static size_t elements_of(size_t array_bytes)
{
    size_t block = MW_STREAM_BLOCK * sizeof(double);
    return (array_bytes + block - 1) / block * MW_STREAM_BLOCK;
}

static bool uses(const struct mw_stream_options *options, enum mw_pages pages)
{
    for (size_t i = 0; i < options->variant_count; i++)
        if (options->variants[i].pages == pages)
            return true;
    return false;
}

static size_t set_bytes(size_t array_bytes)
{
    return 3 * (elements_of(array_bytes) * sizeof(double) + ARRAY_SKEW_BYTES + MW_STREAM_BLOCK * sizeof(double));
}

size_t mw_stream_memory(const struct mw_stream_options *options)
{
    return set_bytes(options->array_bytes) * (size_t)(uses(options, MW_PAGES_HUGE) + uses(options, MW_PAGES_BASE));
}

size_t mw_stream_least_array(size_t llc_bytes)
{
    size_t least = STREAM_LEAST_ELEMENTS * sizeof(double);
    return 4 * llc_bytes > least ? 4 * llc_bytes : least;
}

static enum mw_err open_sets(struct stream_shared *s, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    for (int p = 0; p < 2 && !err; p++) {
        if (!uses(s->options, (enum mw_pages)p))
            continue;
        struct stream_set *set = &s->sets[p];
        size_t bytes = set_bytes(s->options->array_bytes);
        set->arena = s->options->arenas ? &s->options->arenas[p] : &s->own[p];
        if (set->arena->size_bytes < bytes) {
            mw_arena_close(set->arena);
            err = mw_arena_open(set->arena, bytes, (enum mw_pages)p, s->options->node, error);
        }
        if (err)
            break;
        /* each array a whole number of cache lines after the other */
        size_t stride = s->elements + ARRAY_SKEW_BYTES / sizeof(double);
        set->used = true;
        set->a = set->arena->data;
        set->b = set->a + stride;
        set->c = set->b + stride;
    }
    return err;
}

/* Least, mean and greatest time of the repetitions to keep. */
static void summarise(struct stream_shared *s, size_t variant, struct mw_stream_row *row)
{
    const struct stream_times *times = &s->times[variant];
    size_t clean = 0;
    for (size_t i = 0; i < times->count; i++)
        clean += !times->disturbed[i];
    row->variant = s->options->variants[variant];
    row->isa = times->isa;
    row->bytes = s->elements * mw_op_infos[row->variant.op].bytes;
    row->all_disturbed = !clean && times->count;
    row->disturbed = times->count - clean;
    row->valid = times->valid;
    row->min_s = INFINITY;
    double sum = 0;
    for (size_t i = 0; i < times->count; i++) {
        if (times->disturbed[i] && clean)
            continue;
        row->runs++;
        sum += times->time_s[i];
        row->min_s = fmin(row->min_s, times->time_s[i]);
        row->max_s = fmax(row->max_s, times->time_s[i]);
    }
    row->avg_s = row->runs ? sum / (double)row->runs : 0;
}

static void release_shared(struct stream_shared *s)
{
    for (size_t v = 0; s->times && v < s->options->variant_count; v++) {
        free(s->times[v].time_s);
        free(s->times[v].disturbed);
    }
    free(s->times);
    free(s->members);
    for (int p = 0; p < 2; p++)
        mw_arena_close(&s->own[p]);
}

static enum mw_err alloc_shared(struct stream_shared *s, struct mw_error *error)
{
    const struct mw_stream_options *o = s->options;
    s->times = calloc(o->variant_count + 1, sizeof *s->times);
    s->members = aligned_alloc(64, (o->cpu_count + 1) * sizeof *s->members);
    bool good = s->times && s->members;
    if (good)
        memset(s->members, 0, (o->cpu_count + 1) * sizeof *s->members);
    for (size_t v = 0; good && v < o->variant_count; v++) {
        s->times[v].time_s = calloc(o->runs + 1, sizeof(double));
        s->times[v].disturbed = calloc(o->runs + 1, sizeof(bool));
        s->times[v].valid = true;
        good = s->times[v].time_s && s->times[v].disturbed;
    }
    return good ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
}

enum mw_err mw_stream_run(const struct mw_stream_options *options, struct mw_stream_result *result,
                          struct mw_error *error)
{
    struct stream_shared s = {.options = options, .elements = elements_of(options->array_bytes), .start_s = mw_now_s()};
    struct mw_stream_result r = {.elements = s.elements, .row_count = options->variant_count};
    enum mw_err err = alloc_shared(&s, error);
    if (!err)
        err = open_sets(&s, error);
    if (!err)
        err = mw_team_run(options->cpus, options->cpu_count, mw_stream_member, &s, error);
    if (!err && s.stopped)
        err = mw_fail(error, MW_INTERRUPTED, "interrupted");
    if (!err && !(r.rows = calloc(options->variant_count + 1, sizeof *r.rows)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t v = 0; !err && v < options->variant_count; v++)
        summarise(&s, v, &r.rows[v]);
    for (int p = 0; !err && p < 2; p++)
        r.placement[p] = s.sets[p].placement;
    release_shared(&s);
    if (!err)
        *result = r;
    return err;
}

void mw_stream_release(struct mw_stream_result *result)
{
    free(result->rows);
    *result = (struct mw_stream_result){0};
}
