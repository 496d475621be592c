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

void mw_kernel_sweep_strided(const void *data, size_t size_bytes, size_t line_bytes, size_t stride_bytes)
{
    for (size_t half = 0; half < 2; half++)
        for (size_t first = half * line_bytes; first < stride_bytes && first < size_bytes; first += 2 * line_bytes)
            mw_kernel_sweep((const char *)data + first, size_bytes - first, stride_bytes);
}

/* Odd factors and shifts to the right are each one to one on the numbers of line_bits bits. */
void mw_kernel_sweep_random(const void *data, unsigned line_bits, size_t line_bytes)
{
    const char *c = data;
    const uint64_t mask = ((uint64_t)1 << line_bits) - 1;
    const unsigned shift = (line_bits + 1) / 2;
    for (uint64_t i = 0; i <= mask; i++) {
        uint64_t x = i * 0x9e3779b97f4a7c15u & mask;
        x ^= x >> shift;
        x = x * 0xbf58476d1ce4e5b9u & mask;
        x ^= x >> shift;
        (void)*(const volatile uint64_t *)(const void *)(c + x * line_bytes);
    }
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
