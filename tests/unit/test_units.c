// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "data/stats.h"
#include "data/units.h"

static void frequencies(void **state)
{
    (void)state;
    double f;
    assert_int_equal(mw_parse_freq("1.8", &f, NULL), MW_OK);
    assert_near(f, 1.8e9, 1);
    assert_int_equal(mw_parse_freq("1800MHz", &f, NULL), MW_OK);
    assert_near(f, 1.8e9, 1);
    assert_int_equal(mw_parse_freq("2200000kHz", &f, NULL), MW_OK);
    assert_near(f, 2.2e9, 1);
    struct mw_error e;
    assert_int_equal(mw_parse_freq("2THz", &f, &e), MW_USAGE);
    assert_non_null(strstr(e.message, "GHz, MHz, kHz"));
    assert_int_equal(mw_parse_freq("nan", &f, NULL), MW_USAGE);
    assert_int_equal(mw_parse_freq("-1", &f, NULL), MW_USAGE);
    assert_int_equal(mw_parse_freq("0x10", &f, NULL), MW_USAGE);
}

static void durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double want;
    } cases[] = {{"90", 90},         {"250ms", .25}, {"1m12.271s", 72.271}, {"1:12.5", 72.5}, {"2-03:04:05", 183845},
                 {"02:19:48", 8388}, {"2h", 7200}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double t;
        assert_int_equal(mw_parse_duration(cases[i].text, &t, NULL), MW_OK);
        assert_near(t, cases[i].want, 1e-9);
    }
    double t;
    assert_int_equal(mw_parse_duration("3 parsecs", &t, NULL), MW_USAGE);
    assert_int_equal(mw_parse_duration("", &t, NULL), MW_USAGE);
    assert_int_equal(mw_parse_duration("1:", &t, NULL), MW_USAGE);
}

static void lists(void **state)
{
    (void)state;
    double offered[] = {1, 2, 3, 4}, *v;
    size_t n;
    assert_int_equal(mw_parse_cores("1,2,4-16:2", offered, 4, &v, &n, NULL), MW_OK);
    assert_int_equal(n, 9);
    assert_near(v[8], 16, 0);
    free(v);
    assert_int_equal(mw_parse_cores("all,2", offered, 4, &v, &n, NULL), MW_OK);
    assert_int_equal(n, 4);
    free(v);
    double freqs[] = {1.2e9, 2.4e9};
    assert_int_equal(mw_parse_freqs("1.2-2.4:0.1", freqs, 2, &v, &n, NULL), MW_OK);
    assert_int_equal(n, 13);
    assert_near(v[12], 2.4e9, 1);
    free(v);
    assert_int_equal(mw_parse_freqs("min,max", freqs, 2, &v, &n, NULL), MW_OK);
    assert_int_equal(n, 2);
    free(v);
    assert_int_equal(mw_parse_cores("4-1", offered, 4, &v, &n, NULL), MW_USAGE);
    assert_int_equal(mw_parse_cores("1,,2", offered, 4, &v, &n, NULL), MW_USAGE);
    assert_int_equal(mw_parse_cores("1.5", offered, 4, &v, &n, NULL), MW_USAGE);
    assert_int_equal(mw_parse_cores("max", NULL, 0, &v, &n, NULL), MW_USAGE);
    assert_int_equal(mw_parse_cores("1-1000000000", offered, 4, &v, &n, NULL), MW_USAGE);
}

static void nearest(void **state)
{
    (void)state;
    static const char *const words[] = {"measure", "machine", "fit"};
    assert_string_equal(mw_nearest("mesure", words, 3), "measure");
    assert_string_equal(mw_nearest("fti", words, 3), "fit");
    assert_null(mw_nearest("xyz", words, 3));
}

static void medians(void **state)
{
    (void)state;
    double v[] = {5, 1, 4, 2, 3}, low, high, ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    assert_near(mw_median(v, 5), 3, 0);
    assert_near(mw_mad(v, 5), 1.4826, 1e-12);
    /* selection against sorting, with and without ties, even and odd */
    double many[301], sorted[301];
    for (size_t n = 1; n <= 301; n++) {
        for (size_t i = 0; i < n; i++)
            sorted[i] = many[i] = (double)((i * 7919 + n * 31) % (n % 3 ? 1009 : 7));
        mw_sort(sorted, n);
        assert_near(mw_median(many, n), mw_quantile_sorted(sorted, n, 0.5), 0);
    }
    double some[] = {3, 1, 3, 2, 1}, sorted_already[] = {1, 1, 2};
    assert_int_equal(mw_sort_distinct(some, 5), 3);
    for (int i = 0; i < 3; i++)
        assert_near(some[i], i + 1, 0);
    assert_int_equal(mw_sort_distinct(sorted_already, 3), 2);
    assert_near(sorted_already[1], 2, 0);
    assert_int_equal(mw_sort_distinct(some, 0), 0);
    /* Conover, Practical Nonparametric Statistics: n = 10, ranks 2 and 9, 97.85 % */
    assert_near(mw_median_interval(ten, 10, .95, &low, &high), .978515625, 1e-9);
    assert_near(low, 2, 0);
    assert_near(high, 9, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies), cmocka_unit_test(durations), cmocka_unit_test(lists),
        cmocka_unit_test(nearest),     cmocka_unit_test(medians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
