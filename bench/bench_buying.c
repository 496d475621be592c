// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make bench-buying: a program on machine B predicted from machine A, all ordered pairs of the eight kinds of machine in
 * the shared set of Loghin and Teo, and from a few points on B.
 */
#include "bench/buying.h"

#include <math.h>
#include <stdio.h>

/* --- (a) the curve from A alone ------------------------------------------------------------------------------ */
enum { EXPONENTS = 8 };
static const double EXPONENT[EXPONENTS] = {1e-9, .2, .4, .5, .6, .75, .9, 1.2};

struct pair_error {
    int a, b, program;
    double by_exponent[EXPONENTS], copy, amdahl;
    unsigned points, covered, at_all; /* of the intervals with the default exponent */
};

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
        struct mw_transfer_target target = {.profile = &profiles[b]};
        struct mw_transfer_result r = buying_answer(a, program, EXPONENT[x], &target, cores, n);
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
        mw_transfer_result_release(&r);
    }
    struct mw_profile plain_b = {.cores = profiles[b].cores};
    struct mw_transfer_target target = {.profile = &plain_b};
    struct mw_transfer_result r = buying_answer(a, program, 1e-9, &target, cores, n);
    for (size_t i = 0; i < n; i++)
        e.copy += fabs(r.estimates[i].speedup / (truth->time_s[1] / truth->time_s[(unsigned)cores[i]]) - 1) / (double)n;
    mw_transfer_result_release(&r);
    return e;
}

static double mean_where(const struct pair_error *e, size_t n, int memory, int big_to_small,
                         double (*value)(const struct pair_error *))
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        int sizes = profiles[e[i].a].cores < profiles[e[i].b].cores ? 1 : 2;
        if ((memory >= 0 && curves[e[i].a][e[i].program].memory != (memory != 0)) ||
            (big_to_small && sizes != big_to_small))
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
            sum += e[i].b != target && curves[e[i].a][e[i].program].memory ? e[i].by_exponent[x] : 0;
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
    struct mw_points runs = {.items = &one, .count = 1, .quantity = MW_TIME};
    struct mw_transfer_target target = {.profile = &profiles[b], .runs = measured ? &runs : NULL};
    double cores = c->cores;
    struct mw_transfer_result r = buying_answer(a, program, MW_TRANSFER_EXPONENT, &target, &cores, 1);
    double t = r.estimates[0].time_s;
    *sd = r.estimates[0].ln_time_sd;
    mw_transfer_result_release(&r);
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
    struct mw_transfer_contender pair[2] = {{log(t1), sd1, 0}, {log(t2), sd2, 0}};
    mw_transfer_rank(pair, 2);
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

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "../shared/data/multicores";
    if (!buying_load(folder)) {
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
    buying_what_if(folder);
    buying_points();
    return 0;
}
