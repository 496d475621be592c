// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make bench-buying: a program on machine B predicted from machine A, all ordered pairs of the eight kinds of machine in
 * the shared set of Loghin and Teo, and from a few points on B.
 */
#include "advise/buy.h"
#include "advise/whatif.h"
#include "data/stats.h"
#include "fit/fit.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINES = 8, PROGRAMS = 8, MOST = 48 };

/* Physical cores and clock of the article; the Xeon's turbo steps as in data/profiles/xeon-e5-2630v4.json. */
static struct mw_profile_clock TURBO[] = {{1, 3.1e9}, {2, 3.1e9}, {3, 2.9e9}, {4, 2.8e9}, {5, 2.7e9},
                                          {6, 2.6e9}, {7, 2.5e9}, {8, 2.4e9}, {10, 2.4e9}};
static const struct {
    const char *name, *files;
    unsigned cores;
    double clock_hz;
    const char *isa;
} MACHINE[MACHINES] = {
    {"amd", "amd", 48, 2.1e9, "x86_64"},
    {"arm", "arm", 48, 1.73e9, "aarch64"},
    {"xeon", "xeon", 10, 3.1e9, "x86_64"},
    {"i7", "i7", 4, 4.0e9, "x86_64"},
    {"pi3", "pi3", 4, 1.2e9, "aarch64"},
    {"tx2-a57", "tx2-static-little_cores", 4, 2.0e9, "aarch64"},
    {"xu3-a15", "xu3-static-big_cores", 4, 2.0e9, "armv7"},
    {"xu3-a7", "xu3-static-little_cores", 4, 1.4e9, "armv7"},
};
static const struct {
    const char *name;
    bool memory; /* stencils, sparse solvers, graph: as their authors describe them, set before any rule was tried */
} PROGRAM[PROGRAMS] = {{"bs", false}, {"bt", true},  {"cl", true},  {"fe", true},
                       {"gh", true},  {"km", false}, {"lv", false}, {"pf", false}};

struct curve {
    bool present;
    struct mw_dataset dataset;
    struct mw_model model;
    unsigned cores; /* measured 1 ... cores, all of them */
    double time_s[MOST + 1];
    struct mw_buy_source source;
};
static struct curve curves[MACHINES][PROGRAMS];
static struct mw_profile profiles[MACHINES];

static void die(const struct mw_error *error)
{
    fprintf(stderr, "bench-buying: %s\n", error->message);
    exit(1);
}

/* Rows of other core counts than `cores` (all where NULL) and of hyper-threads are put aside, then fitted. */
static bool fit_rows(struct mw_model *model, struct mw_dataset *dataset, unsigned physical, const unsigned *cores,
                     size_t count)
{
    struct mw_error error;
    for (size_t i = 0; i < dataset->count; i++) {
        bool keep = dataset->rows[i].cores <= physical;
        for (size_t k = 0, found = 0; keep && cores && k < count; k++) {
            found += cores[k] == dataset->rows[i].cores;
            keep = k + 1 < count || found;
        }
        dataset->rows[i].set_aside = keep ? NULL : "not among the points asked for";
    }
    return mw_fit(model, dataset, &(struct mw_fit_options){.law = "auto", .loss = "robust", .method = "csa", .seed = 1},
                  &error) == MW_OK;
}

