# SPDX-License-Identifier: GPL-3.0-or-later
# Accuracy and speed of memwall itself: `make bench-NAME`. Results are printed; no test asserts a time.

$(B)/bench/diagnose: bench/bench_diagnose.c bench/diagnose_truth.c bench/diagnose_tables.c $(wildcard bench/diagnose_*.h) $(B)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.c,$^) $(B)/libcore.a $(LIBS)

.PHONY: bench-diagnose
bench-diagnose: $(B)/bench/diagnose ## how often diagnose is right: simulated programs, then the shared tables
	$(B)/bench/diagnose

.PHONY: bench-factor
FACTOR_SEEDS ?= 2 3 4 5 6 7 8 9 10 11
bench-factor: $(B)/tests/test_factor ## how often a column without effect refuses a table, and one with an effect doesn't
	$(Q)for s in $(FACTOR_SEEDS); do MW_SEED=$$s $(B)/tests/test_factor 2>&1 | grep -E ' of 1000 '; done

$(B)/bench/buying: bench/bench_buying.c bench/buying_tables.c bench/buying_points.c bench/buying_whatif.c $(B)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.c,$^) $(B)/libcore.a $(LIBS)

.PHONY: bench-buying
bench-buying: $(B)/bench/buying ## another machine predicted from this one: eight machines, all pairs
	$(B)/bench/buying

$(B)/bench/recovery: bench/recovery.c $(B)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< $(B)/libcore.a $(LIBS)

.PHONY: bench-recovery
SEEDS ?= 1000
bench-recovery: $(B)/bench/recovery ## coverage of parameter intervals on simulated data (SEEDS=1000)
	$(B)/bench/recovery $(SEEDS)

$(B)/bench/fit_speed: bench/fit_speed.c $(B)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< $(B)/libcore.a $(LIBS)

.PHONY: bench-fit
FIT_SEEDS ?= 100
bench-fit: $(B)/bench/fit_speed $(B)/memwall ## time of a fit by points and threads; optima beside multistart and scipy
	$(B)/bench/fit_speed $(FIT_SEEDS)
	@MEMWALL=$(B)/memwall bash bench/fit.sh
	@MEMWALL=$(B)/memwall python3 bench/fit_scipy.py

$(B)/bench/optimum: bench/optimum.c bench/sets.c $(B)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.c,$^) $(B)/libcore.a $(LIBS)

.PHONY: bench-optimum
OPTIMUM ?= 10
bench-optimum: $(B)/bench/optimum ## every law on every usable set beside other methods (OPTIMUM="seeds starts law...")
	$(B)/bench/optimum $(OPTIMUM)

$(B)/bench/accuracy: bench/accuracy.c bench/splits.c bench/sets.c $(B)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.c,$^) $(B)/libcore.a $(LIBS)

.PHONY: bench-accuracy
bench-accuracy: $(B)/bench/accuracy ## errors of predictions on held-out points of the shared sets, one core
	OMP_NUM_THREADS=1 $(B)/bench/accuracy

$(B)/bench/predictor: bench/predictor.c $(B)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< $(B)/libcore.a $(LIBS)

.PHONY: bench-predictor
bench-predictor: $(B)/bench/predictor ## queries a second of an open predictor, and their difference to predict
	@for set in canneal swaptions xeon-bt; do $(B)/bench/predictor data/examples/$$set.csv || exit 1; done

.PHONY: bench-gpu
bench-gpu: build-all ## measure gpu on PoCL beside measure flops, bandwidth and latency, turn by turn (WITH='chrt -f 10' on a busy machine)
	@MEMWALL=$(B)/memwall bash bench/gpu.sh

.PHONY: bench-measure
bench-measure: build-all ## memwall measure beside STREAM=path, MULTICHASE=path and LIKWID_BENCH=path, in turns
	@MEMWALL=$(B)/memwall bash bench/measure.sh

.PHONY: bench-read
bench-read: build-all ## a table of a million rows, and ones of up to 100,000 columns, in turns with awk
	@MEMWALL=$(B)/memwall bench/read.sh

.PHONY: bench-wait
bench-wait: build-all ## scatter of runs beside busy processes, as measured and without the wait for a core (LOAD=8 RUNS=12)
	@MEMWALL=$(B)/memwall CC=$(CC) bench/wait.sh

.PHONY: bench-scan
bench-scan: ## what a scan adds to a run of sleep 0.05, beside hyperfine
	@$(MAKE) --no-print-directory $(JOBS) build-all
	@bench/scan.sh $(B)/memwall

$(B)/bench/tune: bench/bench_tune.c bench/search.c bench/tables.c $(B)/libcore.a
$(B)/bench/recommend: bench/bench_recommend.c bench/recommend_noise.c bench/search.c bench/tables.c $(B)/libcore.a
$(B)/bench/schedule: bench/bench_schedule.c bench/tables.c $(B)/libcore.a
$(B)/bench/tune $(B)/bench/recommend $(B)/bench/schedule:
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.c,$^) $(B)/libcore.a $(LIBS)

.PHONY: bench-tune bench-recommend bench-schedule bench-advice
bench-tune: $(B)/bench/tune ## measurements that the tuner needs, by replay, beside simpler searches
	$(B)/bench/tune
bench-recommend: $(B)/bench/recommend ## advice from ten points against the whole tables
	$(B)/bench/recommend
bench-schedule: $(B)/bench/schedule ## a hundred workloads on 1,024 cores
	$(B)/bench/schedule
bench-advice: bench-tune bench-recommend bench-schedule bench-diagnose bench-buying ## all of advice by replay of measured tables

# The simulated memory takes the place of kernels, clock, arenas and report: it comes before the library.
$(B)/bench/cache: bench/bench_cache.c tests/machines/sim_hierarchy.c tests/machines/sim_memory.c $(B)/libinner.a $(B)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.c,$^) $(B)/libinner.a $(B)/libcore.a $(LIBS)

.PHONY: bench-cache
CACHE_COUNT ?= 200
CACHE_SEED ?= 1
bench-cache: ## verdicts of measure cache on CACHE_COUNT=200 simulated machines (CACHE_SEED=1)
	@$(MAKE) --no-print-directory $(JOBS) $(B)/bench/cache
	$(B)/bench/cache $(CACHE_COUNT) $(CACHE_SEED)

.PHONY: bench-compare
bench-compare: $(B)/memwall ## variable latency against Amdahl and the laws against learners, on every shared set
	@MEMWALL=$(B)/memwall bash bench/compare.sh
