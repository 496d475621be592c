// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/splits.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder(void)
{
    const char *set = getenv("MEMWALL_DATA");
    return set ? set : "../shared/data";
}

static _Noreturn void give_up(const char *path, const char *why)
{
    fprintf(stderr, "bench-accuracy: %s: %s\n", path, why);
    exit(1);
}

static void append(struct bench_sets *sets, const char *name, bool is_long, const char *path, const char *input)
{
    struct mw_dataset dataset = {0};
    struct mw_error error;
    char where[40];
    const char *wheres[] = {where};
    struct mw_dataset_options options = {.where = wheres, .where_count = input != NULL};
    snprintf(where, sizeof where, "input=%s", input ? input : "");
    sets->items = realloc(sets->items, (sets->count + 1) * sizeof *sets->items);
    if (!sets->items)
        give_up(path, "out of memory");
    struct bench_set *set = &sets->items[sets->count++];
    *set = (struct bench_set){.is_long = is_long};
    snprintf(set->name, sizeof set->name, "%s%s%s", name, input ? "/" : "", input ? input : "");
    if (mw_dataset_read(&dataset, path, &options, &error) || mw_points_from_dataset(&set->points, &dataset, &error))
        give_up(path, error.message);
    size_t kept = 0; /* speedups of one core are 1 by definition */
    for (size_t i = 0; i < set->points.count; i++)
        if (set->points.quantity != MW_SPEEDUP || set->points.items[i].cores > 1)
            set->points.items[kept++] = set->points.items[i];
    set->points.count = kept;
    mw_dataset_release(&dataset);
}

static bool read_usable(struct bench_sets *sets)
{
    char path[512], name[64], input[16], length[16];
    snprintf(path, sizeof path, "%s/parsec-speedup/usable.txt", folder());
    FILE *list = fopen(path, "r");
    while (list && fscanf(list, "%63s %15s %15s", name, input, length) == 3) {
        snprintf(path, sizeof path, "%s/parsec-speedup/%s.csv", folder(), name);
        append(sets, name, !strcmp(length, "long"), path, input);
    }
    if (list)
        fclose(list);
    return list != NULL;
}

static int is_table(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && !strcmp(entry->d_name + n - 4, ".csv");
}

/* Where the machines of the corpora have a boundary: parsec-power and parsec-speedup two sockets; i7 and xeon threads after
   the cores; xu3 and tx2 slower cores after the fast ones. */
static void find_boundary(struct bench_set *set, const char *corpus)
{
    static const struct {
        const char *corpus, *machine;
        unsigned after;
        enum mw_boundary_kind kind;
    } known[] = {{"parsec-power", "", 12, MW_BOUNDARY_SOCKET}, {"parsec-speedup", "", 16, MW_BOUNDARY_SOCKET},
                 {"multicores", "i7", 4, MW_BOUNDARY_SMT},     {"multicores", "xeon", 10, MW_BOUNDARY_SMT},
                 {"multicores", "xu3-d", 4, MW_BOUNDARY_KIND}, {"multicores", "xu3-static-all", 4, MW_BOUNDARY_KIND},
                 {"multicores", "tx2-d", 2, MW_BOUNDARY_KIND}, {"multicores", "tx2-static-all", 2, MW_BOUNDARY_KIND}};
    set->mixed = strstr(set->name, "all_cores") != NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].corpus, corpus) && !strncmp(set->name, known[i].machine, strlen(known[i].machine))) {
            set->boundary = known[i].after;
            set->kind = known[i].kind;
        }
}

bool bench_sets_read(struct bench_sets *sets, const char *corpus)
{
    char path[512], name[64];
    struct dirent **entries;
    *sets = (struct bench_sets){0};
    if (!strcmp(corpus, "parsec-speedup")) {
        bool found = read_usable(sets);
        for (size_t i = 0; i < sets->count; i++)
            find_boundary(&sets->items[i], corpus);
        return found;
    }
    snprintf(path, sizeof path, "%s/%s", folder(), corpus);
    int count = scandir(path, &entries, is_table, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", folder(), corpus, entries[i]->d_name);
        snprintf(name, sizeof name, "%.*s", (int)strlen(entries[i]->d_name) - 4, entries[i]->d_name);
        append(sets, name, false, path, NULL);
        find_boundary(&sets->items[sets->count - 1], corpus);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return count > 0;
}

void bench_sets_release(struct bench_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        mw_points_release(&sets->items[i].points);
    free(sets->items);
    *sets = (struct bench_sets){0};
}

struct mw_points bench_select(const struct mw_points *points, const char *mark, char wanted)
{
    struct mw_points chosen = {.quantity = points->quantity, .items = calloc(points->count + 1, sizeof *points->items)};
    if (!chosen.items)
        give_up("memory", "out of memory");
    for (size_t i = 0; i < points->count; i++)
        if (mark[i] == wanted)
            chosen.items[chosen.count++] = points->items[i];
    return chosen;
}

unsigned long bench_seed(const struct bench_set *set)
{
    unsigned long hash = 2166136261u; /* FNV-1a */
    for (const char *c = set->name; *c; c++)
        hash = ((hash ^ (unsigned char)*c) * 16777619u) & 0xffffffffu;
    return hash;
}
