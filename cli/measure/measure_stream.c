// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "measure/probe/clock.h"
#include "measure/machine/limits.h"
#include "measure/probe/stream.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RUNS 10 /* as STREAM */
/* how many cores reach this share of the best rate is where the memory is saturated */
#define SATURATED    .95
#define MAX_VARIANTS (4 * MW_OP_COUNT)
#define HALF_RUNS    3

/* Best rates by variant and core count, for the saturation point. */
struct curve {
    double best_bps[MAX_VARIANTS];
    unsigned cores[MAX_VARIANTS];
    double *bps; /* core counts x MAX_VARIANTS */
};

struct job {
    struct measure_run *run;
    struct mw_stream_variant variants[MAX_VARIANTS];
    size_t variant_count;
    size_t llc_bytes, array_bytes;
    double start_s, max_time_s;
    size_t pairs_left;
    struct mw_arena arenas[2]; /* kept from one core count to the next where there is one node */
    struct curve curve;
    struct mw_pace *pace; /* by core count */
};

/* All kernels, with -nt where there are such stores, then both on base pages, non-temporal ones only on huge pages. */
static void all_variants(struct job *job)
{
    for (unsigned k = 0; k < 3; k++)
        for (unsigned op = 0; op < MW_OP_COUNT; op++) {
            struct mw_stream_variant v = {op, k == 1, k == 2 ? MW_PAGES_BASE : MW_PAGES_HUGE};
            if (mw_stream_exists(&v, mw_stream_isas))
                job->variants[job->variant_count++] = v;
        }
}

static enum mw_err listed_variants(struct job *job, const char *list, struct mw_error *error)
{
    char *copy = strdup(list), *rest = NULL;
    enum mw_err err = copy ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (char *name = copy ? strtok_r(copy, ",", &rest) : NULL; name && !err; name = strtok_r(NULL, ",", &rest)) {
        if (job->variant_count == MAX_VARIANTS)
            err = mw_fail(error, MW_USAGE, "option '--kernel': more kernels than there are");
        else
            err = mw_stream_parse(name, &job->variants[job->variant_count++], error);
    }
    if (!err && !job->variant_count)
        err = mw_fail(error, MW_USAGE, "option '--kernel': no kernel named");
    free(copy);
    return err;
}

static struct mw_stream_options stream_options(struct job *job, const unsigned *cpus, size_t count, int node)
{
    return (struct mw_stream_options){
        .cpus = cpus,
        .cpu_count = count,
        .array_bytes = job->array_bytes,
        .variants = job->variants,
        .variant_count = job->variant_count,
        .runs = job->run->options->runs ? job->run->options->runs : DEFAULT_RUNS,
        .node = node,
        .isas = mw_stream_isas,
        .stop = cli_interrupted,
        .arenas = job->run->topology.node_count == 1 && node == MW_NODE_FIRST_TOUCH ? job->arenas : NULL,
    };
}

/* Array size by the STREAM rule; what is asked for may only be more. */
static void choose_size(struct job *job, const unsigned *cpus, size_t count)
{
    size_t asked = job->run->options->array_bytes;
    job->llc_bytes = measure_llc_bytes(job->run, cpus, count);
    job->array_bytes = mw_stream_least_array(job->llc_bytes);
    job->array_bytes = asked > job->array_bytes ? asked : job->array_bytes;
}

static void say_enlarged(const struct job *job)
{
    size_t asked = job->run->options->array_bytes;
    if (asked && asked < job->array_bytes)
        cli_say(job->run->cli, "arrays of %zu bytes are enlarged to %zu: 4 times the last-level caches in use", asked,
                job->array_bytes);
}

/* Half of what may be taken is the most: the rest of the machine goes on, and nothing is swapped or killed. */
static enum mw_err check_memory(struct job *job, size_t count, struct mw_error *error)
{
    struct mw_memory_limit limit;
    mw_memory_limit(job->run->cli->common.root, &limit);
    struct mw_stream_options o = stream_options(job, job->run->cpus, count, MW_NODE_FIRST_TOUCH);
    size_t need = mw_stream_memory(&o);
    if (o.arenas) /* what is held already is not among what may be taken */
        limit.size_bytes += o.arenas[0].size_bytes + o.arenas[1].size_bytes;
    if (need <= limit.size_bytes / 2)
        return MW_OK;
    mw_fail(error, MW_UNSUPPORTED,
            "arrays of %zu MiB (4 times the last-level caches) need %zu MiB, but half of %s is %zu MiB",
            job->array_bytes >> 20, need >> 20, limit.what, limit.size_bytes >> 21);
    return mw_hint(error, "--llc SIZE if the caches are smaller than reported (virtual machines), or fewer --cores");
}

