// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/job.h"
#include "measure/gpu/session.h"
#include "measure/probe/changepoint.h"
#include "measure/probe/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * One work item follows a ring that meets every line of a buffer once, in random order: each load waits for the load
 * before. A window goes on where the last one ended, or it would meet the same lines, in the nearest cache, again.
 */
static const char source[] = "kernel void ring(global const uint *next, global uint *place, uint loads) {"
                             " uint p = place[0]; for (uint i = 0; i < loads; i++) p = next[p]; place[0] = p; }\n";
#define LINE_DEFAULT 64
#define UNIT_LOADS   256
/* sizes of the default: a factor of two apart, so that a step has plateaus on both sides */
#define STEP_SIZES 6

struct ring {
    const struct mw_cl_session *session;
    void *kernel, *next, *place;
    size_t lines, words; /* words of four bytes in a line */
    uint32_t *order;     /* words at which the lines begin, in the order of the walk */
    unsigned long done;  /* loads */
};

static enum mw_err run(void *opaque, unsigned long count, struct mw_gpu_window *window, struct mw_error *error)
{
    struct ring *r = opaque;
    uint32_t loads = (uint32_t)(count * UNIT_LOADS);
    enum mw_err err = mw_cl_argument(r->session, r->kernel, 2, &loads, sizeof loads, error);
    r->done += loads;
    return err ? err : mw_cl_launch(r->session, r->kernel, 1, 1, 1, window, error);
}

/* A random cycle: the lines in shuffled order, each with the place of the next. */
static enum mw_err link_lines(struct ring *r, uint64_t *random, struct mw_error *error)
{
    uint32_t *data = calloc(r->lines * r->words, sizeof *data), zero;
    r->order = calloc(r->lines, sizeof *r->order);
    if (!data || !r->order) {
        free(data);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < r->lines; i++)
        r->order[i] = (uint32_t)(i * r->words);
    for (size_t i = r->lines - 1; i > 0; i--) {
        size_t k = mw_random_below(random, i + 1);
        uint32_t kept = r->order[i];
        r->order[i] = r->order[k];
        r->order[k] = kept;
    }
    for (size_t i = 0; i < r->lines; i++)
        data[r->order[i]] = r->order[(i + 1) % r->lines];
    zero = r->order[0];
    enum mw_err err = mw_cl_write(r->session, r->next, data, r->lines * r->words * sizeof *data, error);
    if (!err)
        err = mw_cl_write(r->session, r->place, &zero, sizeof zero, error);
    free(data);
    return err;
}

static enum mw_err prepare(struct ring *r, uint64_t *random, struct mw_error *error)
{
    enum mw_err err =
        mw_cl_buffer(r->session, MW_CL_MEM_READ_WRITE, r->lines * r->words * sizeof(uint32_t), &r->next, error);
    if (!err)
        err = mw_cl_buffer(r->session, MW_CL_MEM_READ_WRITE, sizeof(uint32_t), &r->place, error);
    if (!err)
        err = link_lines(r, random, error);
    if (!err)
        err = mw_cl_argument(r->session, r->kernel, 0, &r->next, sizeof r->next, error);
    if (!err)
        err = mw_cl_argument(r->session, r->kernel, 1, &r->place, sizeof r->place, error);
    return err;
}

static enum mw_err measure(struct mw_gpu_job *job, struct ring *r, uint64_t *random, double time_s,
                           struct mw_error *error)
{
    struct mw_gpu_row *row = mw_gpu_row_begin(job, MW_GPU_RING);
    struct mw_gpu_work work = {
        .run = run, .work = r, .time_s = time_s, .runs = job->runs, .count_max = UINT32_MAX / UNIT_LOADS};
    uint32_t place = UINT32_MAX;
    if (!row)
        return MW_OK;
    enum mw_err err = prepare(r, random, error);
    if (!err)
        err = mw_gpu_time(&work, &row->timing, error);
    if (!err)
        err = mw_cl_read(r->session, r->place, 0, &place, sizeof place, error);
    if (!err) {
        row->valid = place == r->order[r->done % r->lines];
        snprintf(row->variant, sizeof row->variant, "one-item");
        snprintf(row->condition, sizeof row->condition, "random-lines");
        row->size_bytes = r->lines * r->words * sizeof(uint32_t);
        row->items = row->group = 1;
        row->unit_work = UNIT_LOADS;
        mw_gpu_row_latency(job, row, "ns", 1e9);
    }
    free(r->order);
    r->order = NULL;
    if (r->next)
        r->session->cl.clReleaseMemObject(r->next);
    if (r->place)
        r->session->cl.clReleaseMemObject(r->place);
    r->next = r->place = NULL;
    return err;
}

/* Capacities, read off the curve by the rule that measure cache has for processors. */
static enum mw_err add_steps(struct mw_gpu_job *job, size_t from, struct mw_error *error)
{
    double size[MW_GPU_SIZES_MAX], ns[MW_GPU_SIZES_MAX];
    struct mw_step steps[MW_STEP_MAX];
    size_t count = 0, found = 0;
    bool disturbed = false;
    for (size_t i = from; i < job->row_count && count < MW_GPU_SIZES_MAX; i++) {
        disturbed = disturbed || job->rows[i].timing.disturbed || !job->rows[i].valid;
        size[count] = (double)job->rows[i].size_bytes;
        ns[count++] = job->rows[i].value;
    }
    if (disturbed && count >= STEP_SIZES)
        mw_gpu_left_out(job, "capacities", "other work disturbed the readings of the ring");
    enum mw_err err = count < STEP_SIZES || disturbed ? MW_OK : mw_steps_find(size, ns, count, steps, &found, error);
    for (size_t i = 0; i < found && !err; i++) {
        struct mw_gpu_row *row = mw_gpu_row_begin(job, MW_GPU_RING);
        if (!row)
            break;
        snprintf(row->variant, sizeof row->variant, "step-%zu", i + 1);
        snprintf(row->condition, sizeof row->condition, "capacity");
        snprintf(row->unit, sizeof row->unit, "KiB");
        snprintf(row->note, sizeof row->note, "latency rises from %.3g to %.3g ns", steps[i].before, steps[i].after);
        row->value = row->median = steps[i].x / 1024;
        row->size_bytes = (size_t)steps[i].x;
        row->timing.query_s = -1;
        row->valid = true;
        job->row_count++;
    }
    return err;
}

enum mw_err mw_gpu_ring(struct mw_gpu_job *job, const struct mw_cl_session *session, double time_s,
                        struct mw_error *error)
{
    size_t line = session->about->line_bytes, from = job->row_count;
    struct ring r = {.session = session, .words = (line >= 16 ? line : LINE_DEFAULT) / sizeof(uint32_t)};
    uint64_t random = job->seed ? job->seed : 1;
    void *program = NULL;
    enum mw_err err = mw_cl_build(session, source, "", &program, error);
    if (!err)
        err = mw_cl_kernel(session, program, "ring", &r.kernel, error);
    for (size_t i = 0; i < job->size_count && !err; i++) {
        r.lines = job->sizes_bytes[i] / (r.words * sizeof(uint32_t));
        r.done = 0;
        if (r.lines >= 2)
            err = measure(job, &r, &random, time_s / (double)job->size_count, error);
    }
    if (!err)
        err = add_steps(job, from, error);
    if (r.kernel)
        session->cl.clReleaseKernel(r.kernel);
    if (program)
        session->cl.clReleaseProgram(program);
    return err;
}
