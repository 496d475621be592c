// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/ring.h"

#include "measure/probe/kernels/walk.h"

#include <stdlib.h>

uint64_t mw_random_next(uint64_t *random)
{
    uint64_t x = *random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *random = x;
}

size_t mw_random_below(uint64_t *random, size_t n)
{
    return (size_t)(mw_random_next(random) % n);
}

static void **place(char *base, size_t offset)
{
    return (void **)(void *)(base + offset);
}

void *mw_ring_ordered(char *base, const size_t *offset, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *place(base, offset[i]) = base + offset[i + 1 < n ? i + 1 : 0];
    return base + offset[0];
}

void *mw_ring_flushed(char *base, const size_t *offset, size_t n)
{
    void *first = mw_ring_ordered(base, offset, n);
    for (size_t i = 0; i < n; i++)
        if (!mw_kernel_flush(base + offset[i]))
            return NULL;
    mw_kernel_fence();
    return first;
}

void *mw_ring_random(char *base, size_t *offset, size_t n, uint64_t *random)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = mw_random_below(random, i), other = offset[k];
        offset[k] = offset[i - 1];
        offset[i - 1] = other;
    }
    return mw_ring_ordered(base, offset, n);
}

enum mw_err mw_growing_ring_init(struct mw_growing_ring *ring, char *base, size_t lines_max, size_t line_bytes,
                                 size_t group_lines, size_t stride_lines, struct mw_error *error)
{
    size_t *tail = calloc((lines_max / group_lines + 1) * stride_lines, sizeof *tail);
    if (!tail)
        return mw_fail(error, MW_NOMEM, "out of memory");
    *ring = (struct mw_growing_ring){.base = base,
                                     .line_bytes = line_bytes,
                                     .group_lines = group_lines,
                                     .stride_lines = stride_lines,
                                     .lines_max = lines_max,
                                     .tail = tail};
    return MW_OK;
}

void mw_growing_ring_release(struct mw_growing_ring *ring)
{
    free(ring->tail);
    *ring = (struct mw_growing_ring){0};
}

void mw_growing_ring_extend(struct mw_growing_ring *ring, size_t lines, uint64_t *random)
{
    size_t stride = ring->stride_lines;
    for (; ring->lines < lines && ring->lines < ring->lines_max; ring->lines++) {
        size_t line = ring->lines, block = line / ring->group_lines, phase = line % stride, before;
        size_t group = block * stride + phase, in_group = line % ring->group_lines / stride;
        size_t last_phase = phase == 1 ? 0 : phase - 2; /* of the first block: even ones in order, then odd ones */
        void **here = place(ring->base, line * ring->line_bytes);
        if (!line) {
            *here = here;
            ring->tail[0] = 0;
            continue;
        }
        if (!phase) /* the other phases go the same way */
            ring->drawn = mw_random_below(random, in_group ? in_group : block ? block : 1);
        if (in_group)
            before = block * ring->group_lines + ring->drawn * stride + phase;
        else if (block)
            before = ring->tail[ring->drawn * stride + phase];
        else
            before = ring->tail[last_phase];
        void **behind = place(ring->base, before * ring->line_bytes);
        *here = *behind;
        *behind = here;
        if (!in_group || ring->tail[group] == before)
            ring->tail[group] = line;
    }
}
