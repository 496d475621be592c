// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/files.h"

#include "data/dataset.h"

static struct mw_dataset dataset;
static struct mw_points points;

static void read_with(const char *text, const struct mw_dataset_options *options)
{
    struct mw_error e;
    if (mw_dataset_read(&dataset, temp_text(text), options, &e))
        fail_msg("%s -> %s", text, e.message);
    if (mw_points_from_dataset(&points, &dataset, &e))
        fail_msg("%s -> %s", text, e.message);
    temp_remove();
}

static void done(void)
{
    mw_points_release(&points);
    mw_dataset_release(&dataset);
}

static void is_point(size_t i, unsigned cores, double freq_hz, double value)
{
    assert_int_equal(points.items[i].cores, cores);
    assert_near(points.items[i].freq_hz, freq_hz, 0);
    assert_near(points.items[i].value, value, 1e-12 * value);
}

/* Every spelling of the same two points: 1 core 10.5 s and 2 cores 5.25 s at 2.4 GHz. */
static void spellings(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "cores,freq_ghz,time_s\n1,2.4,10.5\n2,2.4,5.25\n",
        "time_s,freq_ghz,cores\n10.5,2.4,1\n5.25,2.4,2\n",
        "threads;frequency_mhz;time_ms\n1;2400;10500\n2;2400;5250\n",
        "p\tF\tT[s]\twall\n1\t2.4\tx\t10.5\n2\t2.4\ty\t5.25\n",
        "nprocs;freq;Time[s]\n1;2.40GHz;10,5\n2;2400MHz;5,25\n",
        "procs,clock_khz,elapsed\n1,2400000,0:10.5\n2,2400000,5250ms\n",
        "#Procs;Cores;Freq;Time[s];\n1;1;2.4GHz;10.5;\n1;2;2.4GHz;5.25;\n",
        "\"cores\",\"freq\",\"time\"\n\"1\",\"2,4\",\"10,5\"\n\"2\",\"2,4\",\"5,25\"\n",
        "Cores | Frequency (GHz) | Runtime (s)\n--- | --- | ---\n1 | 2.4 | 10.5\n2 | 2.4 | 5.25\n",
        "cores,freq_ghz,time1,time2,time3\n1,2.4,10,10.5,11\n2,2.4,5,5.25,6\n",
        "cores,freq_ghz,Run 1 [s],Run 2 [s],Run 3 [s]\n1,2.4,10,10.5,11\n2,2.4,5,5.25,6\n",
        "cores,freq_ghz,time_mean,time_median,time_min,time_std\n1,2.4,11,10.5,10,1\n2,2.4,6,5.25,5,1\n",
        "cores,freq_ghz,time_s,exit_status\n1,2.4,10.5,0\n2,2.4,5.25,0\n2,2.4,0.01,1\n",
        "# cores  GHz  seconds\n1  2.4  10.5\n2  2.4  5.25\n",
        "cores;freq;time\n1;2,4;10,500\n2;2,4;5,250\n",
        "cores | freq | time [ms]\n1 | 2.4 | 10500 \xc2\xb1 20\n2 | 2.4 | 5.25 +- 0.1 s\n",
        "ncores,freq,time\n1,2400,10.5\n2,2400,5.25\n",
        "cores,freq_ghz,time_s,speedup\n1,2.4,10.5,1\n2,2.4,5.25,2\n",
        "cores,freq_ghz,time_s\n1,2.4,10.5\ncores,freq_ghz,time_s\n2,2.4,5.25\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        read_with(texts[i], NULL);
        assert_int_equal(points.count, 2);
        is_point(0, 1, 2.4e9, 10.5);
        is_point(1, 2, 2.4e9, 5.25);
        assert_int_equal(dataset.quantity, MW_TIME);
        done();
    }
}

