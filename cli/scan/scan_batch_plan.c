// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/scan/scan_batch.h"

#include "data/units.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 1, 2, 4, … and all cores of a node. */
static enum mw_err list_cores(struct scan_batch *scan, double **cores, size_t *count, struct mw_error *error)
{
    const struct scan_options *o = scan->options;
    char text[512] = "";
    unsigned node_cores = 0;
    if (o->cores && !strpbrk(o->cores, "am")) /* neither all, max nor min */
        return mw_parse_cores(o->cores, NULL, 0, cores, count, error);
    if (o->batch_template) {
        mw_fail(error, MW_USAGE, "the batch system does not say how many cores a node has");
        return mw_hint(error, "name them, as in --cores 1,2,4,8");
    }
    enum mw_err err = mw_slurm_node_cores(o->partition, &scan->stop, &node_cores, error);
    if (err)
        return err;
    double *offered = calloc(node_cores, sizeof *offered);
    if (!offered)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (unsigned p = 0; p < node_cores; p++)
        offered[p] = p + 1.0;
    for (unsigned p = 1; !o->cores && p <= node_cores; p *= 2)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%u,", p);
    strncat(text, "max", sizeof text - strlen(text) - 1);
    err = mw_parse_cores(o->cores ? o->cores : text, offered, node_cores, cores, count, error);
    free(offered);
    return err;
}

/* cores x frequencies on one node; on several, where --nodes asks for them, all that a node is to give. */
static enum mw_err list_points(struct scan_batch *scan, struct mw_error *error)
{
    const struct scan_options *o = scan->options;
    double *cores = NULL, *nodes = NULL, *freqs = NULL;
    size_t core_count = 0, node_count = 0, freq_count = 0;
    enum mw_err err = list_cores(scan, &cores, &core_count, error);
    if (!err)
        err = mw_parse_cores(o->nodes ? o->nodes : "1", NULL, 0, &nodes, &node_count, error);
    if (!err && o->freq)
        err = mw_parse_freqs(o->freq, NULL, 0, &freqs, &freq_count, error);
    size_t freq_points = freq_count ? freq_count : 1;
    if (!err && !(scan->points = calloc((core_count + node_count) * freq_points, sizeof *scan->points)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t n = 0; !err && n < node_count; n++)
        for (size_t c = nodes[n] > 1 ? core_count - 1 : 0; c < core_count; c++)
            for (size_t f = 0; f < freq_points; f++)
                scan->points[scan->count++] = (struct mw_batch_point){
                    (unsigned)nodes[n], (unsigned)(nodes[n] * cores[c]), freq_count ? freqs[f] : 0};
    if (!err && nodes[node_count - 1] > 1)
        scan->node_cores = (unsigned)cores[core_count - 1];
    free(cores);
    free(nodes);
    free(freqs);
    return err;
}

/* Options that are this process's own: a point's scan has its cores, clock and file from its line, and no queue. */
static bool is_own(const char *name, bool *takes_value)
{
    static const struct {
        const char *name;
        bool value;
    } own[] = {{"cores", true},      {"freq", true},    {"nodes", true},          {"partition", true},
               {"constraint", true}, {"time", true},    {"batch-template", true}, {"max-time", true},
               {"color", true},      {"o", true},       {"slurm", false},         {"exclusive", false},
               {"resume", false},    {"force", false},  {"dry-run", false},       {"strict", false},
               {"wait", false},      {"no-lock", false}};
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strlen(own[i].name) == length && !strncmp(own[i].name, name, length)) {
            *takes_value = own[i].value && !name[length];
            return true;
        }
    return false;
}

/* The options of this scan that a point's has too. */
static void print_options(const struct scan_batch *scan, FILE *f)
{
    const struct cli *cli = scan->cli;
    for (int i = 2; i < cli->argc && strcmp(cli->argv[i], "--"); i++) {
        const char *word = cli->argv[i];
        bool takes_value;
        if (*word == '-' && is_own(word + 1 + (word[1] == '-'), &takes_value)) {
            i += takes_value;
            continue;
        }
        fputc(' ', f);
        mw_quote_word(f, word);
    }
}

static void print_program(const struct scan_batch *scan, FILE *f)
{
    fputs(" --", f);
    for (char **word = scan->cli->program; *word; word++) {
        fputc(' ', f);
        mw_quote_word(f, *word);
    }
}

