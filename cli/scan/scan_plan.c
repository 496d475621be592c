// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/scan/scan.h"

#include "data/units.h"
#include "measure/machine/smbios.h"

#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Without --runs: the fewest whose median has a distribution-free interval at 90 % (five: 93.75 %). */
enum { DEFAULT_RUNS = 5, DEFAULT_MAX_RUNS = 30 };

/* "compact,random": one word of each kind at most. */
static enum mw_err parse_order(struct scan *scan, const char *text, struct mw_error *error)
{
    static const struct {
        const char *word;
        bool is_fill;
        int value;
    } words[] = {{"balanced", false, MW_SEQUENCE_BALANCED},
                 {"random", false, MW_SEQUENCE_RANDOM},
                 {"listed", false, MW_SEQUENCE_LISTED},
                 {"compact", true, MW_ORDER_COMPACT},
                 {"spread", true, MW_ORDER_SPREAD}};
    while (*text) {
        size_t length = strcspn(text, ","), i = 0, count = sizeof words / sizeof *words;
        while (i < count && (strlen(words[i].word) != length || strncmp(words[i].word, text, length)))
            i++;
        if (i == count)
            return mw_fail(error, MW_USAGE,
                           "option '--order': '%.*s' is not one of balanced, random, listed (runs), "
                           "compact, spread (cores)",
                           (int)length, text);
        if (words[i].is_fill)
            scan->fill = (enum mw_order)words[i].value;
        else
            scan->sequence_kind = (enum mw_sequence_kind)words[i].value;
        text += length + (text[length] == ',');
    }
    return MW_OK;
}

/* 1, 2, 4, … and all: where the curve bends, without hours on a large machine. */
static enum mw_err default_cores(struct scan *scan, const double *offered, size_t count, struct mw_error *error)
{
    char text[512] = "";
    bool replay = scan->options->replay != NULL;
    double limit = mw_runner_cpu_limit(scan->runner);
    if (limit < (double)count) { /* cores beyond a quota only wait for it */
        count = limit < 1 ? 1 : (size_t)limit;
        cli_say(scan->cli, "a quota gives %.4g CPUs' worth of time: up to %zu core%s %s planned, --cores takes more",
                limit, count, count == 1 ? "" : "s", count == 1 ? "is" : "are");
    }
    for (size_t p = 1; !replay && p <= count; p *= 2)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%zu,", p);
    snprintf(text + strlen(text), sizeof text - strlen(text), replay ? "all" : "max");
    return mw_parse_cores(text, offered, count, &scan->cores, &scan->core_count, error);
}

/* Each frequency as the machine has it: the nearest offered, within the tolerance at which it would be confirmed. */
static enum mw_err snap_freqs(struct scan *scan, const double *offered, size_t count, struct mw_error *error)
{
    for (size_t i = 0; i < scan->freq_count; i++) {
        size_t best = 0;
        double want = scan->freqs_hz[i];
        for (size_t k = 1; k < count; k++)
            if (offered[k] - want < want - offered[best])
                best = k;
        if (mw_freq_same(offered[best], want)) {
            scan->freqs_hz[i] = offered[best];
        } else {
            mw_fail(error, MW_USAGE, "%.6g GHz is not offered here, the nearest is %.6g GHz", want / 1e9,
                    offered[best] / 1e9);
            return mw_hint(error, "offered are %.6g to %.6g GHz, %zu in all: --freq all takes them", offered[0] / 1e9,
                           offered[count - 1] / 1e9, count);
        }
    }
    return MW_OK;
}

static enum mw_err resolve_lists(struct scan *scan, struct mw_error *error)
{
    const struct scan_options *o = scan->options;
    size_t count;
    const double *offered = mw_runner_cores(scan->runner, &count); /* none where nothing is bound */
    enum mw_err err = o->cores ? mw_parse_cores(o->cores, offered, count, &scan->cores, &scan->core_count, error)
                               : default_cores(scan, offered, count, error);
    if (!err && !o->replay && !o->unbound && scan->cores[scan->core_count - 1] > (double)count) {
        mw_fail(error, MW_USAGE, "%g cores asked for, %zu %s may be used here", scan->cores[scan->core_count - 1],
                count, o->smt ? "CPUs" : "physical cores");
        return mw_hint(error, o->smt ? "memwall machine shows them"
                                     : "--smt counts hyper-threads too; memwall machine shows them");
    }
    if (err)
        return err;
    double limit = mw_runner_cpu_limit(scan->runner), most = scan->cores[scan->core_count - 1];
    if (o->cores && most > fmax(limit, 1))
        cli_warn(
            scan->cli,
            "a quota gives %.4g CPUs' worth of time here: runs on more cores than that (up to %g are asked for) tell "
            "of the quota, not of the program",
            limit, most);
    offered = mw_runner_freqs(scan->runner, &count);
    const char *freq = o->freq ? o->freq : o->replay && count ? "all" : NULL;
    if (!freq)
        return MW_OK;
    if (!count && !o->replay) {
        mw_fail(error, MW_UNSUPPORTED, "there is no frequency control on this machine");
        return mw_hint(error,
                       "without --freq the scan goes over cores only; frequency effects can't be identified then");
    }
    err = mw_parse_freqs(freq, offered, count, &scan->freqs_hz, &scan->freq_count, error);
    if (!err && !o->replay)
        err = snap_freqs(scan, offered, count, error);
    return err;
}

