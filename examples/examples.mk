# SPDX-License-Identifier: GPL-3.0-or-later

$(B)/examples/cg: examples/cg.c $(STAMP)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) -O2 -g -Wall -Wextra -fopenmp -o $@ $< -lm

build-all: $(B)/examples/cg

.PHONY: demo
demo: deps-if-missing ## measure this machine, scan a real program, fit, predict, advise, plot: all in demo/
	@$(MAKE) --no-print-directory $(JOBS) build-all
	@examples/demo.sh $(B)/memwall $(B)/examples/cg demo