/*
 * On one node a job step holds the clock and the CPUs, and memwall binds within them. On several memwall stands on the first
 * and srun, or what --launcher says, starts and binds the processes.
 */
static enum mw_err make_command(struct scan_batch *scan, struct mw_error *error)
{
    const struct scan_options *o = scan->options;
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return mw_fail(error, MW_IO, "cannot find the path of memwall itself");
    self[length] = '\0';
    size_t size;
    FILE *f = open_memstream(&scan->command, &size);
    if (!f)
        return mw_fail(error, MW_NOMEM, "out of memory");
    fputs("step=()\n", f);
    if (!o->batch_template)
        fprintf(f,
                "[ \"$khz\" = 0 ] || export SLURM_CPU_FREQ_REQ=$khz\n"
                "[ \"$nodes\" != 1 ] || step=(srun --nodes=1 --ntasks=1 --cpu-bind=none --cpus-per-task=%s)\n",
                o->exclusive ? "\"$SLURM_CPUS_ON_NODE\"" : "\"$cores\"");
    fputs("where=()\n", f);
    if (scan->node_cores)
        fprintf(f, "[ \"$nodes\" = 1 ] || where=(--unbound%s)\n",
                o->run.launcher || o->batch_template
                    ? ""
                    : " --launcher \"srun --nodes=$nodes --ntasks={cores} --ntasks-per-node=$((cores / nodes))\"");
    fputs("\"${step[@]}\" ", f);
    mw_quote_word(f, self);
    fputs(" scan --wait --cores \"$cores\" -o \"$out.csv\" --force \"${where[@]}\"", f);
    print_options(scan, f);
    print_program(scan, f);
    return fclose(f) ? mw_fail(error, MW_NOMEM, "out of memory") : MW_OK;
}

/* One line that two scans share if their rows belong together. */
static enum mw_err make_plan(struct scan_batch *scan, struct mw_error *error)
{
    size_t size;
    FILE *f = open_memstream(&scan->plan, &size);
    if (!f)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < scan->count; i++) {
        const struct mw_batch_point *p = &scan->points[i];
        fprintf(f, "%s%u", i ? "," : "", p->cores);
        if (p->nodes > 1)
            fprintf(f, "/%u", p->nodes);
        if (p->freq_hz > 0)
            fprintf(f, "@%.9g", p->freq_hz / 1e9);
    }
    print_options(scan, f);
    print_program(scan, f);
    return fclose(f) ? mw_fail(error, MW_NOMEM, "out of memory") : MW_OK;
}

static enum mw_err check_usage(const struct scan_batch *scan, struct mw_error *error)
{
    const struct scan_options *o = scan->options;
    const char *path = scan->cli->common.output;
    if (!path || !strcmp(path, "-"))
        return mw_fail(error, MW_USAGE, "a scan by a batch system needs -o FILE, in a folder that the nodes see too");
    if (o->slurm && o->batch_template)
        return mw_fail(error, MW_USAGE, "--slurm and --batch-template exclude each other");
    if (o->replay || *scan->cli->common.root)
        return mw_fail(error, MW_USAGE, "jobs measure machines: leave out --replay and --root");
    if (o->batch_template && o->freq)
        return mw_fail(error, MW_USAGE, "--freq needs --slurm, whose job steps can ask for a clock");
    return MW_OK;
}

enum mw_err scan_batch_plan(struct scan_batch *scan, struct mw_error *error)
{
    enum mw_err err = check_usage(scan, error);
    char *full = NULL;
    if (!err && (asprintf(&scan->folder, "%s.jobs", scan->cli->common.output) < 0 ||
                 (*scan->folder != '/' && !(full = realpath(".", NULL)))))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (!err && full) { /* jobs may start elsewhere */
        char *relative = scan->folder;
        if (asprintf(&scan->folder, "%s/%s", full, relative) < 0)
            err = mw_fail(error, MW_NOMEM, "out of memory");
        free(relative);
    }
    free(full);
    if (!err && strchr(scan->folder, '\''))
        err = mw_fail(error, MW_USAGE, "'%s': a folder for jobs cannot have a quote in its name", scan->folder);
    if (!err)
        err = list_points(scan, error);
    if (!err)
        err = make_command(scan, error);
    return err ? err : make_plan(scan, error);
}
