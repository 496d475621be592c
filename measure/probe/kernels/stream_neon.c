// SPDX-License-Identifier: GPL-3.0-or-later
#if defined(__aarch64__)
#include "measure/probe/kernels/stream_isa.h"

#include <arm_neon.h>

#define NAME(op) neon_##op
#define TARGET
#define VEC         float64x2_t
#define LANES       2
#define LOAD(p)     vld1q_f64(p)
#define STORE(p, v) vst1q_f64(p, v)
#define SET(s)      vdupq_n_f64(s)
#define ADD(x, y)   vaddq_f64(x, y)
#define MUL(x, y)   vmulq_f64(x, y)
#define SUM(v)      vaddvq_f64(v)
/* no intrinsic makes the pair store with the non-temporal hint */
#define STREAM2(p, v, w) __asm__ volatile("stnp %q0, %q1, [%2]" : : "w"(v), "w"(w), "r"(p) : "memory")
#define FENCE()          __asm__ volatile("dmb ishst" : : : "memory")

#include "measure/probe/kernels/stream_body.h"

static bool supported(void)
{
    return true;
}

const struct mw_stream_isa mw_stream_neon = {"neon", supported, {PLAIN_KERNELS}, {NT_KERNELS}};
const struct mw_stream_isa mw_stream_neon_paged = {"neon-8pages", supported, {PAGED_KERNELS}, {NT_PAGED_KERNELS}};
#else
typedef int mw_stream_neon_is_arm_only;
#endif
