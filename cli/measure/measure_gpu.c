// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "data/units.h"
#include "measure/gpu/job.h"
#include "measure/gpu/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Drivers start in a second or so; one that takes this long won't come. */
#define DRIVERS_S 30
/* two lines of any device */
#define SIZE_LEAST 1024
/* of the time, where both APIs are measured: there are more rows of OpenCL, and its kernels are compiled longer */
#define OPENCL_SHARE 0.7

struct gpu_run {
    struct measure_run *run;
    struct mw_gpu_list list;
    struct mw_gpu_job job;
    bool kernels[MW_GPU_KERNELS];
    size_t sizes_bytes[MW_GPU_SIZES_MAX], size_count;
    size_t not_proportional;
    struct mw_gpu_spec spec; /* of the device at work; no figures where none is given */
};

static enum mw_err parse_kernels(struct gpu_run *g, const char *list, struct mw_error *error)
{
    const char *names[MW_GPU_KERNELS];
    char *copy = strdup(list ? list : ""), *rest = NULL;
    enum mw_err err = copy ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (enum mw_gpu_kernel k = 0; k < MW_GPU_KERNELS; k++) {
        names[k] = mw_gpu_kernel_name(k);
        g->kernels[k] = !list;
    }
    for (char *name = copy ? strtok_r(copy, ",", &rest) : NULL; name && !err; name = strtok_r(NULL, ",", &rest)) {
        enum mw_gpu_kernel k = 0;
        while (k < MW_GPU_KERNELS && strcmp(name, names[k]) != 0)
            k++;
        if (k < MW_GPU_KERNELS) {
            g->kernels[k] = true;
            continue;
        }
        char known[256] = "";
        for (k = 0; k < MW_GPU_KERNELS; k++)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", k ? ", " : "", names[k]);
        err = mw_fail(error, MW_USAGE, "option '--kernel': '%s' is none of %s", name, known);
        const char *near = mw_nearest(name, names, MW_GPU_KERNELS);
        err = near ? mw_hint(error, "did you mean '%s'?", near) : err;
    }
    free(copy);
    return err;
}

static int by_size(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static enum mw_err parse_sizes(struct gpu_run *g, const char *list, struct mw_error *error)
{
    char *copy = strdup(list ? list : ""), *rest = NULL;
    enum mw_err err = copy ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word && !err; word = strtok_r(NULL, ",", &rest)) {
        struct mw_error inner;
        if (g->size_count == MW_GPU_SIZES_MAX)
            err = mw_fail(error, MW_USAGE, "option '--size': more than %d sizes", MW_GPU_SIZES_MAX);
        else if (mw_parse_size(word, &g->sizes_bytes[g->size_count], &inner))
            err = mw_fail(error, MW_USAGE, "option '--size': %s", inner.message);
        else if (g->sizes_bytes[g->size_count++] < SIZE_LEAST)
            err = mw_fail(error, MW_USAGE, "option '--size': less than %d bytes", SIZE_LEAST);
    }
    qsort(g->sizes_bytes, g->size_count, sizeof *g->sizes_bytes, by_size);
    free(copy);
    return err;
}

static bool api_wanted(const struct gpu_run *g, enum mw_gpu_api api)
{
    const char *only = g->run->options->api;
    bool any = false;
    for (enum mw_gpu_kernel k = 0; k < MW_GPU_KERNELS; k++)
        any = any || (g->kernels[k] && mw_gpu_kernel_api(k) == api);
    return any && (!only || !strcmp(only, mw_gpu_api_name(api)));
}

/* The first graphics processor that an API has, else its first device; the count of devices where there is none. */
static size_t default_device(const struct gpu_run *g, enum mw_gpu_api api)
{
    size_t found = g->list.count;
    for (size_t i = g->list.count; i-- > 0;) {
        const struct mw_gpu_device *d = &g->list.devices[i];
        bool better =
            found == g->list.count || d->kind == MW_GPU_KIND_GPU || g->list.devices[found].kind != MW_GPU_KIND_GPU;
        if (d->api == api && !*d->failed && better)
            found = i;
    }
    return found;
}

