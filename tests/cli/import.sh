#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What other tools print, as posted in public reports, against what is right for each.
. "$(dirname "$0")/../tap.sh"
formats=$shared/formats

# rows NAME EXPECTED: the rows of the last output without remarks and header, joined by spaces
rows() {
    local got
    got=$(grep -v '^#' <<<"$out" | tail -n +2 | tr '\n' ' ' | sed 's/ $//')
    if [ "$got" = "$2" ]; then ok "$1"; else not_ok "$1" "expected: $2" "got:      $got"; fi
}
# columns NAME HEADER
columns() {
    local got
    got=$(grep -v '^#' <<<"$out" | head -1)
    if [ "$got" = "$2" ]; then ok "$1"; else not_ok "$1" "expected: $2" "got:      $got"; fi
}
import() { "$memwall" import "$@"; }

# --- made here, so that they run everywhere -------------------------------------------------------------------------
cat >"$tmp/lammps.log" <<'LOG'
Loop time of 0.942801 on 4 procs for 300 steps with 2004 atoms
Performance: 54.985 ns/day, 0.436 hours/ns, 318.201 timesteps/s
Loop time of 0.5 on 8 procs for 300 steps with 2004 atoms
LOG
check 'lammps' import lammps "$tmp/lammps.log"
columns 'lammps: columns' 'input,cores,repetition,time_s'
rows 'lammps: rows' '300 steps of 2004 atoms,4,1,0.942801 300 steps of 2004 atoms,8,1,0.5'

cat >"$tmp/md.log" <<'LOG'
Using 4 MPI threads
Using 2 OpenMP threads per tMPI thread
               Core t (s)   Wall t (s)        (%)
       Time:      123.400       15.425      800.0
                 (ns/day)    (hour/ns)
Performance:       86.400        0.278
LOG
check 'gromacs' import gromacs "$tmp/md.log"
rows 'gromacs: ns/day is a rate, kept as the time of a nanosecond' '8,1,1000'

cat >"$tmp/foam.log" <<'LOG'
Exec   : simpleFoam -parallel
nProcs : 8
ExecutionTime = 1.2 s  ClockTime = 60 s
ExecutionTime = 120.4 s  ClockTime = 125 s
LOG
check 'openfoam' import openfoam "$tmp/foam.log"
rows 'openfoam: the last clock time' 'simpleFoam,8,1,125'

cat >"$tmp/extra.txt" <<'LOG'
PARAMETER p
POINTS ( 4 ) ( 8 )
REGION main
METRIC time
DATA 10 11
DATA 5 6
METRIC visits
DATA 1 1
DATA 1 1
LOG
check 'extra-p text' import extra-p "$tmp/extra.txt"
rows 'extra-p text: the time alone' 'main,4,1,10 main,4,2,11 main,8,1,5 main,8,2,6'
printf '%s\n' '{"params":{"p":4,"size":10},"value":[1.5,1.6],"metric":"time"}' '{"params":{"p":8,"size":10},"value":0.8,"metric":"time"}' >"$tmp/extra.jsonl"
check 'extra-p JSON lines' import extra-p "$tmp/extra.jsonl"
rows 'extra-p JSON lines: other parameters are the input' 'size=10,4,1,1.5 size=10,4,2,1.6 size=10,8,1,0.8'
printf 'cores,freq_ghz,time_s,exit_status\n1,1.2,10,0\n1,1.2,11,0\n2,1.2,5,0\n1,2.4,6,0\n2,2.4,3,1\n' >"$tmp/runs.csv"
check 'export extra-p' "$memwall" export extra-p "$tmp/runs.csv"
prints 'export: points' '^POINTS \( 1 1.2 \) \( 2 1.2 \) \( 1 2.4 \)$'
prints 'export: repetitions' '^DATA 10 11$'
says 'export: names what is left out' 'line 6: the run failed \(exit status 1\)'
printf '%s\n' "$out" >"$tmp/exported.txt"
check 'import of the export' import extra-p "$tmp/exported.txt"
rows 'import of the export: the same runs' 'main,1,1.2,1,10 main,1,1.2,2,11 main,2,1.2,1,5 main,1,2.4,1,6'

