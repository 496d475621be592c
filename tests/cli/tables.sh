#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables in the words, languages, units and layouts of their authors: read right, or refused with the way out.
. "$(dirname "$0")/../tap.sh"

# table NAME COLUMNS ROWS [OPTION…], the table on standard input: what import csv makes of it, rows joined by spaces
table() {
    local name=$1 columns=$2 rows=$3 got
    shift 3
    cat >"$tmp/t.csv"
    check "$name" "$memwall" import csv "$@" "$tmp/t.csv"
    got=$(grep -v '^#' <<<"$out" | tr '\n' ' ' | sed 's/ $//')
    if [ "$got" = "$columns $rows" ]; then ok "$name: read"; else not_ok "$name: read" "expected: $columns $rows" "got:      $got" "$err"; fi
}
# asks NAME MESSAGE HINT [OPTION…]: refused, with both
asks() {
    local name=$1 message=$2 hint=$3
    shift 3
    cat >"$tmp/t.csv"
    fails 3 "$name" "$memwall" fit --law amdahl "$@" "$tmp/t.csv"
    says "$name: what" "$message"
    says "$name: remedy" "$hint"
}

# --- languages and units
table 'German' cores,freq_ghz,repetition,time_s,power_w '1,1.2,1,80.5,40 2,2.4,1,20.25,80' <<'T'
Kerne;Takt [GHz];Laufzeit [s];Leistung [W]
1;1,2;80,5;40
2;2,4;20,25;80
T
table 'French' cores,freq_ghz,repetition,time_s,energy_j '1,2.4,1,80.5,12500 4,2.4,1,21.2,9100' <<'T'
coeurs;fréquence (MHz);temps (ms);énergie (kJ)
1;2400;80 500;12,5
4;2400;21 200;9,1
T
table 'Spanish' cores,repetition,time_s '1,1,80 2,1,41' <<'T'
núcleos	tiempo (s)
1	80
2	41
T
table 'minutes and watt hours' cores,repetition,time_s,energy_j '1,1,4830,180000 8,1,630,54000' <<'T'
threads,runtime [min],Energy [Wh]
1,80.5,50
8,10.5,15
T
table 'units in the cells' cores,freq_ghz,repetition,time_s,energy_j '1,1.8,1,72.271,12500 2,2.4,1,0.35,800' <<'T'
cores | freq | time | energy
1 | 1800 MHz | 1m12.271s | 12.5 kJ
2 | 2.4GHz | 350 ms | 800 J
T
table 'millijoules and milliwatts' cores,repetition,time_s,energy_j,power_w '1,1,2,1.5,0.75 2,1,1,1.2,1.2' <<'T'
cores,time_s,energy_mj,power_mw
1,2,1500,750
2,1,1200,1200
T

# --- processes x threads
table 'nodes x tasks x threads' cores,repetition,time_s,threads,nodes '64,1,80,4,1 128,1,41,4,2' <<'T'
nodes,tasks per node,cpus per task,time
1,16,4,80
2,16,4,41
T
table 'total cores are preferred' cores,repetition,time_s,threads,ranks '1,1,80,1,1 8,1,12,4,2' <<'T'
MPI ranks,threads per rank,total cores,time
1,1,1,80
2,4,8,12
T
asks 'ranks and threads' "'ranks' and 'threads': the cores may be one of them, or their product" "--map 'cores=ranks\*threads'" <<'T'
ranks,threads,time
1,1,80
2,4,12
4,2,11
T
asks 'cores of a node' "'Nodes' and 'cores': the cores may be one of them" "--map 'cores=Nodes\*cores'" <<'T'
Nodes,cores,time
1,64,80
2,64,41
4,64,22
T
cat >"$tmp/shapes.csv" <<'T'
ranks,threads per rank,time
1,1,100
56,2,1.02
28,4,1.35
112,1,1.21
T
check 'shapes' "$memwall" fit "$tmp/shapes.csv" -o "$tmp/shapes.json"
says 'shapes: the fastest is fitted' 'each core count is fitted with its fastest shape, 2 rows of slower'
says 'shapes: what the others lose' '28 processes take 1.32 times as long on 112 cores as 56 processes'

