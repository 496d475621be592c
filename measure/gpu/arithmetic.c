// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/code.h"
#include "measure/gpu/job.h"
#include "measure/gpu/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * a = a b + b, b = b a + a, both from values in (-1, 0), from where they go to 0 as -1/n: finite, and no denormals. A pair
 * depends on the pair before it. Graphics processors hide that behind other work items; the compilers of processors
 * run the items of a group one after the other, and need several chains and vectors in each. So both are measured.
 */
#define UNROLL     4
#define CHAINS_MAX 8
#define LANES_MAX  16
#define GROUP      64
#define UNIT_ITEMS 2048 /* work items of a compute unit: as many as any keeps at once */
#define STARTS     256  /* work items that begin alike are this far apart */
static const unsigned chain_counts[] = {1, CHAINS_MAX};

struct precision {
    const char *type, *extension;
    size_t bytes;
    unsigned widths[4];
    double step; /* between the starts of neighbouring work items, exact in the type */
};
static const struct precision precisions[MW_GPU_KERNELS] = {
    [MW_GPU_FP32] = {"float", "", 4, {1, 4, 8, 16}, 0x1p-20},
    [MW_GPU_FP64] = {"double", "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n", 8, {1, 2, 4, 8}, 0x1p-20},
    [MW_GPU_FP16] = {"half", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n", 2, {1, 2, 8, 16}, 0x1p-10},
};
/* without fma(), a product is rounded before the sum: that changes the last bits, and those of a half more */
#define UNFUSED_TOLERANCE 1e-2
/* of the value that all chains start with, exact in every type */
static const double factors[CHAINS_MAX] = {1, 0.875, 0.75, 0.625, 0.5, 0.4375, 0.375, 0.3125};

struct state {
    struct mw_gpu_job *job;
    const struct mw_cl_session *session;
    const struct precision *p;
    enum mw_gpu_kernel precision;
    bool fused;
    void *program, *out, *start;
    size_t items;
};

struct variant {
    const struct state *s;
    void *kernel;
    unsigned width, chains;
    unsigned long rounds; /* of the last launch: what `out` holds */
};

static void vector_type(char *text, size_t size, const char *type, unsigned width)
{
    snprintf(text, size, width > 1 ? "%s%u" : "%s", type, width);
}

static void append(char *text, size_t size, const char *piece)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", piece);
}

static void add_kernel(char *source, size_t size, const struct state *s, unsigned width, unsigned chains)
{
    char line[400], type[24];
    vector_type(type, sizeof type, s->p->type, width);
    snprintf(line, sizeof line,
             "kernel void fma_%s_c%u_w%u(global %s *out, global const %s *start, uint rounds) {\n"
             "  size_t item = get_global_id(0);\n  %s v = ",
             s->p->type, chains, width, s->p->type, s->p->type, type);
    append(source, size, line);
    snprintf(line, sizeof line, width > 1 ? "vload%u(0, start)" : "start[0]", width);
    append(source, size, line);
    snprintf(line, sizeof line, " - (%s)((%s)(item %% %uu) * (%s)%a);\n", type, s->p->type, STARTS, s->p->type,
             s->p->step);
    append(source, size, line);
    for (unsigned c = 0; c < chains; c++) {
        snprintf(line, sizeof line, "  %s a%u = v * (%s)%.17g, b%u = a%u;\n", type, c, s->p->type, factors[c], c, c);
        append(source, size, line);
    }
    append(source, size, "  for (uint i = 0; i < rounds; i++) {\n");
    for (unsigned u = 0; u < 2 * UNROLL; u++)
        for (unsigned c = 0; c < chains; c++) {
            const char *x = u % 2 ? "b" : "a", *y = u % 2 ? "a" : "b";
            snprintf(line, sizeof line,
                     s->fused ? "    %s%u = fma(%s%u, %s%u, %s%u);\n" : "    %s%u = %s%u * %s%u + %s%u;\n", x, c, x, c,
                     y, c, y, c);
            append(source, size, line);
        }
    append(source, size, "  }\n  v = a0 + b0;\n");
    for (unsigned c = 1; c < chains; c++) {
        snprintf(line, sizeof line, "  v = v + a%u; v = v + b%u;\n", c, c);
        append(source, size, line);
    }
    snprintf(line, sizeof line, width > 1 ? "  vstore%u(v, item, out);\n}\n" : "  out[item] = v;\n}\n", width);
    append(source, size, line);
}

static enum mw_err build(struct state *s, struct mw_error *error)
{
    size_t size = 1 << 18;
    char *source = calloc(size, 1);
    if (!source)
        return mw_fail(error, MW_NOMEM, "out of memory");
    append(source, size, s->p->extension);
    /* a contracted v * f - s would start elsewhere than the replay; unfused multiply-adds must be free to be contracted */
    append(source, size, s->fused ? "#pragma OPENCL FP_CONTRACT OFF\n" : "");
    for (size_t w = 0; w < sizeof s->p->widths / sizeof *s->p->widths; w++)
        for (size_t c = 0; c < sizeof chain_counts / sizeof *chain_counts; c++)
            add_kernel(source, size, s, s->p->widths[w], chain_counts[c]);
    enum mw_err err = mw_cl_build(s->session, source, "", &s->program, error);
    free(source);
    return err;
}