printf 'real 1.50\nuser 2.00\nsys 0.25\nreal 0.80\nuser 2.1\nsys 0.2\n' >"$tmp/posix.log"
check 'POSIX time' import time --cores 2 "$tmp/posix.log"
rows 'POSIX time: two runs' '2,1,1.5,2.25 2,2,0.8,2.3'
printf '1.00user 0.50system 0:02.00elapsed 75%%CPU (0avgtext+0avgdata 912maxresident)k\n0inputs+0outputs (0major+71minor)pagefaults 0swaps\n' >"$tmp/gnu.log"
check 'GNU time, plain' import time --cores 1 "$tmp/gnu.log"
rows 'GNU time, plain: row' '1,1,2,1.5'
printf '2.5 4 0\n' >"$tmp/f.log"
check 'GNU time -f by position' import time --map time=1 --map cores=2 --map exit_status=3 "$tmp/f.log"
rows 'GNU time -f by position: row' '4,1,2.5,0'

cat >"$tmp/bench.log" <<'LOG'
Test: triad
Using 4 threads
Time:			1.0 sec
MByte/s:		12345.67
LOG
check 'likwid-bench' import likwid "$tmp/bench.log"
columns 'likwid-bench: a rate' 'kernel,cores,repetition,rate_mb_s'
cat >"$tmp/likwid.csv" <<'LOG'
TABLE,Region solve,Group 1 Metric,ENERGY,4
Metric,HWThread 0,HWThread 1,
Runtime (RDTSC) [s],1.5,1.6,
Clock [MHz],2400,2600,
Energy [J],100,0,
Energy DRAM [J],10,,
TABLE,Region solve,Group 1 Metric STAT,ENERGY,4
Metric,Sum,Min,Max,Avg,
Runtime (RDTSC) [s] STAT,3.1,1.5,1.6,1.55
LOG
check 'likwid-perfctr' import likwid "$tmp/likwid.csv"
rows 'likwid-perfctr: slowest thread, energy of the sockets' 'solve,2,1,1.6,110,2.5'

cat >"$tmp/gb.json" <<'LOG'
{"context": {"library_build_type": "debug"}, "benchmarks": [
{"name": "BM_x/threads:2", "run_name": "BM_x/threads:2", "run_type": "iteration", "threads": 2, "real_time": 5.0, "cpu_time": NaN, "time_unit": "us"},
{"name": "BM_y", "run_name": "BM_y", "run_type": "iteration", "threads": 1, "real_time": -Infinity, "cpu_time": 1, "time_unit": "us", "error_occurred": true}]}
LOG
check 'google-benchmark JSON with bare NaN' import google-benchmark "$tmp/gb.json"
rows 'google-benchmark JSON: row' 'BM_x,2,1,5e-06'
says 'google-benchmark: warns of a debug build' 'built for debugging'

