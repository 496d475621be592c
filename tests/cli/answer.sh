#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The first line of fit, recommend, diagnose and tune is what a person asks, true of the table; what these data can't tell, and
# what this machine can't do, is not said.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
first() { if grep -qE -- "$2" <<<"$(head -n 1 <<<"$out")"; then ok "$1"; else not_ok "$1" "the first line lacks /$2/:" "$out"; fi; }
lacks() { if grep -qE -- "$2" <<<"$out$err"; then not_ok "$1" "has /$2/:" "$out" "$err"; else ok "$1"; fi; }
fitted() { check "$1: fitted" "$memwall" fit "$1.csv" -o "$1.json" --force; }

# two cores and no frequency to set, ten runs: the commonest table there is
table() { # NAME TIME-ON-2 CPU-ON-2
    { echo '# freq_driver: none'; echo "# scan_command: ./a.out -n '{cores}' 'a b'"; echo cores,repetition,time_s,cpu_s
      for r in 1 2 3 4 5; do awk -v r=$r -v t=$2 -v c=$3 'BEGIN { e = 1 + .002 * sin(7 * r)
          printf "1,%d,%.5f,%.5f\n2,%d,%.5f,%.5f\n", r, 10 * e, 9.99 * e, r, t * e, c * e }'; done; } >"$1.csv"
}
table scales 5.0505 10.08
fitted scales
first 'fit: the speedup, that it scales, where to run it' '^1\.98x on 2 cores \(99 %\): it scales\. Run it on 2\.$'
lacks 'no frequency is advised where none can be set' 'frequenc|lowest|GHz'
lacks 'no parameter that two points can not tell' 'not identifiable'
prints 'but how to see them' '--verbose'
check 'with --verbose' "$memwall" fit scales.csv -o scales.json --force --verbose
prints 'they are there' 'not identifiable'
prints 'and so are all laws' '^usl-memory '
check 'recommend' "$memwall" recommend scales.json
first 'the choice, its time and speedup' '^Run it on 2 cores: 5\.0[0-9]+ s, 1\.98x one core \(99 %\)\.$'
prints 'then what binds' '^scales-well: '
prints 'the line is the command that was run, its cores in place' "taskset -c 0-1 ./a.out -n (2|'2') 'a b'$"
lacks 'and no clock' 'cpupower|frequenc'
check 'diagnose' "$memwall" diagnose scales.json
first 'the same first line' '^1\.98x on 2 cores \(99 %\): it scales\. Run it on 2\.$'
lacks 'no frequency there either' 'frequenc(y|ies) (can|tells)|lowest frequency|second frequency'

table one 10.01 10
fitted one
first 'one thread is said so, before any law, and asked for' '^Only one core ever worked'
prints 'with the ways to tell it' 'OMP_NUM_THREADS'
lacks 'no cause beside it, and no core count' 'cores wait for|Run it on'
table flat 10.02 20
fitted flat
first 'no faster is not slower' '^0\.998x on 2 cores \(50 %\): no faster than on 1\. Run it on 1\.$'
table slower 12 24
fitted slower
first 'slower with more cores' '^0\.833x on 2 cores \(42 %\): slower than on 1\. Run it on 1\.$'
check 'recommend' "$memwall" recommend slower.json
first 'one core' '^Run it on 1 core: '
table half 7.1 10.1
fitted half
first 'cores without work are named' '^1\.41x on 2 cores \(70 %\): the cores have no work 2[0-9] % of the time'
lacks 'undetermined carries no figure of chance' '\(0?\.[0-9]+\)|\[0?\.[0-9]'

# repetitions that scatter by a third leave no third digit
{ echo cores,repetition,time_s; for r in 1 2 3 4 5; do awk -v r=$r 'BEGIN { e = 1 + .3 * sin(7 * r); printf "1,%d,%.4f\n2,%d,%.4f\n", r, 10 * e, r, 5.5 * e }'; done; } >rough.csv
fitted rough
first 'about' '^About [0-9.]+x on 2 cores \([0-9]+[05] %\)'

# several things to warn of
{ echo cores,time_s,note; printf '1,10,a\n2,5,b\n4,NaN,c\n4,0,d\n8,NaN,e\n8,0,f\n16,0.7,g\n'; } >doubts.csv
check 'many doubts' "$memwall" fit doubts.csv -o doubts.json --force
if [ "$(grep -c 'warning: ' <<<"$err")" = 3 ]; then ok 'three warnings'; else not_ok 'three warnings' "$err"; fi
says 'the rest is counted' 'and [0-9]+ more warnings?: --verbose'
check 'with --verbose' "$memwall" fit doubts.csv -o doubts.json --force --verbose
if [ "$(grep -c 'warning: ' <<<"$err")" -gt 3 ]; then ok 'all of them'; else not_ok 'all of them' "$err"; fi

