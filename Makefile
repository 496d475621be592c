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
CPPFLAGS ?=
LDFLAGS  ?=
prefix   ?= /usr/local
DESTDIR  ?=
# the GNU names; each may be given on its own
exec_prefix ?= $(prefix)
bindir      ?= $(exec_prefix)/bin
libdir      ?= $(exec_prefix)/lib
includedir  ?= $(prefix)/include
datarootdir ?= $(prefix)/share
datadir     ?= $(datarootdir)
mandir      ?= $(datarootdir)/man
docdir      ?= $(datarootdir)/doc/memwall
INSTALL         ?= install
INSTALL_PROGRAM ?= $(INSTALL) -m 755
INSTALL_DATA    ?= $(INSTALL) -m 644
# WITHOUT="glpk svm" builds as where these libraries are not installed.
WITHOUT  ?=
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
# Libraries that memwall can do without: schedule needs GLPK, one learner of compare libsvm.
has  = $(if $(filter $(1),$(WITHOUT)),,$(shell echo '$(2)' | $(firstword $(CC:ccache=)) -E - >/dev/null 2>&1 && echo yes))
HAVE_GLPK := $(call has,glpk,#include <glpk.h>)
HAVE_SVM  := $(or $(call has,svm,#include <libsvm/svm.h>),$(call has,svm,#include <svm.h>))
OPTIONAL  := $(if $(HAVE_GLPK),,-DMW_WITHOUT_GLPK) $(if $(HAVE_SVM),,-DMW_WITHOUT_SVM)
# what libmemwall is linked with, what libmemwall-schedule, and what the program
LIBRARY_LIBS  := $(filter-out -lhwloc,$(PKG_LIBS)) -lcsv -lnettle -lm
SCHEDULE_LIBS := -lglpk -lm
LIBS := $(PKG_LIBS) -lcsv -lnettle $(if $(HAVE_GLPK),-lglpk) $(if $(HAVE_SVM),-lsvm) -lnuma -ldl -lm
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer,)
BASE := -std=gnu11 -D_GNU_SOURCE -DMW_VERSION='"$(VERSION)"' -I. -fopenmp -fvisibility=hidden $(OPTIONAL) $(PKG_CFLAGS)
ALL_CFLAGS = $(BASE) $(CPPFLAGS) $(CFLAGS) $(WARN) $(SANFLAGS)
# Timed loops: a user's CFLAGS must not change what is measured (field notes: copy turned into
# memcpy, reductions dropped), so these are fixed and recorded in every output file.
CLANG := $(findstring clang,$(shell $(firstword $(CC:ccache=)) --version 2>/dev/null | head -n 1))
KERNEL_FLAGS := -O2 -fno-builtin -fno-tree-loop-distribute-patterns -fno-strict-aliasing -ffp-contract=off
ifneq ($(CLANG),) # has no such flag, and makes no copies of loops without builtins; INFINITY is a float to it
  WARN := $(filter-out -Wdouble-promotion,$(WARN))
  KERNEL_FLAGS := $(filter-out -fno-tree-loop-distribute-patterns,$(KERNEL_FLAGS))
endif
KERNEL_CFLAGS = $(BASE) $(KERNEL_FLAGS) $(WARN)
# The samplers' hot loops (see model/hot.h): reassociation allowed, several instruction sets chosen at run time.
HOT_FLAGS := -O3 -fno-math-errno -fno-trapping-math -fassociative-math -fno-signed-zeros -freciprocal-math

# --- sources: a folder is a module ---------------------------------------
LIB_DIRS   := data model fit advise library
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
FLAGS_USED := $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(SAN) $(WERROR) $(OPTIONAL) $(KERNEL_FLAGS) $(HOT_FLAGS) $(VERSION) $(prefix) $(libdir) $(includedir) $(datadir) $(docdir)
STAMP := $(B)/flags
$(shell mkdir -p $(B); echo '$(FLAGS_USED)' | cmp -s - $(STAMP) || echo '$(FLAGS_USED)' > $(STAMP))
# How this build was called, for a test that calls make again and must not rebuild it.
$(shell printf "CC='%s' CFLAGS='%s' CPPFLAGS='%s' LDFLAGS='%s' SAN='%s' WERROR='%s' WITHOUT='%s' prefix='%s'\n" '$(CC)' '$(CFLAGS)' '$(CPPFLAGS)' '$(LDFLAGS)' '$(SAN)' '$(WERROR)' '$(WITHOUT)' '$(prefix)' > $(B)/make-args)

.PHONY: all
all: require ## build build/release/memwall and the libraries
	@$(MAKE) --no-print-directory $(JOBS) build-all

.PHONY: build-all
LIBRARIES := $(foreach l,libmemwall $(if $(HAVE_GLPK),libmemwall-schedule),$(B)/$(l).so $(if $(SAN),,$(B)/$(l).a)) \
             $(B)/memwall.pc $(if $(HAVE_GLPK),$(B)/memwall-schedule.pc)
build-all: $(B)/memwall $(LIBRARIES)

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

# All rooms, for the program, the tests and the benches.
$(B)/libcore.a: $(LIB_OBJ)
	@echo "  AR      $@"
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# What is installed: the sources of library/ and of the rooms what they need, everything else hidden.
SCHEDULE_OBJ := $(B)/library/schedule.o
# declared in memwall/ and at home in their rooms
PUBLIC_SRC   := fit/predict/predictor.c advise/tune/tune.c
PUBLIC_OBJ   := $(filter-out $(SCHEDULE_OBJ),$(patsubst %.c,$(B)/%.o,$(wildcard library/*.c) $(PUBLIC_SRC)))
OBJCOPY      ?= $(shell $(firstword $(CC:ccache=)) -print-prog-name=objcopy)

$(B)/libmemwall.so: $(PUBLIC_OBJ) $(B)/libcore.a library/libmemwall.map
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libmemwall.so.0 -Wl,--version-script,library/libmemwall.map \
	  -o $@ $(PUBLIC_OBJ) $(B)/libcore.a $(LIBRARY_LIBS)

$(B)/libmemwall-schedule.so: $(SCHEDULE_OBJ) $(B)/libcore.a library/libmemwall-schedule.map
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libmemwall-schedule.so.0 \
	  -Wl,--version-script,library/libmemwall-schedule.map -o $@ $(SCHEDULE_OBJ) $(B)/libcore.a $(SCHEDULE_LIBS)

# A static library is one object, in which all but what the map names is local.
$(B)/libmemwall.a: $(PUBLIC_OBJ) $(B)/libcore.a
$(B)/libmemwall-schedule.a: $(SCHEDULE_OBJ) $(B)/libcore.a
$(B)/libmemwall.a $(B)/libmemwall-schedule.a: $(B)/%.a: library/%.map
	@echo "  AR      $@"
	$(Q)sed -n 's/^ *\(mw_[a-z_0-9]*\);/\1/p' $< > $(B)/$*.symbols
	$(Q)$(CC) -r -nostdlib -o $(B)/$*-whole.o $(filter-out %.map,$^) && \
	  $(OBJCOPY) --keep-global-symbols=$(B)/$*.symbols $(B)/$*-whole.o && rm -f $@ && $(AR) rcs $@ $(B)/$*-whole.o

$(B)/libinner.a: $(INNER_OBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/memwall: $(MAIN_OBJ) $(B)/libinner.a $(B)/libcore.a
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(MAIN_OBJ) $(B)/libinner.a $(B)/libcore.a $(LIBS)

# pc NAME, DESCRIPTION, REQUIRES.PRIVATE, LIBS.PRIVATE
pc = printf '%s\n' 'prefix=$(prefix)' 'exec_prefix=$(exec_prefix)' 'libdir=$(libdir)' 'includedir=$(includedir)' '' \
  'Name: $(1)' 'Description: $(2)' 'Version: $(VERSION)' 'Requires.private: $(3)' 'Libs: -L$${libdir} -l$(1)' \
  'Libs.private: $(4)' 'Cflags: -I$${includedir}'
$(B)/memwall.pc: Makefile $(STAMP)
	@$(call pc,memwall,speedup models with memory latency: fit predict recommend diagnose tune,$(filter-out hwloc,$(PKGS)),-lcsv -lnettle -fopenmp -lpthread -lm) > $@
$(B)/memwall-schedule.pc: Makefile $(STAMP)
	@$(call pc,memwall-schedule,cores and frequencies for several programs at once,,-lglpk -lm) > $@

$(B)/plots/scripts.o: $(wildcard plots/*.gp)

-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(KERNEL_OBJ:.o=.d)

# --- parts with rules of their own ---------------------------------------
include deps.mk packaging/packaging.mk
-include tests/tests.mk bench/bench.mk docs/docs.mk examples/examples.mk

HEADERS := $(filter-out $(if $(HAVE_GLPK),,memwall/schedule.h),$(wildcard memwall/*.h))
.PHONY: install install-strip uninstall
install: all man ## install below $(DESTDIR)$(prefix)
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)/pkgconfig $(DESTDIR)$(includedir)/memwall $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man5 $(DESTDIR)$(mandir)/man7 \
	  $(DESTDIR)$(datadir)/memwall/profiles $(DESTDIR)$(docdir) $(DESTDIR)$(datadir)/bash-completion/completions
	$(INSTALL_PROGRAM) $(B)/memwall $(DESTDIR)$(bindir)/memwall
	for l in memwall $(if $(HAVE_GLPK),memwall-schedule); do \
	  $(INSTALL_DATA) $(B)/lib$$l.a $(DESTDIR)$(libdir)/ && \
	  $(INSTALL_PROGRAM) $(B)/lib$$l.so $(DESTDIR)$(libdir)/lib$$l.so.0 && \
	  ln -sf lib$$l.so.0 $(DESTDIR)$(libdir)/lib$$l.so && \
	  $(INSTALL_DATA) $(B)/$$l.pc $(DESTDIR)$(libdir)/pkgconfig/ || exit 1; done
	$(INSTALL_DATA) $(HEADERS) $(DESTDIR)$(includedir)/memwall/
	for s in 1 5 7; do $(INSTALL_DATA) $(B)/man/*.$$s $(DESTDIR)$(mandir)/man$$s/ || exit 1; done
	$(INSTALL_DATA) $(B)/memwall.bash $(DESTDIR)$(datadir)/bash-completion/completions/memwall
	$(INSTALL) -d $(DESTDIR)$(datadir)/zsh/site-functions $(DESTDIR)$(datadir)/fish/vendor_completions.d
	$(INSTALL_DATA) $(B)/memwall.zsh $(DESTDIR)$(datadir)/zsh/site-functions/_memwall
	$(INSTALL_DATA) $(B)/memwall.fish $(DESTDIR)$(datadir)/fish/vendor_completions.d/memwall.fish
	$(INSTALL_DATA) data/profiles/*.json $(DESTDIR)$(datadir)/memwall/profiles/
	$(INSTALL_DATA) docs/*.md $(DESTDIR)$(docdir)/
	$(INSTALL) -d $(DESTDIR)$(docdir)/tutorial && $(INSTALL_DATA) docs/tutorial/*.md $(DESTDIR)$(docdir)/tutorial/
	$(INSTALL_DATA) plots/*.gp $(DESTDIR)$(datadir)/memwall/

install-strip: ## the same without symbols for debuggers
	$(MAKE) INSTALL_PROGRAM='$(INSTALL_PROGRAM) -s' install

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(bindir)/memwall $(DESTDIR)$(libdir)/libmemwall.a $(DESTDIR)$(libdir)/libmemwall.so* \
	  $(DESTDIR)$(libdir)/libmemwall-schedule.a $(DESTDIR)$(libdir)/libmemwall-schedule.so* \
	  $(DESTDIR)$(libdir)/pkgconfig/memwall.pc $(DESTDIR)$(libdir)/pkgconfig/memwall-schedule.pc $(DESTDIR)$(mandir)/man[157]/memwall*.[157]
	rm -f $(DESTDIR)$(datadir)/zsh/site-functions/_memwall $(DESTDIR)$(datadir)/fish/vendor_completions.d/memwall.fish
	rm -rf $(DESTDIR)$(docdir) $(DESTDIR)$(includedir)/memwall $(DESTDIR)$(datadir)/memwall $(DESTDIR)$(datadir)/bash-completion/completions/memwall

.PHONY: clean dist help
clean: ## remove everything built
	rm -rf build

# The same bytes whoever makes it and where: times are the commit's, modes are not the maker's, gzip notes nothing.
DIST ?= build/memwall-$(VERSION).tar.gz
dist: ## source archive of the committed tree, the same to the byte wherever it is made
	@mkdir -p $(dir $(DIST))
	git -c tar.umask=0022 -c core.autocrlf=false archive --format=tar --prefix=memwall-$(VERSION)/ HEAD | gzip -9n >$(DIST)
	@echo $(DIST)

# Whoever gets the archive alone: no repository, nothing beside it.
.PHONY: distcheck
DISTTREE := build/distcheck/memwall-$(VERSION)
STAGE    := DESTDIR=$(CURDIR)/build/distcheck/root prefix=/usr
distcheck: dist ## the archive unpacked elsewhere: built, installed, unit-tested, uninstalled and cleaned, each without a trace
	rm -rf build/distcheck && mkdir -p build/distcheck
	tar -C build/distcheck -xzf $(DIST)
	$(MAKE) -C $(DISTTREE) $(JOBS) install $(STAGE)
	build/distcheck/root/usr/bin/memwall --version
	$(MAKE) -C $(DISTTREE) check-quick
	$(MAKE) -C $(DISTTREE) uninstall $(STAGE)
	@! find build/distcheck/root ! -type d | grep .
	$(MAKE) -C $(DISTTREE) clean
	@tar -C build/distcheck -dzf $(DIST)
	@tar -tzf $(DIST) | grep -v '/$$' | sort >build/distcheck/had
	@cd build/distcheck && find memwall-$(VERSION) ! -type d | sort | diff had - && echo "distcheck: $(DIST) is whole"

help: ## this list
	@awk -F':.*## ' '/^[a-z][a-z0-9_-]*:.*## /{printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