/* value to and from the device's format */
static double decode(const struct precision *p, const unsigned char *bytes)
{
    float single;
    double value;
    if (p->bytes == sizeof value)
        memcpy(&value, bytes, sizeof value);
    else if (p->bytes == sizeof single) {
        memcpy(&single, bytes, sizeof single);
        value = (double)single;
    } else {
        unsigned half = bytes[0] | (unsigned)bytes[1] << 8, exponent = half >> 10 & 31, mantissa = half & 1023;
        value = exponent == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
                : exponent     ? ldexp(1024 + mantissa, (int)exponent - 25)
                               : ldexp(mantissa, -24);
        value = half & 0x8000 ? -value : value;
    }
    return value;
}

static void encode(const struct precision *p, double value, unsigned char *bytes)
{
    float single = (float)value;
    if (p->bytes == sizeof value)
        memcpy(bytes, &value, sizeof value);
    else if (p->bytes == sizeof single)
        memcpy(bytes, &single, sizeof single);
    else { /* normal numbers in (-1, 0), exact */
        int exponent;
        unsigned mantissa = (unsigned)(ldexp(frexp(-value, &exponent), 11)) & 1023;
        unsigned half = 0x8000 | (unsigned)(exponent + 14) << 10 | mantissa;
        bytes[0] = (unsigned char)half;
        bytes[1] = (unsigned char)(half >> 8);
    }
}

static double start_of(unsigned lane)
{
    return -0.5 - 0x1p-6 * lane;
}

/* To the 11 bits of a half; smaller than its normal numbers does not occur. */
static double round_half(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(x, 11 - exponent)), exponent - 11);
}

/* a x b + c with one rounding to the format */
static double fused(const struct precision *p, double a, double b, double c)
{
    if (p->bytes == sizeof(double))
        return fma(a, b, c);
    if (p->bytes == sizeof(float))
        return (double)fmaf((float)a, (float)b, (float)c);
    return round_half(a * b + c); /* 22 bits and their sum: exact but for sums that no rounding of 11 bits sees */
}

/* The same pairs on the host, with one rounding each, as on a device that fuses. */
static double replay(const struct variant *v, unsigned lane, size_t item)
{
    const struct precision *p = v->s->p;
    double start = start_of(lane) - (double)(item % STARTS) * p->step, sum = 0;
    for (unsigned c = 0; c < v->chains; c++) {
        double a = fused(p, start, factors[c], 0), b = a, before = 0;
        for (unsigned long i = 0; i < v->rounds * UNROLL && a != before; i++) { /* a half stops at -2^-12 */
            before = a;
            a = fused(p, a, b, b);
            b = fused(p, b, a, a);
        }
        sum = c ? fused(p, fused(p, sum, 1, a), 1, b) : fused(p, a, 1, b);
    }
    return sum;
}

/* All lanes of the first work item, of one in the middle, and of the last. */
static enum mw_err validate(const struct variant *v, bool *valid, struct mw_error *error)
{
    const struct state *s = v->s;
    const size_t items[] = {0, s->items / 2 + 1, s->items - 1};
    unsigned char lanes[LANES_MAX * sizeof(double)] = {0}; /* which no chain ends at */
    double tolerance = s->fused ? 0 : UNFUSED_TOLERANCE;   /* the same bits */
    *valid = true;
    for (size_t k = 0; k < sizeof items / sizeof *items; k++) {
        enum mw_err err =
            mw_cl_read(s->session, s->out, items[k] * v->width * s->p->bytes, lanes, v->width * s->p->bytes, error);
        if (err)
            return err;
        for (unsigned lane = 0; lane < v->width; lane++) {
            double got = decode(s->p, lanes + lane * s->p->bytes), want = replay(v, lane, items[k]);
            *valid = *valid && isfinite(got) && fabs(got - want) <= tolerance * fabs(want);
        }
    }
    return MW_OK;
}

static enum mw_err run(void *opaque, unsigned long rounds, struct mw_gpu_window *window, struct mw_error *error)
{
    struct variant *v = opaque;
    uint32_t count = (uint32_t)rounds;
    v->rounds = rounds;
    enum mw_err err = mw_cl_argument(v->s->session, v->kernel, 2, &count, sizeof count, error);
    return err ? err : mw_cl_launch(v->s->session, v->kernel, v->s->items, 1, GROUP, window, error);
}

/* What a variant before it left is nobody's result: a chain ends below 0. */
static enum mw_err clear_results(const struct state *s, struct mw_error *error)
{
    size_t size = s->items * LANES_MAX * s->p->bytes;
    void *zero = calloc(size, 1);
    enum mw_err err =
        zero ? mw_cl_write(s->session, s->out, zero, size, error) : mw_fail(error, MW_NOMEM, "out of memory");
    free(zero);
    return err;
}

