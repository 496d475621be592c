#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memwall scan --batch-template: another batch system's jobs, by a stub that runs the script that it is given. Slurm itself: tests/slurm.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
rows() { grep -vc '^#\|^workload' "$1"; }

cat >template <<'EOF'
#!/bin/sh
#PBS -l select={nodes}:ncpus={cores}
#MEMWALL submit ./qsub
#MEMWALL cancel ./qdel
{command}
EOF
printf '%s\n' '#!/bin/sh' 'n=$(($(cat n 2>/dev/null) + 1)); echo $n >n' 'setsid sh "$1" >/dev/null 2>&1 &' 'echo "Job <$n> is submitted"' >qsub
printf '%s\n' '#!/bin/sh' 'echo "$1" >>deleted' >qdel
chmod +x qsub qdel
check 'another batch system by a template' "$memwall" scan --batch-template template --cores 1,2 --runs 2 -o t.csv -- sleep .05
check 'has its rows' [ "$(rows t.csv)" = 4 ]
sed -i '/submit/d' template
fails 3 'a template that does not say how to submit' "$memwall" scan --batch-template template --cores 1 -o u.csv -- true
says 'is told' '#MEMWALL submit'

check 'each core count twice' [ "$(awk -F, '!/^#/ && NR > 1 { print $2 "/" $3 }' t.csv | grep -v cores | sort | tr '\n' ' ')" = '1/1 1/2 2/1 2/2 ' ]
check 'with the columns of a scan' grep -qE '^workload,cores,repetition,time_s,cpu_s,.*exit_status' t.csv
check 'and what was run' grep -q '^# scan_command: sleep .05' t.csv
check 'fit reads it' "$memwall" fit t.csv --law amdahl -o t.json
check 'nothing is left beside' [ ! -e t.csv.jobs ]

sed -i '2a #MEMWALL submit ./qsub' template
check 'a point that fails' "$memwall" scan --batch-template template --cores 1,2 --runs 1 -o f.csv -- sh -c '[ {cores} = 1 ]'
status() { awk -F, '!/^#/ && !c { for (i = 1; i <= NF; i++) if ($i == "exit_status") c = i; next } !/^#/ { print $2 ":" $c }' f.csv | tr '\n' ' '; }
check 'has its status in its row' [ "$(status)" = '1:0 2:1 ' ]
