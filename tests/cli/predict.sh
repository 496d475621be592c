#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memwall predict as a user calls it: the grid, the columns, baselines, what is said, what is refused.
. "$(dirname "$0")/../tap.sh"

# A program with a third of its time in memory on one core, times by hand: (1/F)(.02 + .98/p) + .2/p
{
    echo cores,freq_ghz,time_s
    for p in 1 2 4 6 8; do for f in 1.2 1.8 2.4; do
        awk -v p=$p -v f=$f 'BEGIN{printf "%d,%s,%.6g\n", p, f, 100*((.02+.98/p)/f+.2/p)}'
    done; done
} >"$tmp/runs.csv"
check 'a campaign fits' "$memwall" fit "$tmp/runs.csv" -o "$tmp/m.json"
check 'predict answers' "$memwall" predict "$tmp/m.json" --cores 1-8 --freq 1.2-2.4:0.3
rows=$(grep -vc '^#' <<<"$out")
if [ "$rows" = 41 ]; then ok 'exactly the grid asked for'; else not_ok 'exactly the grid asked for' "$rows lines"; fi
prints 'the columns of the manual' '^cores,freq_ghz,time_s,time_low_s,time_high_s,speedup,speedup_low,speedup_high,power_w,energy_j,energy_low_j,energy_high_j,binding,extrapolated$'
worst=$(grep -v '^#' <<<"$out" | awk -F, 'NR>1{t=100*((.02+.98/$1)/$2+.2/$1); e=$3/t-1; if(e<0)e=-e; if(e>m)m=e; if($4>t||$5<t)o++} END{print (m<.02 && o<3) ? "good" : "error " m " outside " o}')
if [ "$worst" = good ]; then ok 'within 2 % of the truth, inside its intervals'; else not_ok 'within 2 % of the truth, inside its intervals' "$worst"; fi
prints 'one core is its own baseline' '^1,1.2,[^,]*,[^,]*,[^,]*,1,1,1,,,,,[a-z]*,no$'

if command -v script >/dev/null; then
    out=$(TERM=dumb script -qec "$memwall predict $tmp/m.json --cores 1,8" /dev/null </dev/null)
    prints 'a terminal gets a table' 'time \(s\) +speedup'
    out=$(TERM=dumb script -qec "$memwall predict $tmp/m.json --cores 1,8 --csv" /dev/null </dev/null)
    prints 'and CSV where it is asked for' '^cores,freq_ghz,time_s'
else
    skip 'a terminal gets a table' 'no script(1)'
fi
check 'the lowest frequency as baseline' "$memwall" predict "$tmp/m.json" --cores 1 --freq 1.2,2.4 --baseline lowest
prints 'the lowest frequency itself is 1' '^1,1.2,[^,]*,[^,]*,[^,]*,1,1,1,'
prints 'twice the frequency is less than twice as fast' '^1,2.4,[^,]*,[^,]*,[^,]*,1\.[67]'

check 'without lists the measured domain' "$memwall" predict "$tmp/m.json"
rows=$(grep -vc '^#' <<<"$out")
if [ "$rows" = 16 ]; then ok 'fifteen points'; else not_ok 'fifteen points' "$rows lines"; fi

check 'twice the same bytes' "$memwall" predict "$tmp/m.json" --cores 1,8,32 --json
first=$(sed '/"run"/,/}/d' <<<"$out")
prints 'JSON has a schema' '"schema": *"memwall-predictions/1"'
OMP_NUM_THREADS=3 check 'with other threads' "$memwall" predict "$tmp/m.json" --cores 1,8,32 --json
if [ "$first" = "$(sed '/"run"/,/}/d' <<<"$out")" ]; then ok 'the same answers'; else not_ok 'the same answers'; fi
says 'more cores than the measured ones are doubted' 'socket boundary'
prints 'and marked' '"extrapolated": true'
check 'one core past the measured ones' "$memwall" predict "$tmp/m.json" --cores 1-9
says 'is doubted already, with the count to measure' 'up to 8 cores\) and this prediction \(9 cores\) is not known.*measure p = 9,'
if grep -q trusted <<<"$err"; then not_ok 'and not called far' "$err"; else ok 'and not called far'; fi
check 'far beyond' "$memwall" predict "$tmp/m.json" --cores 800 --freq 9 --verbose
says 'so many cores are called so' '800 cores are 100 times the most measured \(8\)'
says 'and so high a frequency' '9 GHz is above the highest measured \([0-9.]* GHz\) by [0-9.]* times'
check 'inside' "$memwall" predict "$tmp/m.json" --cores 1-8
if [ -z "$err" ]; then ok 'nothing is doubted'; else not_ok 'nothing is doubted' "$err"; fi

