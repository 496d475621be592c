// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/measure/measure.h"
#include "cli/measure/measure_freq.h"
#include "data/units.h"
#include "measure/probe/clock.h"
#include "measure/run/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a measurement takes less than a minute, its start and end included */
#define DEFAULT_MAX_TIME_S 50

static const struct measure_probe *const probes[] = {
    &measure_stream,    &measure_latency, &measure_loaded, &measure_cache,
    &measure_bandwidth, &measure_flops,   &measure_gpu,    NULL,
};

static const char *const pages_choices[] = {"huge", "4k", "both", NULL};

static const char *const api_choices[] = {"opencl", "gles", NULL};

#define FIELD(name) CLI_FIELD(struct measure_options, name)
static const struct cli_option options[] = {
    {"cores", CLI_STRING, FIELD(cores), "LIST",
     "core counts, as in 1,2,4-16:2,all (default: 1, 2, 4 … all for stream, 1 for latency)", NULL, 0, 0},
    {"freq", CLI_STRING, FIELD(freq), "LIST",
     "frequencies to set and put back, as in 1.2-2.4:0.2,min,max,all (default: left alone)", NULL, 0, 0},
    {"runs", CLI_COUNT, FIELD(runs), "N",
     "repetitions of each measurement (default: as many as the time allows, at most 10)", NULL, 2, 100000},
    {"max-time", CLI_DURATION, FIELD(max_time_s), "S",
     "time that the measurement may take (default 50 s; with --runs, what they take); where even one value of each row "
     "takes longer, that is said before the start, with what would fit",
     NULL, 0, 0},
    {"array", CLI_SIZE, FIELD(array_bytes), "SIZE",
     "stream: bytes of one array (default and least: 4 times the last-level caches in use)", NULL, 0, 0},
    {"llc", CLI_SIZE, FIELD(llc_bytes), "SIZE",
     "sum of last-level caches in use (default: as reported where that can be so, else measured: in a virtual machine, "
     "where one core has over 8 MiB to itself, where it is over a quarter of memory)",
     NULL, 0, 0},
    {"kernel", CLI_STRING, FIELD(kernels), "LIST",
     "stream, gpu: only these kernels, as in copy,triad-nt or pixel-fill,fp32 (default: all)", NULL, 0, 0},
    {"pages", CLI_CHOICE, FIELD(pages), "WHICH", "latency: huge (default), 4k or both", pages_choices, 0, 0},
    {"chains", CLI_STRING, FIELD(chains), "LIST", "latency: independent chains in flight (default 1)", NULL, 0, 0},
    {"locality", CLI_STRING, FIELD(locality), "PAGES",
     "latency: pages visited before the next ones, or random (default 64)", NULL, 0, 0},
    {"stride", CLI_SIZE, FIELD(stride_bytes), "SIZE",
     "latency: lines less than this apart are not met in one visit of their group (default 256)", NULL, 0, 0},
    {"numa", CLI_FLAG, FIELD(numa), NULL,
     "stream, latency: every node's cores against every node's memory (default where there are several nodes and no --cores)",
     NULL, 0, 0},
    {"size", CLI_STRING, FIELD(sizes), "LIST",
     "latency, gpu: working sets, as in 16KiB,256MiB (default: the first level to past the last)", NULL, 0, 0},
    {"device", CLI_COUNT, FIELD(device), "N",
     "gpu: number of the device in memwall machine (default: the first graphics processor of each API, else its first "
     "device)",
     NULL, 0, MEASURE_NO_DEVICE - 1},
    {"api", CLI_CHOICE, FIELD(api), "API", "gpu: opencl or gles (default: both)", api_choices, 0, 0},
    {"spec", CLI_STRING, FIELD(spec), "FILE",
     "gpu: figures of a data sheet to stand beside the measured ones (JSON, docs/gpu.md), or a profile that has them",
     NULL, 0, 0},
    {"with-gpu", CLI_FLAG, FIELD(with_gpu), NULL,
     "bandwidth: copies on the cores and work on a graphics processor, each alone and both at once, instead", NULL, 0,
     0},
    {"memory-peak", CLI_STRING, FIELD(memory_peak), "GB/s",
     "theoretical rate of memory, or a machine's profile with channels and mem_mts (default: as SMBIOS says)", NULL, 0,
     0},
    {"curve", CLI_STRING, FIELD(curve), "FILE", "cache: write the curves that the parameters are read from", NULL, 0,
     0},
    LOCK_OPTIONS(struct measure_options),
    {0},
};

