# SPDX-License-Identifier: GPL-3.0-or-later
# What must be installed, and how each distribution names it. `make deps` installs what is missing; a build only names it.

DEPS_APT    := build-essential pkg-config libgsl-dev libhwloc-dev libnuma-dev libjansson-dev libcsv-dev nettle-dev libglpk-dev libsvm-dev libcmocka-dev gnuplot-nox python3
DEPS_DNF    := gcc make pkgconf gsl-devel hwloc-devel numactl-devel jansson-devel libcsv-devel nettle-devel glpk-devel libsvm-devel libcmocka-devel gnuplot python3
DEPS_PACMAN := base-devel pkgconf gsl hwloc numactl jansson libcsv nettle glpk libsvm cmocka gnuplot python
DEPS_ZYPPER := gcc make pkg-config gsl-devel hwloc-devel libnuma-devel libjansson-devel libcsv-devel libnettle-devel glpk-devel libsvm-devel libcmocka-devel gnuplot python3
DEPS_APK    := build-base pkgconf gsl-dev hwloc-dev numactl-dev jansson-dev libcsv-dev nettle-dev glpk-dev libsvm-dev cmocka-dev gnuplot python3

.PHONY: deps deps-if-missing require
deps: ## install the libraries that memwall is built and tested with
	@.ci/deps.sh apt="$(DEPS_APT)" dnf="$(DEPS_DNF)" pacman="$(DEPS_PACMAN)" zypper="$(DEPS_ZYPPER)" apk="$(DEPS_APK)"

# for check and demo, which are one command on a fresh machine
deps-if-missing:
	@.ci/deps.sh --probe || $(MAKE) --no-print-directory deps

require:
	@CC='$(CC)' .ci/deps.sh --require
