#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How far runs of one program scatter on a machine that others use too: their time as measured, and without what the program waited
# for a core. LOAD busy processes (default four a processor), RUNS runs of each (default 12), on one and on two cores; the same
# program on the machine as it is stands beside them. Columns: the median, and by how much the runs around it are spread
# (1.4826 times the median distance, in % of it).
set -eu
memwall=${MEMWALL:-build/release/memwall} runs=${RUNS:-12} tmp=$(mktemp -d)
load=()
trap '[ ${#load[@]} = 0 ] || kill "${load[@]}" 2>/dev/null; rm -rf "$tmp"' EXIT
export MEMWALL_RUN_DIR=$tmp
${CC:-gcc} -O2 -std=gnu11 -D_GNU_SOURCE -fopenmp -pthread tests/programs/mechanisms.c -o "$tmp/mechanisms"
spread() { # NAME FILE
    python3 - "$1" "$2" <<'P'
import csv, statistics, sys
rows = list(csv.DictReader(line for line in open(sys.argv[2]) if not line.startswith("#")))
for cores in sorted({row["cores"] for row in rows}, key=int):
    mine = [row for row in rows if row["cores"] == cores and row["exit_status"] == "0"]
    cells = []
    for wait in (False, True):
        times = []
        for row in mine:
            waited = max(float(row.get("main_wait_s") or 0), float(row.get("thread_wait_s") or 0))
            if row.get("other_cpu_s"):
                waited = min(waited, float(row["other_cpu_s"]))
            times.append(float(row["time_s"]) - wait * waited)
        middle = statistics.median(times)
        cells += [middle, 148.26 * statistics.median(abs(t - middle) for t in times) / middle]
    print("%-22s %5s %10.3f %8.1f %12.3f %8.1f" % (sys.argv[1], cores, *cells))
P
}
printf '%-22s %5s %10s %8s %12s %8s\n' '' cores 'time s' '%' 'without s' '%'
for program in compute serial barrier-sleep stream; do
    scan() { "$memwall" scan --cores 1,2 --runs "$runs" --idle 0 --force -o "$tmp/r.csv" -- "$tmp/mechanisms" $program '{cores}' >/dev/null 2>&1; }
    scan
    spread "$program, as it is" "$tmp/r.csv"
    for ((i = 0; i < ${LOAD:-$((4 * $(nproc)))}; i++)); do (while :; do :; done) & load+=($!); done
    scan
    kill "${load[@]}" && wait "${load[@]}" 2>/dev/null || :
    load=()
    spread "$program, loaded" "$tmp/r.csv"
done