static void defaults(void *opaque)
{
    struct measure_options *o = opaque;
    o->pages = "huge";
    o->chains = "1";
    o->locality = "64";
    o->stride_bytes = 256;
    o->device = MEASURE_NO_DEVICE;
}

void measure_row(struct measure_run *run, unsigned cores, double effective_hz)
{
    fprintf(run->rows, "%u,", cores);
    fprintf(run->rows, run->freq_hz > 0 ? MEASURE_CELL "," : ",", run->freq_hz * 1e-9);
    if (run->freq_hz > 0 && effective_hz > 0 && !mw_freq_same(effective_hz, run->freq_hz))
        run->rows_off++;
    fprintf(run->rows, effective_hz > 0 ? "%.4g," : ",", effective_hz * 1e-9);
}

double measure_max_time_s(const struct measure_run *run)
{
    double all_s = run->options->runs ? INFINITY : DEFAULT_MAX_TIME_S;
    if (run->options->max_time_s > 0)
        all_s = run->options->max_time_s;
    return (all_s - (mw_now_s() - run->start_s)) / (double)run->freqs_left;
}

double measure_effective_of(const unsigned *cpus, size_t count)
{
    double *freq_hz = calloc(count + 1, sizeof *freq_hz), lowest = 0;
    struct mw_error ignored;
    if (freq_hz && !mw_clock_effective(cpus, count, freq_hz, &ignored))
        for (size_t i = 0; i < count; i++)
            lowest = !i || freq_hz[i] < lowest ? freq_hz[i] : lowest;
    free(freq_hz);
    return lowest;
}

double measure_effective_hz(const struct measure_run *run, unsigned cores)
{
    return measure_effective_of(run->cpus, cores);
}

static const struct measure_probe *find_probe(const char *name)
{
    for (const struct measure_probe *const *p = probes; *p; p++)
        if (!strcmp((*p)->name, name))
            return *p;
    return NULL;
}

static int unknown_probe(const struct cli *cli, const char *word)
{
    const char *names[16] = {NULL};
    char list[160] = "";
    size_t count = 0;
    for (const struct measure_probe *const *p = probes; *p && count < 16; p++) {
        names[count++] = (*p)->name;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "", (*p)->name);
    }
    const char *near = mw_nearest(word, names, count);
    struct mw_error error;
    mw_fail(&error, MW_USAGE, "'%s' is nothing to measure, the valid ones are %s", word, list);
    if (near)
        mw_hint(&error, "did you mean 'memwall measure %s'?", near);
    return cli_fail(cli, &error);
}

/* An option that the probe would ignore is wrong usage. */
static const char *foreign_option(const struct measure_probe *probe, const struct measure_options *given)
{
    static const char *const always[] = {"cores", "freq", "max-time", "runs", "wait", "no-lock", "memory-peak", NULL};
    struct measure_options plain = {0};
    defaults(&plain);
    for (const struct cli_option *o = options; o->name; o++) {
        size_t size = o->kind == CLI_FLAG ? sizeof(bool) : sizeof(void *); /* numbers and pointers are as wide */
        bool taken = !memcmp((const char *)given + o->offset, (const char *)&plain + o->offset, size);
        for (const char *const *n = always; *n && !taken; n++)
            taken = !strcmp(*n, o->name);
        for (const char *const *n = probe->takes; *n && !taken; n++)
            taken = !strcmp(*n, o->name);
        if (!taken)
            return o->name;
    }
    return NULL;
}

