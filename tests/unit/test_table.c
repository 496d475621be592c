// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "data/cell.h"
#include "data/columns.h"
#include "data/table.h"

static struct mw_table parsed(const char *text)
{
    struct mw_bytes bytes;
    struct mw_table table;
    struct mw_error e;
    assert_int_equal(mw_bytes_copy(&bytes, text, strlen(text), "t.csv", &e), MW_OK);
    if (mw_table_parse(&table, &bytes, &e))
        fail_msg("%s: %s", text, e.message);
    mw_bytes_release(&bytes);
    return table;
}

/* The table read must have this many rows and columns, and this cell in its last corner. */
static void dialects(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t rows, columns;
        const char *last;
        unsigned line;
    } cases[] = {
        {"a,b\n1,2\n3,4\n", 2, 2, "4", 3},
        {"a;b\n1;2,5\n3;4,5\n", 2, 2, "4,5", 3},
        {"a\tb\n1\t2\n", 1, 2, "2", 2},
        {"a|b\n1|2\n", 1, 2, "2", 2},
        {"a,b\r\n1,2\r\n", 1, 2, "2", 2},
        {"\xef\xbb\xbf\"a\",\"b\"\n\"1\",\"10,5\"\n", 1, 2, "10,5", 2},
        {"a;b;\n1;2;\n3;4;\n", 2, 2, "4", 3}, /* separator at the end of each line */
        {"# key: value\n\n# more: x\na,b\n1,2\n# between: y\n3,4", 2, 2, "4", 7},
        {"#a;b\n1;2\n", 1, 2, "2", 2},                                 /* header behind a # */
        {"`a` | b\n--- | ---\n1 | 1m12.271s\n", 1, 2, "1m12.271s", 3}, /* Markdown */
        {"| a | b |\n|---|---|\n| 1 | 2 |\n", 1, 2, "2", 3},
        {"Node A, run 3\na,b\n1,2\n", 1, 2, "2", 3}, /* titles */
        {"Strong scaling\n\nof the solver\na b\n1 2\n", 1, 2, "2", 5},
        {"% key: value\n% a b\n1 2\n% between\n3 4\n", 2, 2, "4", 5}, /* Octave's remarks */
        {"%CPU,b\n1,2\n", 1, 2, "2", 2},
        {"threads,1,2,4\ntime,80,41,22\nenergy,8,4,2\n", 3, 3, "2", 2}, /* cores across the top */
        {"|  | 1 core | 2 cores |\n|--|--|--|\n| run 1 [s] | 80 | 41 |\n", 2, 2, "41", 3},
        {"a,b\n1,2\na,b\n3,4\n", 2, 2, "4", 4}, /* header again */
        {"sep=;\na;b\n1;2\n", 1, 2, "2", 3},
        {"a,b\n\"x\ny\",2\n3,4\n", 2, 2, "4", 4}, /* a newline in quotes */
        {"# a  b\n  1   2\n3 4\n", 2, 2, "4", 3}, /* spaces, as for gnuplot */
        {"a b\n1 2\n", 1, 2, "2", 2},
        {"a,b\n1,2\n,,\n", 1, 2, "2", 2},
        {"a,b\n1,\"say \"\"no\"\"\"\n", 1, 2, "say \"no\"", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mw_table t = parsed(cases[i].text);
        assert_int_equal(t.row_count, cases[i].rows);
        assert_int_equal(t.column_count, cases[i].columns);
        assert_string_equal(mw_table_cell(&t, t.row_count - 1, t.column_count - 1), cases[i].last);
        assert_int_equal(t.lines[t.row_count - 1], cases[i].line);
        mw_table_release(&t);
    }
}

static void metadata(void **state)
{
    (void)state;
    struct mw_table t =
        parsed("# memory_freq_ghz: 2.133\n# command: memwall scan --cores 1,2\na,b\n1,2\n#late: yes \n");
    assert_string_equal(mw_table_meta(&t, "memory_freq_ghz"), "2.133");
    assert_string_equal(mw_table_meta(&t, "command"), "memwall scan --cores 1,2");
    assert_string_equal(mw_table_meta(&t, "late"), "yes");
    assert_null(mw_table_meta(&t, "absent"));
    mw_table_release(&t);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "t.csv:1: the file is empty"},
        {" \n\n", "t.csv:1: the file is empty"},
        {"# only: remarks\n", "t.csv:1: no header and no rows"},
        {"a,b\n", "t.csv:1: a header without rows"},
        {"1,2\n3,4\n", "t.csv:1: the first line holds numbers"},
        {"a,b\n1,2,3\n", "t.csv:2: 3 fields, but the header (line 1) names 2 columns"},
        {"a,b\n1\n", "t.csv:2: 1 fields"},
        {"a,b\n1,\"2\n3,4\n", "t.csv:2: a quote is opened here and never closed"},
        {"{\"a\": 1}\n", "t.csv:1: this is JSON"},
        {"\xff\xfe"
         "a",
         "t.csv:1: the text is UTF-16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mw_bytes bytes;
        struct mw_table table;
        struct mw_error e;
        enum mw_err err = mw_bytes_copy(&bytes, cases[i].text, strlen(cases[i].text), "t.csv", &e);
        if (!err) {
            err = mw_table_parse(&table, &bytes, &e);
            mw_bytes_release(&bytes);
        }
        assert_int_equal(err, MW_DATA);
        if (!strstr(e.message, cases[i].says))
            fail_msg("'%s' lacks '%s'", e.message, cases[i].says);
    }
}

