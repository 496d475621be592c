// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The kernels, written once for all vector types. The including file defines
 *   NAME(op)  TARGET  VEC  LANES  LOAD(p)  STORE(p, v)  SET(s)  ADD(x, y)  MUL(x, y)  SUM(v)
 * and, where there are non-temporal stores, STREAM2(p, v, w) (two vectors in a row) and FENCE().
 * Four vectors an iteration. _paged kernels go through eight pages side by side: as many streams for the prefetchers and
 * open rows of memory, which one core needs to be served at its best. Multiplication and addition stay apart, so that a replay in scalars gives the same bits.
 */
#define STEP  (4 * LANES)
#define PAGE  (4096 / sizeof(double))
#define PAGES 8
#define EACH(body)                                                                                                     \
    for (size_t i = 0; i < n; i += STEP) {                                                                             \
        body                                                                                                           \
    }
/* whole runs of eight pages, then the rest in order */
#define PAGED(body)                                                                                                    \
    size_t paged = n / (PAGES * PAGE) * (PAGES * PAGE);                                                                \
    for (size_t run = 0; run < paged; run += PAGES * PAGE)                                                             \
        for (size_t offset = 0; offset < PAGE; offset += STEP)                                                         \
            for (size_t i = run + offset; i < run + PAGES * PAGE; i += PAGE) {                                         \
                body                                                                                                   \
            }                                                                                                          \
    for (size_t i = paged; i < n; i += STEP) {                                                                         \
        body                                                                                                           \
    }
#define STORE2(p, v, w)                                                                                                \
    do {                                                                                                               \
        STORE(p, v);                                                                                                   \
        STORE((p) + LANES, w);                                                                                         \
    } while (0)

/* target[i] = expression of the offset k, in the given order with the given pair store */
#define KERNEL(function, ORDER, STORE_PAIR, target, expression, end)                                                   \
    TARGET static double function(double *restrict a, double *restrict b, double *restrict c, double s, size_t n)      \
    {                                                                                                                  \
        const VEC q = SET(s);                                                                                          \
        (void)q;                                                                                                       \
        (void)a;                                                                                                       \
        (void)b;                                                                                                       \
        (void)c;                                                                                                       \
        ORDER(VEC v0 = expression(i); VEC v1 = expression(i + LANES); VEC v2 = expression(i + 2 * LANES);              \
              VEC v3 = expression(i + 3 * LANES); STORE_PAIR(target + i, v0, v1);                                      \
              STORE_PAIR(target + i + 2 * LANES, v2, v3);)                                                             \
        end;                                                                                                           \
        return 0;                                                                                                      \
    }

#define SUM_KERNEL(function, ORDER, expression)                                                                        \
    TARGET static double function(double *restrict a, double *restrict b, double *restrict c, double s, size_t n)      \
    {                                                                                                                  \
        VEC s0 = SET(0), s1 = SET(0), s2 = SET(0), s3 = SET(0);                                                        \
        (void)s;                                                                                                       \
        (void)b;                                                                                                       \
        (void)c;                                                                                                       \
        ORDER(s0 = ADD(s0, expression(i)); s1 = ADD(s1, expression(i + LANES));                                        \
              s2 = ADD(s2, expression(i + 2 * LANES)); s3 = ADD(s3, expression(i + 3 * LANES));)                       \
        return SUM(ADD(ADD(s0, s1), ADD(s2, s3)));                                                                     \
    }

#define COPY_AT(k)   LOAD(a + (k))
#define SCALE_AT(k)  MUL(q, LOAD(c + (k)))
#define ADD_AT(k)    ADD(LOAD(a + (k)), LOAD(b + (k)))
#define TRIAD_AT(k)  ADD(LOAD(b + (k)), MUL(q, LOAD(c + (k))))
#define FILL_AT(k)   q
#define DOT_AT(k)    MUL(LOAD(a + (k)), LOAD(b + (k)))
#define UPDATE_AT(k) MUL(q, LOAD(a + (k)))
#define NOTHING()    (void)0