/* Core counts of --cores, or 1, 2, 4 … and all. */
static enum mw_err resolve_cores(struct measure_run *run, const struct measure_probe *probe, struct mw_error *error)
{
    size_t all = run->topology.core_count, count = 0;
    double *offered = calloc(all, sizeof *offered), *values = NULL;
    run->cores = calloc(all + 1, sizeof *run->cores);
    run->cpus = calloc(all, sizeof *run->cpus);
    enum mw_err err = offered && run->cores && run->cpus ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; !err && i < all; i++)
        offered[i] = (double)(i + 1);
    if (!err)
        err = mw_topology_select(&run->topology, all, MW_ORDER_COMPACT, false, run->cpus, error);
    if (!err && run->options->cores)
        err = mw_parse_cores(run->options->cores, offered, all, &values, &count, error);
    for (size_t i = 0; !err && i < count; i++) {
        if (values[i] > (double)all) {
            mw_fail(error, MW_USAGE, "option '--cores': %.0f cores asked for, %zu physical cores may be used here",
                    values[i], all);
            err = mw_hint(error, "memwall machine shows them");
        } else {
            run->cores[run->cores_count++] = (unsigned)values[i];
        }
    }
    if (!err && !run->options->cores) {
        for (size_t c = 1; c < all && probe->all_core_counts; c *= 2)
            run->cores[run->cores_count++] = (unsigned)c;
        run->cores[run->cores_count++] = probe->all_core_counts ? (unsigned)all : 1;
    }
    free(offered);
    free(values);
    return err;
}

static enum mw_err write_result(struct measure_run *run, const struct measure_probe *probe, const char *rows,
                                struct mw_error *error)
{
    struct mw_output output;
    enum mw_err err = mw_output_open(&output, run->cli->common.output, run->cli->common.force, error);
    if (err)
        return err;
    mw_provenance_print(&run->provenance, output.stream);
    fprintf(output.stream, "cores,freq_ghz,freq_effective_ghz,%s\n%s", probe->columns, rows);
    return mw_output_commit(&output, error);
}

static bool has_row_of(const char *rows, unsigned cores)
{
    char start[24];
    size_t length = (size_t)snprintf(start, sizeof start, "%u,", cores);
    for (; rows && *rows; rows = strchr(rows, '\n'), rows += rows != NULL)
        if (!strncmp(rows, start, length))
            return true;
    return false;
}

/* What was measured before something went wrong is a result: it is written, the rest named, and the status is 1. */
static enum mw_err keep_rows(struct measure_run *run, const char *rows, struct mw_error *error)
{
    char list[200] = "";
    for (size_t i = 0; run->cores_count > 1 && i < run->cores_count && strlen(list) + 16 < sizeof list; i++)
        if (!has_row_of(rows, run->cores[i]))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%u", *list ? ", " : "", run->cores[i]);
    cli_warn(run->cli, "the rows measured before it are kept%s%s", *list ? "; none on these numbers of cores: " : "",
             list);
    if (mw_err_exit_status(error->code) != mw_err_exit_status(MW_RUN))
        error->code = MW_RUN;
    return error->code;
}

