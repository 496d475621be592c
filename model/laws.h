// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MODEL_LAWS_H
#define MW_MODEL_LAWS_H

#include "model/law.h"

/* The values of the table in law.c; docs/laws.md derives each. The variable-latency law is declared in law.h. */
extern const struct mw_law mw_law_vls_contention, mw_law_vls_onecore;
extern const struct mw_law mw_law_amdahl, mw_law_usl;
extern const struct mw_law mw_law_amdahl_memory, mw_law_usl_memory, mw_law_contention_memory;
extern const struct mw_law mw_law_saturating, mw_law_granularity, mw_law_power;
extern const struct mw_law mw_law_socket, mw_law_tiers;
extern const struct mw_law mw_law_gustafson, mw_law_sun_ni;

#endif