cat >"$tmp/two.json" <<'LOG'
{"results": [
{"command": "a -t 1", "mean": 2, "times": [2], "parameters": {"t": "1"}}, {"command": "b -t 1", "mean": 3, "times": [3], "parameters": {"t": "1"}},
{"command": "a -t 2", "mean": 1, "times": [1], "parameters": {"t": "2"}}, {"command": "b -t 2", "mean": 2, "times": [2], "parameters": {"t": "2"}}]}
LOG
check 'hyperfine: two commands' import hyperfine "$tmp/two.json"
rows 'hyperfine: two commands are two workloads, without their parameters' 'a -t {t},1,1,2 b -t {t},1,1,3 a -t {t},2,1,1 b -t {t},2,1,2'
printf 'name,iterations,real_time,cpu_time,time_unit\n"x/threads:2_mean",3,1,1,ms\n"x/threads:2_median",3,2,2,ms\n"x/threads:2_stddev",3,3,3,ms\n' >"$tmp/gb.csv"
check 'google-benchmark CSV with aggregates only' import google-benchmark "$tmp/gb.csv"
rows 'google-benchmark CSV: the median' 'x,2,1,0.002'
printf './a  1.00s user 0.50s system 75%% cpu 2.000 total\n' >"$tmp/zsh.log"
check 'zsh time' import time --cores 1 "$tmp/zsh.log"
rows 'zsh time: row' '1,1,2,1.5'
printf 'function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime\nCopy,100,33554432,8,25000.5,0.0214,0.03,0.022\n' >"$tmp/babel.csv"
check 'babelstream CSV' import babelstream --cores 4 "$tmp/babel.csv"
rows 'babelstream CSV: row' 'copy,4,1,0.0214,25000.5'
printf 'Number of Threads requested = 8\nNumber of Threads counted = 4\nFunction    Best Rate MB/s  Avg time     Min time     Max time\nTriad: 100.5 0.3 0.2 0.4\nSolution Validates: avg error\n' >"$tmp/stream.log"
check 'stream: threads as counted' import stream "$tmp/stream.log"
rows 'stream: threads as counted, not as requested' 'triad,4,1,0.2,100.5'
if [ -z "$err" ]; then ok 'stream: validated, no warning'; else not_ok 'stream: validated, no warning' "$err"; fi
printf '10.5;ns;duration_time;100;100.00;;\n' >"$tmp/perf.csv"
check 'perf: duration_time' import perf-stat --cores 1 "$tmp/perf.csv"
rows 'perf: nanoseconds' '1,1,1.05e-08'
printf ' Performance counter stats:\n\n  1,234.50 msec task-clock:u   #  0.990 CPUs utilized\n\n   1.250000000 seconds time elapsed\n\n   1.1 seconds user\n   0.1 seconds sys\n' >"$tmp/perf.txt"
check 'perf: plain' import perf-stat --cores 1 "$tmp/perf.txt"
rows 'perf: plain: elapsed, user + system' '1,1,1.25,1.2'

fails 2 'unknown format' import hyperfin "$tmp/runs.csv"
says 'unknown format: the nearest' "did you mean 'hyperfine'"
fails 1 'no such file' import npb "$tmp/absent.log"
fails 3 'a directory' import npb "$tmp"
fails 3 'not the format' import npb "$tmp/lammps.log"
says 'not the format: what is expected' 'hint: expected is the output of a NAS'
printf ' MG Benchmark Completed.\n Time in seconds = 1\n Total threads = 2\n Verification = UNSUCCESSFUL\n' >"$tmp/npb.log"
fails 3 'npb: not verified' import npb "$tmp/npb.log"
printf 'Loop time of 1 on 4 procs for 1 steps with 1 atoms\n' >"$tmp/four.log"
fails 3 '--cores against the file' import lammps --cores 8 "$tmp/four.log"
check 'several files' import lammps "$tmp/four.log" "$tmp/lammps.log" "$tmp/four.log"
rows 'several files: repetitions go on' '1 steps of 1 atoms,4,1,1 300 steps of 2004 atoms,4,1,0.942801 300 steps of 2004 atoms,8,1,0.5 1 steps of 1 atoms,4,2,1'
check 'to a file' import lammps "$tmp/four.log" -o "$tmp/o.csv"
fails 1 'never over a file' import lammps "$tmp/four.log" -o "$tmp/o.csv"

# --- public reports ------------------------------------------------------------------------------------------------------
if [ ! -d "$formats" ]; then
    skip 'public reports' 'the collection is not beside this checkout'
    exit 0
