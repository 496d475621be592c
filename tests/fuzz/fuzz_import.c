// SPDX-License-Identifier: GPL-3.0-or-later
// Every importer: what it accepts prints as a table that reads again.
#include "tests/fuzz/fuzz.h"

#include "data/import/import.h"
#include "data/table.h"

#include <string.h>

const char *const fuzz_seeds[] = {
    "name,iterations,real_time,cpu_time,time_unit\n\"BM\nline/threads:1\",1,5.0e+07,4.9e+07,ns\n",
    "{\"results\": [{\"command\": \"x\", \"mean\": 1.5, \"median\": 1.4, \"user\": 1, \"system\": 0.1, \"times\": "
    "[1.4, 1.6], "
    "\"exit_codes\": [0, null], \"parameters\": {\"threads\": \"2\", \"f\": \"1.2\", \"size\": \"3\"}}]}",
    "command,mean,stddev,median,user,system,min,max,parameter_threads\nsleep 1,1,.1,1,.2,.1,.9,1.1,2\n",
    "# started on Mon\n\n     1.001;0.46;msec;task-clock;3.64%;461887;100.00;0.255;CPUs utilized\n<not "
    "supported>;;cycles;0;100.00;;\n12.5;Joules;power/energy-pkg/;28;100.00;1.077;/sec\n",
    "{\"counter-value\" : \"0.52\", \"unit\" : \"msec\", \"event\" : \"task-clock\", \"metric-value\" : 0.38, "
    "\"metric-unit\" : \"CPUs utilized\"}\n",
    "  1,234.50 msec task-clock:u #  0.990 CPUs utilized\n  1.25 +- 0.1 seconds time elapsed\n",
    "{\"context\": {\"library_build_type\": \"debug\"}, \"benchmarks\": [{\"name\": \"a/threads:2\", \"run_type\": "
    "\"iteration\", "
    "\"threads\": 2, \"real_time\": 5.0, \"cpu_time\": NaN, \"time_unit\": \"us\"}]}",
    "name,iterations,real_time,cpu_time,time_unit,error_occurred\n\"BM/threads:1\",1,5.0e+07,4.9e+07,ns,\n",
    "Number of Threads counted = 4\nFunction    Best Rate MB/s  Avg time     Min time     Max time\nCopy:  662394.7  "
    "0.005964  0.005797  0.008116\nSolution Validates: avg\n",
    "Function    MBytes/sec  Min (sec)   Max         Average\nTriad  39.135  0.01962  0.01962  0.01962\n",
    "JobID|JobName|ExitCode|NCPUS|ElapsedRaw|ConsumedEnergyRaw|State|\n10|a|0:0|2|33|2094|COMPLETED|\n10.batch|b|0:9|2|"
    "33|2067|FAILED|\n10.0|b|0:0|2|33||RUNNING|\n",
    "JobID           Elapsed ReqCPUFreq ConsumedEnergy \n------------ ---------- ---------- -------------- \n2000      "
    "  02:19:48    2.25M          4.58M \n",
    "TABLE,Region a,Group 1 Metric,MEM,2\nMetric,HWThread 0,HWThread 1,\nRuntime (RDTSC) [s],1.0,2.0,\nClock "
    "[MHz],2400,2500,\nEnergy [J],5,0,\n",
    "Test: triad\nUsing 4 threads\nMByte/s:\t\t123.4\n",
    " MG Benchmark Completed.\n Class           =        S\n Time in seconds =   0.15\n Total threads   =   1\n "
    "Verification    =   SUCCESSFUL\n",
    "4,0.10,0\nCommand exited with non-zero status 1\n8,0:00.5,1\n\nreal\t0m0.014s\nuser 1\nsys 2\n",
    "\tCommand being timed: \"true\"\n\tUser time (seconds): 0.5\n\tElapsed (wall clock) time (h:mm:ss or m:ss): "
    "0:01.00\n\tExit status: 0\n1.0user 0.5system 0:02.00elapsed 75%CPU\n",
    "Loop time of 0.942801 on 4 procs for 300 steps with 2004 atoms\n",
    "Using 4 MPI threads\nUsing 2 OpenMP threads per tMPI thread\nPerformance:       86.400        0.278\n",
    "Exec   : simpleFoam\nnProcs : 8\nExecutionTime = 1.2 s  ClockTime = 60 s\n",
    "PARAMETER p\nPARAMETER f\nPOINTS ( 4 1.2 ) ( 8 1.2 )\nREGION a\nMETRIC time\nDATA 10 11\nDATA 5\n",
    "{\"params\":{\"p\":4,\"n\":2},\"value\":[1.5,1.6],\"metric\":\"time\",\"callpath\":\"main\"}\n",
    "set,input,cores,rate,exit_status\nx,1,2,\"1,5\",0\n",
    NULL,
};

static void try_one(const struct mw_importer *importer, const struct mw_bytes *bytes, unsigned cores)
{
    static const char *maps[] = {"cores=p", "time=time"};
    struct mw_import_options options = {.cores = cores, .map = maps, .map_count = cores ? 0 : 2};
    struct mw_import import = {0};
    struct mw_error error = {0};
    char *text = NULL;
    size_t length;
    if (importer->read(&import, bytes, &options, &error)) {
        FUZZ_HOLDS(*error.message);
        mw_import_release(&import);
        return;
    }
    FILE *f = open_memstream(&text, &length);
    mw_import_finish(&import);
    mw_import_print(&import, f);
    fclose(f);
    if (import.count && !memchr(text, 0, length)) {
        struct mw_bytes printed;
        struct mw_table table;
        FUZZ_HOLDS(!mw_bytes_copy(&printed, text, length, "printed", &error));
        enum mw_err err = mw_table_parse(&table, &printed, &error);
        if (err)
            fprintf(stderr, "%s: %s\n%s", importer->name, error.message, text);
        FUZZ_HOLDS(!err && table.row_count == import.count);
        mw_table_release(&table);
        mw_bytes_release(&printed);
    }
    free(text);
    mw_import_release(&import);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mw_bytes bytes;
    if (mw_bytes_copy(&bytes, (const char *)data, size, "fuzz", NULL))
        return 0;
    for (const struct mw_importer *i = mw_importers; i->name; i++) {
        try_one(i, &bytes, 0);
        try_one(i, &bytes, 4);
    }
    mw_bytes_release(&bytes);
    return 0;
}
