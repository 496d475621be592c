// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The kernels, written once for all vector types. The including file defines
 *   NAME(op)  TARGET  VEC  LANES  LOAD(p)  STORE(p, v)  SET(s)  ADD(x, y)  MUL(x, y)  SUM(v)
 * and, where there are non-temporal stores, STREAM2(p, v, w) (two vectors in a row) and FENCE().
 * Four vectors an iteration; multiplication and addition stay apart, so that a replay in scalars gives the same bits.
 */
#define STEP (4 * LANES)
#define EACH(body)                                                                                                     \
    for (size_t i = 0; i < n; i += STEP) {                                                                             \
        body                                                                                                           \
    }
#define STORE2(p, v, w)                                                                                                \
    do {                                                                                                               \
        STORE(p, v);                                                                                                   \
        STORE((p) + LANES, w);                                                                                         \
    } while (0)

/* target[i] = expression of the offset k, with the given pair store */
#define KERNEL(function, STORE_PAIR, target, expression, end)                                                          \
    TARGET static double function(double *restrict a, double *restrict b, double *restrict c, double s, size_t n)      \
    {                                                                                                                  \
        const VEC q = SET(s);                                                                                          \
        (void)q;                                                                                                       \
        (void)a;                                                                                                       \
        (void)b;                                                                                                       \
        (void)c;                                                                                                       \
        EACH(VEC v0 = expression(i); VEC v1 = expression(i + LANES); VEC v2 = expression(i + 2 * LANES);               \
             VEC v3 = expression(i + 3 * LANES); STORE_PAIR(target + i, v0, v1);                                       \
             STORE_PAIR(target + i + 2 * LANES, v2, v3);)                                                              \
        end;                                                                                                           \
        return 0;                                                                                                      \
    }

#define SUM_KERNEL(function, expression)                                                                               \
    TARGET static double function(double *restrict a, double *restrict b, double *restrict c, double s, size_t n)      \
    {                                                                                                                  \
        VEC s0 = SET(0), s1 = SET(0), s2 = SET(0), s3 = SET(0);                                                        \
        (void)s;                                                                                                       \
        (void)b;                                                                                                       \
        (void)c;                                                                                                       \
        EACH(s0 = ADD(s0, expression(i)); s1 = ADD(s1, expression(i + LANES));                                         \
             s2 = ADD(s2, expression(i + 2 * LANES)); s3 = ADD(s3, expression(i + 3 * LANES));)                        \
        return SUM(ADD(ADD(s0, s1), ADD(s2, s3)));                                                                     \
    }

#define COPY_AT(k) LOAD(a + (k))
#define SCALE_AT(k) MUL(q, LOAD(c + (k)))
#define ADD_AT(k) ADD(LOAD(a + (k)), LOAD(b + (k)))
#define TRIAD_AT(k) ADD(LOAD(b + (k)), MUL(q, LOAD(c + (k))))
#define FILL_AT(k) q
#define DOT_AT(k) MUL(LOAD(a + (k)), LOAD(b + (k)))
#define UPDATE_AT(k) MUL(q, LOAD(a + (k)))
#define NOTHING() (void)0

KERNEL(NAME(copy), STORE2, c, COPY_AT, NOTHING())
KERNEL(NAME(scale), STORE2, b, SCALE_AT, NOTHING())
KERNEL(NAME(add), STORE2, c, ADD_AT, NOTHING())
KERNEL(NAME(triad), STORE2, a, TRIAD_AT, NOTHING())
KERNEL(NAME(fill), STORE2, c, FILL_AT, NOTHING())
KERNEL(NAME(update), STORE2, a, UPDATE_AT, NOTHING())
SUM_KERNEL(NAME(read), COPY_AT)
SUM_KERNEL(NAME(dot), DOT_AT)

#ifdef STREAM2
KERNEL(NAME(copy_nt), STREAM2, c, COPY_AT, FENCE())
KERNEL(NAME(scale_nt), STREAM2, b, SCALE_AT, FENCE())
KERNEL(NAME(add_nt), STREAM2, c, ADD_AT, FENCE())
KERNEL(NAME(triad_nt), STREAM2, a, TRIAD_AT, FENCE())
KERNEL(NAME(fill_nt), STREAM2, c, FILL_AT, FENCE())
KERNEL(NAME(update_nt), STREAM2, a, UPDATE_AT, FENCE())
#define NT_KERNELS                                                                                                     \
    [MW_OP_COPY] = NAME(copy_nt), [MW_OP_SCALE] = NAME(scale_nt), [MW_OP_ADD] = NAME(add_nt),                          \
    [MW_OP_TRIAD] = NAME(triad_nt), [MW_OP_FILL] = NAME(fill_nt), [MW_OP_UPDATE] = NAME(update_nt)
#else
#define NT_KERNELS 0
#endif

#define PLAIN_KERNELS                                                                                                  \
    [MW_OP_COPY] = NAME(copy), [MW_OP_SCALE] = NAME(scale), [MW_OP_ADD] = NAME(add), [MW_OP_TRIAD] = NAME(triad),      \
    [MW_OP_READ] = NAME(read), [MW_OP_FILL] = NAME(fill), [MW_OP_DOT] = NAME(dot), [MW_OP_UPDATE] = NAME(update)
