#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The arrows between folders: an include against them fails, and so does a library used outside the folder that owns it.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

# layer FOLDER MAY-INCLUDE…
layer() {
    local folder=$1 bad
    shift
    bad=$(grep -nE '^#include "' -r "$folder" --include=*.c --include=*.h |
        grep -vE "\"($(IFS='|'; echo "$folder $*" | tr ' ' '|'))[/\"]")
    if [ -z "$bad" ]; then ok "$folder includes only: $folder $*"; else not_ok "$folder includes only: $folder $*" "$bad"; fi
}
# memwall/*.h is what others see; the types that the rooms share with them stand there, and nowhere a second time.
public='memwall/[a-z]+\.h'
layer data "$public"
layer model data
layer fit data model "$public"
layer advise data model fit "$public"
layer library data model fit advise "$public"
layer measure data
layer plots data model advise fit
layer cli data model fit advise measure plots "$public"
bad=$(grep -nE '^#include "' memwall/*.h | grep -vE '"memwall/[a-z]+\.h"')
if [ -z "$bad" ]; then ok 'installed headers include each other only'; else not_ok 'installed headers include each other only' "$bad"; fi

# The rooms inside, each with the rooms below it. What tune stands on until there is one model of a program
# (surrogate) lies in fit/ itself, and closes circles there.
until_one_model='fit/(surrogate|thin|residual)\.h'
layer fit/numeric data model "$public"
layer fit/quality data model "$public"
layer fit/search data model fit/numeric "$until_one_model" "$public"
layer fit/posterior data model fit/numeric "$public"
layer fit/predict data model fit/numeric fit/search fit/quality "$public"
layer fit/device data
layer fit/compare data model fit/numeric fit/search fit/predict "$public"
layer advise/recommend data model fit "$public"
layer advise/diagnose data model fit advise/recommend "$public"
layer advise/tune data model fit advise/recommend advise/diagnose "$public"
layer advise/schedule data model fit advise/recommend "$public"
layer advise/transfer data model fit advise/diagnose "$public"
layer measure/machine data
layer measure/probe data measure/machine
layer measure/process data
layer measure/freq data measure/machine measure/process
layer measure/energy data measure/machine measure/probe
layer measure/gpu data measure/machine measure/probe measure/freq measure/process
layer measure/run data measure/machine measure/probe measure/freq measure/energy measure/process
layer data/import 'data/[a-z_]+\.h' "$public"
layer data/model_file 'data/[a-z_]+\.h' "$public"
layer measure/batch data measure/machine measure/probe measure/run measure/process
for command in cli/*/; do
    layer "${command%/}" 'cli/[a-z_]+\.h' data model fit advise measure plots
done

# Every room says what it is for.
unsaid=$(git ls-files '*.c' '*.h' | xargs -n1 dirname | sort -u | grep -vE '^tests/|kernels$|examples/' | while read -r room; do
    [ -f "$room/README.md" ] || echo "$room"
done)
if [ -z "$unsaid" ]; then ok 'a README in each room'; else not_ok 'a README in each room' "$unsaid"; fi

# A header's guard ends in its file's name, so that a renamed file takes its guard with it.
misnamed=$(git ls-files 'data/*.h' 'model/*.h' 'fit/*.h' 'advise/*.h' 'measure/*.h' 'cli/*.h' 'plots/*.h' | while read -r header; do
    guard=$(sed -n 's/^#ifndef \(MW_[A-Z0-9_]*\)_H$/\1/p' "$header" | head -n 1) name=$(basename "$header" .h | tr '[:lower:]' '[:upper:]')
    [ -z "$guard" ] || [ "${guard%"$name"}" != "$guard" ] || echo "$header: $guard"
done)
if [ -z "$misnamed" ]; then ok 'guards named as their headers'; else not_ok 'guards named as their headers' "$misnamed"; fi

# alone PATTERN WHAT FOLDER…: the pattern stands nowhere but in the folders
alone() {
    local pattern=$1 what=$2 bad
    shift 2
    bad=$(grep -nE "$pattern" -r data model fit advise library measure plots cli --include=*.c --include=*.h |
        grep -vE "^($(IFS='|'; echo "$*" | tr ' ' '|'))/")
    if [ -z "$bad" ]; then ok "$what only in $*"; else not_ok "$what only in $*" "$bad"; fi
}
alone '#include <gsl/|#include <(libsvm/)?svm\.h>' 'GSL and libsvm' fit
alone '#include <glpk\.h>' 'GLPK' advise
alone '#include <csv\.h>' 'libcsv' data
alone '#include <(sched|numa|numaif|hwloc|sys/mman|immintrin|arm_neon|x86intrin|linux/perf_event)\.?h?>|#include <hwloc' 'hardware and OS calls' measure
alone '\b(exit|abort)\(' 'exit and abort' cli
alone '[^a-z_f]printf\(|\bputs\(|\bputchar\(' 'printing' cli

missing=$(git ls-files '*.c' '*.h' '*.sh' '*.mk' Makefile '*.gp' | xargs -r grep -L 'SPDX-License-Identifier: GPL-3.0-or-later' 2>/dev/null || true)
if [ -z "$missing" ]; then ok 'an SPDX line in each file'; else not_ok 'an SPDX line in each file' "$missing"; fi