static enum mw_err fill_sequence(struct scan *scan, struct mw_error *error)
{
    const struct scan_options *o = scan->options;
    struct mw_sequence_plan plan = {.cores = scan->cores,
                                    .core_count = scan->core_count,
                                    .freqs_hz = scan->freqs_hz,
                                    .freq_count = scan->freq_count,
                                    .devices = scan->device.values,
                                    .device_count = scan->device.count,
                                    .kind = scan->sequence_kind,
                                    .seed = scan->cli->common.seed,
                                    .precision = o->precision};
    if (o->runs && (o->precision > 0 || o->min_runs || o->max_runs))
        return mw_fail(error, MW_USAGE, "--runs and --precision, --min-runs or --max-runs exclude each other");
    if (o->precision > 0) {
        plan.min_runs = o->min_runs ? (unsigned)o->min_runs : DEFAULT_RUNS;
        plan.max_runs = o->max_runs                        ? (unsigned)o->max_runs
                        : plan.min_runs > DEFAULT_MAX_RUNS ? plan.min_runs
                                                           : DEFAULT_MAX_RUNS;
        if (plan.max_runs < plan.min_runs)
            return mw_fail(error, MW_USAGE, "--max-runs %u is below --min-runs %u", plan.max_runs, plan.min_runs);
    } else if (o->min_runs || o->max_runs) {
        return mw_fail(error, MW_USAGE, "--min-runs and --max-runs need --precision");
    } else {
        plan.min_runs = plan.max_runs = o->runs ? (unsigned)o->runs : o->replay ? 1 : DEFAULT_RUNS;
    }
    return mw_sequence_init(&scan->sequence, &plan, error);
}

static enum mw_err make_workload(struct scan *scan, struct mw_error *error)
{
    const struct scan_options *o = scan->options;
    const char *from = o->workload ? o->workload : o->replay ? o->replay : scan->cli->program[0];
    char *copy = strdup(from);
    if (copy)
        scan->workload = strdup(o->workload ? copy : basename(copy));
    free(copy);
    if (!scan->workload)
        return mw_fail(error, MW_NOMEM, "out of memory");
    char *dot = o->replay && !o->workload ? strrchr(scan->workload, '.') : NULL;
    if (dot)
        *dot = '\0';
    return MW_OK;
}

static void join_words(FILE *f, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputs(i ? " " : "", f);
        mw_quote_word(f, words[i]);
    }
}

static void join_numbers(FILE *f, const double *values, size_t count, double unit)
{
    for (size_t i = 0; i < count; i++)
        fprintf(f, "%s%.9g", i ? "," : "", values[i] / unit);
}

/* Adds "scan_KEY: text" where the memory stream has any text; closes and frees. */
static enum mw_err add_stream(struct scan *scan, const char *key, FILE *f, char **text, struct mw_error *error)
{
    if (!f || fclose(f) || !*text)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = **text ? mw_provenance_add(&scan->plan, error, key, "%s", *text) : MW_OK;
    free(*text);
    *text = NULL;
    return err;
}

static enum mw_err plan_lists(struct scan *scan, struct mw_error *error)
{
    char *text = NULL;
    size_t size, words = 0;
    while (scan->cli->program && scan->cli->program[words])
        words++;
    FILE *f = open_memstream(&text, &size);
    if (f)
        join_words(f, (const char *const *)scan->cli->program, words);
    enum mw_err err = add_stream(scan, "scan_command", f, &text, error);
    if (!err && (f = open_memstream(&text, &size)))
        join_numbers(f, scan->cores, scan->core_count, 1);
    if (!err)
        err = add_stream(scan, "scan_cores", f, &text, error);
    if (!err && (f = open_memstream(&text, &size)))
        join_numbers(f, scan->freqs_hz, scan->freq_count, 1e9);
    if (!err)
        err = add_stream(scan, "scan_freq", f, &text, error);
    if (!err && (f = open_memstream(&text, &size)))
        join_numbers(f, scan->device.values, scan->device.count, scan_device_unit(&scan->device));
    if (!err)
        err = add_stream(scan, scan->device.is_freq ? "scan_gpu-freq" : "scan_gpus", f, &text, error);
    if (!err && (f = open_memstream(&text, &size)))
        join_words(f, scan->options->run.env.items, scan->options->run.env.count);
    if (!err)
        err = add_stream(scan, "scan_env", f, &text, error);
    return err;
}

