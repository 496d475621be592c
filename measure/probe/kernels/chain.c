// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/kernels/chain.h"

uint64_t mw_kernel_add_chain(uint64_t x, uint64_t step, uint64_t blocks)
{
    if (!blocks)
        return x;
#if defined(__x86_64__)
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 256\n\t"
                     "addq %[step], %[x]\n\t"
                     ".endr\n\t"
                     "decq %[n]\n\t"
                     "jnz 1b"
                     : [x] "+r"(x), [n] "+r"(blocks)
                     : [step] "r"(step)
                     : "cc");
#elif defined(__aarch64__)
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 256\n\t"
                     "add %[x], %[x], %[step]\n\t"
                     ".endr\n\t"
                     "subs %[n], %[n], #1\n\t"
                     "b.ne 1b"
                     : [x] "+r"(x), [n] "+r"(blocks)
                     : [step] "r"(step)
                     : "cc");
#else
#define ADD                                                                                                            \
    x += step;                                                                                                         \
    __asm__ volatile("" : "+r"(x));
#define ADD16 ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
    do {
        ADD16 ADD16 ADD16 ADD16 ADD16 ADD16 ADD16 ADD16 ADD16 ADD16 ADD16 ADD16 ADD16 ADD16 ADD16 ADD16
    } while (--blocks);
#endif
    return x;
}