/* devices[api]: its number, or the count of devices where the API is not measured. */
static enum mw_err choose_devices(const struct gpu_run *g, size_t devices[MW_GPU_APIS], struct mw_error *error)
{
    unsigned long asked = g->run->options->device;
    size_t none = g->list.count, chosen = 0;
    for (enum mw_gpu_api api = 0; api < MW_GPU_APIS; api++)
        devices[api] = api_wanted(g, api) ? default_device(g, api) : none;
    if (asked != MEASURE_NO_DEVICE) {
        if (asked >= none)
            return mw_fail(error, MW_USAGE, "option '--device': there are %zu devices; memwall machine lists them",
                           none);
        enum mw_gpu_api api = g->list.devices[asked].api;
        if (!api_wanted(g, api))
            return mw_fail(error, MW_USAGE,
                           "option '--device': device %lu is one of %s, and nothing of it is asked for", asked,
                           mw_gpu_api_name(api));
        if (*g->list.devices[asked].failed)
            return mw_fail(error, MW_UNSUPPORTED, "device %lu can't be used: %s", asked, g->list.devices[asked].failed);
        for (enum mw_gpu_api other = 0; other < MW_GPU_APIS; other++)
            devices[other] = other == api ? asked : none;
    }
    for (enum mw_gpu_api api = 0; api < MW_GPU_APIS; api++)
        chosen += devices[api] < none;
    if (chosen)
        return MW_OK;
    for (enum mw_gpu_api api = 0; api < MW_GPU_APIS; api++)
        if (api_wanted(g, api) && g->list.missing[api].code) {
            *error = g->list.missing[api];
            return MW_UNSUPPORTED;
        }
    return mw_fail(error, MW_UNSUPPORTED, "there is no device for this");
}

static void print_number(FILE *f, bool has, double value)
{
    if (has)
        fprintf(f, MEASURE_CELL, value);
    fputc(',', f);
}

static void print_conditions(const struct mw_gpu_row *r, FILE *f)
{
    bool drawn = mw_gpu_kernel_api(r->kernel) == MW_GPU_GLES;
    print_number(f, r->factor > 0, r->factor);
    print_number(f, r->timing.query_s >= 0, r->query_plausible);
    fprintf(f, "%lu,%lu,", r->timing.runs, r->timing.rejected);
    print_number(f, r->timing.runs, r->timing.growth_4);
    print_number(f, r->timing.runs, r->timing.growth_16);
    print_number(f, drawn, r->width);
    print_number(f, drawn, r->height);
    fprintf(f, "%s,", r->format);
    print_number(f, r->texture, r->texture);
    fprintf(f, "%s,%s,", r->texture_format, r->filter);
    print_number(f, drawn, r->samples);
    print_number(f, drawn, r->blend);
    print_number(f, drawn, r->depth);
    print_number(f, r->items, (double)r->items);
    print_number(f, r->group, (double)r->group);
    print_number(f, r->items, (double)r->private_bytes);
    print_number(f, r->timing.count, (double)r->timing.count);
    fprintf(f, "%s,", r->code);
}

static void print_comparison(struct gpu_run *g, const struct mw_gpu_row *r)
{
    struct mw_gpu_comparison c;
    FILE *f = g->run->rows;
    mw_gpu_compare(r, &g->spec, &c);
    for (char *comma = c.why; (comma = strchr(comma, ',')) != NULL;) /* the file's words, in a cell */
        *comma = ';';
    print_number(f, c.value > 0, c.value);
    print_number(f, c.share > 0, c.share);
    fprintf(f, "%s,", c.why);
    if (c.compared)
        cli_say(g->run->cli, "%s: %.4g %s measured, %.4g specified%s%s", mw_gpu_kernel_name(r->kernel), r->value,
                r->unit, c.value, c.share > 0 ? "" : "; no share: ", c.why);
    if (c.share > 0)
        cli_say(g->run->cli, "%s: %.0f %% of the specification", mw_gpu_kernel_name(r->kernel), 100 * c.share);
}