/* Without the memory for both sets of pages the base pages are left out, and it is said. */
static enum mw_err fit_memory(struct job *job, size_t count, struct mw_error *error)
{
    enum mw_err err = check_memory(job, count, error);
    if (!err || job->run->options->kernels)
        return err;
    size_t kept = 0, before = job->variant_count;
    for (size_t i = 0; i < before; i++)
        if (job->variants[i].pages == MW_PAGES_HUGE)
            job->variants[kept++] = job->variants[i];
    job->variant_count = kept;
    if (kept == before)
        return err;
    err = check_memory(job, count, error);
    if (!err)
        cli_say(job->run->cli, "the -4k kernels are left out: there is no memory for two sets of arrays");
    return err;
}

static void print_rows(struct job *job, const struct mw_stream_result *result, unsigned cores, double freq_hz,
                       const char *placed)
{
    for (size_t i = 0; i < result->row_count; i++) {
        const struct mw_stream_row *r = &result->rows[i];
        char name[64];
        mw_stream_name(&r->variant, name, sizeof name);
        double rate_bps = (double)r->bytes / r->min_s;
        measure_row(job->run, cores, freq_hz);
        fprintf(job->run->rows, "%s%s,%zu,%.1f," MEASURE_CELL "," MEASURE_CELL "," MEASURE_CELL ",%d,%zu,%s,%lu,%lu",
                name, placed, result->elements * sizeof(double), rate_bps * 1e-6, r->avg_s, r->min_s, r->max_s,
                r->valid, result->placement[r->variant.pages].page_bytes, r->isa, r->runs, r->disturbed);
        measure_peak_cells(job->run, rate_bps, 0, true);
        job->run->untrusted = job->run->untrusted || !r->valid;
        job->run->disturbed = job->run->disturbed || r->all_disturbed;
    }
}

/* What the pages really are and where, read back after the touch. */
static enum mw_err add_placement(struct job *job, const struct mw_stream_result *result, const char *what,
                                 struct mw_error *error)
{
    enum mw_err err = MW_OK;
    for (int p = 0; p < 2 && !err; p++) {
        const struct mw_placement *placed = &result->placement[p];
        char key[80], nodes[400];
        if (!placed->sampled)
            continue;
        snprintf(key, sizeof key, "placement (%s, %s pages)", what, p == MW_PAGES_HUGE ? "huge" : "base");
        mw_placement_format(placed, nodes, sizeof nodes);
        err = mw_provenance_add(&job->run->provenance, error, key, "%.0f %% in huge pages, page %zu bytes; %s",
                                100 * placed->huge_share, placed->page_bytes, nodes);
    }
    return err;
}

/* One run on the given CPUs, with the time that it may take. */
static enum mw_err run_once(struct job *job, const unsigned *cpus, unsigned cores, int node, double share_s,
                            const char *what, const char *placed, struct mw_stream_result *result,
                            struct mw_error *error)
{
    struct mw_stream_options o = stream_options(job, cpus, cores, node);
    o.max_time_s = share_s;
    enum mw_err err = mw_stream_run(&o, result, error);
    if (err)
        return err;
    print_rows(job, result, cores, measure_effective_of(cpus, cores), placed);
    return add_placement(job, result, what, error);
}

static double undisturbed_bps(const struct mw_stream_row *row)
{
    return row->all_disturbed ? 0 : (double)row->bytes / row->min_s;
}

/* The first kernel once more on half the arrays. */
static enum mw_err confirm_size(struct job *job, unsigned cores, const struct mw_stream_row *whole, double until_s,
                                struct mw_error *error)
{
    struct mw_stream_options o = stream_options(job, job->run->cpus, cores, MW_NODE_FIRST_TOUCH);
    struct mw_stream_result half;
    char name[64];
    o.array_bytes = job->array_bytes / 2;
    o.variants = &whole->variant;
    o.variant_count = 1;
    o.runs = HALF_RUNS;
    o.max_time_s = fmin(HALF_RUNS * whole->avg_s, until_s - mw_now_s());
    mw_stream_name(&whole->variant, name, sizeof name);
    if (mw_now_s() >= until_s && whole->runs <= MW_STREAM_LEAST_RUNS) /* the time was up for what matters more */
        return measure_size_check(job->run, cores, name, undisturbed_bps(whole), 0, error);
    enum mw_err err = mw_stream_run(&o, &half, error);
    if (err)
        return err;
    err = measure_size_check(job->run, cores, name, undisturbed_bps(whole), undisturbed_bps(&half.rows[0]), error);
    mw_stream_release(&half);
    return err;
}

