// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct mw_importer mw_importers[] = {
    {"hyperfine", "hyperfine --export-json or --export-csv with -P or -L parameters", mw_import_hyperfine},
    {"perf-stat", "perf stat -x SEP, -j or plain; -e duration_time gives the time", mw_import_perf_stat},
    {"google-benchmark", "Google Benchmark, JSON or CSV", mw_import_google_benchmark},
    {"pytest-benchmark", "pytest --benchmark-json", mw_import_pytest},
    {"criterion", "Rust's criterion: its printed report, cargo-criterion's messages or raw.csv", mw_import_criterion},
    {"go-bench", "go test -bench . -cpu 1,2,4", mw_import_go},
    {"stream", "the output of STREAM, one run or many", mw_import_stream},
    {"babelstream", "the output of BabelStream", mw_import_stream},
    {"sacct", "Slurm's sacct -P, -p or the aligned table", mw_import_sacct},
    {"likwid", "likwid-perfctr -O, or the output of likwid-bench", mw_import_likwid},
    {"npb", "the output of the NAS Parallel Benchmarks", mw_import_npb},
    {"time", "GNU time (plain, -v, -f), bash and POSIX time", mw_import_time},
    {"lammps", "the log of LAMMPS", mw_import_lammps},
    {"gromacs", "md.log of GROMACS", mw_import_gromacs},
    {"openfoam", "the log of an OpenFOAM solver", mw_import_openfoam},
    {"extra-p", "Extra-P input, text or JSON lines", mw_import_extra_p},
    {"csv", "any table that memwall fit reads", mw_import_csv},
    {NULL, NULL, NULL},
};

const struct mw_importer *mw_importer_find(const char *name)
{
    for (const struct mw_importer *i = mw_importers; i->name; i++)
        if (!strcmp(i->name, name))
            return i;
    return NULL;
}

static void drop_runs(struct mw_import *import, size_t from)
{
    while (import->count > from) {
        struct mw_import_run *run = &import->runs[--import->count];
        free(run->workload);
        free(run->input);
    }
}

void mw_import_release(struct mw_import *import)
{
    drop_runs(import, 0);
    free(import->runs);
    for (size_t i = 0; i < import->warning_count; i++)
        free(import->warnings[i]);
    free(import->warnings);
    *import = (struct mw_import){0};
}

enum mw_err mw_import_read(struct mw_import *import, const struct mw_importer *importer, const char *path,
                           const struct mw_import_options *options, struct mw_error *error)
{
    struct mw_bytes bytes;
    size_t before = import->count;
    enum mw_err err = mw_bytes_read(&bytes, path, error);
    if (err)
        return err;
    err = importer->read(import, &bytes, options, error);
    mw_bytes_release(&bytes);
    if (err)
        drop_runs(import, before);
    return err;
}

const char *mw_import_mapped(const struct mw_import_options *options, const char *field)
{
    size_t length = strlen(field);
    for (size_t i = 0; options && i < options->map_count; i++)
        if (!strncmp(options->map[i], field, length) && options->map[i][length] == '=')
            return options->map[i] + length + 1;
    return NULL;
}

enum mw_err mw_import_add(struct mw_import *import, struct mw_import_run run, const struct mw_bytes *bytes,
                          const struct mw_import_options *options, struct mw_error *error)
{
    unsigned given = options ? options->cores : 0;
    enum mw_err err = MW_OK;
    if (!(run.has & MW_RUN_CORES) && !given) {
        err =
            mw_fail(error, MW_DATA, "%s:%ld: the file does not tell on how many cores this ran", bytes->name, run.line);
        if (error)
            mw_hint(error, run.workload && strpbrk(run.workload, "123456789")
                               ? "say it: --cores N, or where it stands in the name: --map 'cores=/([0-9]+) threads/'"
                               : "say it: --cores N");
    } else if (run.has & MW_RUN_CORES && given && given != run.cores) {
        err = mw_fail(error, MW_DATA, "%s:%ld: the run is of %u cores, --cores says %u", bytes->name, run.line,
                      run.cores, given);
    } else if (run.has & MW_RUN_CORES && run.cores < 1) {
        err = mw_fail(error, MW_DATA, "%s:%ld: a run on 0 cores", bytes->name, run.line);
    }
    if (!err && import->count == import->capacity) {
        size_t capacity = import->capacity ? 2 * import->capacity : 16;
        struct mw_import_run *runs = realloc(import->runs, capacity * sizeof *runs);
        if (runs) {
            import->runs = runs;
            import->capacity = capacity;
        } else {
            err = mw_fail(error, MW_NOMEM, "out of memory");
        }
    }
    if (err) {
        free(run.workload);
        free(run.input);
        return err;
    }
    if (!(run.has & MW_RUN_CORES))
        run.cores = given;
    run.has |= MW_RUN_CORES;
    import->runs[import->count++] = run;
    return MW_OK;
}

