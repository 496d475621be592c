// SPDX-License-Identifier: GPL-3.0-or-later
// Columns that nobody named: those without an effect are let pass, those that tell the runs apart are refused by name.
// Simulated tables; MW_SEED=n takes other ones than those of the test (make bench-factor).
#include "tests/unit/files.h"

#include "data/bytes.h"
#include "data/dataset.h"
#include "data/table.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

enum { TABLES = 1000 };

static gsl_rng *rng;

static unsigned whole(unsigned low, unsigned high)
{
    return low + (unsigned)gsl_rng_uniform_int(rng, high - low + 1);
}

static double log_uniform(double low, double high)
{
    return low * pow(high / low, gsl_rng_uniform(rng));
}

/* How a table is made: core counts 1, 2, 4 … times frequencies times repetitions, in blocks or interleaved. */
struct design {
    unsigned counts, freqs, repetitions;
    bool blocks;     /* all repetitions of a configuration one after the other */
    double noise;    /* of ln time */
    double outliers; /* share of runs that are 1.5 to 5 times too slow */
    double drift;    /* ln of last over first run of the table */
    double warm_up;  /* ln of first over other repetitions */
};

static struct design draw_design(void)
{
    struct design d = {.counts = whole(2, 9), .freqs = whole(1, 3), .repetitions = whole(2, 6)};
    d.blocks = whole(0, 1);
    d.noise = log_uniform(.005, .15);
    d.outliers = whole(0, 2) ? 0 : .05;
    d.drift = whole(0, 2) ? 0 : gsl_ran_gaussian(rng, .1);
    d.warm_up = whole(0, 4) ? 0 : fabs(gsl_ran_gaussian(rng, .15));
    return d;
}

static double draw_noise(const struct design *d)
{
    double y = gsl_ran_gaussian(rng, d->noise);
    return gsl_rng_uniform(rng) < d->outliers ? y + log(log_uniform(1.5, 5)) : y;
}

/* Values of a column that means nothing for the time. */
static void print_irrelevant(FILE *f, unsigned kind, unsigned run, unsigned runs, unsigned repetition, unsigned cores)
{
    static const char *const hosts[] = {"node01", "node02", "node07", "node11"};
    static const char *const notes[] = {"", "ok", "again", "night"};
    switch (kind) {
    case 0: /* a day for each few runs */
        fprintf(f, "2024-03-%02u", 1 + run * 4 / runs);
        break;
    case 1: /* a day for each repetition */
        fprintf(f, "%u.3.24", 4 + repetition);
        break;
    case 2:
        fprintf(f, "%s", hosts[whole(0, 3)]);
        break;
    case 3:
        fprintf(f, "%s", hosts[repetition % 2]);
        break;
    case 4: /* counter of the table */
        fprintf(f, "%u", run + 1);
        break;
    case 5: /* counter of the configuration, under a name that is no repetition's */
        fprintf(f, "%u", repetition);
        break;
    case 6:
        fprintf(f, "%u", whole(48, 48 + 3 * (cores > 8 ? 8 : cores)));
        break;
    case 7:
        fprintf(f, "%.1f", 50 + gsl_ran_gaussian(rng, 4));
        break;
    case 8:
        fprintf(f, "%s", notes[whole(0, 3)]);
        break;
    default: /* seed of the program */
        fprintf(f, "%u", 40 + repetition);
    }
}

enum { KINDS = 10 };
static const char *const kind_names[KINDS] = {"date",     "day",         "host", "machine", "counter",
                                              "position", "temperature", "heat", "note",    "seed"};

/* What a relevant column does: ln of the time at its level, changing along the cores by a part of it. */
struct effect {
    unsigned levels;
    double size, interaction;
};

static double effect_of(const struct effect *e, unsigned level, double share)
{
    return e->size * level / (e->levels - 1) * (1 - e->interaction * share);
}

static char *make_table(const struct design *d, const unsigned *kinds, size_t kind_count, const struct effect *e)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    double serial = log_uniform(.001, .3), memory = log_uniform(.01, 1);
    unsigned runs = d->counts * d->freqs * d->repetitions, levels = e ? e->levels : 1;
    fprintf(f, "threads%s,wall%s", d->freqs > 1 ? ",clock" : "", e ? ",model" : "");
    for (size_t k = 0; k < kind_count; k++)
        fprintf(f, ",%s", kind_names[kinds[k]]);
    fputc('\n', f);
    for (unsigned i = 0; i < runs; i++) {
        unsigned repetition = d->blocks ? i % d->repetitions : i * d->repetitions / runs;
        unsigned point = d->blocks ? i / d->repetitions : i % (d->counts * d->freqs);
        double ghz = 1.2 + .6 * (point / d->counts), cores = ldexp(1, (int)(point % d->counts));
        double time_s = 60 * ((serial + (1 - serial) / cores) / ghz + memory / sqrt(cores));
        for (unsigned l = 0; l < levels; l++) {
            double y = log(time_s) + draw_noise(d) + d->drift * i / runs + (repetition ? 0 : d->warm_up);
            y += e ? effect_of(e, l, log2(cores) / d->counts) : 0;
            fprintf(f, "%.0f", cores);
            if (d->freqs > 1)
                fprintf(f, ",%g", ghz);
            fprintf(f, ",%.5g", exp(y));
            if (e)
                fprintf(f, ",m%u", l);
            for (size_t k = 0; k < kind_count; k++) {
                fputc(',', f);
                print_irrelevant(f, kinds[k], i, runs, repetition + 1, (unsigned)cores);
            }
            fputc('\n', f);
        }
    }
    fclose(f);
    return text;
}