# --- clocks and meters
asks 'requested and measured clocks differ' "'set_freq_ghz' and 'measured_freq_ghz' could each be the freq" '--map freq=set_freq_ghz' <<'T'
cores,set_freq_ghz,measured_freq_ghz,time
1,1.2,1.2,99
1,3.0,2.6,60
4,1.2,1.2,28
4,3.0,2.4,17
T
table 'a clock that was only measured' cores,repetition,time_s,freq_effective_ghz '1,1,80,2.8931 2,1,41,2.8713' <<'T'
cores,cpu MHz,time
1,2893.1,80
2,2871.3,41
T
asks 'core and uncore' "column 'uncore \[GHz\]' \(1.2, 2.4\) tells them apart" "--where 'uncore \[GHz\]=1.2'" <<'T'
cores,uncore [GHz],core clock [GHz],time
1,1.2,2.4,80
1,2.4,2.4,60
4,1.2,2.4,22
4,2.4,2.4,16
8,1.2,2.4,15
8,2.4,2.4,11
T
table 'mirrored packages' cores,repetition,time_s,energy_j '1,1,80,15 2,1,41,17' <<'T'
cores,time,pkg0_j,pkg1_j,dram_j
1,80,10,10,5
2,41,11,11,6
T
table 'two sockets' cores,repetition,time_s,energy_j '1,1,80,20 2,1,41,22.5' <<'T'
cores,time,E socket 0 [mJ],E socket 1 [mJ]
1,80,10000,10000
2,41,11000,11500
T
table 'node before package' cores,repetition,time_s,energy_j '1,1,80,10000 2,1,41,11000' <<'T'
cores,time,node_energy_kj,cpu_energy_kj
1,80,10,7
2,41,11,8
T
cat >"$tmp/full.csv" <<'T'
cores,time_s,energy_j
1,100,5000
2,51,4294967.295
4,27,2900
8,15,2200
T
check 'a full counter' "$memwall" fit --law amdahl "$tmp/full.csv"
says 'a full counter: set aside' 'line 3: the energy is the largest number of a 32-bit counter: the energy of this run is set aside'

# --- what tells runs apart
asks 'power caps' "column 'cap' \(80, 120, 160\) tells them apart" '--by cap each on its own' <<'T'
threads,cap,wall
1,80,100
1,120,80
1,160,70
4,80,31
4,120,24
4,160,20
8,80,19
8,120,14
8,160,11
T
asks 'models, under a name with a blank' "column 'Model name' \(tiny, huge\)" "--where 'Model name=tiny' takes one of them, --by 'Model name'" <<'T'
Model name,Threads,tokens/s
tiny,1,90
tiny,2,170
tiny,4,300
huge,1,4
huge,2,7.9
huge,4,15
T
table 'dates and hosts tell nothing' cores,repetition,time_s '1,1,80 1,2,81.5 2,1,41 2,2,40 4,1,21 4,2,22' <<'T'
date,host,cores,time
2024-03-01,a,1,80
2024-03-02,b,1,81.5
2024-03-01,a,2,41
2024-03-02,b,2,40
2024-03-01,a,4,21
2024-03-02,b,4,22
T
says 'dates and hosts are named' 'not used: "date", "host"'
asks 'times of two frequencies in one row' "'time_1200' and 'time_2400': the numbers in these names count no repetitions" 'a column of its own' <<'T'
cores,time_1200,time_2400
1,80,40
2,41,21
T

# --- rates
table 'a rate of each thread' cores,repetition,throughput_per_s '1,1,1000 2,1,1900 4,1,3600' <<'T'
threads,Mops/s/thread
1,1000
2,950
4,900
T
table 'GB/s per core' cores,repetition,throughput_per_s '1,1,12 4,1,40' <<'T'
threads,GB/s per core
1,12
4,10
T
asks 'what was done in a fixed time' "'duration \[s\]' is the same on all cores while 'transactions' changes" '--map rate=transactions' <<'T'
clients,threads,duration [s],transactions
8,1,60,1200
8,2,60,2300
8,4,60,4400
T
table 'efficiency in per cent' cores,repetition,speedup '1,1,1 2,1,1.97 4,1,3.652' <<'T'
Kerne;Effizienz [%]
1;100
2;98,5
4;91,3
T
table 'a multiplication sign' cores,repetition,speedup '1,1,1 4,1,3.72' <<'T'
cores,speedup
1,1×
4,3.72×
T