fi
check 'hf_scan.json' import hyperfine "$formats/hf_scan.json"
columns 'hf_scan.json: columns' 'cores,repetition,time_s,cpu_s'
rows 'hf_scan.json: every time is a repetition' '1,1,0.011408112,0.00107366666667 1,2,0.011351688,0.00107366666667 1,3,0.013019188,0.00107366666667 2,1,0.021255784,0.001035 2,2,0.022481407,0.001035 2,3,0.023973685,0.001035 3,1,0.031161462,0.001041 3,2,0.034613255,0.001041 3,3,0.036035229,0.001041'
check 'hf_scan.csv' import hyperfine "$formats/hf_scan.csv"
rows 'hf_scan.csv: the medians' '1,1,0.011408112,0.00107366666667 2,1,0.022481407,0.001035 3,1,0.034613255,0.001041'
check 'hf_2d.json' import hyperfine "$formats/hf_2d.json"
rows 'hf_2d.json: cores and frequency, times of 0 kept' '1,1.2,1,0, 1,1.2,2,0, 2,1.2,1,0, 2,1.2,2,0, 1,2.4,1,0,8.76e-06 1,2.4,2,0.00065741214,8.76e-06 2,2.4,1,0.00019101914,9.802e-05 2,2.4,2,0.00037938914,9.802e-05'
fails 3 'hf_fail.json: nothing to import' import hyperfine "$formats/hf_fail.json"
says 'hf_fail.json: says why' 'all 2 runs failed'
fails 3 'hf_named.json: asks for the cores' import hyperfine "$formats/hf_named.json"
says 'hf_named.json: how to say them' 'hint: .*--cores'
for f in hf_one.json hf_one.csv; do
    check "$f" import hyperfine --cores 1 "$formats/$f"
    rows "$f: one run" '1,1,0.013801061,0.000847'
done
check 'stream_144t.log' import stream "$formats/stream_144t.log"
prints 'stream_144t.log: threads as counted' '^triad,144,1,0.007139,806812.4$'
check 'stream_scaling_i860.log' import stream "$formats/stream_scaling_i860.log"
rows 'stream_scaling_i860.log: all runs of the log' 'copy,1,1,0.0523,9663.6238 scale,1,1,0.0542,9315.7724 add,1,1,0.0727,10429.739 triad,1,1,0.075,10108.3413 triad,2,1,0.0579,13095.9151 triad,3,1,0.0543,13958.5017 triad,4,1,0.053,14293.3696 triad,5,1,0.0555,13663.0608 triad,8,1,0.0573,13230.8312'
says 'stream_scaling_i860.log: warns of runs without validation' '5 run\(s\) without'
fails 3 'stream_scaling_table.txt: refused' import stream "$formats/stream_scaling_table.txt"
says 'stream_scaling_table.txt: what is expected' 'expected is the output of STREAM'
fails 3 'vc4cl82_babelstream.log: refused' import babelstream "$formats/vc4cl82_babelstream.log"
says 'vc4cl82_babelstream.log: why' 'failed validation'
fails 3 'archer2_sacct.txt: asks for the cores' import sacct "$formats/archer2_sacct.txt"
check 'archer2_sacct.txt' import sacct --cores 128 "$formats/archer2_sacct.txt"
rows 'archer2_sacct.txt: the numbered step, energy in letters' '128,1,8349,4570000'
check 'sacct_p_trailing.txt' import sacct "$formats/sacct_p_trailing.txt"
rows 'sacct_p_trailing.txt: the batch step' '2,1,33,2067,0'
check 'sacct_P_energy_empty.txt' import sacct "$formats/sacct_P_energy_empty.txt"
rows 'sacct_P_energy_empty.txt: empty energy is missing' '4,1,501, 4,2,501,102378'
for f in perf_energy_commalocale.csv mesos391_perf_x_comma.txt; do
    fails 3 "$f: refused" import perf-stat --cores 1 "$formats/$f"
    says "$f: the remedy" 'LC_ALL=C'
