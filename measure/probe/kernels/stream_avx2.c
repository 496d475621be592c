// SPDX-License-Identifier: GPL-3.0-or-later
#if defined(__x86_64__)
#include "measure/probe/kernels/stream_isa.h"

#include <immintrin.h>

#define NAME(op)    avx2_##op
#define TARGET      __attribute__((target("avx2")))
#define VEC         __m256d
#define LANES       4
#define LOAD(p)     _mm256_load_pd(p)
#define STORE(p, v) _mm256_store_pd(p, v)
#define SET(s)      _mm256_set1_pd(s)
#define ADD(x, y)   _mm256_add_pd(x, y)
#define MUL(x, y)   _mm256_mul_pd(x, y)
#define SUM(v)      avx2_sum(v)
#define STREAM2(p, v, w)                                                                                               \
    do {                                                                                                               \
        _mm256_stream_pd(p, v);                                                                                        \
        _mm256_stream_pd((p) + LANES, w);                                                                              \
    } while (0)
#define FENCE() _mm_sfence()

TARGET static inline double avx2_sum(VEC v)
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
    return __builtin_cpu_supports("avx2") != 0;
}

const struct mw_stream_isa mw_stream_avx2 = {"avx2", supported, {PLAIN_KERNELS}, {NT_KERNELS}};
const struct mw_stream_isa mw_stream_avx2_paged = {"avx2-8pages", supported, {PAGED_KERNELS}, {NT_PAGED_KERNELS}};
#else
typedef int mw_stream_avx2_is_x86_only;
#endif