/* What a run tells beside its time: of the run whose time is the median, of two their mean. */
static void usage(void **state)
{
    (void)state;
    read_with("# cpu_limit: 1.5\n"
              "workload,cores,repetition,time_s,cpu_s,sys_s,wall_s,main_wait_s,threads,peak_memory_bytes,exit_status\n"
              "w,1,1,10,9,1,11,.1,1,1e6,0\nw,1,2,30,8,2,31,.2,1,2e6,0\nw,1,3,20,7,3,21,.3,1,3e6,0\n"
              "w,2,1,5,9,1,6,.1,2,1e6,0\nw,2,2,7,8,2,8,.3,2,2e6,0\n",
              NULL);
    assert_int_equal(points.count, 2);
    assert_near(dataset.cpu_limit, 1.5, 0);
    assert_near(points.items[0].value, 20, 0);
    assert_near(points.items[0].cpu_time_s, 7, 0);
    assert_near(points.items[0].usage.of[MW_USAGE_SYS], 3, 0);
    assert_near(points.items[0].usage.of[MW_USAGE_WALL], 21, 0);
    assert_near(points.items[1].value, 6, 0);
    assert_near(points.items[1].cpu_time_s, 8.5, 1e-12);
    assert_near(points.items[1].usage.of[MW_USAGE_MAIN_WAIT], .2, 1e-12);
    assert_near(points.items[1].usage.of[MW_USAGE_THREADS], 2, 0);
    assert_near(points.items[1].usage.of[MW_USAGE_PEAK_MEMORY], 1.5e6, 0);
    assert_false(points.items[1].usage.has[MW_USAGE_STEAL]);
    done();
    read_with("threads,time_s,user,sys\n1,10,9.5,.25\n2,5,9.25,.5\n", NULL);
    assert_near(points.items[1].cpu_time_s, 9.75, 1e-12);
    done();
    read_with("threads,time_s,%CPU\n1,10,95%\n2,5,180%\n", NULL);
    assert_near(points.items[1].cpu_time_s, 9, 1e-12);
    done();
    read_with("threads,user,cpu,time_s\n1,ann,EPYC,10\n2,ann,EPYC,5\n", NULL);
    assert_false(points.items[1].has_cpu_time);
    done();
}

static void rates_and_speedups(void **state)
{
    (void)state;
    read_with("cores,freq_ghz,throughput_per_s,power_w\n1,1.2,4,40\n2,1.2,8,50\n", NULL);
    is_point(0, 1, 1.2e9, 0.25);
    assert_string_equal(dataset.rate_unit, "throughput_per_s");
    assert_near(points.items[1].energy_j, 50 / 8.0, 1e-12);
    done();
    read_with("threads,c/s real\n1,1285\n2,2337\n", NULL);
    is_point(1, 2, 0, 1 / 2337.0);
    done();
    read_with("input,cores,frequency_ghz,speedup,energy_kj\n3,1,1.2,1,60.5\n3,2,1.2,1.9,22\n", NULL);
    assert_int_equal(points.quantity, MW_SPEEDUP);
    is_point(1, 2, 1.2e9, 1.9);
    assert_near(points.items[0].energy_j, 60500, 1e-6);
    assert_false(points.items[0].has_power);
    assert_string_equal(dataset.input, "3");
    done();
    struct mw_dataset_options energy = {.energy_only = true};
    read_with("cores,freq_ghz,energy_j\n1,1.2,60\n2,1.2,22\n", &energy);
    assert_int_equal(points.quantity, MW_ENERGY);
    is_point(0, 1, 1.2e9, 60);
    done();
}

static void stream_output(void **state)
{
    (void)state;
    const char *where[] = {"kernel=triad"};
    struct mw_dataset_options options = {.where = where, .where_count = 1};
    read_with("# version: memwall 0.1.0\n"
              "kernel,array_bytes,best_mb_s,avg_s,min_s,max_s,valid,cores,freq_ghz,freq_effective_ghz\n"
              "copy,80000000,9000,0.02,0.018,0.03,yes,1,,\ntriad,80000000,10000,0.02,0.018,0.03,yes,1,,2.9\n"
              "triad,80000000,16000,0.02,0.018,0.03,yes,2,,2.9\ntriad,80000000,1,0.02,0.018,0.03,no,2,,2.9\n",
              &options);
    assert_string_equal(dataset.rate_unit, "best_mb_s");
    assert_string_equal(dataset.workload, "triad");
    assert_int_equal(points.count, 2);
    is_point(1, 2, 0, 1 / 16000.0);
    assert_int_equal(dataset.set_aside_count, 1);
    done();
}

static void energy_and_power(void **state)
{
    (void)state;
    read_with("cores,time_s,energy_j\n1,10,400\n2,5,0\n", NULL);
    assert_near(points.items[0].power_w, 40, 1e-12);
    assert_false(points.items[1].has_energy); /* 0 is below the meter's resolution */
    done();
    /* a counter that steps by 360 J beside an exact mean power */
    read_with("Cores;Time[s];Energy[Wh];Energy[J];AvgPower[W]\n1;50;0.1;360;6\n2;30;0.1;360;7\n", NULL);
    assert_near(points.items[0].energy_j, 300, 1e-9);
    assert_int_equal(dataset.warning_count, 1);
    done();
}

