// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_PLOTS_SCRIPTS_H
#define MW_PLOTS_SCRIPTS_H

/* Text of plots/NAME.gp; NULL where there is none. */
const char *mw_script_find(const char *name);

#endif
