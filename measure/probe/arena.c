// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/arena.h"

#include "measure/machine/sysfile.h"

#include <errno.h>
#include <inttypes.h>
#include <numaif.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* no page is smaller on any Linux; the address is aligned to this where transparent huge pages don't exist */
#define LEAST_ALIGNMENT ((size_t)2 << 20)
/* Arm with 64 KiB pages has huge pages of 512 MiB: aligning small arenas to that would waste address space */
#define MOST_ALIGNMENT ((size_t)1 << 30)
#define SAMPLED_PAGES  1024

size_t mw_page_bytes(void)
{
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 4096;
}

size_t mw_huge_page_bytes(void)
{
    double size;
    char enabled[80];
    if (mw_sysfile_text("", enabled, sizeof enabled, "/sys/kernel/mm/transparent_hugepage/enabled") ||
        strstr(enabled, "[never]") ||
        mw_sysfile_number("", &size, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"))
        return 0;
    return (size_t)size;
}

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Pages of the default hugetlb pool, where enough are free; they are reserved at once, so that a touch can't fail. */
static void *map_hugetlb(size_t *map_bytes)
{
    size_t page, pages_free = 0;
    char text[16384];
    if (mw_sysfile_kb("", "/proc/meminfo", "Hugepagesize", &page) || !page ||
        mw_sysfile_text("", text, sizeof text, "/proc/meminfo"))
        return MAP_FAILED;
    const char *line = strstr(text, "HugePages_Free:");
    pages_free = line ? strtoul(line + strlen("HugePages_Free:"), NULL, 10) : 0;
    size_t bytes = round_up(*map_bytes, page);
    if (pages_free * page < bytes)
        return MAP_FAILED;
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (map != MAP_FAILED)
        *map_bytes = bytes;
    return map;
}

static enum mw_err bind(const struct mw_arena *arena, int node, struct mw_error *error)
{
    if (node == MW_NODE_FIRST_TOUCH)
        return MW_OK;
    unsigned long mask[MW_NODES_MAX / (8 * sizeof(unsigned long))] = {0};
    const unsigned bits = 8 * sizeof *mask;
    if (node >= 0 && node < MW_NODES_MAX)
        mask[(unsigned)node / bits] = 1ul << ((unsigned)node % bits);
    else if (get_mempolicy(NULL, mask, MW_NODES_MAX, NULL, MPOL_F_MEMS_ALLOWED))
        return mw_fail_errno(error, MW_RUN, errno, "cannot read the allowed memory nodes");
    if (mbind(arena->data, arena->size_bytes, node >= 0 ? MPOL_BIND : MPOL_INTERLEAVE, mask, MW_NODES_MAX,
              MPOL_MF_STRICT))
        return node >= 0 ? mw_fail_errno(error, MW_RUN, errno, "cannot bind memory to node %d", node)
                         : mw_fail_errno(error, MW_RUN, errno, "cannot interleave memory over the nodes");
    return MW_OK;
}

enum mw_err mw_arena_open(struct mw_arena *arena, size_t size_bytes, enum mw_pages pages, int node,
                          struct mw_error *error)
{
    struct mw_arena a = {.size_bytes = round_up(size_bytes, mw_page_bytes())};
    size_t align = mw_huge_page_bytes();
    align = align < LEAST_ALIGNMENT || align > MOST_ALIGNMENT ? LEAST_ALIGNMENT : align;
    if (a.size_bytes < size_bytes || a.size_bytes > SIZE_MAX - 2 * align)
        return mw_fail(error, MW_NOMEM, "cannot reserve %zu bytes of memory", size_bytes);
    a.map = MAP_FAILED;
    a.map_bytes = a.size_bytes;
    /* a page of a bound node may be missing in the pool: only memory that may lie anywhere comes from it */
    if (pages == MW_PAGES_HUGE && node == MW_NODE_FIRST_TOUCH)
        a.map = map_hugetlb(&a.map_bytes);
    a.hugetlb = a.map != MAP_FAILED;
    if (!a.hugetlb) {
        a.map_bytes = round_up(a.size_bytes, align) + align + mw_page_bytes();
        a.map = mmap(NULL, a.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    if (a.map == MAP_FAILED)
        return mw_fail_errno(error, MW_NOMEM, errno, "cannot reserve %zu MiB of memory", a.size_bytes >> 20);
    a.data = a.hugetlb ? a.map : (void *)round_up((uintptr_t)a.map, align);
    int failed = 0;
    if (!a.hugetlb) {
        /* a page without access behind it keeps the kernel from joining two arenas into one mapping */
        char *end = (char *)a.map + a.map_bytes - mw_page_bytes();
        failed = mprotect(end, mw_page_bytes(), PROT_NONE);
        /* where the kernel has no transparent huge pages there is nothing to advise */
        if (madvise(a.data, round_up(a.size_bytes, align), pages == MW_PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) &&
            errno != EINVAL)
            failed = -1;
    }
    enum mw_err err =
        failed ? mw_fail_errno(error, MW_RUN, errno, "cannot set the kind of pages") : bind(&a, node, error);
    if (err)
        mw_arena_close(&a);
    else
        *arena = a;
    return err;
}

void mw_arena_close(struct mw_arena *arena)
{
    if (arena->map && arena->map != MAP_FAILED)
        munmap(arena->map, arena->map_bytes);
    *arena = (struct mw_arena){0};
}

/* Resident and huge kB and the page size of the mappings that hold the arena. */
static bool read_smaps(const struct mw_arena *arena, double *resident_kb, double *huge_kb, size_t *kernel_page)
{
    FILE *f = fopen("/proc/self/smaps", "re");
    uintptr_t from = (uintptr_t)arena->data, to = from + arena->size_bytes;
    bool inside = false;
    char line[512];
    *resident_kb = *huge_kb = 0;
    *kernel_page = 0;
    while (f && fgets(line, sizeof line, f)) {
        uintptr_t start, end;
        double kb;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2)
            inside = start < to && end > from;
        else if (inside && sscanf(line, "Rss: %lf kB", &kb) == 1)
            *resident_kb += kb;
        else if (inside &&
                 (sscanf(line, "AnonHugePages: %lf kB", &kb) == 1 || sscanf(line, "Private_Hugetlb: %lf kB", &kb) == 1))
            *huge_kb += kb;
        else if (inside && sscanf(line, "KernelPageSize: %lf kB", &kb) == 1 && (size_t)kb * 1024 > *kernel_page)
            *kernel_page = (size_t)kb * 1024;
    }
    if (f)
        fclose(f);
    return f != NULL;
}

/* Pages on each node by /proc/self/numa_maps, of the mappings that begin within the arena's. */
static bool read_numa_maps(const struct mw_arena *arena, size_t *on_node)
{
    FILE *f = fopen("/proc/self/numa_maps", "re");
    uintptr_t from = (uintptr_t)arena->map, to = from + arena->map_bytes;
    bool found = false;
    char line[4096];
    while (f && fgets(line, sizeof line, f)) {
        uintptr_t start;
        if (sscanf(line, "%" SCNxPTR " ", &start) != 1 || start < from || start >= to)
            continue;
        for (const char *word = strchr(line, ' '); word; word = strchr(word + 1, ' ')) {
            unsigned node;
            size_t pages;
            if (sscanf(word, " N%u=%zu", &node, &pages) == 2 && node < MW_NODES_MAX) {
                on_node[node] += pages;
                found = true;
            }
        }
    }
    if (f)
        fclose(f);
    return found;
}

enum mw_err mw_arena_inspect(const struct mw_arena *arena, struct mw_placement *placement, struct mw_error *error)
{
    double resident_kb, huge_kb;
    size_t kernel_page, base = mw_page_bytes(), pages = arena->size_bytes / base;
    size_t count = pages < SAMPLED_PAGES ? pages : SAMPLED_PAGES;
    struct mw_placement found = {.page_bytes = base, .sampled = count};
    if (!read_smaps(arena, &resident_kb, &huge_kb, &kernel_page))
        return mw_fail(error, MW_RUN, "cannot read /proc/self/smaps");
    if (arena->hugetlb) {
        found.huge_share = 1;
        found.page_bytes = kernel_page;
    } else if (resident_kb > 0) {
        found.huge_share = huge_kb < resident_kb ? huge_kb / resident_kb : 1;
        if (found.huge_share >= .5)
            found.page_bytes = mw_huge_page_bytes();
    }
    void **addresses = calloc(count + 1, sizeof *addresses);
    int *status = calloc(count + 1, sizeof *status);
    for (size_t i = 0; addresses && status && i < count; i++)
        addresses[i] = (char *)arena->data + i * pages / count * base;
    size_t known = 0;
    if (addresses && status && !move_pages(0, count, addresses, NULL, status, 0))
        for (size_t i = 0; i < count; i++)
            if (status[i] >= 0 && status[i] < MW_NODES_MAX) {
                found.on_node[status[i]]++;
                known++;
            }
    /* kernels that balance NUMA take a page's protection away to see who uses it, and don't tell where it is meanwhile */
    size_t by_maps[MW_NODES_MAX] = {0};
    if (known < count && read_numa_maps(arena, by_maps))
        memcpy(found.on_node, by_maps, sizeof by_maps);
    free(addresses);
    free(status);
    *placement = found;
    return MW_OK;
}

void mw_placement_format(const struct mw_placement *placement, char *text, size_t size)
{
    size_t known = 0, used = 0;
    for (size_t n = 0; n < MW_NODES_MAX; n++)
        known += placement->on_node[n];
    snprintf(text, size, "unknown");
    for (size_t n = 0; n < MW_NODES_MAX && used < size; n++)
        if (placement->on_node[n])
            used += (size_t)snprintf(text + used, size - used, "%snode %zu: %.0f %%", used ? ", " : "", n,
                                     100. * (double)placement->on_node[n] / (double)known);
}