static bool load(const char *folder)
{
    bool any = false;
    for (int m = 0; m < MACHINES; m++) {
        profiles[m] =
            (struct mw_profile){.cores = MACHINE[m].cores, .isa = (char *)(uintptr_t)MACHINE[m].isa, .smt = 1};
        static struct mw_profile_clock single[MACHINES];
        single[m] = (struct mw_profile_clock){1, MACHINE[m].clock_hz};
        profiles[m].clock = m == 2 ? TURBO : &single[m];
        profiles[m].clock_count = m == 2 ? sizeof TURBO / sizeof *TURBO : 1;
        for (int p = 0; p < PROGRAMS; p++) {
            char path[512];
            struct mw_error error;
            struct curve *c = &curves[m][p];
            struct mw_points points;
            snprintf(path, sizeof path, "%s/%s-%s.csv", folder, MACHINE[m].files, PROGRAM[p].name);
            if (mw_dataset_read(&c->dataset, path, &(struct mw_dataset_options){0}, &error) != MW_OK)
                continue;
            if (!fit_rows(&c->model, &c->dataset, MACHINE[m].cores, NULL, 0) ||
                mw_points_from_dataset(&points, &c->dataset, &error) != MW_OK)
                die(&error);
            for (size_t i = 0; i < points.count; i++)
                if (points.items[i].cores <= MACHINE[m].cores)
                    c->time_s[points.items[i].cores] = points.items[i].value;
            c->cores = MACHINE[m].cores;
            c->present = any = true;
            c->source = (struct mw_buy_source){.model = &c->model,
                                               .machine = &profiles[m],
                                               .memory = PROGRAM[p].memory ? MW_BUY_MEMORY_YES : MW_BUY_MEMORY_NO};
            if (mw_buy_source_init(&c->source, MOST, &error) != MW_OK)
                die(&error);
            mw_points_release(&points);
        }
    }
    return any;
}

/* --- (a) the curve from A alone ------------------------------------------------------------------------------ */
enum { EXPONENTS = 8 };
static const double EXPONENT[EXPONENTS] = {1e-9, .2, .4, .5, .6, .75, .9, 1.2};

struct pair_error {
    int a, b, program;
    double by_exponent[EXPONENTS], copy, amdahl;
    unsigned points, covered, at_all; /* of the intervals with the default exponent */
};

static struct mw_buy_result buy(int a, int program, double exponent, const struct mw_buy_target *target,
                                const double *cores, size_t n)
{
    struct mw_error error;
    struct mw_buy_source source = curves[a][program].source; /* borrowed; only the exponent is its own */
    struct mw_buy_result result;
    source.exponent = exponent;
    if (mw_buy_predict(&result, &source, target, cores, n, &error) != MW_OK)
        die(&error);
    return result;
}

/* Amdahl's serial share by least squares on ln S over a fine grid. */
static double amdahl_serial(const struct curve *c)
{
    double best = 0, least = HUGE_VAL;
    for (double s = 1e-5; s <= 1; s *= 1.02) {
        double sum = 0;
        for (unsigned p = 2; p <= c->cores; p++)
            sum += pow(log(c->time_s[p] / c->time_s[1]) - log(s + (1 - s) / p), 2);
        if (sum < least) {
            least = sum;
            best = s;
        }
    }
    return best;
}

static struct pair_error pair_error_of(int a, int b, int program)
{
    struct pair_error e = {.a = a, .b = b, .program = program};
    const struct curve *truth = &curves[b][program];
    double cores[MOST], serial = amdahl_serial(&curves[a][program]);
    size_t n = 0;
    for (unsigned p = 2; p <= truth->cores; p++)
        cores[n++] = p;
    for (int x = 0; x < EXPONENTS; x++) {
        struct mw_buy_target target = {.profile = &profiles[b]};
        struct mw_buy_result r = buy(a, program, EXPONENT[x], &target, cores, n);
        for (size_t i = 0; i < n; i++) {
            double s = truth->time_s[1] / truth->time_s[(unsigned)cores[i]];
            e.by_exponent[x] += fabs(r.estimates[i].speedup / s - 1) / (double)n;
            if (EXPONENT[x] > .59 && EXPONENT[x] < .61) {
                bool in = s >= r.estimates[i].speedup_low && s <= r.estimates[i].speedup_high;
                e.points++;
                e.covered += in;
                e.at_all = i + 1 == n ? in : e.at_all;
            }
            if (x == 0)
                e.amdahl += fabs(1 / (serial + (1 - serial) / cores[i]) / s - 1) / (double)n;
        }
        mw_buy_result_release(&r);
    }
    struct mw_profile plain_b = {.cores = profiles[b].cores};
    struct mw_buy_target target = {.profile = &plain_b};
    struct mw_buy_result r = buy(a, program, 1e-9, &target, cores, n);
    for (size_t i = 0; i < n; i++)
        e.copy += fabs(r.estimates[i].speedup / (truth->time_s[1] / truth->time_s[(unsigned)cores[i]]) - 1) / (double)n;
    mw_buy_result_release(&r);
    return e;
}