/* Seconds that these variants take at least on the first `counts` core counts. */
static double least_time(const struct job *job, const struct mw_stream_variant *variants, size_t variant_count,
                         size_t counts)
{
    const struct measure_run *run = job->run;
    double least_s = 0;
    size_t held = 0;
    for (size_t k = 0; k < counts; k++) {
        struct job at = *job;
        choose_size(&at, run->cpus, run->cores[k]);
        struct mw_stream_options o = stream_options(&at, run->cpus, run->cores[k], MW_NODE_FIRST_TOUCH);
        o.variants = variants;
        o.variant_count = variant_count;
        size_t need = mw_stream_memory(&o), fresh = need > held ? need : 0;
        least_s += (double)fresh / job->pace[k].touch_bps + mw_stream_least_moved(&o) / job->pace[k].fill_bps;
        held = o.arenas && fresh ? need : held;
    }
    return least_s;
}

/* Before the first touch: whether the time can be held, and which kernels could. */
static void say_least(struct job *job)
{
    const struct measure_run *run = job->run;
    struct mw_stream_variant few[2];
    size_t count = 0, all = run->cores_count;
    char fits[96] = "", name[64];
    if (isinf(job->max_time_s))
        return;
    for (size_t k = 0; k < all; k++)
        job->pace[k] = measure_pace(run->cpus, run->cores[k], 3 * job->array_bytes);
    for (size_t v = 0; v < job->variant_count && count < 2; v++)
        if (job->variants[v].op == MW_OP_COPY || job->variants[v].op == MW_OP_TRIAD)
            few[count++] = job->variants[v];
    for (size_t n = count; n && !*fits; n--)
        for (size_t counts = all; counts && !*fits; counts = counts > 1 ? 1 : 0)
            if (measure_fits(run, least_time(job, few, n, counts))) {
                if (counts < all)
                    snprintf(fits, sizeof fits, "--cores %u ", run->cores[0]);
                strcat(fits, "--kernel ");
                for (size_t v = 0; v < n; v++) {
                    mw_stream_name(&few[v], name, sizeof name);
                    snprintf(fits + strlen(fits), sizeof fits - strlen(fits), "%s%s", v ? "," : "", name);
                }
            }
    measure_say_least(job->run, least_time(job, job->variants, job->variant_count, all), *fits ? fits : NULL);
}

static enum mw_err run_cores(struct job *job, size_t at, size_t turns_left, struct mw_error *error)
{
    struct measure_run *run = job->run;
    unsigned cores = run->cores[at];
    char what[32];
    snprintf(what, sizeof what, "%u core%s", cores, cores == 1 ? "" : "s");
    choose_size(job, run->cpus, cores);
    say_enlarged(job);
    enum mw_err err = fit_memory(job, cores, error);
    if (err)
        return err;
    if (!at)
        say_least(job);
    struct mw_stream_result result;
    double now_s = mw_now_s(), share_s = (job->max_time_s - (now_s - job->start_s)) / (double)turns_left;
    cli_progress(run->cli, at, run->cores_count, "%s", what);
    err = run_once(job, run->cpus, cores, MW_NODE_FIRST_TOUCH, share_s, what, "", &result, error);
    if (err)
        return err;
    for (size_t v = 0; v < result.row_count; v++) {
        double bps = (double)result.rows[v].bytes / result.rows[v].min_s;
        job->curve.bps[at * MAX_VARIANTS + v] = bps;
        if (bps > job->curve.best_bps[v]) {
            job->curve.best_bps[v] = bps;
            job->curve.cores[v] = cores;
        }
    }
    err = confirm_size(job, cores, &result.rows[0], now_s + share_s, error);
    mw_stream_release(&result);
    return err;
}

/* The matrix takes three kernels: with all of them it would take nodes x nodes as long as a core count. */
static bool in_matrix(const struct mw_stream_variant *v)
{
    return v->pages == MW_PAGES_HUGE && !v->nt && (v->op == MW_OP_COPY || v->op == MW_OP_TRIAD || v->op == MW_OP_READ);
}

