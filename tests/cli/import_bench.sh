#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Benchmark tools whose names hold the cores, and numbers as other locales write them.
. "$(dirname "$0")/../tap.sh"

rows() { # NAME EXPECTED: the rows of the last output without remarks and header, joined by spaces
    local got
    got=$(grep -v '^#' <<<"$out" | tail -n +2 | tr '\n' ' ' | sed 's/ $//')
    if [ "$got" = "$2" ]; then ok "$1"; else not_ok "$1" "expected: $2" "got:      $got"; fi
}
import() { "$memwall" import "$@"; }

# --- go test -bench -cpu
cat >"$tmp/go.txt" <<'LOG'
goos: linux
BenchmarkSolve      	     100	  12345678 ns/op
BenchmarkSolve-2    	     200	   6345678 ns/op	  12 B/op	  1 allocs/op
BenchmarkSize/n-10      	     100	  100 ns/op
BenchmarkSize/n-10-2    	     200	   60 ns/op
PASS
ok  	example.com/x	3.456s
LOG
check 'go-bench' import go-bench "$tmp/go.txt"
rows 'go-bench: GOMAXPROCS is behind the last dash, but for numbers that names end in' \
    'BenchmarkSolve,1,1,0.012345678 BenchmarkSolve,2,1,0.006345678 BenchmarkSize/n-10,1,1,1e-07 BenchmarkSize/n-10,2,1,6e-08'
printf 'BenchmarkOther 10 5 ns/op\nBenchmarkSize/n-10 100 100 ns/op\n' >"$tmp/go1.txt"
check 'go-bench on one processor' import go-bench "$tmp/go1.txt"
rows 'go-bench on one processor: the number is part of the name' 'BenchmarkOther,1,1,5e-09 BenchmarkSize/n-10,1,1,1e-07'
printf 'BenchmarkSolve-2 10 5,5 ns/op\n' >"$tmp/gox.txt"
fails 3 'go-bench: a number that is none' import go-bench "$tmp/gox.txt"
says 'go-bench: its line' 'gox.txt:1: '

# --- pytest-benchmark
cat >"$tmp/py.json" <<'LOG'
{"machine_info": {}, "benchmarks": [
{"name": "test_solve[1-200]", "params": {"threads": 1, "size": 200}, "stats": {"median": 1.05, "data": [1.0, 1.1]}},
{"name": "test_solve[4-200]", "params": {"threads": 4, "size": 200}, "stats": {"median": 0.3}}]}
LOG
check 'pytest-benchmark' import pytest-benchmark "$tmp/py.json"
rows 'pytest-benchmark: cores from the parameters, rounds as repetitions, the rest is the input' \
    'test_solve,size=200,1,1,1 test_solve,size=200,1,2,1.1 test_solve,size=200,4,1,0.3'
printf '{"benchmarks": [{"name": "test_solve[20]", "params": {"n": 20}, "stats": {"median": 1}}]}' >"$tmp/py2.json"
fails 3 'pytest-benchmark: n is not the cores' import pytest-benchmark "$tmp/py2.json"
check 'pytest-benchmark: n is, where it is said' import pytest-benchmark --map cores=n "$tmp/py2.json"
printf '{"benchmarks": [{"name": "test_solve[20]", "params": {"size": 20}, "stats": {"median": 1}}]}' >"$tmp/py3.json"
fails 3 'pytest-benchmark: without cores' import pytest-benchmark "$tmp/py3.json"

# --- criterion
cat >"$tmp/criterion.txt" <<'LOG'
Benchmarking solve/threads/1
solve/threads/1         time:   [12.345 ms 12.400 ms 12.460 ms]
Found 3 outliers among 100 measurements (3.00%)
solve/threads/2
                        time:   [6.345 µs 6.400 µs 6.460 µs]
                        change: [-1.0% +0.1% +1.1%] (p = 0.8 > 0.05)
LOG
check 'criterion' import criterion "$tmp/criterion.txt"
rows 'criterion: the middle of three, names on lines of their own' 'solve/threads/N,1,1,0.0124 solve/threads/N,2,1,6.4e-06'
echo 'fib/20                  time:   [12.345 ms 12.400 ms 12.460 ms]' >"$tmp/fib.txt"
fails 3 'criterion: a number alone is not the cores' import criterion "$tmp/fib.txt"
says 'criterion: the ways to say them' '--cores N, or where it stands in the name: --map'
check 'criterion: by an expression' import criterion --map 'cores=/fib.([0-9]+)/' "$tmp/fib.txt"
rows 'criterion: by an expression: row' 'fib/N,20,1,0.0124'
printf 'group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\nsolve,threads,4,,,1000,ns,10\n' >"$tmp/raw.csv"
check 'criterion: raw.csv' import criterion "$tmp/raw.csv"
rows 'criterion: raw.csv: time of an iteration' 'solve/threads/N,4,1,1e-07'
echo '{"reason":"benchmark-complete","id":"solve/threads/8","median":{"estimate":123.0,"unit":"ns"}}' >"$tmp/messages.json"
check 'cargo-criterion' import criterion "$tmp/messages.json"
rows 'cargo-criterion: row' 'solve/threads/N,8,1,1.23e-07'

