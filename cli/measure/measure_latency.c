// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "data/units.h"
#include "measure/probe/clock.h"
#include "measure/probe/latency.h"
#include "measure/machine/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROUNDS   3
#define FIRST_SIZE_BYTES 2048
/* past the last level: four times it, and at least this where a machine reports less than it has */
#define LEAST_LAST_BYTES   ((size_t)256 << 20)
#define DEFAULT_LINE_BYTES 64
#define PAGE_BYTES         4096 /* unit of --locality, whatever the pages are: the groups then are the same on all machines */
#define MAX_SIZES          256

struct job {
    struct measure_run *run;
    size_t sizes[MAX_SIZES];
    size_t size_count;
    unsigned chains[MW_CHASE_CHAINS_MAX];
    size_t chain_count;
    size_t line_bytes, stride_bytes, group_bytes;
    double start_s, max_time_s;
    size_t turns_left;
    size_t left_out_bytes; /* the first working set that the time was up before; 0: none */
};

static int by_size(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static size_t line_bytes(const struct mw_topology *t)
{
    for (size_t i = 0; i < t->cache_count; i++)
        if (t->caches[i].level == 1 && !t->caches[i].instruction && t->caches[i].line_bytes)
            return t->caches[i].line_bytes;
    return DEFAULT_LINE_BYTES;
}

static enum mw_err listed_sizes(struct job *job, const char *list, struct mw_error *error)
{
    char *copy = strdup(list), *rest = NULL;
    enum mw_err err = copy ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word && !err; word = strtok_r(NULL, ",", &rest)) {
        size_t size;
        struct mw_error inner;
        if (mw_parse_size(word, &size, &inner))
            err = mw_fail(error, MW_USAGE, "option '--size': %s", inner.message);
        else if (size < MW_CHASE_CHAINS_MAX * job->line_bytes)
            err = mw_fail(error, MW_USAGE, "option '--size': %zu bytes are less than %zu", size,
                          MW_CHASE_CHAINS_MAX * job->line_bytes);
        else if (job->size_count == MAX_SIZES)
            err = mw_fail(error, MW_USAGE, "option '--size': more than %d sizes", MAX_SIZES);
        else
            job->sizes[job->size_count++] = size;
    }
    if (!err && !job->size_count)
        err = mw_fail(error, MW_USAGE, "option '--size': no size given");
    qsort(job->sizes, job->size_count, sizeof *job->sizes, by_size);
    free(copy);
    return err;
}

/* 2 KiB to four times the last level, two sizes an octave: 2, 3, 4, 6, 8, 12 … */
static enum mw_err default_sizes(struct job *job, struct mw_error *error)
{
    enum mw_err err = measure_llc_resolve(job->run, error);
    if (err)
        return err;
    size_t last = 4 * measure_llc_bytes(job->run, job->run->cpus, 1);
    last = last < LEAST_LAST_BYTES ? LEAST_LAST_BYTES : last;
    for (size_t size = FIRST_SIZE_BYTES; job->size_count + 2 < MAX_SIZES; size *= 2) {
        job->sizes[job->size_count++] = size;
        if (size >= last)
            break;
        job->sizes[job->size_count++] = size + size / 2;
        if (size + size / 2 >= last)
            break;
    }
    return MW_OK;
}

/* Sets that half of the memory does not hold are left out and named. */
static enum mw_err fit_memory(struct job *job, struct mw_error *error)
{
    struct mw_memory_limit limit;
    unsigned threads = job->run->cores[job->run->cores_count - 1];
    mw_memory_limit(job->run->cli->common.root, &limit);
    size_t most = limit.size_bytes / 2 / threads, before = job->size_count;
    while (job->size_count && job->sizes[job->size_count - 1] > most)
        job->size_count--;
    if (job->size_count == before)
        return MW_OK;
    if (!job->size_count || job->run->options->sizes) {
        mw_fail(error, MW_NOMEM, "a working set of %zu KiB on each of %u cores is more than half of %s (%zu KiB)",
                job->sizes[before - 1] >> 10, threads, limit.what, limit.size_bytes >> 10);
        return mw_hint(error, "fewer --cores, or smaller sets by --size");
    }
    cli_say(job->run->cli, "working sets above %zu MiB are left out: half of %s holds no more", most >> 20, limit.what);
    return MW_OK;
}