static enum mw_err run_pair(void *opaque, const struct measure_pair *pair, struct mw_error *error)
{
    struct job *whole = opaque, job = *whole;
    char what[80], placed[48];
    bool interleaved = pair->memory_node == MW_NODE_INTERLEAVE;
    snprintf(placed, sizeof placed, interleaved ? "-interleaved" : "-cpu%u-mem%d", pair->cpu_node, pair->memory_node);
    snprintf(what, sizeof what, "%zu core%s%s", pair->cpu_count, pair->cpu_count == 1 ? "" : "s", placed);
    job.variant_count = 0;
    for (size_t i = 0; i < whole->variant_count; i++)
        if (in_matrix(&whole->variants[i]))
            job.variants[job.variant_count++] = whole->variants[i];
    choose_size(&job, pair->cpus, pair->cpu_count);
    say_enlarged(&job);
    enum mw_err err = check_memory(&job, pair->cpu_count, error);
    struct mw_stream_options o = stream_options(&job, pair->cpus, pair->cpu_count, pair->memory_node);
    size_t free_bytes = interleaved ? SIZE_MAX : mw_memory_node_free("", (unsigned)pair->memory_node);
    if (!job.variant_count || err)
        return err;
    if (mw_stream_memory(&o) > free_bytes / 2) {
        cli_say(job.run->cli, "node %d is left out: it has %zu MiB free", pair->memory_node, free_bytes >> 20);
        return MW_OK;
    }
    struct mw_stream_result result;
    double share_s = (job.max_time_s - (mw_now_s() - job.start_s)) / (double)whole->pairs_left;
    whole->pairs_left -= whole->pairs_left > 1;
    err =
        run_once(&job, pair->cpus, (unsigned)pair->cpu_count, pair->memory_node, share_s, what, placed, &result, error);
    if (!err)
        mw_stream_release(&result);
    return err;
}

/* For each kernel the fewest cores that reach 95 % of its best. */
static enum mw_err add_saturation(struct job *job, struct mw_error *error)
{
    char text[1600] = "";
    for (size_t v = 0; v < job->variant_count; v++) {
        unsigned cores = 0;
        for (size_t k = 0; k < job->run->cores_count && !cores; k++)
            if (job->curve.bps[k * MAX_VARIANTS + v] >= SATURATED * job->curve.best_bps[v])
                cores = job->run->cores[k];
        char name[64];
        mw_stream_name(&job->variants[v], name, sizeof name);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %u", v ? ", " : "", name, cores);
    }
    return mw_provenance_add(&job->run->provenance, error, "saturation",
                             "fewest of the measured core counts that reach %.0f %% of the best: %s", 100 * SATURATED,
                             text);
}

/* Whether cores or memory bind each kernel, by its growth to the largest of the measured core counts. */
static enum mw_err add_bound(struct job *job, struct mw_error *error)
{
    static const char *const words[] = {"the cores", "the memory", "both"};
    size_t last = job->run->cores_count - 1, used = 0;
    char text[1600] = "";
    if (!last)
        return MW_OK;
    unsigned from = job->run->cores[last - 1], to = job->run->cores[last];
    for (size_t v = 0; v < job->variant_count; v++) {
        double from_bps = job->curve.bps[(last - 1) * MAX_VARIANTS + v],
               to_bps = job->curve.bps[last * MAX_VARIANTS + v];
        char name[64];
        mw_stream_name(&job->variants[v], name, sizeof name);
        if (from_bps > 0 && to_bps > 0 && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "", name,
                                     words[mw_bw_bound(from, from_bps, to, to_bps)]);
    }
    return used ? mw_provenance_add(&job->run->provenance, error, "bound_by", "from %u to %u cores: %s", from, to, text)
                : MW_OK;
}

