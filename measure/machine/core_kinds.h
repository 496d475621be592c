// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_CORE_KINDS_H
#define MW_MEASURE_CORE_KINDS_H

#include "measure/machine/topology.h"

/*
 * Sets `kind` of each core and kind_count from hwloc's CPU kinds, ascending in efficiency rank (performance). Kinds of the
 * same named type, or unnamed ones, whose highest frequencies differ by less than a tenth are one: boost bins of single
 * cores (open-mpi/hwloc#690) are no hybrid processor.
 */
void mw_core_kinds_assign(struct mw_topology *topology);

#endif