static double mean_where(const struct pair_error *e, size_t n, int memory, int big_to_small,
                         double (*value)(const struct pair_error *))
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        int sizes = MACHINE[e[i].a].cores < MACHINE[e[i].b].cores ? 1 : 2;
        if ((memory >= 0 && PROGRAM[e[i].program].memory != (memory != 0)) || (big_to_small && sizes != big_to_small))
            continue;
        sum += value(&e[i]);
        count++;
    }
    return count > 0 ? 100 * sum / count : 0;
}

/* The exponent with the least mean error of memory-bound programs on all other targets. */
static int nested_exponent(const struct pair_error *e, size_t n, int target)
{
    int best = 0;
    double least = HUGE_VAL;
    for (int x = 0; x < EXPONENTS; x++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += e[i].b != target && PROGRAM[e[i].program].memory ? e[i].by_exponent[x] : 0;
        if (sum < least) {
            least = sum;
            best = x;
        }
    }
    return best;
}

static int nested[MACHINES];
static double value_copy(const struct pair_error *e)
{
    return e->copy;
}
static double value_amdahl(const struct pair_error *e)
{
    return e->amdahl;
}
static double value_default(const struct pair_error *e)
{
    return e->by_exponent[4];
}
static double value_nested(const struct pair_error *e)
{
    return e->by_exponent[nested[e->b]];
}

static void print_curves(const struct pair_error *e, size_t n)
{
    const struct {
        const char *name;
        double (*value)(const struct pair_error *);
    } methods[] = {{"copy A's curve", value_copy},
                   {"Amdahl from A", value_amdahl},
                   {"predict --target", value_default},
                   {"  exponent chosen without the target", value_nested}};
    printf(
        "\nThe curve S_B(p) from A alone: mean error in %% over p > 1, %zu program-pairs\n%-38s %6s %8s %6s %12s %12s\n",
        n, "", "all", "memory", "other", "to larger", "to smaller");
    for (int t = 0; t < MACHINES; t++)
        nested[t] = nested_exponent(e, n, t);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        printf("%-38s %6.1f %8.1f %6.1f %12.1f %12.1f\n", methods[k].name, mean_where(e, n, -1, 0, methods[k].value),
               mean_where(e, n, 1, 0, methods[k].value), mean_where(e, n, 0, 0, methods[k].value),
               mean_where(e, n, -1, 1, methods[k].value), mean_where(e, n, -1, 2, methods[k].value));
    unsigned points = 0, covered = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        points += e[i].points;
        covered += e[i].covered;
        all += e[i].at_all;
    }
    printf("90 %% intervals cover %.1f %% of %u points, %.1f %% at all cores\n", 100. * covered / points, points,
           100. * all / (double)n);
    fflush(stdout);
}

/* --- (b) which machine is faster ------------------------------------------------------------------------------- */
struct ranking {
    unsigned asked[4], right[4], total, total_right;
    double stated[5], seen[5];
    unsigned stated_count[5];
};