static void medians(void **state)
{
    (void)state;
    read_with("cores,time\n2,5\n1,10\n1,12\n2,5\n1,11\n2,50\n", NULL);
    is_point(0, 1, 0, 11);
    is_point(1, 2, 0, 5);
    assert_int_equal(points.items[0].count, 3);
    assert_near(points.items[0].spread, .091192, 1e-6); /* R: sd(log(10:12)) */
    assert_int_equal(points.items[0].line, 3);
    done();
}

static void set_aside(void **state)
{
    (void)state;
    const char *text =
        "cores,freq_ghz,time_s,exit_status\n1,2.4,10,0\n2,2.4,0,0\n2,2.4,,0\n2,,5,0\n2,2.4,0.1,137\n2,2.4,5,0\n";
    read_with(text, NULL);
    assert_int_equal(dataset.count, 2);
    assert_int_equal(dataset.set_aside_count, 4);
    assert_int_equal(dataset.set_aside[0].line, 3);
    assert_non_null(strstr(dataset.set_aside[0].reason, "resolution of the timer"));
    assert_non_null(strstr(dataset.set_aside[3].reason, "exit status 137"));
    done();
    struct mw_dataset_options keep = {.keep_failed = true};
    read_with(text, &keep);
    assert_int_equal(dataset.count, 6);
    assert_int_equal(points.count, 2);
    done();
}

static void by_groups(void **state)
{
    (void)state;
    struct mw_dataset *sets;
    struct mw_error e;
    size_t count;
    const char *columns[] = {"input", "set"};
    const char *text = "set,input,cores,time_s\nx,1,1,10\nx,1,2,5\nx,2,1,20\ny,1,4,3\nx,2,2,10\n";
    assert_int_equal(mw_dataset_read_by(&sets, &count, temp_text(text), NULL, columns, 2, &e), MW_OK);
    assert_int_equal(count, 3);
    assert_string_equal(sets[0].label, "input=1, set=x");
    assert_string_equal(sets[1].label, "input=2, set=x");
    assert_int_equal(sets[1].count, 2);
    assert_int_equal(sets[1].rows[1].line, 6);
    assert_int_equal(sets[2].count, 1);
    for (size_t i = 0; i < count; i++)
        mw_dataset_release(&sets[i]);
    free(sets);
    temp_remove();
}

/* Bad input: the code is MW_DATA unless said otherwise, and message or hint hold the words. */
static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        const char *hint;
    } cases[] = {
        {"cores,time_s\n1,abc\n", ":2: 'abc' in column 'time_s' is not a time", NULL},
        {"cores,time_s\n1,nan\n", ":2: no usable row: no value in this row: 'nan'", NULL},
        {"cores,time_s\n1,-3\n", ":2: '-3' in column 'time_s' is negative", NULL},
        {"cores,time_s\n0,3\n", ":2: '0' in column 'cores' is too small", NULL},
        {"cores,time_s\n1.5,3\n", ":2: '1.5' in column 'cores' is not a whole number", NULL},
        {"cores,time_s\n,3\n", ":2: '' in column 'cores' is not a number of cores", NULL},
        {"cores,freq_ghz,time_s\n1,fast,3\n", "'fast' in column 'freq_ghz' is not a frequency", NULL},
        {"cores,time_s,energy_j\n1,3,4k\n", "'4k' in column 'energy_j' is not a number", NULL},
        {"cores,rate\n1,inf\n", "no usable row: no value in this row: 'inf'", NULL},
        {"cores,time_s\n1,0\n", "no usable row", NULL},
        {"cores,time_s,exit_status\n1,3,1\n", "no usable row: the run failed (exit status 1)", NULL},
        {"input,cores,time_s\n1,1,3\n3,1,5\n", "column 'input' (1, 3) holds several values", "--where input=1"},
        {"kernel,cores,time_s\na,1,3\nb,1,5\n", "column 'kernel' (a, b) holds several values", "--by kernel"},
        {"set,input,cores,time_s\na,1,1,3\nb,2,1,5\n", "columns 'input' (1, 2) and 'set' (a, b) hold several",
         "the other columns"},
        {"nt,size,time_s\n1,5,3\n2,5,2\n", "it could be 'nt' and 'size'", "--map cores="},
        {"ranks,threads,time_s\n1,2,3\n2,1,4\n",
         "'ranks' and 'threads': the cores may be one of them, or their product", "--map 'cores=ranks*threads'"},
        {"cores,time_init,time_solve\n1,3,5\n2,3,4\n", "'time_init' and 'time_solve' could each be the time",
         "--map time=time_init"},
        {"A;B;C\n1,1;2,2;3,3\n", "the columns are 'A', 'B' and 'C'", "--map time=COLUMN"},
        {"cores,time_s\n1,\"1,234\"\n", "may be decimal signs or thousands", NULL},
        {"cores\ttime_s\n1\t1,234\n", "may be decimal signs or thousands", NULL},
        {"cores,bandwidth\n1,12 GB/s\n2,900 MB/s\n", ":3: '900 MB/s' in column 'bandwidth' has another unit", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mw_error e = {0};
        enum mw_err err = mw_dataset_read(&dataset, temp_text(cases[i].text), NULL, &e);
        temp_remove();
        if (err != MW_DATA || !strstr(e.message, cases[i].says) || (cases[i].hint && !strstr(e.hint, cases[i].hint)))
            fail_msg("%s -> %s: %s (%s)", cases[i].text, mw_err_name(err), e.message, e.hint);
    }
}

