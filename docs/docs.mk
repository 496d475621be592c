# SPDX-License-Identifier: GPL-3.0-or-later
# Manual pages and completion, from the command table that help is made from; man/NAME.inc has what a table cannot hold, and
# man/*.5 and *.7 are pages of their own.

.PHONY: man
man: build-all ## manual pages in build/release/man
	@mkdir -p $(B)/man
	@$(B)/memwall help --man > $(B)/man/memwall.1
	@cp man/*.[57] $(B)/man/
	@for c in $$($(B)/memwall help | awk '/^commands:/{on=1;next} /^$$/{on=0} on && $$1!="help"{print $$1}'); do \
	  { $(B)/memwall help --man $$c; [ ! -e man/$$c.inc ] || cat man/$$c.inc; } > $(B)/man/memwall-$$c.1; done
	@for shell in bash zsh fish; do $(B)/memwall help --$$shell > $(B)/memwall.$$shell || exit 1; done
