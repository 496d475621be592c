// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/kernels/chase.h"

#include "measure/probe/kernels/walk.h"

#define IN(i)   void *p##i = p[i];
#define STEP(i) p##i = *(void *const *)p##i;
#define OUT(i)  p[i] = p##i;
#define DO2(M)  M(0) M(1)
#define DO3(M)  DO2(M) M(2)
#define DO4(M)  DO3(M) M(3)
#define DO5(M)  DO4(M) M(4)
#define DO6(M)  DO5(M) M(5)
#define DO7(M)  DO6(M) M(6)
#define DO8(M)  DO7(M) M(7)
#define DO9(M)  DO8(M) M(8)
#define DO10(M) DO9(M) M(9)
#define DO11(M) DO10(M) M(10)
#define DO12(M) DO11(M) M(11)
#define CHASE(n)                                                                                                       \
    static void chase_##n(void **p, uint64_t loads)                                                                    \
    {                                                                                                                  \
        DO##n(IN) for (uint64_t i = loads / MW_CHASE_UNROLL; i;                                                        \
                       i--){DO##n(STEP) DO##n(STEP) DO##n(STEP) DO##n(STEP)} DO##n(OUT)                                \
    }
CHASE(2)
CHASE(3)
CHASE(4)
CHASE(5)
CHASE(6)
CHASE(7)
CHASE(8)
CHASE(9)
CHASE(10)
CHASE(11)
CHASE(12)

void mw_kernel_chase(void **p, unsigned chains, uint64_t loads)
{
    static void (*const kernels[])(void **, uint64_t) = {NULL,     NULL,     chase_2, chase_3, chase_4,
                                                         chase_5,  chase_6,  chase_7, chase_8, chase_9,
                                                         chase_10, chase_11, chase_12};
    if (chains < 2)
        p[0] = mw_kernel_walk(p[0], loads / MW_CHASE_UNROLL * MW_CHASE_UNROLL);
    else
        kernels[chains](p, loads);
}
