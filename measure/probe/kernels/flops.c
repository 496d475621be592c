// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/kernels/flops.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* clang-format off */
#define UNROLL 4

/* Chains are named variables, not an array, so that each number has a register of its own. */
#define EACH8(M, ...)                                                                                                  \
    M(0, __VA_ARGS__) M(1, __VA_ARGS__) M(2, __VA_ARGS__) M(3, __VA_ARGS__)                                            \
    M(4, __VA_ARGS__) M(5, __VA_ARGS__) M(6, __VA_ARGS__) M(7, __VA_ARGS__)
#define EACH12(M, ...)                                                                                                 \
    EACH8(M, __VA_ARGS__) M(8, __VA_ARGS__) M(9, __VA_ARGS__) M(10, __VA_ARGS__) M(11, __VA_ARGS__)
#define EACH15(M, ...) EACH12(M, __VA_ARGS__) M(12, __VA_ARGS__) M(13, __VA_ARGS__) M(14, __VA_ARGS__)

#define FETCH(i, TYPE, LANES, LOAD) TYPE a##i = LOAD(a + i * LANES), b##i = LOAD(b + i * LANES);
#define PAIR_A(i, MADD_A) a##i = MADD_A(a##i, b##i);
#define PAIR_B(i, MADD_B) b##i = MADD_B(b##i, a##i);
#define KEEP(i, LANES, STORE)                                                                                          \
    STORE(a + i * LANES, a##i);                                                                                        \
    STORE(b + i * LANES, b##i);

/* All of a, then all of b: what waits for each other stands as far apart as it can. MADD(x, y) is x y + y. */
#define KERNEL(NAME, TARGET, TYPE, ELEMENT, LANES, EACH, LOAD, STORE, MADD)                                            \
    KERNEL2(NAME, TARGET, TYPE, ELEMENT, LANES, EACH, LOAD, STORE, MADD, MADD)
#define KERNEL2(NAME, TARGET, TYPE, ELEMENT, LANES, EACH, LOAD, STORE, MADD_A, MADD_B)                                 \
    TARGET static void NAME(void *a_values, void *b_values, uint64_t rounds)                                           \
    {                                                                                                                  \
        ELEMENT *a = a_values, *b = b_values;                                                                          \
        EACH(FETCH, TYPE, LANES, LOAD)                                                                                 \
        while (rounds--) {                                                                                             \
            EACH(PAIR_A, MADD_A) EACH(PAIR_B, MADD_B) EACH(PAIR_A, MADD_A) EACH(PAIR_B, MADD_B)                        \
            EACH(PAIR_A, MADD_A) EACH(PAIR_B, MADD_B) EACH(PAIR_A, MADD_A) EACH(PAIR_B, MADD_B)                        \
        }                                                                                                              \
        EACH(KEEP, LANES, STORE)                                                                                       \
    }
/* clang-format on */

static bool always(void)
{
    return true;
}

#define SCALAR_LOAD(p)     (*(p))
#define SCALAR_STORE(p, x) (*(p) = (x))

#if defined(__x86_64__)

/* An empty statement that the compiler can't see through: it would gather scalar chains into vectors. */
#define ALONE(x)                                                                                                       \
    __extension__({                                                                                                    \
        __typeof__(x) alone = (x);                                                                                     \
        __asm__("" : "+x"(alone));                                                                                     \
        alone;                                                                                                         \
    })
#define PLAIN_MADD(x, y) ALONE((x) * (y) + (y))
KERNEL(plain_fp64, , double, double, 1, EACH8, SCALAR_LOAD, SCALAR_STORE, PLAIN_MADD)
KERNEL(plain_fp32, , float, float, 1, EACH8, SCALAR_LOAD, SCALAR_STORE, PLAIN_MADD)

#define FMA_TARGET       __attribute__((target("avx2,fma")))
#define FMA_MADD64(x, y) ALONE(__builtin_fma((x), (y), (y)))
#define FMA_MADD32(x, y) ALONE(__builtin_fmaf((x), (y), (y)))
KERNEL(scalar_fma_fp64, FMA_TARGET, double, double, 1, EACH8, SCALAR_LOAD, SCALAR_STORE, FMA_MADD64)
KERNEL(scalar_fma_fp32, FMA_TARGET, float, float, 1, EACH8, SCALAR_LOAD, SCALAR_STORE, FMA_MADD32)

#define SSE2_MADD64(x, y) _mm_add_pd(_mm_mul_pd((x), (y)), (y))
#define SSE2_MADD32(x, y) _mm_add_ps(_mm_mul_ps((x), (y)), (y))
KERNEL(sse2_fp64, , __m128d, double, 2, EACH8, _mm_loadu_pd, _mm_storeu_pd, SSE2_MADD64)
KERNEL(sse2_fp32, , __m128, float, 4, EACH8, _mm_loadu_ps, _mm_storeu_ps, SSE2_MADD32)

#define AVX2_MADD64(x, y) _mm256_fmadd_pd((x), (y), (y))
#define AVX2_MADD32(x, y) _mm256_fmadd_ps((x), (y), (y))
KERNEL(avx2_fma_fp64, FMA_TARGET, __m256d, double, 4, EACH8, _mm256_loadu_pd, _mm256_storeu_pd, AVX2_MADD64)
KERNEL(avx2_fma_fp32, FMA_TARGET, __m256, float, 8, EACH8, _mm256_loadu_ps, _mm256_storeu_ps, AVX2_MADD32)

#define AVX512_TARGET       __attribute__((target("avx512f")))
#define AVX512_MADD64(x, y) _mm512_fmadd_pd((x), (y), (y))
#define AVX512_MADD32(x, y) _mm512_fmadd_ps((x), (y), (y))
KERNEL(avx512_fma_fp64, AVX512_TARGET, __m512d, double, 8, EACH12, _mm512_loadu_pd, _mm512_storeu_pd, AVX512_MADD64)
KERNEL(avx512_fma_fp32, AVX512_TARGET, __m512, float, 16, EACH12, _mm512_loadu_ps, _mm512_storeu_ps, AVX512_MADD32)

static bool has_fma(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

const struct mw_flops_kernel mw_flops_kernels[] = {
    {"scalar", "fp64", 8, 1, UNROLL, always, plain_fp64},
    {"scalar-fma", "fp64", 8, 1, UNROLL, has_fma, scalar_fma_fp64},
    {"sse2", "fp64", 8, 2, UNROLL, always, sse2_fp64},
    {"avx2-fma", "fp64", 8, 4, UNROLL, has_fma, avx2_fma_fp64},
    {"avx512-fma", "fp64", 12, 8, UNROLL, has_avx512, avx512_fma_fp64},
    {"scalar", "fp32", 8, 1, UNROLL, always, plain_fp32},
    {"scalar-fma", "fp32", 8, 1, UNROLL, has_fma, scalar_fma_fp32},
    {"sse2", "fp32", 8, 4, UNROLL, always, sse2_fp32},
    {"avx2-fma", "fp32", 8, 8, UNROLL, has_fma, avx2_fma_fp32},
    {"avx512-fma", "fp32", 12, 16, UNROLL, has_avx512, avx512_fma_fp32},
};

#elif defined(__aarch64__)

#define ALONE(x)                                                                                                       \
    __extension__({                                                                                                    \
        __typeof__(x) alone = (x);                                                                                     \
        __asm__("" : "+w"(alone));                                                                                     \
        alone;                                                                                                         \
    })
#define FMA_MADD64(x, y)   ALONE(__builtin_fma((x), (y), (y)))
#define FMA_MADD32(x, y)   ALONE(__builtin_fmaf((x), (y), (y)))
KERNEL(scalar_fma_fp64, , double, double, 1, EACH12, SCALAR_LOAD, SCALAR_STORE, FMA_MADD64)
KERNEL(scalar_fma_fp32, , float, float, 1, EACH12, SCALAR_LOAD, SCALAR_STORE, FMA_MADD32)

/*
 * fmla overwrites its addend, which x y + y still needs: a register move for each. A rotation has none:
 * a = a + c b, b = b - c a keeps a^2 + b^2 - c a b, so that from -0.5 no value leaves (-1, 1).
 */
#define NEON_PLUS64(x, y)  vfmaq_f64((x), (y), vdupq_n_f64(MW_FLOPS_ROTATION))
#define NEON_MINUS64(x, y) vfmsq_f64((x), (y), vdupq_n_f64(MW_FLOPS_ROTATION))
#define NEON_PLUS32(x, y)  vfmaq_f32((x), (y), vdupq_n_f32((float)MW_FLOPS_ROTATION))
#define NEON_MINUS32(x, y) vfmsq_f32((x), (y), vdupq_n_f32((float)MW_FLOPS_ROTATION))
KERNEL2(neon_fma_fp64, , float64x2_t, double, 2, EACH15, vld1q_f64, vst1q_f64, NEON_PLUS64, NEON_MINUS64)
KERNEL2(neon_fma_fp32, , float32x4_t, float, 4, EACH15, vld1q_f32, vst1q_f32, NEON_PLUS32, NEON_MINUS32)

const struct mw_flops_kernel mw_flops_kernels[] = {
    {"scalar-fma", "fp64", 12, 1, UNROLL, always, scalar_fma_fp64},
    {"neon-fma", "fp64", 15, 2, UNROLL, always, neon_fma_fp64},
    {"scalar-fma", "fp32", 12, 1, UNROLL, always, scalar_fma_fp32},
    {"neon-fma", "fp32", 15, 4, UNROLL, always, neon_fma_fp32},
};

#else

/* Whatever the compiler makes of it: the variant's name promises no instruction. */
#define ANY_MADD(x, y) ((x) * (y) + (y))
KERNEL(plain_fp64, , double, double, 1, EACH8, SCALAR_LOAD, SCALAR_STORE, ANY_MADD)
KERNEL(plain_fp32, , float, float, 1, EACH8, SCALAR_LOAD, SCALAR_STORE, ANY_MADD)

const struct mw_flops_kernel mw_flops_kernels[] = {
    {"scalar", "fp64", 8, 1, UNROLL, always, plain_fp64},
    {"scalar", "fp32", 8, 1, UNROLL, always, plain_fp32},
};

#endif

const size_t mw_flops_kernel_count = sizeof mw_flops_kernels / sizeof *mw_flops_kernels;
