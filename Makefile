# SPDX-License-Identifier: GPL-3.0-or-later
# `make help` lists the targets. Everything built goes below build/<variant>/.

VERSION := 0.1.0
.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash

# --- what a user may set ------------------------------------------------
CC       ?= gcc
ifeq ($(origin CC),default)
CC       := gcc
endif
CFLAGS   ?= -O2 -g
prefix   ?= /usr/local
DESTDIR  ?=
bindir      = $(prefix)/bin
libdir      = $(prefix)/lib
includedir  = $(prefix)/include
datadir     = $(prefix)/share
mandir      = $(datadir)/man
docdir      = $(datadir)/doc/memwall
# SAN=address,undefined or SAN=thread builds an instrumented variant.
SAN      ?=
V        ?= 0
WERROR   ?= 0
Q        := $(if $(filter 1,$(V)),,@)

# The build uses all processors unless the caller says otherwise.
JOBS      = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 1))

empty    :=
space    := $(empty) $(empty)
comma    := ,
variant  := $(if $(SAN),san-$(subst $(comma),-,$(SAN)),release)
B        := build/$(variant)

# --- flags ----------------------------------------------------------------
WARN := -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion \
        -Wstrict-prototypes -Wmissing-prototypes -Wvla
ifeq ($(WERROR),1)
WARN += -Werror
endif
PKGS := gsl hwloc jansson
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
LIBS := $(PKG_LIBS) -lcsv -lnettle -lglpk -lsvm -lnuma -ldl -lm
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer,)
BASE := -std=gnu11 -D_GNU_SOURCE -DMW_VERSION='"$(VERSION)"' -I. -fopenmp $(PKG_CFLAGS)
ALL_CFLAGS = $(BASE) $(CFLAGS) $(WARN) $(SANFLAGS)
# Timed loops: a user's CFLAGS must not change what is measured (field notes: copy turned into
# memcpy, reductions dropped), so these are fixed and recorded in every output file.
KERNEL_FLAGS := -O2 -fno-builtin -fno-tree-loop-distribute-patterns -fno-strict-aliasing -ffp-contract=off
KERNEL_CFLAGS = $(BASE) $(KERNEL_FLAGS) $(WARN)
# The samplers' hot loops (see model/hot.h): reassociation allowed, several instruction sets chosen at run time.
HOT_FLAGS := -O3 -fno-math-errno -fno-trapping-math -fassociative-math -fno-signed-zeros -freciprocal-math

# --- sources: a folder is a module ---------------------------------------
LIB_DIRS   := data model fit advise memwall
HOT_SRC    := $(wildcard fit/hot_*.c fit/*/hot_*.c model/law_*.c) model/mechanisms.c
LIB_SRC    := $(foreach d,$(LIB_DIRS),$(wildcard $(d)/*.c $(d)/*/*.c))
KERNEL_SRC := $(wildcard measure/probe/kernels/*.c)
TOOL_SRC   := $(wildcard measure/*/*.c plots/*.c cli/*.c cli/*/*.c)
LIB_OBJ    := $(LIB_SRC:%.c=$(B)/%.o)
KERNEL_OBJ := $(KERNEL_SRC:%.c=$(B)/%.o)
TOOL_OBJ   := $(TOOL_SRC:%.c=$(B)/%.o)
MAIN_OBJ   := $(B)/cli/main.o
INNER_OBJ  := $(filter-out $(MAIN_OBJ),$(TOOL_OBJ)) $(KERNEL_OBJ)
UNIT_SRC   := $(wildcard tests/unit/test_*.c)
UNIT_BIN   := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/%)

# Flags that change rebuild what they touch.
STAMP := $(B)/flags
$(shell mkdir -p $(B); echo '$(CC) $(CFLAGS) $(SAN) $(WERROR) $(KERNEL_FLAGS) $(HOT_FLAGS) $(VERSION) $(prefix)' | cmp -s - $(STAMP) || \
        echo '$(CC) $(CFLAGS) $(SAN) $(WERROR) $(KERNEL_FLAGS) $(HOT_FLAGS) $(VERSION) $(prefix)' > $(STAMP))

.PHONY: all
all: deps-if-missing ## build build/release/memwall and the libraries
	@$(MAKE) --no-print-directory $(JOBS) build-all

.PHONY: build-all
build-all: $(B)/memwall $(B)/libmemwall.a $(B)/libmemwall.so $(B)/memwall.pc

$(B)/measure/probe/kernels/%.o: measure/probe/kernels/%.c $(STAMP)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(KERNEL_CFLAGS) $(SANFLAGS) -MMD -MP -c -o $@ $<

$(HOT_SRC:%.c=$(B)/%.o): $(B)/%.o: %.c $(STAMP)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(ALL_CFLAGS) $(HOT_FLAGS) -fPIC -MMD -MP -c -o $@ $<