static enum mw_err plan_texts(struct scan *scan, struct mw_error *error)
{
    const struct scan_options *o = scan->options;
    const struct {
        const char *key, *value;
    } texts[] = {{"scan_launcher", o->run.launcher},
                 {"scan_check", o->run.check},
                 {"scan_time-regexp", o->run.time_regexp},
                 {"scan_rate-regexp", o->run.rate_regexp},
                 {"scan_unit", o->run.rate_regexp ? NULL : o->run.unit},
                 {"rate_unit", run_options_rate_unit(&o->run)},
                 {"scan_weak", o->weak ? "yes" : NULL},
                 {"scan_setup", o->run.setup},
                 {"scan_prepare", o->run.prepare},
                 {"scan_cleanup", o->run.cleanup},
                 {"scan_replay", o->replay},
                 {"scan_energy-command", o->run.energy_command},
                 {"scan_workload", scan->workload},
                 {"scan_input", o->input},
                 {"scan_smt", o->smt ? "yes" : NULL},
                 {"scan_unbound", o->unbound ? "yes" : NULL},
                 {"scan_boost", o->boost}};
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !err; i++)
        if (texts[i].value)
            err = mw_provenance_add(&scan->plan, error, texts[i].key, "%s", texts[i].value);
    return err;
}

static enum mw_err plan_numbers(struct scan *scan, struct mw_error *error)
{
    static const char *const fills[] = {"compact", "spread"}, *const sequences[] = {"balanced", "random", "listed"};
    const struct mw_sequence_plan *plan = &scan->sequence.plan;
    enum mw_err err = plan->precision > 0
                          ? mw_provenance_add(&scan->plan, error, "scan_runs", "%u to %u, precision %.9g%%",
                                              plan->min_runs, plan->max_runs, 100 * plan->precision)
                          : mw_provenance_add(&scan->plan, error, "scan_runs", "%u", plan->max_runs);
    if (!err)
        err = mw_provenance_add(&scan->plan, error, "scan_order", "%s,%s", sequences[scan->sequence_kind],
                                fills[scan->fill]);
    if (!err)
        err = mw_provenance_add(&scan->plan, error, "scan_seed", "%lu", plan->seed);
    if (!err && scan->options->run.timeout_s > 0)
        err = mw_provenance_add(&scan->plan, error, "scan_timeout", "%.9g s", scan->options->run.timeout_s);
    return err;
}

/* The rate of the memory's transfers: as told, else from the firmware's table where that is clear. */
static enum mw_err add_memory_freq(struct scan *scan, struct mw_error *error)
{
    struct mw_memory_devices devices;
    struct mw_error ignored;
    bool doubtful = false;
    unsigned mts = 0;
    if (scan->options->memory_freq_hz > 0)
        return mw_provenance_add(&scan->facts, error, "memory_freq_ghz", "%.9g", scan->options->memory_freq_hz / 1e9);
    if (scan->options->replay || mw_smbios_read(&devices, scan->cli->common.root, &ignored))
        return MW_OK;
    mts = mw_smbios_mts(&devices, &doubtful);
    mw_smbios_release(&devices);
    if (!mts)
        return MW_OK;
    if (!doubtful)
        return mw_provenance_add(&scan->facts, error, "memory_freq_ghz", "%.9g", mts / 1e3);
    cli_say(scan->cli,
            "the firmware says %u for the memory's speed, which may be its clock or its transfers: --memory-freq "
            "settles it",
            mts);
    return MW_OK;
}

static enum mw_err add_facts(struct scan *scan, struct mw_error *error)
{
    bool has_idle = false;
    double idle_w = 0;
    enum mw_err err = mw_provenance_init(&scan->facts, scan->cli->argc, scan->cli->argv, error);
    if (!err)
        err = add_memory_freq(scan, error);
    if (!err && !scan->options->replay)
        err = lock_options_describe(scan->cli, &scan->options->lock, &scan->facts, error);
    if (!err && !scan->options->replay)
        err = mw_runner_describe(scan->runner, (unsigned)scan->cores[scan->core_count - 1], &scan->facts, error);
    if (!err && !scan->options->replay && scan->options->idle_s > 0)
        mw_runner_idle_power(scan->runner, scan->options->idle_s, &has_idle, &idle_w);
    if (!err && has_idle)
        err = mw_provenance_add(&scan->facts, error, "idle_power_before_w", "%.6g", idle_w);
    return err;
}

struct opening {
    struct scan *scan;
    struct mw_runner_setup *setup;
};

