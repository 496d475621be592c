# SPDX-License-Identifier: GPL-3.0-or-later
# Packages from the committed tree.

.PHONY: deb check-deb
deb: dist ## Debian packages in build/deb (debhelper)
	@packaging/deb.sh build $(VERSION)

check-deb: deb ## the packages under lintian, and installed and tried in a clean Debian (as root)
	@packaging/deb.sh check $(VERSION)