enum mw_err mw_import_warn(struct mw_import *import, struct mw_error *error, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    char **warnings = realloc(import->warnings, (import->warning_count + 1) * sizeof *warnings);
    if (warnings)
        import->warnings = warnings;
    if (length < 0 || !warnings) {
        if (length >= 0)
            free(text);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    import->warnings[import->warning_count++] = text;
    return MW_OK;
}

enum mw_err mw_import_none(const struct mw_bytes *bytes, const char *what, struct mw_error *error)
{
    mw_fail(error, MW_DATA, "%s:1: nothing to import", bytes->name);
    return error ? mw_hint(error, "expected is %s", what) : MW_DATA;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcasecmp(name, *names))
            return true;
    return false;
}

bool mw_import_names_cores(const char *name)
{
    static const char *const names[] = {"threads", "thread",      "t",         "cores",      "np", "n",
                                        "j",       "num_threads", "nthreads",  "ncores",     "p",  "procs",
                                        "nprocs",  "ranks",       "processes", "processors", NULL};
    return is_one_of(name, names);
}

bool mw_import_names_freq(const char *name)
{
    static const char *const names[] = {"freq", "frequency", "f", "ghz", "freq_ghz", "clock", NULL};
    return is_one_of(name, names);
}

bool mw_lines_next(struct mw_lines *lines, const struct mw_bytes *bytes)
{
    if (lines->offset >= bytes->size) {
        mw_lines_release(lines);
        return false;
    }
    const char *start = bytes->data + lines->offset;
    size_t length = strcspn(start, "\n");
    lines->offset += length + 1;
    lines->number++;
    while (length && (start[length - 1] == '\r' || start[length - 1] == ' ' || start[length - 1] == '\t'))
        length--;
    if (length + 1 > lines->capacity) {
        char *text = realloc(lines->text, 2 * length + 64);
        if (!text) {
            mw_lines_release(lines);
            lines->offset = bytes->size;
            return false;
        }
        lines->text = text;
        lines->capacity = 2 * length + 64;
    }
    memcpy(lines->text, start, length);
    lines->text[length] = '\0';
    return true;
}

void mw_lines_release(struct mw_lines *lines)
{
    free(lines->text);
    lines->text = NULL;
    lines->capacity = 0;
}

const char *mw_after(const char *line, const char *prefix)
{
    size_t length = strlen(prefix);
    while (isspace((unsigned char)*line))
        line++;
    return strncmp(line, prefix, length) ? NULL : line + length;
}

bool mw_first_number(const char *text, double *value)
{
    const char *digit = strpbrk(text, "0123456789");
    if (!digit)
        return false;
    if (digit > text && digit[-1] == '.')
        digit--;
    if (digit > text && digit[-1] == '-')
        digit--;
    char *end;
    double parsed = strtod(digit, &end);
    if (end == digit || !(parsed > -1e300 && parsed < 1e300))
        return false;
    *value = parsed;
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

void mw_import_finish(struct mw_import *import)
{
    for (size_t i = 0; i < import->count; i++) {
        struct mw_import_run *run = &import->runs[i];
        run->repetition = 1;
        for (size_t j = i; j-- > 0;) {
            const struct mw_import_run *other = &import->runs[j];
            if (other->cores == run->cores && !(other->freq_hz < run->freq_hz) && !(other->freq_hz > run->freq_hz) &&
                same_text(other->workload, run->workload) && same_text(other->input, run->input)) {
                run->repetition = other->repetition + 1;
                break;
            }
        }
    }
}