static enum mw_err measure(struct measure_run *run, const struct measure_probe *probe, struct mw_error *error)
{
    char *rows = NULL;
    size_t size = 0;
    enum mw_err err = mw_topology_open(&run->topology, "", error);
    if (err)
        return err;
    err = resolve_cores(run, probe, error);
    if (!err)
        err = mw_provenance_init(&run->provenance, run->cli->argc, run->cli->argv, error);
    if (!err)
        err = lock_options_describe(run->cli, &run->options->lock, &run->provenance, error);
    if (!err)
        err = measure_context(run, error);
    if (!err)
        err = measure_peak_resolve(run, error);
    run->rows = err ? NULL : open_memstream(&rows, &size);
    if (!err && !run->rows)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = measure_at_frequencies(run, probe, error);
    if (run->rows)
        fclose(run->rows);
    struct mw_error inner;
    enum mw_err written = MW_OK;
    bool keep = !run->cli->common.dry_run && rows && (!err || *rows); /* what is complete is kept */
    if (keep)
        written = write_result(run, probe, rows, &inner);
    if (keep && !written && err && err != MW_INTERRUPTED)
        err = keep_rows(run, rows, error);
    if (!err && written) {
        err = written;
        *error = inner;
    }
    free(rows);
    free(run->cores);
    free(run->cpus);
    mw_provenance_release(&run->provenance);
    mw_topology_close(&run->topology);
    return err;
}

/* Less than it needs for one valid value of each row no probe can do. */
static void say_overrun(const struct measure_run *run, const struct measure_probe *probe)
{
    double took_s = mw_now_s() - run->start_s, asked_s = run->options->max_time_s;
    if (!run->cli->common.dry_run && !run->overrun_said && asked_s > 0 && took_s > MEASURE_OVERRUN * asked_s)
        cli_warn(run->cli,
                 "took %.3g s, not the %.3g s asked for: the least that gives each row a value; fewer %s take less",
                 took_s, asked_s,
                 probe->shorter          ? probe->shorter
                 : run->options->kernels ? "--cores"
                                         : "--cores (and, for stream, --kernel)");
}

static int run_measure(struct cli *cli, const void *opaque)
{
    const struct measure_probe *probe = find_probe(cli->operands[0]);
    if (!probe)
        return unknown_probe(cli, cli->operands[0]);
    const char *foreign = foreign_option(probe, opaque);
    if (foreign)
        return cli_usage(cli, "option '--%s' does not go with '%s'", foreign, probe->name);
    /* a result that could not be written after a minute of work would be a minute lost */
    struct mw_output early;
    if (cli->common.output && mw_output_open(&early, cli->common.output, cli->common.force, &cli->error))
        return cli_fail(cli, &cli->error);
    if (cli->common.output)
        mw_output_release(&early);
    struct measure_run run = {.cli = cli, .options = opaque, .start_s = mw_now_s()};
    enum mw_err err = measure(&run, probe, &cli->error);
    if (err)
        return cli_fail(cli, &cli->error);
    say_overrun(&run, probe);
    if (run.rows_off)
        cli_warn(cli, "%zu rows: freq_effective_ghz is not the frequency that was set", run.rows_off);
    if (run.disturbed)
        cli_warn(cli,
                 "other work on this machine disturbed every repetition of some rows (column disturbed or rejected)");
    if (run.rows_cached)
        cli_warn(cli, "%zu rows about memory are faster than memory can be: caches served them (column cached)",
                 run.rows_cached);
    bool doubtful = run.rows_cached || run.disturbed || run.rows_off || run.freq_off || run.depends_on_size;
    if (run.untrusted) {
        cli_say(cli, "a kernel's result failed its validation: rows with valid = 0 are no measurement");
        return mw_err_exit_status(MW_UNTRUSTED);
    }
    return cli->common.strict && doubtful ? mw_err_exit_status(MW_UNTRUSTED) : 0;
}