# rates come back as rates
{ echo 'cores,repetition,ns/day'; for r in 1 2 3; do awk -v r=$r 'BEGIN { e = 1 + .002 * r; for (p = 1; p <= 4; p *= 2) printf "%d,%d,%.5f\n", p, r, 2.5 * e / (.1 + .9 / p) }'; done; } >rate.csv
check 'a rate in ns/day: fitted' "$memwall" fit rate.csv --map rate=ns/day -o rate.json --force
check 'recommend' "$memwall" recommend rate.json
first 'in ns/day' '^Run it on 4 cores: 7\.[67][0-9]* ns/day, 3\.0[78]x one core'
prints 'against fewer of them: less of the rate' '^  rate       7\.[67][0-9]* ns/day'
check 'predict' "$memwall" predict rate.json --cores 1,4
prints 'has the rate' '^cores,.*,rate,rate_low,rate_high'
prints 'and its unit' '^# rate_unit: ns/day'
if awk -F, '$1 == 4 { good = $15 > 7.4 && $15 < 7.9 && $16 < $15 && $15 < $17 } END { exit !good }' <<<"$out"; then ok 'of four cores'; else not_ok 'of four cores' "$out"; fi

# work that grows with the cores: scaled speedup 7.34 of 8
{ echo '# scan_weak: yes'; echo cores,time_s; printf '1,10\n2,10.1\n4,10.4\n8,10.9\n'; } >weak.csv
fitted weak
first 'the work, not the time' '^7\.34x the work on 8 cores \(92 %\): it scales\. Run it on 8\.$'
check 'predict' "$memwall" predict weak.json --cores 8
if awk -F, '$1 == 8 { good = $6 > 7 && $6 < 7.7 } END { exit !good }' <<<"$out"; then ok 'has the scaled speedup'; else not_ok 'has the scaled speedup' "$out"; fi
check 'recommend' "$memwall" recommend weak.json
first 'all cores, since they do the most' '^Run it on 8 cores: 10\.[0-9]+ s'
check 'diagnose' "$memwall" diagnose weak.json --json
prints 'and it scales' '"verdict": "scales-well"'

# tune: the answer first, what was measured beside it, and a line that a shell takes
awk 'BEGIN { print "cores,time_s"; for (p = 1; p <= 4; p++) print p "," 8 / p }' >grid.csv
check 'tune' "$memwall" tune --replay grid.csv
first 'the answer' '^Run it on 4 cores: 2 s, 4x one core \(100 %\)\.$'
says 'the steps' 'why: all cores'
check 'a command that needs quotes' "$memwall" tune --cores 1 --runs 1 --max-points 1 --log a.csv -- sh -c 'sleep 0.05; echo "a  b" >>out'
here=$(sed -n 's/^  here  *//p' <<<"$out")
rm -f out
check 'is pasted and runs' sh -c "$here"
if [ "$(cat out)" = 'a  b' ]; then ok 'as it was meant'; else not_ok 'as it was meant' "$here" "$(cat out)"; fi

# a scan takes the rate and its unit along; --weak too
cat >prog <<'P'
#!/bin/sh
sleep 0.02
echo "speed $(awk "BEGIN { print 2.5 / (.1 + .9 / $1) }") ns/day"
P
chmod +x prog
check 'a scan of a rate' "$memwall" scan --cores 1 --runs 2 --idle 0 --rate-regexp 'speed ([0-9.]+)' --unit ns/day -o scan.csv -- ./prog '{cores}'
if grep -q '^# rate_unit: ns/day' scan.csv && grep -q ',time_s,rate,' scan.csv; then ok 'has rate and unit'; else not_ok 'has rate and unit' "$(cat scan.csv)"; fi
check 'is fitted' "$memwall" fit scan.csv -o scan.json --force
lacks 'and the column of the rate tells no rows apart' 'not used: .*rate'
if grep -q '"rate_unit": "ns/day"' scan.json; then ok 'the model knows the unit'; else not_ok 'the model knows the unit' "$(cat scan.json)"; fi
check 'tune of a rate' "$memwall" tune --cores 1 --runs 1 --rate-regexp 'speed ([0-9.]+)' --unit ns/day --log b.csv -- ./prog '{cores}'
first 'in its unit' '^Run it on 1 core: 2\.5 ns/day\.$'
fails 2 'a unit of neither' "$memwall" scan --unit ns/day --time-regexp 'T=(.*)' -o u.csv -- true
check 'weak scaling' "$memwall" scan --weak --cores 1 --runs 1 --idle 0 -o w.csv -- true
if grep -q '^# scan_weak: yes' w.csv; then ok 'is recorded'; else not_ok 'is recorded' "$(cat w.csv)"; fi
fails 2 'and not mixed with what is not' "$memwall" scan --resume --cores 1 --runs 1 --idle 0 -o w.csv -- true

# a rate's scan: others' load is a share of the run, not of an item; nothing is to be relied on then
{ echo '# rate_unit: MIPS'; echo workload,cores,repetition,time_s,rate,cpu_s,exit_status,sys_s,wall_s,other_cpu_s
  for r in 1 2 3; do printf 'p,1,%s,0.00025,4000,1,0,.1,2,1\np,2,%s,0.00013,7700,1,0,.1,2,2\n' $r $r; done; } >busy.csv
fitted busy
first 'the share of others is one' '^Runs were disturbed: other programs had 50 % of these cores'
lacks 'no table' 'not used'
check 'recommend' "$memwall" recommend busy.json
prints 'asks for other runs before it names one' '^Measure again before relying on it; of these runs the best was on 2 cores: 7[67][0-9.]+ MIPS'
lacks 'and does not say run it' '^Run it on'