static enum mw_err read_options(struct job *job, struct mw_error *error)
{
    const struct measure_options *o = job->run->options;
    double offered[MW_CHASE_CHAINS_MAX], *values = NULL;
    for (int i = 0; i < MW_CHASE_CHAINS_MAX; i++)
        offered[i] = i + 1;
    job->line_bytes = line_bytes(&job->run->topology);
    enum mw_err err = mw_parse_cores(o->chains, offered, MW_CHASE_CHAINS_MAX, &values, &job->chain_count, error);
    for (size_t i = 0; !err && i < job->chain_count; i++) {
        if (values[i] > MW_CHASE_CHAINS_MAX)
            err = mw_fail(error, MW_USAGE, "option '--chains': %.0f, the valid range is 1 to %d", values[i],
                          MW_CHASE_CHAINS_MAX);
        else
            job->chains[i] = (unsigned)values[i];
    }
    free(values);
    double pages = 0;
    if (!err && strcmp(o->locality, "random") != 0) {
        struct mw_error inner;
        if (mw_parse_number(o->locality, &pages, &inner) || pages < 1 || pages > 1e9 || pages != (double)(size_t)pages)
            err = mw_fail(error, MW_USAGE, "option '--locality': '%s' is neither a number of pages nor random",
                          o->locality);
    }
    job->group_bytes = (size_t)pages * PAGE_BYTES;
    job->stride_bytes = o->stride_bytes < job->line_bytes ? job->line_bytes : o->stride_bytes;
    if (!err && (job->stride_bytes % job->line_bytes || (job->group_bytes && job->group_bytes % job->stride_bytes)))
        err = mw_fail(error, MW_USAGE,
                      "option '--stride': %zu is not a multiple of a line (%zu) that divides a group of "
                      "pages (%zu)",
                      o->stride_bytes, job->line_bytes, job->group_bytes);
    if (!err && o->sizes)
        err = listed_sizes(job, o->sizes, error);
    else if (!err)
        err = default_sizes(job, error);
    return err ? err : fit_memory(job, error);
}

static void print_points(struct job *job, const struct mw_latency_result *result, unsigned cores, double freq_hz,
                         const char *placed)
{
    for (size_t i = 0; i < result->point_count; i++) {
        const struct mw_latency_point *p = &result->points[i];
        bool plausible = p->latency_s >= mw_latency_floor(freq_hz, p->chains);
        if (!p->windows || p->latency_s <= 0) { /* of some thread at least */
            job->left_out_bytes = job->left_out_bytes ? job->left_out_bytes : p->size_bytes;
            continue;
        }
        measure_row(job->run, cores, freq_hz);
        fprintf(job->run->rows, "%zu,%.5g,%zu,%s%s,%u,%zu,%zu,%d,%d\n", p->size_bytes, p->latency_s * 1e9,
                result->placement.page_bytes, job->group_bytes ? "grouped" : "random", placed, p->chains, p->windows,
                p->rejected, plausible && !p->disturbed, p->disturbed);
        job->run->untrusted = job->run->untrusted || !plausible;
        job->run->disturbed = job->run->disturbed || p->disturbed;
    }
}

static struct mw_latency_options latency_options(const struct job *job, const unsigned *cpus, unsigned cores)
{
    const struct measure_options *o = job->run->options;
    return (struct mw_latency_options){
        .cpus = cpus,
        .cpu_count = cores,
        .sizes_bytes = job->sizes,
        .size_count = job->size_count,
        .chains = job->chains,
        .chain_count = job->chain_count,
        .line_bytes = job->line_bytes,
        .stride_bytes = job->stride_bytes,
        .group_bytes = job->group_bytes,
        .node = MW_NODE_FIRST_TOUCH,
        .rounds = o->runs ? o->runs : DEFAULT_ROUNDS,
        .max_time_s = (job->max_time_s - (mw_now_s() - job->start_s)) / (double)job->turns_left,
        .seed = job->run->cli->common.seed,
        .stop = cli_interrupted,
    };
}

/* One measurement, its rows and what its memory really was; placed: where, added to the pattern. */
static enum mw_err run_once(struct job *job, const struct mw_latency_options *options, const char *placed,
                            struct mw_error *error)
{
    struct mw_latency_result result;
    unsigned cores = (unsigned)options->cpu_count;
    enum mw_err err = mw_latency_run(options, &result, error);
    if (err)
        return err;
    job->turns_left -= job->turns_left > 1;
    print_points(job, &result, cores, measure_effective_of(options->cpus, cores), placed);
    char key[80], nodes[400];
    snprintf(key, sizeof key, "placement (%u core%s, %s pages%s)", cores, cores == 1 ? "" : "s",
             options->pages == MW_PAGES_HUGE ? "huge" : "base", placed);
    mw_placement_format(&result.placement, nodes, sizeof nodes);
    err = mw_provenance_add(&job->run->provenance, error, key, "%.0f %% in huge pages, page %zu bytes; %s; %lu rounds",
                            100 * result.placement.huge_share, result.placement.page_bytes, nodes, result.rounds);
    mw_latency_release(&result);
    return err;
}