static double total_time(int a, int b, int program, bool measured, double *sd)
{
    const struct curve *c = &curves[b][program];
    struct mw_point one = {
        .cores = 1, .freq_hz = c->source.freq_hz, .value = c->time_s[1], .count = 1, .noise_factor = 1};
    struct mw_points runs = {&one, 1, MW_TIME};
    struct mw_buy_target target = {.profile = &profiles[b], .runs = measured ? &runs : NULL};
    double cores = c->cores;
    struct mw_buy_result r = buy(a, program, MW_BUY_EXPONENT, &target, &cores, 1);
    double t = r.estimates[0].time_s;
    *sd = r.estimates[0].ln_time_sd;
    mw_buy_result_release(&r);
    return t;
}

static void ask(struct ranking *r, double t1, double sd1, double t2, double sd2, double truth1, double truth2)
{
    static const double LIMIT[] = {1.5, 2.5, 5, HUGE_VAL};
    double margin = fmax(t1 / t2, t2 / t1);
    bool right = (t1 < t2) == (truth1 < truth2);
    int bin = 0;
    while (margin >= LIMIT[bin])
        bin++;
    r->asked[bin]++;
    r->right[bin] += right;
    r->total++;
    r->total_right += right;
    struct mw_buy_contender pair[2] = {{log(t1), sd1, 0}, {log(t2), sd2, 0}};
    mw_buy_rank(pair, 2);
    double chance = fmax(pair[0].chance, pair[1].chance);
    int slot = (int)fmin((chance - .5) * 10, 4);
    r->stated_count[slot]++;
    r->stated[slot] += chance;
    r->seen[slot] += right;
}

static void print_ranking(const char *name, const struct ranking *r)
{
    printf("%-34s %5.0f (%u)", name, 100. * r->total_right / r->total, r->total);
    for (int i = 0; i < 4; i++)
        printf(" %5.0f (%u)", r->asked[i] ? 100. * r->right[i] / r->asked[i] : 0, r->asked[i]);
    printf("   said/seen:");
    for (int i = 0; i < 5; i++)
        if (r->stated_count[i])
            printf(" %.0f/%.0f", 100 * r->stated[i] / r->stated_count[i], 100 * r->seen[i] / r->stated_count[i]);
    printf("\n");
}

static void rank_machines(void)
{
    printf(
        "\nWhich machine is faster at full size: right in %% (questions), by margin <1.5, <2.5, <5, more; chance said and seen\n");
    for (int measured = 0; measured < 2; measured++) {
        struct ranking candidates = {0}, here = {0};
        for (int a = 0; a < MACHINES; a++)
            for (int p = 0; p < PROGRAMS; p++) {
                if (!curves[a][p].present)
                    continue;
                double t[MACHINES] = {0}, sd[MACHINES] = {0};
                for (int b = 0; b < MACHINES; b++)
                    if (b != a && curves[b][p].present)
                        t[b] = total_time(a, b, p, measured != 0, &sd[b]);
                for (int b = 0; b < MACHINES; b++) {
                    if (t[b] <= 0)
                        continue;
                    const struct curve *ca = &curves[a][p], *cb = &curves[b][p];
                    ask(&here, t[b], sd[b], ca->time_s[ca->cores], .02, cb->time_s[cb->cores], ca->time_s[ca->cores]);
                    for (int c = b + 1; c < MACHINES; c++)
                        if (t[c] > 0)
                            ask(&candidates, t[b], sd[b], t[c], sd[c], cb->time_s[cb->cores],
                                curves[c][p].time_s[curves[c][p].cores]);
                }
            }
        print_ranking(measured ? "two candidates, one core measured" : "two candidates, by clock", &candidates);
        print_ranking(measured ? "faster than A, one core measured" : "faster than A, by clock", &here);
    }
}

/* --- (c) points on B ------------------------------------------------------------------------------------------- */
struct design {
    const char *name;
    double at[4]; /* core counts; negative: fraction of all cores */
};