$(B)/%.o: %.c $(STAMP)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -DMW_KERNEL_FLAGS='"$(KERNEL_FLAGS)"' -DMW_DATADIR='"$(datadir)/memwall"' -DMW_DOCDIR='"$(docdir)"' -MMD -MP -c -o $@ $<

$(B)/libmemwall.a: $(LIB_OBJ)
	@echo "  AR      $@"
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/libmemwall.so: $(LIB_OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -shared -Wl,-soname,libmemwall.so.0 -o $@ $^ $(LIBS)

$(B)/libinner.a: $(INNER_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/memwall: $(MAIN_OBJ) $(B)/libinner.a $(B)/libmemwall.a
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(MAIN_OBJ) $(B)/libinner.a $(B)/libmemwall.a $(LIBS)

$(B)/memwall.pc: Makefile $(STAMP)
	@printf '%s\n' 'prefix=$(prefix)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' \
	 'Name: memwall' 'Description: speedup models with memory latency: data, laws, fit, prediction, advice' \
	 'Version: $(VERSION)' 'Requires.private: $(PKGS)' 'Libs: -L$${libdir} -lmemwall' \
	 'Libs.private: -lcsv -lnettle -lglpk -lsvm -lm -fopenmp' 'Cflags: -I$${includedir}/memwall' > $@

$(B)/plots/scripts.o: $(wildcard plots/*.gp)

-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(KERNEL_OBJ:.o=.d)

# --- parts with rules of their own ---------------------------------------
include deps.mk
-include tests/tests.mk bench/bench.mk docs/docs.mk examples/examples.mk

.PHONY: install uninstall
install: all man ## install below $(DESTDIR)$(prefix)
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)/pkgconfig $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(datadir)/memwall/profiles $(DESTDIR)$(docdir)
	install -m 755 $(B)/memwall $(DESTDIR)$(bindir)/memwall
	install -m 644 $(B)/libmemwall.a $(DESTDIR)$(libdir)/
	install -m 755 $(B)/libmemwall.so $(DESTDIR)$(libdir)/libmemwall.so.0
	ln -sf libmemwall.so.0 $(DESTDIR)$(libdir)/libmemwall.so
	install -m 644 $(B)/memwall.pc $(DESTDIR)$(libdir)/pkgconfig/
	for h in $(foreach d,$(LIB_DIRS),$(wildcard $(d)/*.h $(d)/*/*.h)); do \
	  install -D -m 644 $$h $(DESTDIR)$(includedir)/memwall/$$h || exit 1; done
	install -m 644 $(B)/man/*.1 $(DESTDIR)$(mandir)/man1/
	install -D -m 644 $(B)/memwall.bash $(DESTDIR)$(datadir)/bash-completion/completions/memwall
	install -D -m 644 $(B)/memwall.zsh $(DESTDIR)$(datadir)/zsh/site-functions/_memwall
	install -D -m 644 $(B)/memwall.fish $(DESTDIR)$(datadir)/fish/vendor_completions.d/memwall.fish
	install -m 644 data/profiles/*.json $(DESTDIR)$(datadir)/memwall/profiles/
	install -m 644 docs/*.md $(DESTDIR)$(docdir)/
	for f in plots/*.gp; do [ ! -e $$f ] || install -m 644 $$f $(DESTDIR)$(datadir)/memwall/; done

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(bindir)/memwall $(DESTDIR)$(libdir)/libmemwall.a $(DESTDIR)$(libdir)/libmemwall.so* \
	  $(DESTDIR)$(libdir)/pkgconfig/memwall.pc $(DESTDIR)$(mandir)/man1/memwall*.1
	rm -f $(DESTDIR)$(datadir)/zsh/site-functions/_memwall $(DESTDIR)$(datadir)/fish/vendor_completions.d/memwall.fish
	rm -rf $(DESTDIR)$(docdir) $(DESTDIR)$(includedir)/memwall $(DESTDIR)$(datadir)/memwall $(DESTDIR)$(datadir)/bash-completion/completions/memwall

.PHONY: clean dist help
clean: ## remove everything built
	rm -rf build

dist: ## source archive of the committed tree
	@mkdir -p build
	git archive --prefix=memwall-$(VERSION)/ -o build/memwall-$(VERSION).tar.gz HEAD
	@echo build/memwall-$(VERSION).tar.gz

.PHONY: distcheck
distcheck: dist ## unpack the archive elsewhere, build and install it there
	rm -rf build/distcheck && mkdir -p build/distcheck
	tar -C build/distcheck -xzf build/memwall-$(VERSION).tar.gz
	$(MAKE) -C build/distcheck/memwall-$(VERSION) install DESTDIR=$(CURDIR)/build/distcheck/root prefix=/usr

help: ## this list
	@awk -F':.*## ' '/^[a-z][a-z0-9_-]*:.*## /{printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