/* The examples of FIPS 180-4 (through nettle): the digest is of the bytes, mark and all. */
static void digest(void **state)
{
    (void)state;
    struct mw_bytes bytes;
    assert_int_equal(mw_bytes_copy(&bytes, "abc", 3, "t", NULL), MW_OK);
    assert_string_equal(bytes.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    mw_bytes_release(&bytes);
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    assert_int_equal(mw_bytes_copy(&bytes, two_blocks, sizeof two_blocks - 1, "t", NULL), MW_OK);
    assert_string_equal(bytes.sha256, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    mw_bytes_release(&bytes);
    assert_int_equal(mw_bytes_copy(&bytes,
                                   "\xef\xbb\xbf"
                                   "abc",
                                   6, "t", NULL),
                     MW_OK);
    assert_string_equal(bytes.data, "abc");
    assert_string_not_equal(bytes.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    mw_bytes_release(&bytes);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        char decimal, thousands;
        double want;
        const char *rest;
    } cases[] = {
        {"1.5", '.', 0, 1.5, ""},
        {"-2", '.', 0, -2, ""},
        {"1e-3", '.', 0, 1e-3, ""},
        {"1.5E+3 s", '.', 0, 1500, "s"},
        {"10,5", ',', 0, 10.5, ""},
        {"1.234,5", ',', '.', 1234.5, ""},
        {"1,234.5", '.', ',', 1234.5, ""},
        {"1'234", '.', 0, 1234, ""},
        {".5", '.', 0, .5, ""},
        {"0.1234567890123456789", '.', 0, 0.1234567890123456789, ""},
        {"2.20GHz", '.', 0, 2.2, "GHz"},
        {"4.58M", '.', 0, 4.58, "M"},
        {"33e", '.', 0, 33, "e"},
        {"123456789012345678", '.', 0, 123456789012345678.0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mw_number_style style = {cases[i].decimal, cases[i].thousands};
        double value;
        const char *rest;
        assert_true(mw_cell_number(cases[i].text, &style, &value, &rest));
        assert_true(value >= cases[i].want && value <= cases[i].want); /* the same bits as strtod */
        assert_string_equal(rest, cases[i].rest);
    }
    static const char *const none[] = {"", "nan", "inf", "-inf", "abc", ".", "-", "1e999", "+", "x1"};
    const struct mw_number_style plain = {'.', 0};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double value;
        const char *rest;
        assert_false(mw_cell_number(none[i], &plain, &value, &rest));
    }
}

static void headings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *base;
        enum mw_dimension dimension;
        double factor;
        long repeat;
        bool per_time;
    } cases[] = {
        {"Time[s]", "time", MW_DIM_TIME, 1, -1, false},
        {"time_ms", "time", MW_DIM_TIME, 1e-3, -1, false},
        {"Time (ms)", "time", MW_DIM_TIME, 1e-3, -1, false},
        {"time_min", "timemin", MW_DIM_NONE, 1, -1, false},
        {"freq_mhz", "freq", MW_DIM_FREQ, 1e6, -1, false},
        {"freqMHz", "freq", MW_DIM_FREQ, 1e6, -1, false},
        {"#Procs", "procs", MW_DIM_NONE, 1, -1, false},
        {"Energy[Wh]", "energy", MW_DIM_ENERGY, 3600, -1, false},
        {"energy_kj", "energy", MW_DIM_ENERGY, 1e3, -1, false},
        {"AvgPower[W]", "avgpower", MW_DIM_POWER, 1, -1, false},
        {"instime2", "instime", MW_DIM_NONE, 1, 2, false},
        {"time_1 [ms]", "time", MW_DIM_TIME, 1e-3, 1, false},
        {"seconds", "", MW_DIM_TIME, 1, -1, false},
        {"`OMP_NUM_THREADS`", "ompnumthreads", MW_DIM_NONE, 1, -1, false},
        {"parameter_threads", "threads", MW_DIM_NONE, 1, -1, false},
        {"throughput_per_s", "throughputpers", MW_DIM_NONE, 1, -1, true},
        {"best_mb_s", "bestmbs", MW_DIM_NONE, 1, -1, true},
        {"c/s real", "csreal", MW_DIM_NONE, 1, -1, true},
        {"GFLOP/s", "gflops", MW_DIM_NONE, 1, -1, true},
        {"time (gcc)", "timegcc", MW_DIM_NONE, 1, -1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mw_heading h;
        mw_heading_parse(&h, cases[i].text);
        if (strcmp(h.base, cases[i].base) || h.dimension != cases[i].dimension || h.repeat != cases[i].repeat ||
            h.per_time != cases[i].per_time || fabs(h.factor - cases[i].factor) > 1e-12)
            fail_msg("%s: base '%s' dimension %d factor %g repeat %ld per_time %d", cases[i].text, h.base, h.dimension,
                     h.factor, h.repeat, h.per_time);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialects), cmocka_unit_test(metadata), cmocka_unit_test(refused),
        cmocka_unit_test(digest),   cmocka_unit_test(numbers),  cmocka_unit_test(headings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
