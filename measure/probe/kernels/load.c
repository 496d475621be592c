// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/kernels/load.h"

#define WORDS (MW_LOAD_LINE / sizeof(uint64_t))

/* One word of a line moves the whole line; an update makes it dirty, so that it moves back as well. */
#define READ(i)   sum += line[(i)*WORDS];
#define UPDATE(i) sum += line[(i)*WORDS] += 1;
#define FOUR(a, b, c, d)                                                                                               \
    for (size_t i = 0; i < MW_LOAD_BLOCK; i += 4) {                                                                    \
        a(i) b(i + 1) c(i + 2) d(i + 3)                                                                                \
    }

uint64_t mw_kernel_load(void *data, size_t lines, unsigned updates, unsigned delay)
{
    uint64_t sum = 0;
    volatile uint64_t *line = data;
    for (size_t block = 0; block < lines; block += MW_LOAD_BLOCK, line += MW_LOAD_BLOCK * WORDS) {
        if (updates == 0)
            FOUR(READ, READ, READ, READ)
        else if (updates == 1)
            FOUR(UPDATE, READ, READ, READ)
        else if (updates == 2)
            FOUR(UPDATE, READ, UPDATE, READ)
        else
            FOUR(UPDATE, UPDATE, UPDATE, UPDATE)
        for (unsigned d = 0; d < delay; d++)
            __asm__ volatile("" : "+r"(d));
    }
    return sum;
}
