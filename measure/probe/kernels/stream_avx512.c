// SPDX-License-Identifier: GPL-3.0-or-later
#if defined(__x86_64__)
#include "measure/probe/kernels/stream_isa.h"

#include <immintrin.h>

#define NAME(op)    avx512_##op
#define TARGET      __attribute__((target("avx512f")))
#define VEC         __m512d
#define LANES       8
#define LOAD(p)     _mm512_load_pd(p)
#define STORE(p, v) _mm512_store_pd(p, v)
#define SET(s)      _mm512_set1_pd(s)
#define ADD(x, y)   _mm512_add_pd(x, y)
#define MUL(x, y)   _mm512_mul_pd(x, y)
#define SUM(v)      avx512_sum(v)
#define STREAM2(p, v, w)                                                                                               \
    do {                                                                                                               \
        _mm512_stream_pd(p, v);                                                                                        \
        _mm512_stream_pd((p) + LANES, w);                                                                              \
    } while (0)
#define FENCE() _mm_sfence()

TARGET static inline double avx512_sum(VEC v)
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
    return __builtin_cpu_supports("avx512f") != 0;
}

const struct mw_stream_isa mw_stream_avx512 = {"avx512", supported, {PLAIN_KERNELS}, {NT_KERNELS}};
const struct mw_stream_isa mw_stream_avx512_paged = {"avx512-8pages", supported, {PAGED_KERNELS}, {NT_PAGED_KERNELS}};
#else
typedef int mw_stream_avx512_is_x86_only;
#endif
