// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_BOUNDARY_H
#define MW_DATA_BOUNDARY_H

#include "data/error.h"

#include <stddef.h>

/* What begins behind the cores of one kind: another socket, NUMA node or kind of core, or the sibling threads. */
enum mw_boundary_kind {
    MW_BOUNDARY_UNNAMED,
    MW_BOUNDARY_SOCKET,
    MW_BOUNDARY_NODE,
    MW_BOUNDARY_KIND, /* slower cores */
    MW_BOUNDARY_SMT
};
const char *mw_boundary_name(enum mw_boundary_kind kind); /* "", "socket", "node", "kind", "smt" */
/* Of these names, or "slower". MW_USAGE names those that there are. */
enum mw_err mw_boundary_parse(const char *name, enum mw_boundary_kind *kind, struct mw_error *error) MW_CHECKED;

/*
 * "12", "12:socket,4:smt": core counts after which a boundary lies, ascending, each with its kind where one is named; caller
 * frees *cores and *kinds. kinds NULL: they are parsed and left out. MW_USAGE.
 */
enum mw_err mw_boundaries_parse(const char *text, unsigned **cores, enum mw_boundary_kind **kinds, size_t *count,
                                struct mw_error *error) MW_CHECKED;

#endif
