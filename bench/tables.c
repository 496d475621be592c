// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/tables.h"

#include "data/dataset.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_CORE_COUNTS = 8, LEAST_ENERGIES = 40 };

static const char *folder(void)
{
    const char *set = getenv("MEMWALL_DATA");
    return set ? set : "../shared/data";
}

static _Noreturn void give_up(const char *path, const char *why)
{
    fprintf(stderr, "bench-advice: %s: %s\n", path, why);
    exit(1);
}

static void *need(void *memory)
{
    if (!memory)
        give_up("memory", "out of memory");
    return memory;
}

/* Appends the table of one file; power and energy complete each other. */
static struct bench_table *append(struct bench_tables *tables, const char *name, const char *path,
                                  const struct mw_dataset_options *options)
{
    struct mw_dataset dataset = {0};
    struct mw_points points = {0};
    struct mw_error error;
    if (mw_dataset_read(&dataset, path, options, &error) || mw_points_from_dataset(&points, &dataset, &error))
        give_up(path, error.message);
    tables->items = need(realloc(tables->items, (tables->count + 1) * sizeof *tables->items));
    struct bench_table *t = &tables->items[tables->count++];
    *t = (struct bench_table){.energy_only = options->energy_only, .one_frequency = true};
    snprintf(t->name, sizeof t->name, "%s", name);
    t->cores = need(calloc(points.count + 1, sizeof *t->cores));
    t->freq_hz = need(calloc(points.count + 1, sizeof *t->freq_hz));
    t->time_s = need(calloc(points.count + 1, sizeof *t->time_s));
    t->energy_j = need(calloc(points.count + 1, sizeof *t->energy_j));
    for (size_t i = 0; i < points.count; i++) {
        const struct mw_point *p = &points.items[i];
        double energy = options->energy_only && points.quantity == MW_ENERGY ? p->value : p->energy_j;
        if (energy <= 0)
            continue;
        t->cores[t->count] = p->cores;
        t->freq_hz[t->count] = p->freq_hz;
        t->time_s[t->count] = options->energy_only ? 0 : p->value;
        t->energy_j[t->count++] = energy;
        t->one_frequency = t->one_frequency && p->freq_hz == points.items[0].freq_hz;
    }
    mw_points_release(&points);
    mw_dataset_release(&dataset);
    return t;
}

static void drop_last(struct bench_tables *tables)
{
    struct bench_table *t = &tables->items[--tables->count];
    free(t->cores);
    free(t->freq_hz);
    free(t->time_s);
    free(t->energy_j);
}

static int is_csv(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && !strcmp(entry->d_name + n - 4, ".csv");
}

static bool read_folder(struct bench_tables *tables, const char *name, unsigned boundary, size_t least)
{
    char path[512];
    struct dirent **entries;
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    int count = scandir(path, &entries, is_csv, alphasort);
    for (int i = 0; i < count; i++) {
        char base[64];
        snprintf(path, sizeof path, "%s/%s/%s", folder(), name, entries[i]->d_name);
        snprintf(base, sizeof base, "%.*s", (int)strlen(entries[i]->d_name) - 4, entries[i]->d_name);
        struct bench_table *t = append(tables, base, path, &(struct mw_dataset_options){0});
        t->boundary = boundary;
        if (t->count < least)
            drop_last(tables);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return count > 0;
}

bool bench_read_power(struct bench_tables *tables)
{
    return read_folder(tables, "parsec-power", 12, 1);
}

bool bench_read_multicores(struct bench_tables *tables)
{
    return read_folder(tables, "multicores", 0, LEAST_CORE_COUNTS);
}

bool bench_read_speedup(struct bench_tables *tables, bool long_sets)
{
    char path[512], name[64], input[16], length[16];
    snprintf(path, sizeof path, "%s/parsec-speedup/usable.txt", folder());
    FILE *list = fopen(path, "r");
    while (list && fscanf(list, "%63s %15s %15s", name, input, length) == 3) {
        if (!strcmp(length, "long") != long_sets)
            continue;
        char label[100], where[32];
        const char *wheres[] = {where};
        snprintf(path, sizeof path, "%s/parsec-speedup/%s.csv", folder(), name);
        snprintf(label, sizeof label, "%s/%s", name, input);
        snprintf(where, sizeof where, "input=%s", input);
        struct mw_dataset_options options = {.where = wheres, .where_count = 1, .energy_only = true};
        struct bench_table *t = append(tables, label, path, &options);
        t->boundary = 16;
        if (t->count < LEAST_ENERGIES)
            drop_last(tables);
    }
    if (list)
        fclose(list);
    return list != NULL;
}

void bench_release(struct bench_tables *tables)
{
    while (tables->count)
        drop_last(tables);
    free(tables->items);
    tables->items = NULL;
}