check 'with boundaries' "$memwall" fit "$tmp/runs.csv" --boundaries 12 -o "$tmp/b.json"
check 'across one' "$memwall" predict "$tmp/b.json" --cores 16
says 'the boundary is named with the point to measure' 'after 12 cores something else begins, behind your data \(up to 8 cores\).* measure p = 16, else p = 13'
named=$(grep '^16,' <<<"$out")
check 'of a kind' "$memwall" fit "$tmp/runs.csv" --boundaries 12:socket -o "$tmp/b.json" --force
check 'across one of a kind' "$memwall" predict "$tmp/b.json" --cores 16
says 'the kind is named' 'after 12 cores another socket begins'
if [ "$(grep '^16,' <<<"$out")" != "$named" ]; then ok 'and changes the numbers'; else not_ok 'and changes the numbers' "$named"; fi
check 'a profile of the machine' bash -c "echo '{\"memwall_machine\": 1, \"cores\": 16, \"sockets\": 1, \"boundaries\": [8], \"boundary_kinds\": [\"kind\"]}' >'$tmp/machine.json'; '$memwall' fit '$tmp/runs.csv' --machine '$tmp/machine.json' -o '$tmp/b.json' --force"
check 'with slower cores' "$memwall" predict "$tmp/b.json" --cores 16
says 'says so too' 'after 8 cores slower cores begin'
fails 2 'a kind that there is not' "$memwall" fit "$tmp/runs.csv" --boundaries 12:shop -o "$tmp/b.json" --force
says 'is answered with those that there are' 'socket, node, slower or smt'

printf 'cores,freq_ghz,speedup\n1,1.2,1\n2,1.2,1.9\n4,1.2,3.6\n8,1.2,6.4\n1,2.4,1\n2,2.4,1.9\n8,2.4,6\n' >"$tmp/s.csv"
check 'speedups fit' "$memwall" fit "$tmp/s.csv" -o "$tmp/s.json"
check 'speedups are predicted' "$memwall" predict "$tmp/s.json" --cores 1,6 --freq 1.8
prints 'without times, and exactly 1 on one core' '^1,1.8,,,,1,1,1,,,,,[a-z]*,no$'
fails 4 'no other baseline for speedups' "$memwall" predict "$tmp/s.json" --cores 2 --freq 2.4 --baseline lowest

printf 'threads,time_s\n1,10\n2,5.3\n4,3\n' >"$tmp/n.csv"
check 'a file without frequencies fits' "$memwall" fit "$tmp/n.csv" -o "$tmp/n.json"
check 'and is predicted' "$memwall" predict "$tmp/n.json" --cores 3
prints 'with an empty frequency' '^3,,[34]\.'
fails 2 'no frequency can be asked for' "$memwall" predict "$tmp/n.json" --freq 2

fails 2 'a bad list' "$memwall" predict "$tmp/m.json" --cores 0
fails 2 'a bad baseline' "$memwall" predict "$tmp/m.json" --baseline highest
for command in predict diagnose report recommend; do
    fails 3 "a table given to $command" "$memwall" $command "$tmp/runs.csv"
    says 'is told what to do' 'hint: .*memwall fit runs.csv'
done
head -c 2000 "$tmp/m.json" >"$tmp/half.json"
fails 3 'half a model' "$memwall" predict "$tmp/half.json"
says 'is called so' 'cut short'
fails 3 'a model given to fit' "$memwall" fit "$tmp/m.json"
says 'is called so too' 'a model already'
fails 1 'no file' "$memwall" predict "$tmp/absent.json"

