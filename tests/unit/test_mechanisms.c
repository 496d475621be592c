// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "model/mechanisms.h"

enum { CORES = 24, ROWS = 20 };
static double counts[CORES];
static const struct mw_frame FRAME = {.cores = CORES, .measured = counts, .measured_count = CORES};

/* One line of tests/data/mechanisms.csv. */
struct row {
    const struct mw_mechanism *law;
    double p, x, t, c, superlinear;
    char cause[32], family[16], pair[16];
    double u[MW_MECHANISM_PARAMS];
};

static const struct mw_mechanism *law_named(const char *name)
{
    for (size_t i = 0; i < MW_MECHANISM_COUNT; i++)
        if (!strcmp(mw_mechanisms[i].name, name))
            return &mw_mechanisms[i];
    fail_msg("no law %s", name);
    return NULL;
}

static bool row_read(FILE *file, struct row *row)
{
    char line[512], law[16];
    int used = 0;
    do
        if (!fgets(line, sizeof line, file))
            return false;
    while (line[0] == '#' || !strncmp(line, "law,", 4));
    assert_int_equal(sscanf(line, "%15[^,],%lf,%lf,%lf,%lf,%31[^,],%15[^,],%15[^,],%lf,%n", law, &row->p, &row->x,
                            &row->t, &row->c, row->cause, row->family, row->pair, &row->superlinear, &used),
                     9);
    row->law = law_named(law);
    char *at = line + used;
    for (size_t k = 0; k < MW_MECHANISM_COMMON + row->law->own; k++)
        row->u[k] = strtod(at, &at);
    return true;
}

static void each_row(void (*look)(const struct row *row, const double *q))
{
    FILE *file = fopen("tests/data/mechanisms.csv", "r");
    assert_non_null(file);
    struct row row;
    size_t n = 0;
    for (; row_read(file, &row); n++) {
        double q[MW_MECHANISM_PARAMS];
        mw_mechanism_draw(row.law, q, row.u, &FRAME);
        look(&row, q);
    }
    fclose(file);
    assert_int_equal(n, ROWS * MW_MECHANISM_COUNT);
}

static void value_is(const struct row *row, const double *q)
{
    double t, c;
    mw_mechanism_at(row->law, q, &FRAME, row->p, row->x, &t, &c, NULL);
    assert_near(t / row->t, 1, 1e-12);
    assert_near(c / row->c, 1, 1e-12);
}

static void second_implementation(void **state)
{
    (void)state;
    each_row(value_is);
}

static double sum(const struct mw_parts *p)
{
    return p->serial + p->parallel + p->latency + p->nonscaling + p->overhead + p->uneven + p->wait;
}

static double least(const struct mw_parts *p)
{
    return fmin(fmin(fmin(p->serial, p->parallel), fmin(p->latency, p->nonscaling)), fmin(p->overhead, p->wait));
}

static void parts_are(const struct row *row, const double *q)
{
    struct mw_use use;
    double t, c;
    mw_mechanism_at(row->law, q, &FRAME, row->p, row->x, &t, &c, &use);
    assert_near(sum(&use.time) / t, 1, 1e-12);
    assert_near(sum(&use.cpu) / c, 1, 1e-12);
    assert_true(least(&use.time) >= 0 && least(&use.cpu) >= -1e-15);
}

static void parts(void **state)
{
    (void)state;
    each_row(parts_are);
}

static const char *const FAMILIES[] = {"scales", "idle", "busy", "both", "superlinear"};
static const char *const PAIRS[] = {"idle-clock", "idle-fixed", "busy-clock", "busy-fixed", "none"};

static void outcome_is(const struct row *row, const double *q)
{
    struct mw_class outcome = mw_mechanism_class(row->law, q, &FRAME);
    if (strcmp(mw_cause_names[outcome.cause], row->cause) != 0)
        fail_msg("%s: %s, not %s", row->law->name, mw_cause_names[outcome.cause], row->cause);
    assert_string_equal(FAMILIES[outcome.family], row->family);
    assert_string_equal(PAIRS[outcome.pair], row->pair);
    assert_near(outcome.superlinear, row->superlinear, 1e-9);
}

static void outcomes(void **state)
{
    (void)state;
    each_row(outcome_is);
}

/* Many draws at once are each draw alone. */
static void blocks(void **state)
{
    (void)state;
    enum { N = 33 };
    for (size_t l = 0; l < MW_MECHANISM_COUNT; l++) {
        double column[MW_MECHANISM_PARAMS][N], t[N], c[N];
        const double *q[MW_MECHANISM_PARAMS];
        for (size_t i = 0; i < N; i++) {
            double u[MW_MECHANISM_PARAMS], one[MW_MECHANISM_PARAMS];
            for (size_t k = 0; k < MW_MECHANISM_PARAMS; k++)
                u[k] = fmod((double)(i + 1) * sqrt((double)(k + 2)), 1);
            mw_mechanism_draw(&mw_mechanisms[l], one, u, &FRAME);
            for (size_t k = 0; k < MW_MECHANISM_PARAMS; k++)
                column[k][i] = one[k];
        }
        for (size_t k = 0; k < MW_MECHANISM_PARAMS; k++)
            q[k] = column[k];
        mw_mechanisms[l].value(q, N, &FRAME, 13, .7, t, c);
        for (size_t i = 0; i < N; i++) {
            double one[MW_MECHANISM_PARAMS], t1, c1;
            for (size_t k = 0; k < MW_MECHANISM_PARAMS; k++)
                one[k] = column[k][i];
            mw_mechanism_at(&mw_mechanisms[l], one, &FRAME, 13, .7, &t1, &c1, NULL);
            assert_near(t[i] / t1, 1, 1e-12);
            assert_near(c[i] / c1, 1, 1e-12);
        }
    }
}

static void known_boundaries(void **state)
{
    (void)state;
    static const struct mw_boundary known[] = {{6, 1}, {12, 3}};
    struct mw_frame frame = FRAME;
    frame.boundaries = known;
    frame.boundary_count = 2;
    double u[MW_MECHANISM_PARAMS] = {.5, .5, .5, .5, .5, .5, .2, .5, .5}, q[MW_MECHANISM_PARAMS];
    mw_mechanism_draw(law_named("step"), q, u, &frame);
    assert_near(q[6], 6, 0);
    u[6] = .26;
    mw_mechanism_draw(law_named("step"), q, u, &frame);
    assert_near(q[6], 12, 0);
}

static void table(void **state)
{
    (void)state;
    double weight = 0;
    for (size_t i = 0; i < MW_MECHANISM_COUNT; i++) {
        weight += mw_mechanisms[i].weight;
        assert_true(mw_mechanisms[i].own <= MW_MECHANISM_OWN);
    }
    assert_near(weight, 1.03, 1e-12);
}

int main(void)
{
    for (size_t i = 0; i < CORES; i++)
        counts[i] = (double)(i + 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_implementation),
        cmocka_unit_test(parts),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(blocks),
        cmocka_unit_test(known_boundaries),
        cmocka_unit_test(table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