done
fails 3 'mesos391_perf_slash_fr.txt: no elapsed time' import perf-stat --cores 1 "$formats/mesos391_perf_slash_fr.txt"
check 'perf_energy_dot.csv' import perf-stat --cores 32 "$formats/perf_energy_dot.csv"
rows 'perf_energy_dot.csv' '32,1,14.070814375,485.05'
check 'perf_energy_interval.csv' import perf-stat --cores 1 "$formats/perf_energy_interval.csv"
rows 'perf_energy_interval.csv: the sum of the intervals' '1,1,3.003657679,58.74'
check 'perf_r3.csv' import perf-stat --cores 1 "$formats/perf_r3.csv"
rows 'perf_r3.csv: the spread shifts the columns' '1,1,0.00180392156863,0.00046'
check 'perf_vm.csv' import perf-stat --cores 1 "$formats/perf_vm.csv"
rows 'perf_vm.csv' '1,1,0.00191011235955,0.00051'
check 'perf_vm.json' import perf-stat --cores 1 "$formats/perf_vm.json"
rows 'perf_vm.json' '1,1,0.00136934586308,0.000521666'
for f in gpssdr11_inverse.csv gpssdr11_inverse.md; do
    check "$f" import csv "$formats/$f"
    rows "$f: 1m12.271s is a time" '1,1,72.271 2,1,114.911 4,1,133.468 8,1,146.595'
done
check 'gentoolto288_weak.csv' import csv "$formats/gentoolto288_weak.csv"
rows 'gentoolto288_weak.csv' '1,1,1.322 2,1,1.323 3,1,1.33 4,1,1.331'
check 'gnu_time_failed.log' import time "$formats/gnu_time_failed.log"
rows 'gnu_time_failed.log: a killed run is not one of status 0' '4,1,0.1,0 8,1,0,1 8,2,0,137'
fails 3 'gnu_time_verbose.log: asks for the cores' import time "$formats/gnu_time_verbose.log"
check 'gnu_time_verbose.log' import time --cores 2 "$formats/gnu_time_verbose.log"
columns 'gnu_time_verbose.log: columns' 'cores,repetition,time_s,cpu_s,exit_status,sys_s,switches,preempted,faults,peak_memory_bytes'
rows 'gnu_time_verbose.log' '2,1,0,0,0,0,1,1,0,933888'
check 'bash_time.log' import time --cores 2 "$formats/bash_time.log"
rows 'bash_time.log' '2,1,0.014,0.001'
check 'npb_mg_S.log' import npb "$formats/npb_mg_S.log"
rows 'npb_mg_S.log' 'MG,S,1,1,0.15'
check 'likwid_O.csv' import likwid "$formats/likwid_O.csv"
rows 'likwid_O.csv' '1,1,1'
check 'gbench977.csv' import google-benchmark "$formats/gbench977.csv"
rows 'gbench977.csv: real time in the unit of the file' 'BM_MainThread/iterations:1,1,1,0.0500064 BM_MainThread/iterations:1/real_time,1,1,0.0500014'
check 'john1283_throughput.csv' import csv "$formats/john1283_throughput.csv"
columns 'john1283_throughput.csv: a rate' 'cores,repetition,throughput_per_s'
check 'wide_repeats.csv' import csv "$formats/wide_repeats.csv"
rows 'wide_repeats.csv' '1,1,10.1 1,2,10.2 1,3,10 2,1,5.3 2,2,5.2 2,3,5.4'
check 'bom_quoted_header.csv' import csv "$formats/bom_quoted_header.csv"
rows 'bom_quoted_header.csv' '1,1,10.5'
fails 3 'sheetjs2239.csv: which is which is asked' import csv "$formats/sheetjs2239.csv"
says 'sheetjs2239.csv: names the columns' "'A', 'B', 'C' and 'D'"
says 'sheetjs2239.csv: and the option' 'map time=COLUMN'