# What binds: (c/p + s) 2.4/F + l/p + b, b shared by the cores up to the fourth; others sleep while one works alone
campaign() {
    echo cores,freq_ghz,time_s,cpu_s
    for p in 1 2 4 8 16; do for f in 1.2 1.8 2.4; do
        awk -v p=$p -v f=$f -v c="$1" -v s="$2" -v l="$3" -v b="$4" \
            'BEGIN{B=p<4?b*4/p:b; m=l/p+B; printf "%d,%s,%.6g,%.6g\n", p, f, 100*((c/p+s)*2.4/f+m), 100*((c+s)*2.4/f+l+p*B)}'
    done; done
}
binds() { # NAME WORD CORES c s l b
    campaign "${@:4}" >"$tmp/w.csv"
    check "$1 fits" "$memwall" fit "$tmp/w.csv" -o "$tmp/w.json" --force
    check "$1 is predicted" "$memwall" predict "$tmp/w.json" --cores "$3" --freq 2.4
    prints "$1: '$2' on $3 cores" "^$3,2\.4,.*,$2,no\$"
}
binds 'computing' compute 16 1 0 0 0
binds 'serial work' serial 16 .7 .3 0 0
binds 'memory that the cores divide' latency 16 .2 0 .8 0
binds 'memory that they do not: busy for one reason or another' '' 16 .3 0 0 .175
binds 'a mixture of all' '' 16 .4 .02 .35 .02
printf 'cores,freq_ghz,time_s\n1,1.2,10\n2,1.2,10\n4,1.2,10\n8,1.2,10\n1,2.4,10\n2,2.4,10\n4,2.4,10\n8,2.4,10\n' >"$tmp/w.csv"
check 'what nothing changes fits' "$memwall" fit "$tmp/w.csv" -o "$tmp/w.json" --force
check 'and is predicted' "$memwall" predict "$tmp/w.json"
if grep -qE ',[a-z]+,no$' <<<"$out"; then not_ok 'it may be a disk: no word' "$out"; else ok 'it may be a disk: no word'; fi
check 'work that moves with the frequency fits' "$memwall" fit "$root/data/examples/swaptions.csv" -o "$tmp/w.json" --force
check 'and is predicted' "$memwall" predict "$tmp/w.json"
if grep -qE ',(bandwidth|latency),' <<<"$out"; then not_ok 'it is not memory' "$out"; else ok 'it is not memory'; fi
check 'one frequency fits' "$memwall" fit "$root/data/examples/xeon-bt.csv" -o "$tmp/w.json" --force
check 'and is predicted' "$memwall" predict "$tmp/w.json"
if grep -qE ',[a-z]+,no$' <<<"$out"; then not_ok 'with one frequency nothing is said' "$out"; else ok 'with one frequency nothing is said'; fi

if [ -d "$shared/parsec-power" ]; then
    check 'canneal fits' "$memwall" fit "$shared/parsec-power/canneal.csv" -o "$tmp/c.json"
    check 'canneal is predicted' "$memwall" predict "$tmp/c.json" --cores 1-24 --freq 1.2-2.4:0.1 -o "$tmp/c.csv"
    verdict=$(awk -F, 'FNR==NR{if(FNR>1)t[$1","$2+0]=1/$3; next} /^#/||/^cores/{next} {e=$3/t[$1","$2+0]-1; s+=e<0?-e:e; n++} END{print (n==312 && s/n<.06) ? "good" : n " rows, " s/n}' "$shared/parsec-power/canneal.csv" "$tmp/c.csv")
    if [ "$verdict" = good ]; then ok '312 rows within 6 %'; else not_ok '312 rows within 6 %' "$verdict"; fi
    prints=$(grep -v '^#' "$tmp/c.csv" | awk -F, 'NR==2{print $9}')
    if [ -n "$prints" ]; then ok 'with power'; else not_ok 'with power'; fi
else
    skip 'canneal' 'no shared data'
fi