/* From the first core of a node to memory bound to a node: the largest set alone. */
static enum mw_err run_pair(void *opaque, const struct measure_pair *pair, struct mw_error *error)
{
    struct job *job = opaque;
    char placed[48];
    if (pair->memory_node == MW_NODE_INTERLEAVE)
        return MW_OK; /* one load goes to one node: there is nothing to interleave */
    snprintf(placed, sizeof placed, "-cpu%u-mem%d", pair->cpu_node, pair->memory_node);
    struct mw_latency_options options = latency_options(job, pair->cpus, 1);
    options.pages = strcmp(job->run->options->pages, "4k") ? MW_PAGES_HUGE : MW_PAGES_BASE;
    options.sizes_bytes = &job->sizes[job->size_count - 1];
    options.size_count = 1;
    options.node = pair->memory_node;
    size_t free_bytes = mw_memory_node_free("", (unsigned)pair->memory_node);
    if (options.sizes_bytes[0] > free_bytes / 2) {
        cli_say(job->run->cli, "node %d is left out: it has %zu MiB free", pair->memory_node, free_bytes >> 20);
        return MW_OK;
    }
    return run_once(job, &options, placed, error);
}

static enum mw_err add_rules(struct job *job, struct mw_error *error)
{
    struct mw_provenance *p = &job->run->provenance;
    enum mw_err err;
    if (job->group_bytes)
        err = mw_provenance_add(p, error, "pattern",
                                "grouped: lines of %zu bytes in random order within groups of %zu "
                                "bytes (%zu pages of 4 KiB), groups in random order, in one ring; lines less than %zu "
                                "bytes apart in different visits",
                                job->line_bytes, job->group_bytes, job->group_bytes / PAGE_BYTES, job->stride_bytes);
    else
        err = mw_provenance_add(p, error, "pattern", "random: all lines of %zu bytes in random order, one ring",
                                job->line_bytes);
    if (!err)
        err = mw_provenance_add(p, error, "timing_rule",
                                "windows of about 1 ms; those with a context switch rejected; "
                                "least time of each place of the ring, mean over the places");
    if (!err)
        err = mw_provenance_add(p, error, "seed", "%lu", job->run->cli->common.seed);
    if (!err)
        err = mw_provenance_add(p, error, "validation",
                                "a load takes %d cycles at least, valid 0 and exit status 5 below; "
                                "the last address of each walk is used",
                                3);
    return err;
}

/* --dry-run: sets, memory and the longest time, nothing is touched. */
static void print_plan(const struct job *job)
{
    const struct measure_run *run = job->run;
    size_t largest = job->sizes[job->size_count - 1];
    unsigned most = run->cores[run->cores_count - 1];
    printf("%zu working sets of %zu to %zu KiB on up to %u core%s, %zu MiB in all, %zu numbers of chains\n",
           job->size_count, job->sizes[0] >> 10, largest >> 10, most, most == 1 ? "" : "s", (largest * most) >> 20,
           job->chain_count);
    if (measure_pair_count(run))
        printf("%zu pairs of cores and memory\n", measure_pair_count(run) - 1);
    printf(isfinite(job->max_time_s) ? "about %.0f s\n" : "as long as the rounds take\n", job->max_time_s);
}

static enum mw_err run_latency(struct measure_run *run, struct mw_error *error)
{
    struct job job = {.run = run, .start_s = mw_now_s(), .max_time_s = measure_max_time_s(run)};
    const char *pages = run->options->pages;
    enum mw_err err = read_options(&job, error);
    job.turns_left = run->cores_count * (strcmp(pages, "both") ? 1 : 2) + measure_pair_count(run);
    if (!err && run->cli->common.dry_run) {
        print_plan(&job);
        return MW_OK;
    }
    size_t done = 0, total = job.turns_left;
    for (size_t k = 0; k < run->cores_count && !err; k++) {
        for (int p = 0; p < 2 && !err; p++) {
            if (strcmp(pages, "both") && strcmp(pages, p == MW_PAGES_HUGE ? "huge" : "4k"))
                continue;
            cli_progress(run->cli, done++, total, "%u cores", run->cores[k]);
            struct mw_latency_options options = latency_options(&job, run->cpus, run->cores[k]);
            options.pages = (enum mw_pages)p;
            err = run_once(&job, &options, "", error);
        }
    }
    if (!err)
        err = measure_pairs(run, run_pair, &job, error);
    if (!err && job.left_out_bytes)
        cli_warn(run->cli, "the time was up: working sets from %zu KiB on are left out; a longer --max-time has them",
                 job.left_out_bytes >> 10);
    if (!err)
        err = add_rules(&job, error);
    return err;
}

static const char *const takes[] = {"pages", "chains", "locality", "stride", "size", "llc", "numa", NULL};

const struct measure_probe measure_latency = {
    .name = "latency",
    .summary = "time of a dependent load over the working set",
    .columns = "working_set_bytes,latency_ns,page_bytes,pattern,chains,windows,rejected,valid,disturbed",
    .takes = takes,
    .run = run_latency,
};