static enum mw_err open_runner(void *opaque, enum mw_lock_mode mode, struct mw_error *error)
{
    struct opening *o = opaque;
    o->setup->lock = mode;
    return mw_runner_open(&o->scan->runner, o->setup, &o->scan->stop, error);
}

enum mw_err scan_prepare(struct scan *scan, struct mw_error *error)
{
    const struct scan_options *o = scan->options;
    struct mw_runner_setup setup = {.run = run_options_setup(&o->run, scan->cli->program),
                                    .root = scan->cli->common.root,
                                    .replay = o->replay,
                                    .smt = o->smt,
                                    .unbound = o->unbound,
                                    .boost = !strcmp(o->boost, "off")  ? MW_BOOST_OFF
                                             : !strcmp(o->boost, "on") ? MW_BOOST_ON
                                                                       : MW_BOOST_KEEP,
                                    .energy_command = o->run.energy_command,
                                    .energy_kind = run_options_energy_kind(&o->run),
                                    .warmup = o->run.warmup,
                                    .cool_to_c = o->cool_to_c,
                                    .dry_run = scan->cli->common.dry_run,
                                    .sets_freq = o->freq || o->gpu_freq};
    enum mw_err err = parse_order(scan, o->order, error);
    setup.order = scan->fill;
    if (!err)
        err = lock_options_open(scan->cli, &o->lock, open_runner, &(struct opening){scan, &setup}, error);
    if (!err && mw_runner_recovered(scan->runner))
        cli_say(scan->cli, "put back what a killed memwall had left:\n%s", mw_runner_recovered(scan->runner));
    if (!err && mw_runner_energy_missing(scan->runner))
        cli_say(scan->cli, "no energies: %s", mw_runner_energy_missing(scan->runner));
    if (!err && mw_runner_events_missing(scan->runner))
        cli_say(scan->cli, "no counters: %s", mw_runner_events_missing(scan->runner));
    if (!err)
        err = make_workload(scan, error);
    if (!err)
        err = resolve_lists(scan, error);
    if (!err)
        err = scan_device_open(&scan->device, scan->cli->common.root, o->gpus, o->gpu_freq, error);
    if (!err)
        err = fill_sequence(scan, error);
    if (!err)
        err = plan_lists(scan, error);
    if (!err)
        err = plan_numbers(scan, error);
    if (!err)
        err = plan_texts(scan, error);
    if (!err)
        err = add_facts(scan, error);
    if (err)
        return err;
    scan->columns = mw_runner_has(scan->runner);
    return MW_OK;
}

void scan_release(struct scan *scan)
{
    mw_sequence_release(&scan->sequence);
    mw_provenance_release(&scan->facts);
    mw_provenance_release(&scan->plan);
    if (scan->file.path)
        mw_append_close(&scan->file);
    free(scan->log);
    free(scan->cores);
    free(scan->freqs_hz);
    free(scan->workload);
}

static enum mw_err print_writes(struct scan *scan, unsigned cores, double freq_hz, struct mw_error *error)
{
    const struct mw_attribute_write *writes;
    size_t count;
    enum mw_err err = mw_runner_writes(scan->runner, cores, freq_hz, &writes, &count, error);
    for (size_t i = 0; !err && i < count; i++)
        printf("  write %s to %s\n", writes[i].value, writes[i].path);
    return err;
}

/* The configurations in the order of the first round, each with what it would write to the machine. */
static enum mw_err print_round(struct scan *scan, struct mw_error *error)
{
    struct mw_sequence_entry *config;
    enum mw_err err = print_writes(scan, 0, 0, error);
    while (!err && (config = mw_sequence_next(&scan->sequence)) && !config->done) {
        char name[96];
        scan_config_name(scan, config, name, sizeof name);
        printf("%s\n", name);
        if (!scan->options->replay)
            err = print_writes(scan, config->cores, config->freq_hz, error);
        config->done = scan->sequence.plan.max_runs;
    }
    if (err || scan->options->replay)
        return err;
    printf("at the end\n");
    return print_writes(scan, 0, 0, error);
}

enum mw_err scan_print_plan(struct scan *scan, struct mw_error *error)
{
    size_t done, left;
    mw_sequence_progress(&scan->sequence, &done, &left);
    mw_provenance_print(&scan->facts, stdout);
    mw_provenance_print(&scan->plan, stdout);
    printf("%zu configurations, %zu runs%s", scan->sequence.count, left,
           scan->options->precision > 0 ? " at least" : "");
    if (scan->options->run.timeout_s > 0)
        printf(", at most %.6g s", (double)left * scan->options->run.timeout_s);
    printf(scan->options->replay ? "\n" : "; the time is %zu times that of the program\n", left);
    return print_round(scan, error);
}
