// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as `memwall fit` reads them: any bytes give a dataset of finite positive values, or an error that names a file.
#include "tests/fuzz/fuzz.h"

#include "data/dataset.h"
#include "data/table.h"

#include <math.h>
#include <string.h>

const char *const fuzz_seeds[] = {
    "cores,freq_ghz,time_s,energy_j,power_w,exit_status\n1,1.2,10.5,400,40,0\n2,2.4,5.25,,,1\n4,,1e-3,0,2,0\n",
    "#Procs;Cores;Freq;Time[s];Energy[Wh];Energy[J];AvgPower[W];\n1;1;2.10GHz;224,33;24.1;86760.0;392.57;\n1;2;2.10GHz;"
    "117,43;12.7;45720;396.7;\n",
    "# memory_freq_ghz: "
    "2.133\nkernel,array_bytes,best_mb_s,avg_s,min_s,max_s,valid,cores,freq_ghz\ntriad,80,1e4,.2,.1,.3,yes,1,\ncopy,80,"
    "1e4,.2,.1,.3,no,2,\n",
    "`OMP_NUM_THREADS` | wall clock time\n--- | ---\n1 | 1m12.271s\n2 | 2-03:04:05.5\n",
    "\xef\xbb\xbf\"cores\",\"time1\",\"time2\"\r\n\"1\",\"10,5\",\"1'000.5\"\r\n",
    "input,set,cores,speedup,energy_kj\n1,a,1,1,60.3\n3,b,2,1.9x,\n",
    "sep=;\nthreads;throughput (GB/s);T [ms]\n1;12 GB/s;1.234,5\n",
    "nt\tA\tB\n1\t2\t3\n",
    "cores,time1,time2\n1,,\n",
    NULL,
};

static void check(const struct mw_dataset *set)
{
    struct mw_points points;
    if (mw_points_from_dataset(&points, set, NULL))
        return;
    FUZZ_HOLDS(points.count > 0);
    for (size_t i = 0; i < points.count; i++) {
        const struct mw_point *p = &points.items[i];
        FUZZ_HOLDS(p->cores >= 1 && isfinite(p->value) && p->value > 0 && isfinite(p->spread) && p->spread >= 0);
        FUZZ_HOLDS(isfinite(p->freq_hz) && p->freq_hz >= 0 && p->count >= 1 && p->line >= 1);
        FUZZ_HOLDS(!p->has_energy || (isfinite(p->energy_j) && p->energy_j > 0));
        FUZZ_HOLDS(!p->has_power || (isfinite(p->power_w) && p->power_w > 0));
        FUZZ_HOLDS(!i || p[-1].freq_hz < p->freq_hz || (p[-1].freq_hz <= p->freq_hz && p[-1].cores < p->cores));
    }
    mw_points_release(&points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const map[] = {"cores=nt", "time=B"};
    const char *groups[16];
    struct mw_error error = {0};
    struct mw_bytes bytes;
    struct mw_table table;
    if (mw_bytes_copy(&bytes, (const char *)data, size, "fuzz.csv", &error))
        return 0;
    if (!mw_table_parse(&table, &bytes, &error)) {
        size_t programs, count = mw_dataset_group_columns(&table, groups, 16, &programs);
        for (unsigned way = 0; way < 3; way++) {
            struct mw_dataset_options options = {.energy_only = way == 1,
                                                 .keep_failed = way == 1,
                                                 .map = (const char **)(uintptr_t)map,
                                                 .map_count = way == 2 ? 2 : 0};
            struct mw_dataset *sets;
            size_t set_count;
            memset(&error, 0, sizeof error);
            if (mw_dataset_parse_by(&sets, &set_count, "fuzz.csv", &table, &options, groups, way ? count : 0, &error)) {
                FUZZ_HOLDS(*error.message);
                continue;
            }
            for (size_t i = 0; i < set_count; i++) {
                check(&sets[i]);
                mw_dataset_release(&sets[i]);
            }
            free(sets);
        }
        mw_table_release(&table);
    }
    mw_bytes_release(&bytes);
    return 0;
}
