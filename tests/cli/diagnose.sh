#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../tap.sh"

# value KEY: of the last JSON output
value() { python3 -c 'import json,sys; print(json.loads(sys.argv[1])[sys.argv[2]])' "$out" "$1" 2>&1; }
verdict() { # NAME TABLE WANT [options of diagnose]
    local name=$1 table=$2 want=$3
    shift 3
    "$memwall" fit "$table" --force -o "$tmp/m.json" >"$tmp/fit" 2>&1 || { not_ok "$name" "$(cat "$tmp/fit")"; return; }
    check "$name: runs" "$memwall" diagnose --json "$@" "$tmp/m.json"
    if [[ $(value verdict) =~ ^($want)$ ]]; then ok "$name: $want"; else not_ok "$name: $want" "$out"; fi
}
command -v python3 >/dev/null || { echo "1..0 # SKIP python3 is not here"; exit 77; }

verdict "canneal is memory-bound" "$root/data/examples/canneal.csv" 'memory|memory-latency|memory-bandwidth' --boundaries 12
# the file itself has .374 and .439
prints "evidence: what of the time on one core does not move with the frequency" 'on 1 core 0\.[34][0-9] \(0\.3[0-9] to 0\.[45][0-9]\) of the time at 2\.4 GHz'
prints "evidence: and on 24" 'on 24 cores 0\.[34][0-9] \(0\.3[0-9] to 0\.[45][0-9]\) of the time at 2\.4 GHz'
prints "the schema" '"schema": "memwall-diagnosis/1"'
prints "shares at the ends" '"memory_latency"'
fit_says() { "$memwall" fit "$root/data/examples/canneal.csv" --force -o "$tmp/same.json" 2>&1 | sed -n "s/.* on $1 cores* at 2.4 GHz, \([^)]*)\) does not depend.*/\1/p"; }
for cores in 1 24; do
    words=$(fit_says $cores | sed 's/[().]/\\&/g')
    check "diagnosed with the boundaries that it was fitted with" "$memwall" diagnose "$tmp/same.json"
    prints "the same words as fit's on $cores" "on $cores cores? $words of the time"
done
check "human text" "$memwall" diagnose "$tmp/m.json"
prints "says what to do" 'what to do'
prints "has a Karp-Flatt column" 'Karp-Flatt'
"$memwall" fit "$root/data/examples/swaptions.csv" --force -o "$tmp/noise.json" >/dev/null 2>&1 || exit 1
check "a share that noise makes negative" "$memwall" diagnose "$tmp/noise.json"
prints "is next to none" 'on 1 core 0\.0[0-9] \(0\.0[0-9] to 0\.0[0-9]\) of the time at 2\.4 GHz'
check "the same twice" bash -c "'$memwall' diagnose '$tmp/m.json' >'$tmp/a' && '$memwall' diagnose - <'$tmp/m.json' | cmp - '$tmp/a'"

verdict "swaptions steps at 13 cores" "$root/data/examples/swaptions.csv" boundary-step --boundaries 12
prints "the step is named" '"after_cores": 12'
prints "cores beyond the step still gain, as recommend has it" 'More cores still gain: 24 take 45 % less time than 12'
verdict "its own guess of the boundary, too" "$root/data/examples/swaptions.csv" boundary-step
verdict "hyper-threads of the Xeon" "$root/data/examples/xeon-bt.csv" boundary-step
prints "memory is not excluded at one frequency" 'memory-not-excluded'

prints "if there is another frequency" 'if the frequency can be set'
check "plan names that run" "$memwall" plan "$tmp/m.json" --for diagnosis
prints "as the one that is left" 'one run of all 20 cores at the lowest tells'
check "where the machine has one frequency" "$memwall" plan "$tmp/m.json" --for diagnosis --freq 2.2
prints "nothing is left" 'nothing left is worth a run'