static enum mw_err add_rules(struct job *job, struct mw_error *error)
{
    struct mw_provenance *p = &job->run->provenance;
    char text[400] = "";
    for (unsigned op = 0; op < MW_OP_COUNT; op++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s (%s) %u", op ? ", " : "", mw_op_infos[op].name,
                 mw_op_infos[op].formula, mw_op_infos[op].bytes);
    enum mw_err err = mw_provenance_add(
        p, error, "working_set", "3 arrays of %zu bytes against last-level caches of %zu bytes (%s)", job->array_bytes,
        job->llc_bytes, job->run->options->llc_bytes ? "given by --llc" : "of the cores in use");
    if (!err)
        err = mw_provenance_add(p, error, "bytes_per_element", "%s; loads and stores of the program, no write-allocate",
                                text);
    if (!err)
        err = mw_provenance_add(p, error, "loop_bounds",
                                "all elements of each array (array_bytes / 8), the same number "
                                "as in the rate; parts of whole 512-byte blocks, one a thread");
    if (!err)
        err =
            mw_provenance_add(p, error, "timing_rule",
                              "CLOCK_MONOTONIC, latest end less earliest start of the threads "
                              "after a barrier; first repetition left out; repetitions of all kernels alternate; best "
                              "= bytes / (min_s x 10^6); repetitions with a context switch of a thread are set aside");
    if (!err)
        err = mw_provenance_add(p, error, "threads",
                                "one a physical core, bound, the mask read back; each touches its "
                                "own part first");
    if (!err)
        err = mw_provenance_add(p, error, "validation",
                                "every element equal to a scalar replay after the last repetition "
                                "and an eighth of them after the first of each kernel, sums of read and dot each time; "
                                "a NaN equals nothing; a fault gives "
                                "valid 0 and exit status 5");
    return err;
}

/* --dry-run: sizes, memory and the longest time, nothing is touched. */
static enum mw_err print_plan(struct job *job, struct mw_error *error)
{
    struct measure_run *run = job->run;
    enum mw_err err = MW_OK;
    for (size_t k = 0; k < run->cores_count && !err; k++) {
        choose_size(job, run->cpus, run->cores[k]);
        say_enlarged(job);
        err = fit_memory(job, run->cores[k], error);
        struct mw_stream_options o = stream_options(job, run->cpus, run->cores[k], MW_NODE_FIRST_TOUCH);
        if (!err)
            printf("%u core%s: %zu kernels on 3 arrays of %zu MiB, %zu MiB in all, up to %lu repetitions\n",
                   run->cores[k], run->cores[k] == 1 ? "" : "s", job->variant_count, job->array_bytes >> 20,
                   mw_stream_memory(&o) >> 20, o.runs);
    }
    size_t pairs = measure_pair_count(run);
    if (!err && pairs)
        printf("%zu pairs of cores and memory\n", pairs);
    if (!err)
        printf(isfinite(job->max_time_s) ? "about %.0f s\n" : "as long as the repetitions take\n", job->max_time_s);
    return err;
}

static enum mw_err run_stream(struct measure_run *run, struct mw_error *error)
{
    struct job job = {.run = run, .start_s = mw_now_s(), .max_time_s = measure_max_time_s(run)};
    enum mw_err err = MW_OK;
    if (run->options->kernels)
        err = listed_variants(&job, run->options->kernels, error);
    else
        all_variants(&job);
    if (!err)
        err = measure_llc_resolve(run, error);
    if (run->cli->common.dry_run)
        return err ? err : print_plan(&job, error);
    size_t pairs = job.pairs_left = measure_pair_count(run);
    job.curve.bps = calloc(run->cores_count * MAX_VARIANTS + 1, sizeof(double));
    job.pace = calloc(run->cores_count + 1, sizeof *job.pace);
    if (!err && (!job.curve.bps || !job.pace))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t k = 0; k < run->cores_count && !err; k++)
        err = run_cores(&job, k, run->cores_count - k + (pairs > 0), error);
    if (!err)
        err = measure_pairs(run, run_pair, &job, error);
    if (!err || err == MW_INTERRUPTED) {
        struct mw_error inner;
        enum mw_err added = add_rules(&job, &inner);
        if (!added && !err)
            added = add_saturation(&job, &inner);
        if (!added && !err)
            added = add_bound(&job, &inner);
        if (added && !err) {
            err = added;
            *error = inner;
        }
    }
    free(job.curve.bps);
    free(job.pace);
    mw_arena_close(&job.arenas[0]);
    mw_arena_close(&job.arenas[1]);
    return err;
}

static const char *const takes[] = {"array", "llc", "kernel", "numa", NULL};

const struct measure_probe measure_stream = {
    .name = "stream",
    .summary = "sustained bandwidth by the STREAM rules",
    .columns = "kernel,array_bytes,best_mb_s,avg_s,min_s,max_s,valid,page_bytes,isa,runs,disturbed,peak_share,cached",
    .takes = takes,
    .all_core_counts = true,
    .run = run_stream,
};
