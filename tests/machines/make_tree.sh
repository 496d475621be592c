#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the /sys and /proc of a machine with a cpufreq driver, as plain files.
#   make_tree.sh DRIVER FOLDER [CPUS [CPUS-PER-POLICY [THREADS-PER-CORE]]]
# DRIVER: acpi-cpufreq, intel_pstate, intel_cpufreq, amd-pstate-epp, amd-pstate-guided, amd-pstate, cppc_cpufreq, cpufreq-dt
# kernel_shim.c makes them behave as the kernel's.
set -eu
driver=$1 tree=$2 cpus=${3:-4} per_policy=${4:-1} threads=${5:-1}
cpu_root=$tree/sys/devices/system/cpu
put() { [ -d "${1%/*}" ] || mkdir -p "${1%/*}"; printf '%s\n' "$2" >"$1"; }
mask() { # of CPUs $1..$2
    local value=0 c
    for ((c = $1; c <= $2; c++)); do value=$((value | 1 << c)); done
    printf '%08x' $value
}
words() { seq -s' ' "$1" "$2"; }
last=$((cpus - 1))

for list in online possible present; do put "$cpu_root/$list" "0-$last"; done
put "$tree/sys/devices/system/node/online" 0
put "$tree/sys/devices/system/node/node0/cpumap" "$(mask 0 $last)"
put "$tree/sys/devices/system/node/node0/meminfo" "Node 0 MemTotal:       16777216 kB"
put "$tree/proc/meminfo" "MemTotal:       16777216 kB"
put "$tree/proc/sys/kernel/random/boot_id" 5b0c1a8e-0000-4000-8000-000000000001
: >"$tree/proc/cpuinfo"
for ((c = 0; c < cpus; c++)); do
    core=$((c / threads)) first=$((c / threads * threads))
    topology=$cpu_root/cpu$c/topology
    put "$topology/core_id" $core
    put "$topology/physical_package_id" 0
    put "$topology/thread_siblings" "$(mask $first $((first + threads - 1)))"
    put "$topology/thread_siblings_list" "$first$([ $threads = 1 ] || echo "-$((first + threads - 1))")"
    put "$topology/core_siblings" "$(mask 0 $last)"
    put "$topology/core_siblings_list" "0-$last"
    printf 'processor\t: %d\nmodel name\t: Tree of %s\nphysical id\t: 0\ncore id\t\t: %d\n\n' $c "$driver" $core >>"$tree/proc/cpuinfo"
done

min=800000 max=2400000 table= boost_table= governors='performance schedutil' name=$driver governor=schedutil
case $driver in
acpi-cpufreq)
    table='2400000 1800000 1200000 800000' governors='conservative ondemand userspace powersave performance schedutil'
    put "$cpu_root/cpufreq/boost" 1 ;;
intel_pstate)
    governors='performance powersave' governor=powersave
    put "$cpu_root/intel_pstate/status" active ;;
intel_cpufreq)
    governors='conservative ondemand userspace powersave performance schedutil'
    put "$cpu_root/intel_pstate/status" passive ;;
amd-pstate-epp)
    governors='performance powersave' governor=powersave
    put "$cpu_root/amd_pstate/status" active ;;
amd-pstate-guided)
    name=amd-pstate governors='userspace performance schedutil'
    put "$cpu_root/amd_pstate/status" guided
    put "$cpu_root/cpufreq/boost" 1 ;;
amd-pstate)
    governors='userspace performance schedutil'
    put "$cpu_root/amd_pstate/status" passive
    put "$cpu_root/cpufreq/boost" 1 ;;
cppc_cpufreq)
    governors='conservative ondemand userspace powersave performance schedutil'
    put "$cpu_root/cpufreq/boost" 0 ;;
cpufreq-dt)
    table='800000 1200000 1800000 2400000' governors='ondemand userspace performance schedutil' ;;
*) echo "make_tree.sh: no driver '$driver'" >&2; exit 2 ;;
esac
case $driver in intel*)
    put "$cpu_root/intel_pstate/no_turbo" 0
    put "$cpu_root/intel_pstate/max_perf_pct" 100
    put "$cpu_root/intel_pstate/min_perf_pct" 33 ;;
esac

for ((c = 0; c < cpus; c += per_policy)); do
    policy=$cpu_root/cpufreq/policy$c
    put "$policy/affected_cpus" "$(words $c $((c + per_policy - 1)))"
    put "$policy/related_cpus" "$(words $c $((c + per_policy - 1)))"
    put "$policy/scaling_driver" $name
    put "$policy/scaling_available_governors" "$governors "
    put "$policy/scaling_governor" $governor
    put "$policy/cpuinfo_min_freq" $min
    put "$policy/cpuinfo_max_freq" $max
    put "$policy/scaling_min_freq" $min
    put "$policy/scaling_max_freq" $max
    put "$policy/scaling_cur_freq" $min
    put "$policy/scaling_setspeed" '<unsupported>'
    [ -z "$table" ] || put "$policy/scaling_available_frequencies" "$table "
    case $driver in
    acpi-cpufreq) put "$policy/bios_limit" $max; put "$policy/freqdomain_cpus" "$(words $c $((c + per_policy - 1)))" ;;
    amd-pstate*) put "$policy/amd_pstate_max_freq" $max; put "$policy/amd_pstate_lowest_nonlinear_freq" 1200000 ;;
    intel_pstate) put "$policy/energy_performance_preference" balance_performance; rm "$policy/scaling_setspeed" ;;
    esac
    case $driver in amd-pstate-epp) rm "$policy/scaling_setspeed" ;; esac
done