# --- hyperfine, cores in the name
cat >"$tmp/named.json" <<'LOG'
{"results": [{"command": "4 threads: solve", "times": [1.0, 1.1]}, {"command": "8 threads: solve", "times": [0.5]}]}
LOG
fails 3 'hyperfine: cores in the name are asked for' import hyperfine "$tmp/named.json"
check 'hyperfine: by an expression' import hyperfine --map 'cores=/([0-9]+) threads/' "$tmp/named.json"
rows 'hyperfine: by an expression: rows' '4,1,1 4,2,1.1 8,1,0.5'
fails 2 'an expression of another kind' import hyperfine --map 'cores=/(\d+) threads/' "$tmp/named.json"
says 'an expression of another kind: what it is' 'digits are \[0-9\]'
fails 3 'an expression that finds nothing' import hyperfine --map 'cores=/x([0-9]+)/' "$tmp/named.json"

# --- numbers in other locales, and numbers that are none
printf '\nreal\t0m9,412s\nuser\t0m36,900s\nsys\t0m0,210s\n' >"$tmp/time.txt"
check 'bash time with a decimal comma' import time --cores 4 "$tmp/time.txt"
rows 'bash time with a decimal comma: row' '4,1,9.412,37.11'
printf 'real\t0m9x412s\n' >"$tmp/bad.txt"
fails 3 'bash time: a time that is none' import time --cores 4 "$tmp/bad.txt"
says 'bash time: its line' 'bad.txt:1: '
plain() { printf " Performance counter stats for './a':\n\n  %s msec task-clock   #  0,998 CPUs utilized\n  %s  instructions\n\n  %s seconds time elapsed\n" "$@"; }
plain 6.104,20 1.234.567 6,116450210 >"$tmp/de.txt"
check 'perf stat, decimal comma' import perf-stat --cores 1 "$tmp/de.txt"
rows 'perf stat, decimal comma: row' '1,1,6.11645021,6.1042,1234567'
plain 6,104.20 1,234,567 6.116450210 >"$tmp/en.txt"
check 'perf stat, decimal point' import perf-stat --cores 1 "$tmp/en.txt"
rows 'perf stat, decimal point: the same' '1,1,6.11645021,6.1042,1234567'
plain '6 104,20' '1 234 567' 6,116450210 >"$tmp/fr.txt"
check 'perf stat, narrow spaces' import perf-stat --cores 1 "$tmp/fr.txt"
rows 'perf stat, narrow spaces: the same' '1,1,6.11645021,6.1042,1234567'
plain 6,104 1,234 6,116 >"$tmp/either.txt"
fails 3 'perf stat, either' import perf-stat --cores 1 "$tmp/either.txt"
says 'perf stat, either: the remedy' 'LC_ALL=C'
plain 6104.20 1 6.11x >"$tmp/bad.txt"
fails 3 'perf stat: a time that is none' import perf-stat --cores 1 "$tmp/bad.txt"
says 'perf stat: its line' 'bad.txt:6: '
printf '#           time             counts unit events\n     1.000101             310.50 Joules power/energy-pkg/\n     2.000201             300.50 Joules power/energy-pkg/\n' >"$tmp/interval.txt"
check 'perf stat -I, plain' import perf-stat --cores 1 "$tmp/interval.txt"
rows 'perf stat -I, plain: the last stamp, the sum of energies' '1,1,2.000201,611'
printf '12345,,L1-dcache-loads,1000000000,100.00,,\n' >"$tmp/notime.csv"
fails 3 'perf stat without a time' import perf-stat --cores 1 "$tmp/notime.csv"
says 'perf stat without a time: is not told to be another' 'perf stat wrote this without a time'

# --- the rates of STREAM and BabelStream
babel() { printf 'BabelStream\nFunction    %s Min (sec)   Max         Average\nTriad       %s     0.01750     0.02200     0.01810\n' "$@" >"$tmp/babel.txt"; }
babel MiBytes/sec 1000
check 'babelstream --mibibytes' import babelstream --cores 8 "$tmp/babel.txt"
rows 'babelstream --mibibytes: in 10^6 bytes' 'triad,8,1,0.0175,1048.576'
babel Furlongs/sec 1000
fails 3 'babelstream: another unit' import babelstream --cores 8 "$tmp/babel.txt"
babel MBytes/sec 1000,5
fails 3 'babelstream: a decimal comma' import babelstream --cores 8 "$tmp/babel.txt"

# --- sacct
printf 'JobID|State|AllocCPUS|ElapsedRaw|NNodes\n71|COMPLETED|96|2400|4\n71.batch|COMPLETED|24|2400|1\n72|COMPLETED|24|2400|1\n72.batch|COMPLETED|24|2390|1\n73_[1-9]|PENDING|0|0|\n74|CANCELLED by 12|8|3|1\n75|RUNNING|8|30|1\n' >"$tmp/sacct.txt"
check 'sacct' import sacct "$tmp/sacct.txt"
rows 'sacct: the batch step of many nodes is not the job' '96,1,2400,0,4 24,1,2390,0,1'
says 'sacct: rows left out are said' '3 row\(s\) left out'
printf 'JobID|State|AllocCPUS|ElapsedRaw\n73|PENDING|0|0\n' >"$tmp/sacct.txt"
fails 3 'sacct: pending jobs alone' import sacct "$tmp/sacct.txt"

# --- CPU time beside the time
printf 'Loop time of 2 on 8 procs for 100 steps with 32000 atoms\n\n195.5%% CPU use with 4 MPI tasks x 2 OpenMP threads\n' >"$tmp/lammps.txt"
check 'lammps' import lammps "$tmp/lammps.txt"
rows 'lammps: CPU time of all processes' '100 steps of 32000 atoms,8,1,2,15.64,2,4'