KERNEL(NAME(copy), EACH, STORE2, c, COPY_AT, NOTHING())
KERNEL(NAME(scale), EACH, STORE2, b, SCALE_AT, NOTHING())
KERNEL(NAME(add), EACH, STORE2, c, ADD_AT, NOTHING())
KERNEL(NAME(triad), EACH, STORE2, a, TRIAD_AT, NOTHING())
KERNEL(NAME(fill), EACH, STORE2, c, FILL_AT, NOTHING())
KERNEL(NAME(update), EACH, STORE2, a, UPDATE_AT, NOTHING())
SUM_KERNEL(NAME(read), EACH, COPY_AT)
SUM_KERNEL(NAME(dot), EACH, DOT_AT)

KERNEL(NAME(fill_paged), PAGED, STORE2, c, FILL_AT, NOTHING())
KERNEL(NAME(update_paged), PAGED, STORE2, a, UPDATE_AT, NOTHING())
SUM_KERNEL(NAME(read_paged), PAGED, COPY_AT)
SUM_KERNEL(NAME(dot_paged), PAGED, DOT_AT)

#ifdef STREAM2
KERNEL(NAME(copy_nt), EACH, STREAM2, c, COPY_AT, FENCE())
KERNEL(NAME(scale_nt), EACH, STREAM2, b, SCALE_AT, FENCE())
KERNEL(NAME(add_nt), EACH, STREAM2, c, ADD_AT, FENCE())
KERNEL(NAME(triad_nt), EACH, STREAM2, a, TRIAD_AT, FENCE())
KERNEL(NAME(fill_nt), EACH, STREAM2, c, FILL_AT, FENCE())
KERNEL(NAME(update_nt), EACH, STREAM2, a, UPDATE_AT, FENCE())
KERNEL(NAME(copy_nt_paged), PAGED, STREAM2, c, COPY_AT, FENCE())
KERNEL(NAME(scale_nt_paged), PAGED, STREAM2, b, SCALE_AT, FENCE())
KERNEL(NAME(add_nt_paged), PAGED, STREAM2, c, ADD_AT, FENCE())
KERNEL(NAME(triad_nt_paged), PAGED, STREAM2, a, TRIAD_AT, FENCE())
KERNEL(NAME(fill_nt_paged), PAGED, STREAM2, c, FILL_AT, FENCE())
KERNEL(NAME(update_nt_paged), PAGED, STREAM2, a, UPDATE_AT, FENCE())
#define NT_KERNELS                                                                                                     \
    [MW_OP_COPY] = NAME(copy_nt), [MW_OP_SCALE] = NAME(scale_nt), [MW_OP_ADD] = NAME(add_nt),                          \
    [MW_OP_TRIAD] = NAME(triad_nt), [MW_OP_FILL] = NAME(fill_nt), [MW_OP_UPDATE] = NAME(update_nt)
#define NT_PAGED_KERNELS                                                                                               \
    [MW_OP_COPY] = NAME(copy_nt_paged), [MW_OP_SCALE] = NAME(scale_nt_paged), [MW_OP_ADD] = NAME(add_nt_paged),        \
    [MW_OP_TRIAD] = NAME(triad_nt_paged), [MW_OP_FILL] = NAME(fill_nt_paged), [MW_OP_UPDATE] = NAME(update_nt_paged)
#else
#define NT_KERNELS       0
#define NT_PAGED_KERNELS 0
#endif

#define PLAIN_KERNELS                                                                                                  \
    [MW_OP_COPY] = NAME(copy), [MW_OP_SCALE] = NAME(scale), [MW_OP_ADD] = NAME(add), [MW_OP_TRIAD] = NAME(triad),      \
    [MW_OP_READ] = NAME(read), [MW_OP_FILL] = NAME(fill), [MW_OP_DOT] = NAME(dot), [MW_OP_UPDATE] = NAME(update)
/* copy, scale, add and triad with ordinary stores stay in the order of STREAM's loops */
#define PAGED_KERNELS                                                                                                  \
    [MW_OP_FILL] = NAME(fill_paged), [MW_OP_UPDATE] = NAME(update_paged), [MW_OP_READ] = NAME(read_paged),             \
    [MW_OP_DOT] = NAME(dot_paged)