static void rent_points(void)
{
    static const struct design DESIGNS[] = {
        {"{1}", {1}},
        {"{1,2}", {1, 2}},
        {"{1,4}", {1, 4}},
        {"{P}", {-1}},
        {"{P/2,P}", {-.5, -1}},
        {"{1,P}", {1, -1}},
        {"{1,4,P}", {1, 4, -1}},
        {"{1,P/2,P}", {1, -.5, -1}},
        {"{1,2,4,8}", {1, 2, 4, 8}},
        {"{1,4,P/2,P}", {1, 4, -.5, -1}},
    };
    static const unsigned SIZES[] = {48, 10, 4};
    printf(
        "\nPoints on B: mean error in %% of speed (1/T) at the core counts not measured (90 %% coverage), by size of B\n%-12s",
        "");
    for (int s = 0; s < 3; s++)
        printf(" %10u cores", SIZES[s]);
    printf("\n");
    for (size_t d = 0; d < sizeof DESIGNS / sizeof *DESIGNS; d++) {
        double error_sum[3] = {0}, count[3] = {0}, inside[3] = {0}, points_all[3] = {0};
        for (int b = 0; b < MACHINES; b++)
            for (int p = 0; p < PROGRAMS; p++) {
                struct curve *c = &curves[b][p];
                if (!c->present)
                    continue;
                unsigned cores[4];
                size_t n = 0;
                for (int k = 0; k < 4 && DESIGNS[d].at[k] != 0; k++)
                    cores[n++] =
                        DESIGNS[d].at[k] > 0 ? (unsigned)DESIGNS[d].at[k] : (unsigned)(-DESIGNS[d].at[k] * c->cores);
                if (n > 1 && (cores[n - 1] <= cores[n - 2] || cores[n - 1] > c->cores))
                    continue;
                struct mw_model fitted = {0};
                bool fits = fit_rows(&fitted, &c->dataset, c->cores, cores, n);
                struct mw_point items[4];
                for (size_t i = 0; i < n; i++)
                    items[i] = (struct mw_point){.cores = cores[i],
                                                 .freq_hz = c->source.freq_hz,
                                                 .value = c->time_s[cores[i]],
                                                 .count = 1,
                                                 .noise_factor = 1};
                struct mw_points runs = {items, n, MW_TIME};
                double asked[MOST];
                size_t m = 0;
                for (unsigned q = 2; q <= c->cores; q++) {
                    bool known = false;
                    for (size_t i = 0; i < n; i++)
                        known = known || cores[i] == q;
                    if (!known)
                        asked[m++] = q;
                }
                int size = c->cores == 48 ? 0 : c->cores == 10 ? 1 : 2;
                for (int a = 0; a < MACHINES && m > 0; a++) {
                    if (a == b || !curves[a][p].present)
                        continue;
                    struct mw_buy_target target = {
                        .profile = &profiles[b], .runs = &runs, .runs_model = fits ? &fitted : NULL};
                    struct mw_buy_result r = buy(a, p, MW_BUY_EXPONENT, &target, asked, m);
                    double mean = 0;
                    for (size_t i = 0; i < m; i++) {
                        double t = c->time_s[(unsigned)asked[i]];
                        mean += fabs(t / r.estimates[i].time_s - 1) / (double)m;
                        inside[size] += t >= r.estimates[i].time_low_s && t <= r.estimates[i].time_high_s;
                        points_all[size]++;
                    }
                    error_sum[size] += mean;
                    count[size]++;
                    mw_buy_result_release(&r);
                }
                if (fits)
                    mw_model_release(&fitted);
            }
        printf("%-12s", DESIGNS[d].name);
        for (int s = 0; s < 3; s++)
            if (count[s] > 0)
                printf("   %5.1f (%3.0f)   ", 100 * error_sum[s] / count[s], 100 * inside[s] / points_all[s]);
            else
                printf("   %5s         ", "-");
        printf("\n");
        fflush(stdout);
    }
}

/* --- (d) what-if by the twin identity -------------------------------------------------------------------------- */
static bool freq_in(double freq_hz, const double *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fabs(freq_hz - list[i]) < 1e6)
            return true;
    return false;
}