static void files_that_are_none(void **state)
{
    (void)state;
    struct mw_error e;
    assert_int_equal(mw_dataset_read(&dataset, "/nonexistent/x.csv", NULL, &e), MW_IO);
    assert_int_equal(mw_dataset_read(&dataset, "/tmp", NULL, &e), MW_DATA);
    assert_non_null(strstr(e.message, "is a directory"));
    assert_int_equal(mw_dataset_read(&dataset, temp_bytes("cores,time\n1,\0\x01\n", 16), NULL, &e), MW_DATA);
    assert_non_null(strstr(e.message, ":2: not a text file"));
    temp_remove();
}

static void maps_and_where(void **state)
{
    (void)state;
    const char *map[] = {"cores=nt", "time=B"}, *where[] = {"input=3.0", "mode=fast"};
    struct mw_dataset_options options = {.map = map, .map_count = 2, .where = where, .where_count = 2};
    const char *text = "nt,A,B,input,mode\n1,7,10,3,fast\n2,7,5,3,fast\n2,7,6,4,fast\n2,7,9,3,slow\n";
    read_with(text, &options);
    assert_int_equal(points.count, 2);
    is_point(1, 2, 0, 5);
    done();
    struct mw_error e;
    const char *wrong[] = {"cores", "size=nt", "cores=no", "time=B", "rate=A"};
    for (size_t i = 0; i < 3; i++) {
        struct mw_dataset_options bad = {.map = &wrong[i], .map_count = 1, .where = where, .where_count = 1};
        assert_int_equal(mw_dataset_read(&dataset, temp_text(text), &bad, &e), MW_USAGE);
        temp_remove();
    }
    struct mw_dataset_options both = {.map = wrong + 3, .map_count = 2, .where = where, .where_count = 1};
    assert_int_equal(mw_dataset_read(&dataset, temp_text(text), &both, &e), MW_USAGE);
    temp_remove();
    const char *none[] = {"input=9"};
    struct mw_dataset_options empty = {.where = none, .where_count = 1};
    assert_int_equal(mw_dataset_read(&dataset, temp_text(text), &empty, &e), MW_DATA);
    assert_string_equal(e.hint, "column 'input' holds 3, 4");
    temp_remove();
}

/* One row, all rows equal, no one-core row: readable; what they can tell is for the fit to say. */
static void odd_but_readable(void **state)
{
    (void)state;
    read_with("cores,time_s\n4,10\n", NULL);
    assert_int_equal(points.count, 1);
    done();
    read_with("cores,time_s\n4,10\n4,10\n4,10\n", NULL);
    assert_int_equal(points.count, 1);
    assert_near(points.items[0].spread, 0, 0);
    done();
    read_with("cores,freq_ghz,speedup\n4,2.4,3\n8,2.4,5\n", NULL);
    assert_int_equal(points.count, 2);
    done();
}

static void many_rows(void **state)
{
    (void)state;
    enum { ROWS = 100000 };
    char *text = malloc(ROWS * 24 + 64), *at = text;
    at += sprintf(at, "cores,freq_ghz,time_s\n");
    for (int i = 0; i < ROWS; i++)
        at += sprintf(at, "%d,%.1f,%.6f\n", 1 + i % 16, 1.2 + 0.1 * (i / 16 % 10), 10.0 / (1 + i % 16) + i * 1e-9);
    read_with(text, NULL);
    assert_int_equal(dataset.count, ROWS);
    assert_int_equal(points.count, 160);
    done();
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings),
        cmocka_unit_test(usage),
        cmocka_unit_test(rates_and_speedups),
        cmocka_unit_test(stream_output),
        cmocka_unit_test(energy_and_power),
        cmocka_unit_test(medians),
        cmocka_unit_test(set_aside),
        cmocka_unit_test(by_groups),
        cmocka_unit_test(refused),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(maps_and_where),
        cmocka_unit_test(odd_but_readable),
        cmocka_unit_test(many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