static enum mw_err measure(const struct state *s, unsigned width, unsigned chains, double time_s,
                           struct mw_error *error)
{
    char name[32];
    struct variant v = {.s = s, .width = width, .chains = chains};
    struct mw_gpu_work work = {
        .run = run, .work = &v, .time_s = time_s, .runs = s->job->runs, .count_max = UINT32_MAX / 2};
    struct mw_gpu_row *row = mw_gpu_row_begin(s->job, s->precision);
    uint64_t private_bytes = 0;
    snprintf(name, sizeof name, "fma_%s_c%u_w%u", s->p->type, chains, width);
    enum mw_err err = row ? mw_cl_kernel(s->session, s->program, name, &v.kernel, error) : MW_OK;
    if (err || !row)
        return err;
    err = mw_cl_argument(s->session, v.kernel, 0, &s->out, sizeof s->out, error);
    if (!err)
        err = mw_cl_argument(s->session, v.kernel, 1, &s->start, sizeof s->start, error);
    if (!err)
        err = clear_results(s, error);
    if (!err)
        err = mw_gpu_time(&work, &row->timing, error);
    if (!err && mw_gpu_proportional(&row->timing)) /* else there may be no end to what would be replayed */
        err = validate(&v, &row->valid, error);
    if (!err) {
        vector_type(row->variant, sizeof row->variant, s->p->type, width);
        snprintf(row->variant + strlen(row->variant), sizeof row->variant - strlen(row->variant), "-x%u", chains);
        snprintf(row->condition, sizeof row->condition, s->fused ? "registers" : "registers-unfused");
        snprintf(row->format, sizeof row->format, "%s", s->p->type);
        row->items = s->items;
        row->group = GROUP;
        if (!s->session->cl.clGetKernelWorkGroupInfo(v.kernel, s->session->device, MW_CL_KERNEL_PRIVATE_MEM_SIZE,
                                                     sizeof private_bytes, &private_bytes, NULL))
            row->private_bytes = private_bytes;
        row->unit_work = (double)s->items * width * chains * 2 * UNROLL * 2;
        mw_gpu_code_describe(s->session, s->program, name, row->code, sizeof row->code);
        mw_gpu_row_rate(s->job, row, "GFLOP/s", 1e9);
    }
    s->session->cl.clReleaseKernel(v.kernel);
    return err;
}

/* The best of the variants once more, so that nobody has to look for it. */
static void add_best(struct mw_gpu_job *job, size_t from, enum mw_gpu_kernel precision)
{
    const struct mw_gpu_row *best = NULL;
    for (size_t i = from; i < job->row_count; i++)
        if (job->rows[i].valid && (!best || job->rows[i].value > best->value))
            best = &job->rows[i];
    struct mw_gpu_row *row = best ? mw_gpu_row_begin(job, precision) : NULL;
    if (!row)
        return;
    *row = *best;
    snprintf(row->condition, sizeof row->condition, "best");
    job->row_count++;
}

static enum mw_err prepare(struct state *s, struct mw_error *error)
{
    unsigned char starts[LANES_MAX * sizeof(double)];
    for (unsigned lane = 0; lane < LANES_MAX; lane++)
        encode(s->p, start_of(lane), starts + lane * s->p->bytes);
    enum mw_err err = build(s, error);
    if (!err)
        err = mw_cl_buffer(s->session, MW_CL_MEM_READ_WRITE, s->items * LANES_MAX * s->p->bytes, &s->out, error);
    if (!err)
        err = mw_cl_buffer(s->session, MW_CL_MEM_READ_WRITE, sizeof starts, &s->start, error);
    if (!err)
        err = mw_cl_write(s->session, s->start, starts, LANES_MAX * s->p->bytes, error);
    return err;
}

enum mw_err mw_gpu_arithmetic(struct mw_gpu_job *job, const struct mw_cl_session *session, enum mw_gpu_kernel precision,
                              double time_s, struct mw_error *error)
{
    const struct mw_gpu_device *d = session->about;
    struct state s = {.job = job,
                      .session = session,
                      .p = &precisions[precision],
                      .precision = precision,
                      .fused = precision == MW_GPU_FP32   ? d->fma32
                               : precision == MW_GPU_FP64 ? d->fma64
                                                          : d->fma16,
                      .items = (size_t)(d->compute_units ? d->compute_units : 1) * UNIT_ITEMS};
    size_t first = job->row_count;
    size_t widths = sizeof s.p->widths / sizeof *s.p->widths, chains = sizeof chain_counts / sizeof *chain_counts;
    enum mw_err err = prepare(&s, error);
    for (size_t i = 0; i < widths * chains && !err; i++)
        err = measure(&s, s.p->widths[i / chains], chain_counts[i % chains], time_s / (double)(widths * chains), error);
    if (!err)
        add_best(job, first, precision);
    if (s.out)
        session->cl.clReleaseMemObject(s.out);
    if (s.start)
        session->cl.clReleaseMemObject(s.start);
    if (s.program)
        session->cl.clReleaseProgram(s.program);
    return err;
}