/* Fits the runs at two frequencies, asks for memory x at 2.4 GHz, compares with x T(p, x F) of the table. */
static void twin_of(const char *path, const double *fitted, double *square, double *nothing, unsigned *count,
                    unsigned *crossed)
{
    static const double TRUTH[] = {1.4e9, 1.7e9, 2.0e9};
    struct mw_dataset dataset;
    struct mw_points all;
    struct mw_model model;
    struct mw_error error;
    if (mw_dataset_read(&dataset, path, &(struct mw_dataset_options){0}, &error) != MW_OK)
        return;
    if (mw_points_from_dataset(&all, &dataset, &error) != MW_OK)
        die(&error);
    for (size_t i = 0; i < dataset.count; i++)
        if (!freq_in(dataset.rows[i].freq_hz, fitted, 2) || dataset.rows[i].cores % 4 > 1)
            dataset.rows[i].set_aside = "not among the runs at two frequencies";
    if (mw_fit(&model, &dataset, &(struct mw_fit_options){.law = "auto", .loss = "robust", .method = "csa", .seed = 1},
               &error) != MW_OK)
        die(&error);
    for (size_t i = 0; i < all.count; i++)
        for (size_t k = 0; k < 3; k++) {
            const struct mw_point *twin = &all.items[i];
            struct mw_diagnosis diagnosis = {.verdict = MW_VERDICT_UNDETERMINED};
            struct mw_whatif what = {.latency = TRUTH[k] / 2.4e9, .bandwidth = 1};
            struct mw_query query = {twin->cores, 2.4e9};
            struct mw_whatif_answer a;
            if (fabs(twin->freq_hz - TRUTH[k]) > 1e6 || TRUTH[k] < fitted[0] || twin->cores % 4 > 1)
                continue;
            if (mw_whatif_answer(&a, &what, &model, &diagnosis, &query, &error) != MW_OK)
                die(&error);
            double truth = log(what.latency * twin->value);
            *square += pow(log(a.value) - truth, 2);
            *nothing += pow(log(a.now) - truth, 2);
            *crossed += a.crossed;
            ++*count;
        }
    mw_model_release(&model);
    mw_points_release(&all);
    mw_dataset_release(&dataset);
}

static void what_if(const char *folder)
{
    static const char *const NAMES[] = {"blackscholes", "canneal", "dedup", "ferret", "raytrace", "swaptions", "x264"};
    static const double FITTED[2][2] = {{1.2e9, 2.4e9}, {1.8e9, 2.4e9}};
    printf(
        "\nWhat if memory were faster, by the twin identity, from runs at two frequencies (7 programs): rms error of ln T\n");
    for (int f = 0; f < 2; f++) {
        double square = 0, nothing = 0;
        unsigned count = 0, crossed = 0;
        for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
            char path[512];
            snprintf(path, sizeof path, "%s/../parsec-power/%s.csv", folder, NAMES[i]);
            twin_of(path, FITTED[f], &square, &nothing, &count, &crossed);
        }
        if (count)
            printf(
                "%.1f and 2.4 GHz: %.3f (answering \"no change\": %.3f); %u of %u outside the bounds by over 2 %%, all said\n",
                FITTED[f][0] / 1e9, sqrt(square / count), sqrt(nothing / count), crossed, count);
    }
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "../shared/data/multicores";
    if (!load(folder)) {
        printf("bench-buying: no tables in %s: skipped\n", folder);
        return 77;
    }
    static struct pair_error errors[MACHINES * MACHINES * PROGRAMS];
    size_t n = 0;
    for (int a = 0; a < MACHINES; a++)
        for (int b = 0; b < MACHINES; b++)
            for (int p = 0; p < PROGRAMS; p++)
                if (a != b && curves[a][p].present && curves[b][p].present)
                    errors[n++] = pair_error_of(a, b, p);
    print_curves(errors, n);
    rank_machines();
    what_if(folder);
    rent_points();
    return 0;
}