static enum mw_err read_table(const char *text, struct mw_error *error)
{
    struct mw_bytes bytes;
    struct mw_table table;
    struct mw_dataset *sets = NULL;
    size_t count = 0;
    assert_int_equal(mw_bytes_copy(&bytes, text, strlen(text), "t.csv", error), MW_OK);
    enum mw_err err = mw_table_parse(&table, &bytes, error);
    mw_bytes_release(&bytes);
    assert_int_equal(err, MW_OK);
    err = mw_dataset_parse_by(&sets, &count, "t.csv", &table, NULL, NULL, 0, error);
    mw_table_release(&table);
    for (size_t i = 0; i < count && !err; i++)
        mw_dataset_release(&sets[i]);
    if (!err)
        free(sets);
    return err;
}

static unsigned long seed(void)
{
    const char *text = getenv("MW_SEED");
    return text ? strtoul(text, NULL, 10) : 1;
}

static void irrelevant(void **state)
{
    (void)state;
    size_t refused = 0;
    gsl_rng_set(rng, seed());
    for (int t = 0; t < TABLES; t++) {
        struct design d = draw_design();
        unsigned kinds[3] = {whole(0, KINDS - 1), whole(0, KINDS - 1), whole(0, KINDS - 1)};
        char *text = make_table(
            &d, kinds, whole(1, kinds[0] != kinds[1] && kinds[1] != kinds[2] && kinds[0] != kinds[2] ? 3 : 1), NULL);
        struct mw_error e;
        if (read_table(text, &e)) {
            assert_non_null(strstr(e.message, "tells them apart"));
            refused++;
            print_message("noise %.3f drift %.2f warm-up %.2f outliers %.2f, %u x %u x %u: %s\n", d.noise, d.drift,
                          d.warm_up, d.outliers, d.counts, d.freqs, d.repetitions, e.message);
        }
        free(text);
    }
    print_message("%zu of %d tables without an effect refused\n", refused, TABLES);
    assert_in_range(refused, 0, TABLES / 100);
}

/* Effects far beyond noise: found beside columns without one, and named. */
static void relevant(void **state)
{
    (void)state;
    size_t found = 0, wrong = 0;
    gsl_rng_set(rng, seed() + 1000);
    for (int t = 0; t < TABLES; t++) {
        struct design d = draw_design();
        struct effect e = {
            .levels = whole(2, 4), .size = log(log_uniform(1.5, 20)), .interaction = gsl_rng_uniform(rng) / 2};
        d.noise = log_uniform(.002, .03);
        d.repetitions = whole(1, 3);
        d.counts = whole(3, 8);
        unsigned kinds[1] = {whole(0, KINDS - 1)};
        char *text = make_table(&d, kinds, 1, &e);
        struct mw_error error;
        if (read_table(text, &error)) {
            bool named = strstr(error.message, "'model'") && strstr(error.hint, "--by model");
            found += named;
            wrong += !named;
        } else
            print_message("missed: size %.2f interaction %.2f levels %u outliers %g %u x %u x %u\n", exp(e.size),
                          e.interaction, e.levels, d.outliers, d.counts, d.freqs, d.repetitions);
        free(text);
    }
    print_message("%zu of %d effects found, %zu under another name\n", found, TABLES, wrong);
    assert_in_range(found, TABLES * 97 / 100, TABLES);
}

/* Two ways to scale that cross: on the fewest cores the one is ahead, on the most the other, and on average neither. */
static void crossing(void **state)
{
    (void)state;
    size_t found = 0;
    gsl_rng_set(rng, seed() + 2000);
    for (int t = 0; t < TABLES; t++) {
        unsigned counts = whole(3, 8);
        double noise = log_uniform(.002, .03), swing = log_uniform(.4, 1.5);
        char *text = NULL;
        size_t size;
        FILE *f = open_memstream(&text, &size);
        fprintf(f, "way,cores,time_s\n");
        for (unsigned l = 0; l < 2; l++)
            for (unsigned c = 0; c < counts; c++) {
                double place = (double)c / (counts - 1) - .5;
                fprintf(f, "%c,%u,%.9g\n", 'a' + (char)l, 1u << c,
                        100 / (1. + c) * exp((l ? swing : -swing) * place + gsl_ran_gaussian(rng, noise)));
            }
        fclose(f);
        struct mw_error error;
        found += read_table(text, &error) && strstr(error.message, "'way'");
        free(text);
    }
    print_message("%zu of %d crossings found\n", found, TABLES);
    assert_in_range(found, TABLES * 60 / 100, TABLES); /* of three counts, or little beyond noise, not all can be */
}

static int set_up(void **state)
{
    (void)state;
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    return rng ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    gsl_rng_free(rng);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(irrelevant),
        cmocka_unit_test(relevant),
        cmocka_unit_test(crossing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