# slower with every core: run it on one
printf 'cores,time_s\n1,72.271\n2,114.911\n4,133.468\n8,146.595\n' >"$tmp/inverse.csv"
verdict "slower with every core" "$tmp/inverse.csv" slows-down
prints "one core is advised" 'one core'
printf 'cores,time_s,cpu_s\n1,72.271,72\n2,114.911,70\n4,133.468,75\n8,146.595,80\n' >"$tmp/waits.csv"
verdict "slower, with idle cores" "$tmp/waits.csv" slows-down
prints "they wait" 'the cores wait rather than work'
prints "how many work" 'CPU time over wall time is 1.0 on 1 core, 0.5 on 8'
printf 'cores,time_s\n1,64\n4,28\n8,120\n' >"$tmp/three.csv"
verdict "three readings settle a slowdown" "$tmp/three.csv" slows-down
# flat: times don't tell why, CPU time does
printf 'cores,time_s\n1,1.322\n2,1.323\n3,1.330\n4,1.331\n' >"$tmp/flat.csv"
verdict "flat from times alone" "$tmp/flat.csv" flat
prints "asks for CPU time" 'CPU time'
printf 'cores,time_s,cpu_s\n1,1.322,1.32\n2,1.323,2.64\n3,1.330,3.97\n4,1.331,5.31\n' >"$tmp/weak.csv"
verdict "all cores busy: weak scaling" "$tmp/weak.csv" weak-scaling
printf 'cores,time_s,cpu_s\n1,1.322,1.32\n2,1.323,1.34\n3,1.330,1.33\n4,1.331,1.35\n' >"$tmp/one.csv"
verdict "one core busy: one thread" "$tmp/one.csv" one-thread

# one frequency cannot tell memory from computing; it says what to measure
printf 'cores,freq_ghz,time_s\n' >"$tmp/single.csv"
for p in 1 2 3 4 6 8 12 16; do awk -v p=$p 'BEGIN { print p ",2.4," 10 * (.15 + .85 / p) }'; done >>"$tmp/single.csv"
verdict "serial at one frequency is open" "$tmp/single.csv" undetermined
prints "says that scaling stops" 'stops-scaling'
prints "asks for the lowest frequency" 'lowest frequency'
prints "names the next point" '"next"'