const struct cli_command cmd_measure = {
    .name = "measure",
    .summary = "bandwidth, latency, caches and arithmetic of this machine",
    .usage = "PROBE [options]",
    .description =
        "Measures this machine and writes a CSV table with the evidence for it in # lines.\n"
        "stream: sustained bandwidth in MB/s (10^6 bytes) of copy, scale, add, triad by the rules of STREAM 5.10, and of "
        "read, fill, dot and update; on huge pages where they can be had, -nt with non-temporal stores, -4k on base pages. "
        "Arrays hold at least 4 times the last-level caches in use; the best of the undisturbed repetitions repeats within "
        "some 5 %. Where several memory nodes exist, the cores of each against the memory of each as well.\n"
        "latency: nanoseconds of one dependent load over the size of the working set, lines in random order within groups of "
        "pages. Windows of a millisecond without a context switch, least time of each place: within 1 % in the private "
        "levels, some 4 % in memory; a level shared with other programs says what they leave.\n"
        "loaded: nanoseconds of a dependent load on one core while the others read and write back lines at rising rates, at "
        "100, 80, 67 and 50 % reads; --cores is one number here, by default all. Medians of the millisecond windows in which "
        "no core was put aside: some 4 %, with few windows left on a busy machine more: marked disturbed under a quarter of those wanted; a point with none is left out and said.\n"
        "cache: each parameter beside what the system reports: agrees, differs, measured (nothing is reported), or can't be told, "
        "and why. Capacity in bytes from the steps of the latency over the working set, memory's latency from lines flushed "
        "before, line size from a stride scan on 16 KiB and from flushes, associativity from lines at doubling strides, TLB "
        "entries and miss costs from one line a page against lines side by side, and the largest stride that prefetchers follow, which is one at less than half the time of random loads. A "
        "capacity is exact to 1/16 octave where its step is sharp, and can't be told where it is not; a level that is shared, or "
        "a TLB in a virtual machine, shows what is left of it. disturbed is 1 where other work took the core in every window of "
        "a point that an answer rests on: it can't be told then.\n"
        "bandwidth: MB/s of memset, memcpy, reads, regular and streaming stores over buffers from the first level to four times the "
        "last, more sizes where a level ends, counted as bytes read plus bytes written by the program. Strided and random reads "
        "read each line of the largest buffer once, so that none fits a cache better than the others; copies over the distance "
        "of destination and source show conflicts; on several cores, reads beside other cores' fills. Told by rule: what offsets "
        "cost, whether streaming stores pay, from which size on stores read lines first, and whether cores or memory bind. The "
        "best undisturbed window repeats within 5 %. The score is (memset x read x memcpy x strided)^(1/4) of the largest size, "
        "withheld where a rate in it was disturbed, or depends on the size.\n"
        "stream, bandwidth and loaded measure a rate on half the size too: the record's size_check says whether it depends on it.\n"
        "Rates have their share of the theoretical one (--memory-peak, else SMBIOS) in column peak_share; cached is 1 where a "
        "rate can't be memory's.\n"
        "flops: GFLOP/s of multiply-adds from registers, two operations each, for each instruction set of this processor. "
        "The best of 40 windows of 5 ms repeats within 1 %.\n"
        "gpu: pixel and texel fill rates by OpenGL ES 3, clean and with each disturbing factor alone; multiply-adds in FP32, "
        "FP64 and FP16, bandwidth of read, copy and triad, transfers and the latency of a dependent load by OpenCL, each "
        "with its conditions as columns and its result read back and replayed. Status 77 where there is no device: it says "
        "which packages bring one. docs/gpu.md has the methods.",
    .options = options,
    .groups = CLI_OUTPUT | CLI_SEED | CLI_ROOT | CLI_DRY_RUN | CLI_STRICT,
    .options_size = sizeof(struct measure_options),
    .defaults = defaults,
    .run = run_measure,
    .examples = "  memwall measure stream --cores 1 --kernel copy,triad,triad-nt\n"
                "  memwall measure stream --llc 8MiB -o stream.csv\n"
                "  memwall measure latency --size 16KiB,1MiB,64MiB --chains 1,4\n"
                "  memwall measure cache --curve curves.csv\n"
                "  memwall measure flops --cores 1\n"
                "  memwall measure gpu --api opencl --kernel fp32,copy\n",
    .operands_min = 1,
    .operands_max = 1,
};
