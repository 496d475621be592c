# SPDX-License-Identifier: GPL-3.0-or-later
# The test suite; `make check` is the one that the README names.

TEST_SCRIPTS := tests/lint_layers.sh $(wildcard tests/cli/*.sh)
VM_SCRIPTS   := $(wildcard tests/vm/vm_*.sh)
ARM_SCRIPTS  := tests/arm/arm.sh
SLURM_SCRIPT := tests/slurm/slurm.sh
REPORT_SCRIPT := tests/report/report.sh
# a cross build and its tests under emulation take minutes on a slow machine
check check-arm check-vm check-demo: export TEST_TIMEOUT ?= 900
# so do the fits of a command-line test under a sanitizer
check-asan check-valgrind: export TEST_TIMEOUT ?= 1800

$(B)/tests/%: tests/unit/%.c $(B)/libinner.a $(B)/libcore.a
	@mkdir -p $(@D) $(B)/test-deps
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -MF $(B)/test-deps/$*.d -o $@ $(filter %.c,$^) $(B)/libinner.a $(B)/libcore.a -lcmocka $(LIBS)

# its simulated memory takes the place of kernels, clock and arenas
$(B)/tests/test_cache: tests/machines/sim_memory.c tests/machines/sim_hierarchy.c

-include $(UNIT_SRC:tests/unit/%.c=$(B)/test-deps/%.d)

include tests/fuzz/fuzz.mk

.PHONY: unit-bins
unit-bins: $(UNIT_BIN)

.PHONY: check
check: deps-if-missing ## build and run the tests (installs what they need); ends in "N passed, N failed"
	@$(MAKE) --no-print-directory $(JOBS) build-all unit-bins
	@tests/run.sh $(ARM_SCRIPTS) $(UNIT_BIN) $(FUZZ_BIN) $(PIPE_BIN) $(TEST_SCRIPTS) $(REPORT_SCRIPT) $(SLURM_SCRIPT) $(VM_SCRIPTS)

.PHONY: check-mechanisms
check-mechanisms: ## real programs with one way to lose time each: diagnosed on a quiet machine, then beside eight busy processes
	@$(MAKE) --no-print-directory $(JOBS) build-all
	@QUIET=1 tests/run.sh tests/cli/mechanisms.sh
	@LOAD=8 TEST_TIMEOUT=1800 tests/run.sh tests/cli/mechanisms.sh

.PHONY: check-judgement
check-judgement: $(B)/tests/test_one_judgement ## what may never differ between commands, over all shared tables (two minutes)
	MW_TABLES=all $<

.PHONY: check-quick
check-quick: ## unit tests and lint only
	@$(MAKE) --no-print-directory $(JOBS) build-all unit-bins
	@tests/run.sh $(UNIT_BIN) $(FUZZ_BIN) $(PIPE_BIN) tests/lint_layers.sh

.PHONY: check-vm
check-vm: ## the virtual machines alone
	@$(MAKE) --no-print-directory $(JOBS) build-all
	@tests/run.sh $(VM_SCRIPTS)

.PHONY: check-slurm
check-slurm: export TEST_TIMEOUT ?= 3600
check-slurm: ## scans by a real Slurm of two nodes, with 500 points, a node that dies, a full queue, energies by sacct (as root)
	@$(MAKE) --no-print-directory $(JOBS) build-all
	@SLURM_LONG=1 tests/run.sh $(SLURM_SCRIPT)

.PHONY: check-report
check-report: ## reports in headless Chromium: widths, light and dark, console, print (installs it, as root)
	@$(MAKE) --no-print-directory $(JOBS) build-all
	@REPORT_LONG=1 tests/run.sh $(REPORT_SCRIPT)

.PHONY: check-demo
check-demo: ## the demo in every case that it is tried in; some need root
	@$(MAKE) --no-print-directory $(JOBS) build-all
	@MEMWALL_DEMO=long tests/run.sh tests/cli/demo.sh

.PHONY: check-arm
check-arm: ## cross-built for AArch64, under qemu-user
	@tests/run.sh $(ARM_SCRIPTS)

.PHONY: check-gpu
check-gpu: ## graphics processors, all kernels, on PoCL and llvmpipe (CI=true installs them)
	@$(MAKE) --no-print-directory $(JOBS) build-all $(B)/tests/test_gpu
	@GPU_LONG=1 tests/run.sh $(B)/tests/test_gpu tests/cli/gpu.sh

.PHONY: check-asan check-tsan check-valgrind
check-asan: ## unit and command-line tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory $(JOBS) build-all # the demo runs its examples
	@$(MAKE) --no-print-directory $(JOBS) SAN=address,undefined build-all unit-bins
	@MEMWALL=$(CURDIR)/build/san-address-undefined/memwall ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	  tests/run.sh $(UNIT_SRC:tests/unit/%.c=build/san-address-undefined/tests/%) $(FUZZ_SRC:tests/fuzz/%.c=build/san-address-undefined/tests/%) $(TEST_SCRIPTS)

check-tsan: ## unit tests under ThreadSanitizer, built with clang: its OpenMP runtime (libomp) tells the tool who waits for whom
	@command -v clang >/dev/null || { echo "check-tsan needs clang and its libomp" >&2; exit 1; }
	@$(MAKE) --no-print-directory $(JOBS) SAN=thread CC=clang build-all unit-bins
	@TSAN_OPTIONS=ignore_noninstrumented_modules=1 tests/run.sh $(UNIT_SRC:tests/unit/%.c=build/san-thread/tests/%)

check-valgrind: ## unit tests under valgrind
	@$(MAKE) --no-print-directory $(JOBS) build-all unit-bins
	@tests/run.sh -w 'valgrind -q --suppressions=tests/valgrind.supp --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite' $(UNIT_BIN)

# Faults that the tests must notice; MUTATE="--count 5 --least 0" is the short form that CI runs.
MUTATE ?= --count 50
.PHONY: mutate
mutate: ## fifty small faults over all rooms, one at a time: at least 95 % must be noticed (MUTATE="--count N --seed S --only ROOM")
	@CC='$(CC)' python3 tests/mutate.py $(MUTATE)

# Builds of their own beside the usual one.
.PHONY: check-builds
check-builds: ## clang, and neither GLPK nor libsvm: each built from nothing, unit tests run
	@$(MAKE) --no-print-directory $(JOBS) B=build/clang CC=clang build-all unit-bins
	@MEMWALL=$(CURDIR)/build/clang/memwall tests/run.sh $(UNIT_SRC:tests/unit/%.c=build/clang/tests/%)
	@$(MAKE) --no-print-directory $(JOBS) B=build/without WITHOUT='glpk svm' WERROR=1 build-all
	@build/without/memwall --version

.PHONY: check-format
check-format: ## sources against .clang-format
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
