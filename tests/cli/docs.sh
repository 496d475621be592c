#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every example of help, manual pages, README and docs runs; every command, option and make target that they name exists; and
# docs/model-file.md lists the keys of a model as it is written.
. "$(dirname "$0")/../tap.sh"
cd "$root" || exit 1
box=$tmp/box
mkdir -p "$box/bin" "$box/docs"
ln -s "$root/data" "$box/data"
ln -s "$memwall" "$box/bin/memwall"
export PATH=$box/bin:$PATH

# What the examples are about: a program, tables of it, files of other tools, jobs.
for name in program solver; do printf '#!/bin/sh\nexit 0\n' >"$box/$name"; done
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$box/bin/mpirun"
cat >"$box/bin/hyperfine" <<'EOF'
#!/bin/sh
for file; do :; done
cat >"$file" <<'JSON'
{"results": [{"command": "OMP_NUM_THREADS=1 ./program", "times": [8.1, 8.2, 8.0], "mean": 8.1, "parameters": {"threads": "1"}},
 {"command": "OMP_NUM_THREADS=2 ./program", "times": [4.3, 4.2, 4.4], "mean": 4.3, "parameters": {"threads": "2"}},
 {"command": "OMP_NUM_THREADS=4 ./program", "times": [2.4, 2.5, 2.4], "mean": 2.4, "parameters": {"threads": "4"}}]}
JSON
EOF
"$box/bin/hyperfine" "$box/scan.json" 2>/dev/null || sh "$box/bin/hyperfine" "$box/scan.json"
chmod +x "$box/bin/mpirun" "$box/bin/hyperfine" "$box/program" "$box/solver"
runs() { awk -v seed="$1" 'BEGIN { print "# memory_freq_ghz: 2.133"; print "cores,freq_ghz,input,time_s,power_w"
    for (f = 1.2; f < 2.45; f += .4) for (p = 1; p <= 24; p += (p < 8 ? 1 : 4)) {
        t = 100 * ((.03 + .97 / p) / f + .05) * (1 + .01 * sin(seed + 7 * p + 31 * f))
        printf "%d,%.1f,3,%.6g,%.5g\n", p, f, t, 40 + p * (1 + .6 * f * f) } }'; }
runs 1 >"$box/runs.csv"
runs 2 >"$box/new.csv"
sed -E 's/OMP_NUM_THREADS=([0-9]+) .\/program/\1 threads/' "$box/scan.json" >"$box/named.json"
awk 'BEGIN { print "ranks,threads,mesh,time_s"
    for (m = 1; m <= 2; m++) for (r = 1; r <= 4; r *= 2) for (t = 1; t <= 8; t *= 2) printf "%d,%d,m%d,%.6g\n", r, t, m, m * (1 + 40 / (r * t)) }' >"$box/mpi.csv"
printf '\nreal\t0m2.500s\nuser\t0m9.100s\nsys\t0m0.100s\n' >"$box/four.log"
cat >"$box/jobs.txt" <<'EOF'
JobID|JobName|State|ExitCode|NTasks|ElapsedRaw|NNodes|AllocCPUS
101.0|program|COMPLETED|0:0|1|810|1|1
102.0|program|COMPLETED|0:0|2|430|1|2
103.0|program|COMPLETED|0:0|4|240|1|4
EOF
cat >"$box/jobs.json" <<'EOF'
{"cores": 64, "jobs": [
 {"name": "a", "options": [{"cores": 8, "time_s": 100, "power_w": 90, "energy_j": 9000}, {"cores": 32, "time_s": 40, "power_w": 300, "energy_j": 12000}]},
 {"name": "b", "options": [{"cores": 16, "time_s": 90, "power_w": 150, "energy_j": 13500}]}]}
EOF
python3 -c '
print("workload,gpus,repetition,time_s"); [print(f"a,{g},{r},{3 + 7 / g + .02 * r}") for g in (1, 2, 4) for r in (1, 2)]' >"$box/scan_gpus.csv"
(cd "$box" && memwall fit --device scan_gpus.csv -o gpus.json >/dev/null 2>&1)
(cd "$box" && memwall fit runs.csv -o model.json >/dev/null 2>&1 && memwall fit runs.csv -o cfd.json >/dev/null 2>&1)
quick='--max-time 1 --cores 1'
(cd "$box" && for probe in stream latency flops; do
    # shellcheck disable=SC2086
    memwall measure $probe $quick --runs 2 -o $probe.csv >/dev/null 2>&1 || true
done; memwall measure cache --max-time 1 --curve curve.csv -o cache.csv >/dev/null 2>&1
    memwall measure gpu --max-time 1 -o gpu.csv >/dev/null 2>&1 # where there is one
    memwall machine --json -o machine.json >/dev/null 2>&1)

