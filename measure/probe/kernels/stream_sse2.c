// SPDX-License-Identifier: GPL-3.0-or-later
#if defined(__x86_64__)
#include "measure/probe/kernels/stream_isa.h"

#include <immintrin.h>

#define NAME(op) sse2_##op
#define TARGET
#define VEC         __m128d
#define LANES       2
#define LOAD(p)     _mm_load_pd(p)
#define STORE(p, v) _mm_store_pd(p, v)
#define SET(s)      _mm_set1_pd(s)
#define ADD(x, y)   _mm_add_pd(x, y)
#define MUL(x, y)   _mm_mul_pd(x, y)
#define SUM(v)      sse2_sum(v)
#define STREAM2(p, v, w)                                                                                               \
    do {                                                                                                               \
        _mm_stream_pd(p, v);                                                                                           \
        _mm_stream_pd((p) + LANES, w);                                                                                 \
    } while (0)
#define FENCE() _mm_sfence()

TARGET static inline double sse2_sum(VEC v)
{
    double lanes[LANES] __attribute__((aligned(64))), sum = 0;
    STORE(lanes, v);
    for (size_t i = 0; i < LANES; i++)
        sum += lanes[i];
    return sum;
}

#include "measure/probe/kernels/stream_body.h"

static bool supported(void)
{
    return true;
}

const struct mw_stream_isa mw_stream_sse2 = {"sse2", supported, {PLAIN_KERNELS}, {NT_KERNELS}};
const struct mw_stream_isa mw_stream_sse2_paged = {"sse2-8pages", supported, {PAGED_KERNELS}, {NT_PAGED_KERNELS}};
#else
typedef int mw_stream_sse2_is_x86_only;
#endif
