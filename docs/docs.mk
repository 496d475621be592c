# SPDX-License-Identifier: GPL-3.0-or-later
# Manual pages: the command table gives name, usage, options and examples; man/NAME.inc what a table can't hold.

.PHONY: man
man: build-all ## manual pages in build/release/man
	@mkdir -p $(B)/man
	@$(B)/memwall help --man > $(B)/man/memwall.1
	@for c in $$($(B)/memwall help | awk '/^commands:/{on=1;next} /^$$/{on=0} on && $$1!="help"{print $$1}'); do \
	  { $(B)/memwall help --man $$c; [ ! -e man/$$c.inc ] || cat man/$$c.inc; } > $(B)/man/memwall-$$c.1; done
	@$(B)/memwall help --bash > $(B)/memwall.bash
