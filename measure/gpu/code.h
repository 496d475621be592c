// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_GPU_CODE_H
#define MW_MEASURE_GPU_CODE_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

struct mw_cl_session;

/* What a compiler made of the loop that is timed. */
struct mw_gpu_code {
    unsigned fma;    /* fused multiply-adds in the innermost loop that has the most of them */
    unsigned calls;  /* calls of functions there: fma() that the device lacks is one */
    unsigned spills; /* loads and stores of the stack there */
    char width[8];   /* "zmm", "ymm", "xmm", "scalar", "v"; empty where none */
};

/*
 * Counts in the output of `objdump -d` (x86-64 or AArch64). A loop is what lies between the target of a backward jump and
 * the jump; code outside of it, as the copies that a compiler makes for odd sizes, does not count. False: no loop.
 */
bool mw_gpu_code_count_elf(const char *disassembly, struct mw_gpu_code *code);
/* The same in PTX, in the entry `kernel`: from a label to the branch back to it. */
bool mw_gpu_code_count_ptx(const char *ptx, const char *kernel, struct mw_gpu_code *code);

/*
 * "64 fma zmm, 0 calls, 0 spills" for a kernel that has been run, or "not shown by this driver" and why. PoCL keeps ordinary
 * ELF files in its cache, which objdump reads; NVIDIA hands out PTX.
 */
void mw_gpu_code_describe(const struct mw_cl_session *session, void *program, const char *kernel, char *text,
                          size_t size);

#endif