static void print_rows(struct gpu_run *g, size_t device)
{
    struct measure_run *run = g->run;
    FILE *f = run->rows;
    for (size_t i = 0; i < g->job.row_count; i++) {
        const struct mw_gpu_row *r = &g->job.rows[i];
        /* its threads are the driver's: neither their number nor their frequency is known */
        fprintf(f, ",");
        print_number(f, run->freq_hz > 0, run->freq_hz * 1e-9);
        fprintf(f, ",%zu,%s,%s,%s,%s,", device, mw_gpu_api_name(g->job.device.api), mw_gpu_kernel_name(r->kernel),
                r->variant, r->condition);
        fprintf(f, "%zu,", r->size_bytes);
        fprintf(f, MEASURE_CELL ",%s,", r->value, r->unit);
        print_number(f, r->timing.runs, r->timing.best_s);
        print_number(f, r->timing.query_s >= 0, r->timing.query_s);
        fprintf(f, "%d,%d," MEASURE_CELL ",", r->valid, r->timing.disturbed, r->median);
        print_conditions(r, f);
        print_number(f, g->job.device.clock_hz > 0, g->job.device.clock_hz * 1e-9);
        print_number(f, r->clock_seen_hz > 0, r->clock_seen_hz * 1e-9);
        print_comparison(g, r);
        fprintf(f, "%s\n", r->note);
        bool untold = r->timing.runs && !r->timing.growth_told && !mw_gpu_proportional(&r->timing);
        run->untrusted = run->untrusted || (!r->valid && !untold);
        run->disturbed = run->disturbed || r->timing.disturbed || untold;
        g->not_proportional += r->timing.runs && mw_gpu_deferred(&r->timing);
    }
}

static enum mw_err add_device(struct gpu_run *g, size_t device, struct mw_error *error)
{
    const struct mw_gpu_device *d = &g->list.devices[device];
    char key[32], more[200] = "";
    snprintf(key, sizeof key, "device %zu", device);
    if (d->compute_units)
        snprintf(more, sizeof more,
                 "; compute units %u; clock as told %.4g GHz; memory %zu bytes; caches as told %zu bytes",
                 d->compute_units, d->clock_hz * 1e-9, d->memory_bytes, d->cache_bytes);
    return mw_provenance_add(
        &g->run->provenance, error, key, "%s (%s by %s); vendor %s; platform %s; %s; driver %s%s%s", d->name,
        mw_gpu_kind_name(d->kind), mw_gpu_api_name(d->api), d->vendor, d->platform_name, d->api_version,
        d->driver_version, more, d->host_memory ? "; memory shared with the host" : "");
}

static enum mw_err measure_device(struct gpu_run *g, size_t device, double time_s, struct mw_error *error)
{
    enum mw_gpu_api api = g->list.devices[device].api;
    enum mw_err err = add_device(g, device, error);
    memset(&g->job, 0, sizeof g->job);
    g->job.device = g->list.devices[device];
    for (enum mw_gpu_kernel k = 0; k < MW_GPU_KERNELS; k++)
        g->job.kernels[k] = g->kernels[k] && mw_gpu_kernel_api(k) == api;
    memcpy(g->job.sizes_bytes, g->sizes_bytes, sizeof g->sizes_bytes);
    g->job.size_count = g->size_count;
    g->job.time_s = time_s;
    g->job.runs = g->run->options->runs;
    g->job.seed = g->run->cli->common.seed;
    g->spec = (struct mw_gpu_spec){0};
    if (!err && g->run->options->spec)
        err = mw_gpu_spec_read(&g->spec, g->run->options->spec, g->job.device.name, error);
    if (err)
        return err;
    err = mw_gpu_measure(&g->job, cli_interrupted, error);
    print_rows(g, device);
    if (*g->job.left_out)
        cli_say(g->run->cli, "left out: %s", g->job.left_out);
    if (!err && !g->job.row_count)
        return mw_fail(error, MW_UNSUPPORTED, "'%s' can do none of what is asked for: %s", g->job.device.name,
                       *g->job.left_out ? g->job.left_out : "nothing is known of why");
    return err;
}

