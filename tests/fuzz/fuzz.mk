# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzing: a short walk from the seeds in `make check`, libFuzzer with sanitizers in `make fuzz`.

FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(B)/tests/%)

$(B)/tests/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/walk.c tests/fuzz/file.c tests/fuzz/fuzz.h $(B)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.c,$^) $(B)/libcore.a $(LIBS)

# From bytes to advice (pipe_*.c): a fit takes half a second, so the short form has few steps.
PIPE_SRC := $(wildcard tests/fuzz/pipe_*.c)
PIPE_BIN := $(PIPE_SRC:tests/fuzz/%.c=$(B)/tests/%)
$(B)/tests/pipe_table: STEPS := 8
$(B)/tests/pipe_model: STEPS := 40
$(B)/tests/pipe_%: tests/fuzz/pipe_%.c tests/fuzz/pipe.h tests/fuzz/walk.c tests/fuzz/file.c tests/fuzz/fuzz.h $(PUBLIC_OBJ) $(B)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -DSTEPS=$(STEPS) -o $@ $(filter %.c %.o,$^) $(B)/libcore.a $(LIBS)

unit-bins: $(FUZZ_BIN) $(PIPE_BIN)

PIPE_STEPS ?= 100000
.PHONY: check-pipe
check-pipe: ## PIPE_STEPS tables and models through fit, predict, recommend, diagnose, under sanitizers (hours)
	@$(MAKE) --no-print-directory $(JOBS) SAN=address,undefined build-all $(PIPE_SRC:tests/fuzz/%.c=build/san-address-undefined/tests/%)
	@MEMWALL_FUZZ_STEPS=$(PIPE_STEPS) TEST_TIMEOUT=86400 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	  tests/run.sh $(PIPE_SRC:tests/fuzz/%.c=build/san-address-undefined/tests/%)

FUZZ_SECONDS ?= 60
FUZZ_CC      ?= clang
FUZZ_FLAGS   := -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
FUZZ_LONG    := $(FUZZ_SRC:tests/fuzz/%.c=build/fuzz/%)

build/fuzz/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/file.c tests/fuzz/fuzz.h $(wildcard data/*.[ch] data/*/*.[ch])
	@mkdir -p $(@D)
	@echo "  FUZZ    $@"
	$(Q)$(FUZZ_CC) $(filter-out -fopenmp,$(BASE)) $(FUZZ_FLAGS) -o $@ $(filter %.c,$^) -ljansson -lcsv -lnettle -lm

build/fuzz/seeds_%: tests/fuzz/fuzz_%.c tests/fuzz/walk.c tests/fuzz/file.c tests/fuzz/fuzz.h $(wildcard data/*.[ch] data/*/*.[ch])
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(filter-out -fopenmp,$(BASE)) -O0 -o $@ $(filter %.c,$^) -ljansson -lcsv -lnettle -lm

.PHONY: fuzz
fuzz: $(FUZZ_LONG) $(FUZZ_SRC:tests/fuzz/fuzz_%.c=build/fuzz/seeds_%) ## every parser under libFuzzer (clang), FUZZ_SECONDS each; stops at the first finding
	@for f in $(FUZZ_SRC:tests/fuzz/%.c=%); do \
	  mkdir -p build/fuzz/corpus/$$f && build/fuzz/seeds_$${f#fuzz_} build/fuzz/corpus/$$f && \
	  ASAN_OPTIONS=detect_leaks=1 build/fuzz/$$f -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
	    -print_final_stats=1 -artifact_prefix=build/fuzz/$$f- build/fuzz/corpus/$$f 2>build/fuzz/$$f.log || \
	    { tail -40 build/fuzz/$$f.log; exit 1; }; \
	  echo "$$f: $$(sed -n 's/stat::number_of_executed_units: *//p' build/fuzz/$$f.log) inputs, no finding"; \
	done

.PHONY: check-alloc
check-alloc: ## each command with every single allocation failing (an hour)
	@$(MAKE) --no-print-directory $(JOBS) build-all
	@MEMWALL_ALLOC_POSITIONS=1000000 TEST_TIMEOUT=86400 tests/run.sh tests/cli/alloc.sh

.PHONY: check-fuzz
FUZZ_STEPS ?= 10000000
check-fuzz: ## FUZZ_STEPS inputs for each parser, by the random walk (hours)
	@$(MAKE) --no-print-directory $(JOBS) $(FUZZ_BIN)
	@MEMWALL_FUZZ_STEPS=$(FUZZ_STEPS) TEST_TIMEOUT=86400 tests/run.sh $(FUZZ_BIN)