# --- numbers
table 'thousands by shape' cores,repetition,throughput_per_s '1,1,1102130 2,1,2204000' <<'T'
cores,ops/s
1,"1,102,130"
2,"2,204,000"
T
asks 'thousands that may be decimals' "commas or dots in column 'ops/s'" '--thousands ,' <<'T'
cores,ops/s
1,"1,102"
2,"2,204"
T
table 'thousands by the option' cores,repetition,throughput_per_s '1,1,1102 2,1,2204' --thousands , <<'T'
cores,ops/s
1,"1,102"
2,"2,204"
T
table 'dots between thousands beside decimal commas' cores,repetition,time_s,energy_j '1,1,80.5,12500 2,1,41.2,13100' <<'T'
Kerne;Zeit [s];Energie [J]
1;80,5;12.500
2;41,2;13.100
T
table 'spaces between thousands' cores,repetition,time_s '1,1,1234.5 2,1,12345.6' <<'T'
cores;time [s]
1;1 234,5
2;12 345,6
T

# --- layouts
table 'cores across the top' cores,repetition,time_s,energy_j '1,1,80,800 2,1,41,600 4,1,22,500' <<'T'
| threads | 1 | 2 | 4 |
|---|---|---|---|
| time (s) | 80 | 41 | 22 |
| energy (J) | 800 | 600 | 500 |
T
table 'repeats below cores across the top' cores,repetition,time_s '1,1,80 1,2,81 2,1,41 2,2,42' <<'T'
;1 Kern;2 Kerne
Lauf 1 [s];80;41
Lauf 2 [s];81;42
T
asks 'numbers across the top that are not said to be cores' 'the first line holds numbers' 'threads,1,2,4' <<'T'
benchmark,100,200,400
lu,80,41,22
mg,8,4,2
T
table 'a title' cores,repetition,time_s '1,1,80 2,1,41' <<'T'
Strong scaling, node A (run 3)

cores,time
1,80
2,41
T
table 'remarks of Octave' cores,repetition,time_s '1,1,80 2,1,41' <<'T'
% measured on node A
% cores time_s
1 80
2 41
T
table 'prefixes behind the numbers' cores,repetition,throughput_per_s '1,1,102000 2,1,201000 8,1,1100000' <<'T'
threads,ops/s
1,102k
2,201 K
8,1.1M
T
table 'what is counted behind the numbers' cores,repetition,time_s '1,1,80 2,1,41' --map cores=config <<'T'
config,time
1 core,80
2 threads,41
T

asks 'repeats without a value' 'line 2|:2: no usable row: no value in this row' '' <<'T'
cores,time1,time2
1,,
T
table 'a row whose repeats are all missing' cores,repetition,time_s '1,1,80 1,2,81 4,1,21 4,2,22' <<'T'
cores,time1,time2
1,80,81
2,,
4,21,22
T

# --- columns without a meaning that tell the runs apart
asks 'two ways to scale' "column 'scaling' \(strong, weak\) tells them apart" '--by scaling' <<'T'
scaling,cores,time
strong,1,100
strong,2,52
strong,4,28
weak,1,100
weak,2,104
weak,4,110
T
asks 'two machines' "column 'host' \(a, b\) tells them apart" '--by host' <<'T'
host,cores,time_s
a,1,100
b,1,60
a,2,52
b,2,31
a,4,28
b,4,17
T
asks 'before and after a change' "column 'commit' \(abc, def\)" '--where commit=abc' <<'T'
date,cores,time_s,commit
2026-01-02,1,100,abc
2026-01-02,2,52,abc
2026-01-02,4,28,abc
2026-03-02,1,80,def
2026-03-02,2,41,def
2026-03-02,4,22,def
T
printf 'threads,iterations,time_s\n1,100,100\n2,200,104\n4,400,112\n8,800,128\n' >"$tmp/t.csv"
check 'work that grows with the cores' "$memwall" fit "$tmp/t.csv" -o "$tmp/m.json"
says 'is seen' "'iterations' is 100 a core: .*--weak"
check 'and scaled where it is said' "$memwall" fit --weak "$tmp/t.csv" -o "$tmp/m.json" --force