static enum mw_err add_rules(struct measure_run *run, struct mw_error *error)
{
    static const char *const rules[][2] = {
        {"gpu_timing",
         "wall clock from an idle device to an idle device, the best window in which no thread of the driver on the host "
         "lost its CPU; first enqueue left out; wall_s and query_s (the driver's own time) are of that window, work_units "
         "pieces of work in it; growth_4 and growth_16: time for 4 and 16 times the work of a window over its time, "
         "below 8 for 16 is work deferred or dropped and not valid; factor: rate of the clean case over this one"},
        {"gpu_fill",
         "one triangle over the target, no blending, depth, dithering or texture but what the columns name; "
         "pixels or texels of all draws of a window over its time; every pixel read back and replayed"},
        {"gpu_flops",
         "a = a b + b, b = b a + a from values in (-1, 0), chains x lanes in each work item; 2 operations a "
         "multiply-add; all lanes of three work items replayed on the host; instructions: of the compiled loop"},
        {"gpu_memory", "bytes read plus bytes written by the kernel, all passes of a window; copy-buffer is "
                       "clEnqueueCopyBuffer; every element read back; transfers end when the other side has the data"},
        {"gpu_ring",
         "one work item, one dependent load a line, lines in random order, the place after all loads checked; "
         "steps by the rule of measure cache"},
    };
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !err; i++)
        err = mw_provenance_add(&run->provenance, error, rules[i][0], "%s", rules[i][1]);
    return err;
}

static enum mw_err measure_all(struct gpu_run *g, struct mw_error *error)
{
    struct measure_run *run = g->run;
    size_t devices[MW_GPU_APIS];
    double all_s = measure_max_time_s(run);
    enum mw_err err = choose_devices(g, devices, error);
    if (err)
        return err;
    bool both = devices[MW_GPU_OPENCL] < g->list.count && devices[MW_GPU_GLES] < g->list.count;
    all_s = isfinite(all_s) ? all_s : 0; /* with --runs: what they take */
    for (enum mw_gpu_api api = 0; api < MW_GPU_APIS && !err; api++) {
        double share = !both ? 1 : api == MW_GPU_OPENCL ? OPENCL_SHARE : 1 - OPENCL_SHARE;
        if (devices[api] == g->list.count) {
            if (api_wanted(g, api) && run->options->device == MEASURE_NO_DEVICE)
                cli_say(run->cli, "left out: %s", g->list.missing[api].message);
            continue;
        }
        if (run->cli->common.dry_run)
            cli_say(run->cli, "device %zu: %s, about %.0f s", devices[api], g->list.devices[devices[api]].name,
                    share * all_s);
        else
            err = measure_device(g, devices[api], share * all_s, error);
    }
    if (g->not_proportional)
        cli_warn(run->cli, "%zu rows: the driver defers or drops work (growth_16): they are no measurement",
                 g->not_proportional);
    return err;
}

static enum mw_err run_gpu(struct measure_run *run, struct mw_error *error)
{
    struct gpu_run *g = calloc(1, sizeof *g);
    if (!g)
        return mw_fail(error, MW_NOMEM, "out of memory");
    g->run = run;
    enum mw_err err = MW_OK;
    if (run->options->cores)
        err = mw_fail(error, MW_USAGE, "option '--cores' does not go with 'gpu': a driver chooses its own");
    if (!err)
        err = parse_kernels(g, run->options->kernels, error);
    if (!err)
        err = parse_sizes(g, run->options->sizes, error);
    if (!err)
        err = mw_gpu_list_read(&g->list, DRIVERS_S, cli_interrupted, error);
    if (!err)
        err = measure_all(g, error);
    if (!err)
        err = add_rules(run, error);
    free(g);
    return err;
}

static const char *const takes[] = {"kernel", "size", "device", "api", "spec", NULL};

const struct measure_probe measure_gpu = {
    .name = "gpu",
    .summary = "fill rates, arithmetic, memory and latency of a graphics processor",
    .columns =
        "device,api,kernel,variant,condition,size_bytes,value,unit,wall_s,query_s,valid,disturbed,value_median,"
        "factor,query_plausible,runs,disturbed_runs,growth_4,growth_16,width,height,format,texture,texture_format,"
        "filter,samples,blend,depth,work_items,work_group,private_bytes,work_units,instructions,clock_told_ghz,"
        "clock_seen_ghz,spec_value,spec_share,spec_why,note",
    .takes = takes,
    .shorter = "--kernel, --api, --size",
    .run = run_gpu,
};