# examples COMMAND: the lines below "examples:" in its help
examples() { memwall help "$1" | awk '/^examples/ { on = 1; next } on && /^[^ ]/ { on = 0 } on && NF { sub(/^ +/, ""); print }'; }
commands=$(memwall help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on && $1 != "help" { print $1 }')

# example WHERE LINE: runs it in a box of its own. 5 and 77 are answers, too: a doubtful one, and what this machine lacks.
example() {
    local where=$1 line=$2 status run=$2
    rm -rf "$tmp/run"
    cp -a "$box" "$tmp/run"
    # a result that exists is what the example is to write; measuring is cut short
    [[ $line != *' -o '* || $line == *--force* ]] || (cd "$tmp/run" && rm -f "$(grep -oE -- '-o [^ ]+' <<<"$line" | tail -n 1 | cut -c4-)")
    run=$(sed -E "s/memwall measure (stream|latency|cache|bandwidth|loaded|flops|gpu)/& --max-time 1/; s/(memwall scan )(.* -- )/\1--runs 1 \2/; s/--precision 2% //; s/(--runs 1 )(.*)--runs [0-9]+/\2\1/" <<<"$line")
    (cd "$tmp/run" && timeout 120 bash -o pipefail -c "$run" >"$tmp/example.out" 2>&1 </dev/null)
    status=$?
    if [ $status != 0 ] && grep -qE 'sinfo: .*configuration source|the objective needs it|the power cap needs it|cannot open .gpu\.csv.' "$tmp/example.out"; then
        skip "$where: $line" "$(grep -oE 'sinfo: .*|the objective needs it|the power cap needs it|cannot open .gpu\.csv.' "$tmp/example.out" | head -n 1): not here"
        return
    fi
    case $status in
    0 | 5 | 77) ok "$where: $line" ;;
    *) not_ok "$where: $line" "status $status" "$(tail -n 5 "$tmp/example.out")" ;;
    esac
}

for command in $commands; do
    page=$(memwall help --man "$command" | sed 's/\\-/-/g; s/\\e/\\/g; s/\\&//g')
    while IFS= read -r line; do
        [ -n "$line" ] || continue
        example "$command" "$line"
        grep -qF -- "$line" <<<"$page" || not_ok "manual page of $command has the example" "$line"
    done < <(examples "$command")
done
# indented or fenced lines of a document that call memwall, without their comments
for document in README.md docs/*.md docs/tutorial/*.md; do
    while IFS= read -r line; do
        [ -n "$line" ] && example "$document" "$line"
    done < <(awk '/^```/ { fenced = !fenced; next } fenced || /^    / { print }' "$document" |
        sed -nE 's/^ *(\$ )?(memwall [a-z].*)$/\2/p' | sed 's/ \+#.*//')
done

# What prose names.
known=$(for command in $commands; do memwall help "$command"; done | grep -oE -- '--[a-z][a-z-]+' | sort -u)
unknown=
for document in README.md docs/*.md docs/tutorial/*.md man/*.inc; do
    for word in $(grep -ohE '`memwall [a-z]+' "$document" | awk '{ print $2 }' | sort -u); do
        grep -qx "$word" <<<"$commands"$'\nhelp' || unknown="$unknown $document: memwall $word;"
    done
    for option in $(grep -ohE '`memwall [a-z]+[^`]*`' "$document" | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
        grep -qx -- "$option" <<<"$known"$'\n--version\n--man\n--bash' || unknown="$unknown $document: $option;"
    done
    for target in $(grep -ohE '`make [a-z][a-z-]+' "$document" | awk '{ print $2 }' | sort -u); do
        grep -qhE "^([a-z -]* )?$target( [a-z -]*)?:|^\.PHONY:.* $target( |$)" Makefile $(git ls-files '*.mk') ||
            unknown="$unknown $document: make $target;"
    done
done
if [ -z "$unknown" ]; then ok 'commands, options and targets that documents name exist'; else not_ok 'commands, options and targets that documents name exist' "$unknown"; fi
linked=$(grep -oE '\]\([^)#]+' README.md docs/*.md docs/tutorial/*.md ./*.md | sed 's/:\](/ /' | sort -u | while read -r from to; do
    case $to in http*) ;; *) [ -e "$(dirname "$from")/$to" ] || echo "$from: $to" ;; esac
done)
if [ -z "$linked" ]; then ok 'links lead somewhere'; else not_ok 'links lead somewhere' "$linked"; fi

written=$(python3 - "$box/model.json" <<'EOF' 2>/dev/null
import json, sys
model = json.load(open(sys.argv[1]))
def keys(value, deep):
    if isinstance(value, list):
        value = value[0] if value and isinstance(value[0], dict) else {}
    for key in value if isinstance(value, dict) else ():
        yield key
        if deep and key not in ("parameters",):
            yield from keys(value[key], deep - 1)
print("\n".join(sorted(set(keys(model, 2)))))
EOF
)
if [ -n "$written" ]; then
    unlisted=$(for key in $written; do grep -qE "\`$key(\`|/)" docs/model-file.md || echo "$key"; done)
    if [ -z "$unlisted" ]; then ok 'every key of a model is in docs/model-file.md'; else not_ok 'every key of a model is in docs/model-file.md' "$unlisted"; fi
    schema=$(grep -oE 'memwall-model/[0-9]+' "$box/model.json" | head -n 1)
    if grep -qF "\`$schema\`" docs/model-file.md; then ok 'its schema, too'; else not_ok 'its schema, too' "$schema"; fi
else
    skip 'every key of a model is in docs/model-file.md' 'no python3'
fi
