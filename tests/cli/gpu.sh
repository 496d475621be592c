#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Graphics processors: drivers that fail (a library of the test's own), and the software drivers PoCL and llvmpipe, which
# CI=true installs. GPU_LONG=1 (make check-gpu) takes all kernels and waits for drivers that hang.
. "$(dirname "$0")/../tap.sh"
cd "$root" || exit 1
packages='pocl-opencl-icd ocl-icd-libopencl1 opencl-c-headers libegl-dev libgles-dev libegl-mesa0 libgl1-mesa-dri binutils'

drivers_there() { ls /etc/OpenCL/vendors/*.icd && ldconfig -p | grep libGLESv2.so.2 && ldconfig -p | grep libEGL.so.1; } >/dev/null 2>&1
if ! drivers_there && [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    (
        flock 9
        export DEBIAN_FRONTEND=noninteractive
        # shellcheck disable=SC2086
        drivers_there || { apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages; }
    ) 9>"${TMPDIR:-/tmp}/memwall-vm-install" >"$tmp/install.log" 2>&1 || sed 's/^/# /' "$tmp/install.log" | tail -n 5
fi

# column NAME: of all rows of the last output, with the kernel, variant and condition before it
column() {
    grep -v '^#' <<<"$out" | awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $at["kernel"], $at["variant"], $at["condition"], $at[name] }'
}
# rows NAME EXPRESSION: the awk expression holds for each row; $k is the kernel and so on
rows() {
    local bad
    bad=$(grep -v '^#' <<<"$out" | awk -F, -v OFS=, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { value = $at["value"]; valid = $at["valid"]; growth = $at["growth_16"]; kernel = $at["kernel"]; factor = $at["factor"]
          condition = $at["condition"]; code = $at["instructions"]; plausible = $at["query_plausible"]; note = $at["note"]; share = $at["spec_share"]
          if (!('"$2"')) print } END { if (NR < 2) print "no rows" }')
    if [ -z "$bad" ]; then ok "$1"; else not_ok "$1" "$bad"; fi
}

# --- drivers that fail -------------------------------------------------------------------------------------------
mkdir "$tmp/fake" "$tmp/empty"
if ${CC:-gcc} -shared -fPIC -w -I. -o "$tmp/fake/driver.so" tests/gpu/fake_stubs.c tests/gpu/fake_driver.c 2>"$tmp/cc.log"; then
    for l in libOpenCL.so.1 libEGL.so.1 libGLESv2.so.2; do
        ln -s driver.so "$tmp/fake/$l"
        : >"$tmp/empty/$l"
    done
    # fake MODE COMMAND…: with these drivers, failing as fake_driver.c has it
    fake() { env LD_LIBRARY_PATH="$tmp/fake" FAKE_DRIVER="$1" "${@:2}"; }

    check 'two platforms' fake two "$memwall" machine
    prints 'both are listed' '0: Fake; device 0, gpu by opencl'
    prints 'with their clock' '1: Fake; device 1, gpu by opencl, 1 compute unit at 1.5 GHz'
    prints 'and the one that draws' '2: Fake renderer, gpu by gles'
    check 'two platforms as JSON' fake two "$memwall" machine --json
    prints 'text that is neither CSV nor one line is made so' '"name": "Fake; device 1"'
    fails 2 'a device that is not there' fake two "$memwall" measure gpu --device 9
    says 'says how many there are' 'there are 3 devices'
    fails 2 'a device of the other API' fake two "$memwall" measure gpu --device 2 --kernel fp32
    fails 1 'a compiler that fails' fake build "$memwall" measure gpu --api opencl --kernel fp32
    says 'its first line is told' 'did not compile a kernel .CL_BUILD_PROGRAM_FAILURE.: error: no such instruction$'
    fails 1 'a shader compiler that fails' fake build "$memwall" measure gpu --api gles --kernel pixel-fill
    says 'its first line too' 'did not compile a shader: error: no such function$'
    fails 1 'a device without memory' fake memory "$memwall" measure gpu --api opencl --kernel copy
    says 'is told' 'out of device memory .CL_MEM_OBJECT_ALLOCATION_FAILURE'
    says 'with a remedy' 'hint: smaller --size'
    fails 1 'a device without memory to draw' fake memory "$memwall" measure gpu --api gles --kernel pixel-fill
    says 'is told too' 'out of device memory'
    fails 1 'a lost context' fake lost "$memwall" measure gpu --api opencl --kernel fp32
    says 'is named' 'the context is lost'
    fails 1 'a lost context while drawing' fake lost "$memwall" measure gpu --api gles --kernel pixel-fill
    says 'is named too' 'the context is lost'
    fails 1 'a driver that crashes' fake crash "$memwall" measure gpu --api opencl --kernel fp32
    says 'takes nothing along' 'a driver crashed'
    fails 5 'a device that computes nothing' fake none "$memwall" measure gpu --api opencl --kernel copy --size 64KiB --max-time 1
    rows 'is not believed' 'valid == 0 && note ~ /deferred or dropped/'
    says 'and it is said' 'defers or drops work'
    if [ "${GPU_LONG:-0}" = 1 ]; then
        check 'machine with a driver that hangs' fake hang "$memwall" machine
        prints 'says so' 'a driver did not answer within'
    fi
    fails 77 'no library at all' env LD_LIBRARY_PATH="$tmp/empty" "$memwall" measure gpu --api opencl
    says 'names the packages' 'hint: .*ocl-icd-libopencl1.*pocl-opencl-icd'
    fails 77 'no library that draws' env LD_LIBRARY_PATH="$tmp/empty" "$memwall" measure gpu --api gles
    says 'names its packages' 'hint: .*libegl1.*libgles2'
    check 'machine without any' env LD_LIBRARY_PATH="$tmp/empty" "$memwall" machine
    prints 'says what is missing' 'devices for arithmetic: OpenCL: there is no libOpenCL.so.1'
    leftovers=$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'memwall-gpu-*' -newer "$tmp/cc.log" -user "$(id -un)" 2>/dev/null)
    [ "${GPU_LONG:-0}" = 1 ] || leftovers=
    if [ -z "$leftovers" ]; then ok 'no folder is left'; else not_ok 'no folder is left' "$leftovers"; fi
else
    skip 'drivers that fail' "no compiler for them: $(head -n 1 "$tmp/cc.log")"
fi

fails 2 'an unknown kernel' "$memwall" measure gpu --kernel fp23
says 'suggests the nearest' "did you mean 'fp32'"
fails 2 'a size of nothing' "$memwall" measure gpu --size 12
fails 2 'cores are the driver'"'"'s' "$memwall" measure gpu --cores 2
fails 2 'an option of another probe' "$memwall" measure gpu --llc 8MiB
fails 2 'an option of gpu elsewhere' "$memwall" measure flops --device 0

# --- software drivers --------------------------------------------------------------------------------------------
# An instrumented driver is none: PoCL and Mesa load LLVM, whose leaks and races are not ours.
case $(basename "$(dirname "$memwall")") in san-*) skip 'software drivers' 'not under a sanitizer'; exit 0 ;; esac

if ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 && "$memwall" machine | grep -q 'by opencl'; then
    export OCL_ICD_VENDORS=/etc/OpenCL/vendors
    [ ! -e $OCL_ICD_VENDORS/pocl.icd ] || OCL_ICD_VENDORS=$OCL_ICD_VENDORS/pocl.icd
    fails 77 'no platform' env OCL_ICD_VENDORS=/nonexistent "$memwall" measure gpu --api opencl
    says 'says so' 'there is no platform'
    check 'arithmetic' "$memwall" measure gpu --api opencl --kernel fp32 --max-time 2
    rows 'multiply-adds equal their replay' 'kernel == "fp32" && valid == 1 && value > 0'
    rows 'and grow with the work' 'growth >= 8'
    prints 'the best is named' ',fp32,[a-z0-9]+-x[0-9]+,best,'
    prints 'evidence' '^# device 0: .*compute units'
    if command -v objdump >/dev/null && [ "$(uname -m)" = x86_64 ] && grep -q ' fma ' /proc/cpuinfo; then
        rows 'instructions are counted: eight of a chain, no call' 'code ~ /^(8|64) fma .*; 0 calls/'
    else
        skip 'instructions are counted' 'no objdump, or no fused multiply-add'
    fi
    check 'memory' "$memwall" measure gpu --api opencl --kernel read,copy,triad,copy-buffer,host-to-device,device-to-host \
        --size 256KiB,4MiB --max-time 3
    rows 'every element was read back' 'valid == 1 && value > 0'
    for kernel in read copy triad; do prints "$kernel at both sizes" ",$kernel,float16,[a-z-]+,4194304,"; done
    prints 'copies of the driver are rows of their own' ',copy-buffer,clEnqueueCopyBuffer,'
    for way in pageable pinned mapped; do prints "transfers: $way" ",host-to-device,$way,one-memory,"; done
    check 'latency' "$memwall" measure gpu --api opencl --kernel ring --size 4KiB,16KiB,64KiB,256KiB,1MiB,4MiB,64MiB --max-time 3
    rows 'the ring was walked' 'valid == 1 && value > 0'
    if grep -q 'left out: capacities: other work' <<<"$err"; then
        skip 'steps are found' 'other work disturbed the ring'
    else
        prints 'steps are found' ',ring,step-1,capacity,'
    fi
    check 'processor and device at once' "$memwall" measure bandwidth --with-gpu --llc 8MiB --cores 1 --max-time 3
    for test in cpu-copy-alone-copy gpu-copy-alone cpu-copy-with-gpu-copy gpu-copy-with-cpu-copy together-copy; do
        prints "$test" "^1,,,$test,[0-9]+,,,[0-9.e+]+,,,,,,$"
    done
    prints 'the score has its formula' '^# with_gpu_rule: .*score_with_gpu_WORK_CORES = '
    prints 'and its value' '^# score_with_gpu_copy_1: [0-9.]+$'
    cat >"$tmp/spec.json" <<'SPEC'
{"measured_clock_ghz": 2, "figures": [{"kernel": "fp32", "value": 1, "unit": "TFLOP/s", "counting": "fma=2", "clock_ghz": 2},
 {"kernel": "copy", "value": 1, "unit": "kB/s", "counting": "read+write"}]}
SPEC
    check 'a specification' "$memwall" measure gpu --api opencl --kernel fp32,copy --size 256KiB --spec "$tmp/spec.json" --max-time 2
    says 'a share where all agrees' 'fp32: [0-9]+ % of the specification'
    says 'what differs is named' 'copy: .* no share: clock not stated; 2 GHz here; [0-9]+ % of the specification: '
    rows 'one row of fp32 has a share' 'kernel != "fp32" || (condition == "best") == (share != "")'
    echo '{"figures": [{"kernel": "fp32", "value": 1, "unit": "GFLIP/s"}]}' >"$tmp/spec.json"
    fails 3 'a unit that is none' "$memwall" measure gpu --api opencl --kernel fp32 --spec "$tmp/spec.json"
    says 'is named with its file' "spec.json: 'unit' of 'fp32': 'GFLIP/s' is not known"
    fails 130 'an interrupt keeps what is complete' bash -c "'$memwall' measure gpu --api opencl --kernel fp32 --max-time 60 & p=\$!; sleep 3; kill -INT \$p; wait \$p"
    if [ "${GPU_LONG:-0}" = 1 ]; then
        check 'all of OpenCL' "$memwall" measure gpu --api opencl --max-time 25
        rows 'holds' 'valid == 1 && value > 0'
    fi
else
    skip 'OpenCL on a processor' 'no driver: pocl-opencl-icd'
fi

if "$memwall" machine | grep -q 'by gles'; then
    check 'pixel fill' "$memwall" measure gpu --api gles --kernel pixel-fill,texel-fill --max-time 6
    rows 'every pixel was read back' 'valid == 1 && value > 0'
    rows 'time grows with the draws' 'growth >= 8'
    for condition in clean rgba16f blend 'rgba16f\+blend' texture depth; do
        prints "pixel fill: $condition" ",pixel-fill,one-target,$condition,"
    done
    for condition in clean one-sample bilinear 4096x4096 rgba16f-texture; do
        prints "texel fill: $condition" ",texel-fill,one-target,$condition,"
    done
    if "$memwall" machine | grep -q llvmpipe; then
        # other work during one case alone hides a factor; RGBA16F alone costs a renderer nothing that arithmetic binds
        quiet=$(grep -v '^#' <<<"$out" | awk -F, 'NR > 1 && $15 == 0 { n++ } END { print n + 0 }')
        if [ "$quiet" = 11 ]; then
            rows 'blending, wide targets, textures and filters cost' 'condition !~ /^(blend|rgba16f[+]blend|texture|depth|bilinear|one-sample)$/ || factor > 1'
        else
            skip 'what disturbing factors cost' "other work disturbed $((11 - quiet)) of 11 rows"
        fi
        prints 'the query of a software renderer is not believed' 'query not plausible: '
    fi
else
    skip 'drawing' 'no driver: libegl-mesa0 libgl1-mesa-dri'
fi