# both responses: CASE, T and C in x = F/Fmax and p, verdict at one and at three frequencies (five core counts, 2 % noise)
two() { # NAME T C ONE THREE [options]
    local name=$1 t=$2 c=$3 one=$4 three=$5
    shift 5
    for clocks in 2.4 "1.2 1.8 2.4"; do
        { echo cores,freq_ghz,repetition,time_s,cpu_s
          for f in $clocks; do for p in 1 2 4 8 16; do for r in 1 2 3; do
              awk -v p=$p -v f=$f -v r=$r "function max(a, b) { return a > b ? a : b } function min(a, b) { return a < b ? a : b }
                  BEGIN { x = f / 2.4; l = log(p) / log(16); m = min(x, 1 - .3 * l); cap = min(p, 8) + .3 * max(p - 8, 0)
                          e = .02 * sin(17.1 * p + 5.3 * r + 3.7 * f)
                          printf \"%d,%s,%d,%.6g,%.6g\n\", p, f, r, 10 * ($t) * (1 + e), 10 * ($c) * (1 + .5 * e) }"
          done; done; done; } >"$tmp/two.csv"
        if [ "$clocks" = 2.4 ]; then verdict "$name, one frequency" "$tmp/two.csv" "$one" "$@"
        else verdict "$name, three frequencies" "$tmp/two.csv" "$three" "$@"; fi
    done
}
two "start-up wait" '.1 + 1/p/x' '1/x' 'idle|waiting' waiting
prints "how long nobody works" 'nobody works'
two "at most four cores" 'max(1/p, 1/4)/x' '1/x' limit limit
prints "how many ever worked" 'No more than 4 cores ever worked at once'
two "one thread" '1/x' '1/x' one-thread one-thread
prints "seen without any law" 'Only one core ever worked \(CPU time = time on 1 to 16 cores\)'
two "serial, others spin" '(.1 + .9/p)/x' 'p*(.1 + .9/p)/x' busy busy-clock
two "slow cores behind 8" '1/cap/x' 'p/cap/x' 'busy|boundary-step' boundary-step --boundaries 8
two "turbo" '1/p/m' '1/m' 'busy|scales-well' clock
two "bandwidth" 'max((1/x + .5)/p, .2)' 'p*max((1/x + .5)/p, .2)' busy memory-bandwidth
two "a launcher's CPU time" '1/p/x' '.02' scales-well scales-well
prints "and why it is not used" 'ignored: it is a launcher'

# what the columns beside the time say
printf 'cores,freq_ghz,time_s,cpu_s,freq_effective_ghz\n' >"$tmp/eff.csv"
for f in 1.2 1.8 2.4; do for p in 1 2 4 8 16; do
    awk -v p=$p -v f=$f 'BEGIN { m = f / 2.4; l = 1 - .3 * log(p) / log(16); if (m > l) m = l; printf "%d,%s,%.6g,%.6g,%.4g\n", p, f, 10 / p / m, 10 / m, 2.4 * m }'
done; done >>"$tmp/eff.csv"
verdict "a falling clock that is known is no loss" "$tmp/eff.csv" scales-well
prints "its clock was used" '"effective_clock": "used"'
# computation scaling by its factors: on 16 cores 1.2 times the instructions, .6 of the IPC, .9 of the clock
{ echo cores,freq_ghz,time_s,cpu_s,instructions,cycles
  for p in 1 2 4 8 16; do awk -v p=$p 'BEGIN { l = log(p) / log(2) / 4; i = 3e10 * (1 + .2 * l); y = i / (2 * (1 - .4 * l)); c = y / (3e9 * (1 - .1 * l))
      printf "%d,3,%.9g,%.9g,%.9g,%.9g\n", p, c / p, c, i, y }'; done; } >"$tmp/pop.csv"
check "counters are fitted" "$memwall" fit "$tmp/pop.csv" --force -o "$tmp/m.json"
check "and diagnosed" "$memwall" diagnose "$tmp/m.json"
prints "the factors have their columns" 'parallel  computation +instructions +IPC +clock +user'
prints "and come back" '^ +16 .* 1\.00 +0\.45 +0\.83 +0\.60 +0\.90 +1\.00$'
prints "the largest loss is said" 'IPC 0\.60 x clock 0\.90 x user 1\.00: each takes more cycles'
check "for programs too" "$memwall" diagnose --json "$tmp/m.json"
prints "by name" '"ipc_scaling": 0\.6'
printf 'cores,time_s,cpu_s,main_wait_s,other_cpu_s\n1,2,1,1,1\n2,1.1,1,.6,1\n4,.5,1,.25,1\n' >"$tmp/load.csv"
verdict "others' load, taken off" "$tmp/load.csv" scales-well
prints "is said" 'The main thread waited for a core up to'
fit_out=$("$memwall" fit "$tmp/load.csv" --as-measured --force -o "$tmp/m.json" 2>&1)
check "as measured" "$memwall" diagnose --json "$tmp/m.json"
prints "the wait is there" '"main_wait": "ignored: the times are as measured"'
prints "no verdict from such times" '"verdict": "undetermined"'
{ echo '# cpu_limit: 4'; echo cores,time_s,cpu_s,throttled_s
  for p in 1 2 3 4 6 8 12 16; do awk -v p=$p 'BEGIN { t = p < 4 ? 10 / p : 2.5; printf "%d,%.4g,10,%.3g\n", p, t, (p > 4 ? .6 * t : 0) }'; done; } >"$tmp/quota.csv"
verdict "a quota" "$tmp/quota.csv" limit
prints "named" 'a CPU quota of 4 \(cgroup\), not the program'
printf 'cores,time_s,cpu_s\n1,10,10\n2,5.1,10.1\n4,2.6,\n' >"$tmp/some.csv"
verdict "CPU time on some points only" "$tmp/some.csv" 'scales-well|undetermined'
prints "is not used" 'ignored: only 2 of 3 points have one'
printf 'cores,time_s,cpu_s\n1,10,30\n2,5.1,31\n4,2.6,30\n' >"$tmp/span.csv"
verdict "CPU time of another span" "$tmp/span.csv" 'scales-well|undetermined'
prints "is not used either" 'ignored: it is of another span'

# energies without times hold no cause; what does take them is named, and takes them
printf 'cores,freq_ghz,energy_j\n1,2,100\n2,2,70\n4,2,55\n1,1,90\n2,1,60\n4,1,50\n' >"$tmp/energy.csv"
fails 3 "energies only: nothing to diagnose" "$memwall" fit "$tmp/energy.csv" -o "$tmp/e.json"
says "what is missing" 'energies without a time'
says "who takes them" 'tune --objective energy --replay FILE'
check "tune takes them" "$memwall" tune --objective energy --replay "$tmp/energy.csv"
prints "the least energy" '4 cores at 1 GHz'
check "plan takes them" "$memwall" plan --objective energy "$tmp/energy.csv"
sed 's/"quantity": "[a-z]*"/"quantity": "energy"/' "$tmp/m.json" >"$tmp/e.json"
sed 's#memwall-model/2#memwall-model/1#' "$tmp/m.json" >"$tmp/old.json"
fails 3 "a model of 0.1.0" "$memwall" diagnose "$tmp/old.json"
says "to be fitted again" 'fit the runs again'
fails 3 "a model of energies" "$memwall" diagnose "$tmp/e.json"
says "which models there are" 'time or speedup'
printf 'cores,freq_ghz,speedup\n2,2,1.8\n4,2,3\n8,2,4.3\n2,1,1.85\n4,1,3.1\n8,1,4.7\n' >"$tmp/s.csv"
"$memwall" fit "$tmp/s.csv" --force -o "$tmp/s.json" >/dev/null 2>&1
check "speedups only" "$memwall" diagnose "$tmp/s.json"
prints "says what speedups hide" 'speedups without times'

fails 2 "no such option" "$memwall" diagnose --boundarie 12 "$tmp/m.json"
says "suggests the nearest" '\-\-boundaries'
fails 2 "a boundary that is none" "$memwall" diagnose --boundaries x "$tmp/m.json"
fails 1 "no such file" "$memwall" diagnose "$tmp/none.json"
fails 3 "not a model" "$memwall" diagnose "$tmp/s.csv"

if [ -d "$shared" ]; then
    verdict "xeon-gh: its power says serial" "$shared/multicores/xeon-gh.csv" serial
    grep -v '^#' "$shared/multicores/xeon-gh.csv" | awk -F';' 'BEGIN { print "cores,time_s" } { print $2 "," $4 }' >"$tmp/gh.csv"
    verdict "xeon-gh: flat from the times alone" "$tmp/gh.csv" flat
    verdict "ferret scales well" "$shared/parsec-power/ferret.csv" scales-well
    verdict "raytrace scales well" "$shared/parsec-power/raytrace.csv" scales-well
    verdict "x264 steps" "$shared/parsec-power/x264.csv" boundary-step --boundaries 12
    verdict "blackscholes steps" "$shared/parsec-power/blackscholes.csv" boundary-step
    verdict "dedup is not memory-bound" "$shared/parsec-power/dedup.csv" 'serial|undetermined'
    verdict "the file that slows down" "$shared/formats/gpssdr11_inverse.csv" slows-down
    verdict "the flat file" "$shared/formats/gentoolto288_weak.csv" flat
else
    skip "shared tables" "../shared/data is not here"
fi
