// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/kernels/walk.h"

#define LOAD   p = *(void *const *)p;
#define LOAD16 LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD

void *mw_kernel_walk(void *p, uint64_t loads)
{
    for (; loads >= 64; loads -= 64) {
        LOAD16 LOAD16 LOAD16 LOAD16
    }
    while (loads--) {
        LOAD __asm__ volatile("" : "+r"(p));
    }
    return p;
}

void mw_kernel_sweep(const void *data, size_t size_bytes, size_t line_bytes)
{
    const char *c = data;
    for (size_t i = 0; i + sizeof(uint64_t) <= size_bytes; i += line_bytes)
        (void)*(const volatile uint64_t *)(const void *)(c + i);
}

bool mw_kernel_flush(const void *p)
{
#if defined(__x86_64__)
    __asm__ volatile("clflush (%0)" : : "r"(p) : "memory");
    return true;
#elif defined(__aarch64__)
    __asm__ volatile("dc civac, %0" : : "r"(p) : "memory");
    return true;
#else
    (void)p;
    return false;
#endif
}

void mw_kernel_fence(void)
{
#if defined(__aarch64__)
    __asm__ volatile("dsb ish\n\tisb" : : : "memory");
#else
    __sync_synchronize();
#endif
}
