// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_ARENA_H
#define MW_MEASURE_ARENA_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Memory to measure on: private anonymous pages, zero until touched, aligned to a huge page. Nothing global is
 * changed: huge pages come from free ones of the hugetlb pool or by madvise, and what came is read back (mw_arena_inspect).
 */
enum mw_pages {
    MW_PAGES_HUGE, /* huge pages where they can be had */
    MW_PAGES_BASE, /* the smallest pages, MADV_NOHUGEPAGE */
};

#define MW_NODE_FIRST_TOUCH (-1) /* on the node of the thread that touches a page first */
#define MW_NODE_INTERLEAVE  (-2) /* page by page over all nodes that may be used */

struct mw_arena {
    void *data;
    size_t size_bytes;
    void *map;
    size_t map_bytes;
    bool hugetlb;
};

/* node: a kernel's number, or one of the above. MW_NOMEM where the pages can't be reserved, MW_RUN where not bound. */
enum mw_err mw_arena_open(struct mw_arena *arena, size_t size_bytes, enum mw_pages pages, int node,
                          struct mw_error *error) MW_CHECKED;
void mw_arena_close(struct mw_arena *arena);

/* CONFIG_NODES_SHIFT is at most 10 */
#define MW_NODES_MAX 1024

/* What the kernel says of pages that have been touched. */
struct mw_placement {
    size_t page_bytes;            /* of most of the memory */
    double huge_share;            /* of the touched memory, 0 … 1 */
    size_t sampled;               /* pages asked for, spread evenly */
    size_t on_node[MW_NODES_MAX]; /* of those, by the kernel's number; all 0 where the kernel can't tell */
};
enum mw_err mw_arena_inspect(const struct mw_arena *arena, struct mw_placement *placement,
                             struct mw_error *error) MW_CHECKED;
/* "node 0: 100 %"; "node 0: 50 %, node 1: 50 %"; "unknown". */
void mw_placement_format(const struct mw_placement *placement, char *text, size_t size);

size_t mw_page_bytes(void);      /* base page */
size_t mw_huge_page_bytes(void); /* of transparent huge pages; 0 where there are none */

#endif
