// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_CELL_H
#define MW_DATA_CELL_H

#include "data/error.h"

#include <stdbool.h>

/* Numbers and units as people and tools write them in the cells and headers of tables. */

enum mw_dimension { MW_DIM_NONE, MW_DIM_TIME, MW_DIM_FREQ, MW_DIM_ENERGY, MW_DIM_POWER };

/* The factor to SI base units of a unit's name ("ms", "GHz", "kJ", "Wh"); false where it is none of the dimension. */
bool mw_unit_find(const char *name, enum mw_dimension *dimension, double *factor);

/* How the numbers of one column are written. */
struct mw_number_style {
    char decimal;   /* '.' or ',' */
    char thousands; /* '\0', '.' or ',' (a space or an apostrophe is always understood) */
};

/* What the cells of a column show of their style, gathered cell by cell. */
struct mw_style_evidence {
    bool comma_decimal, comma_thousands, comma_unclear, dot_thousands;
};
void mw_style_observe(struct mw_style_evidence *evidence, const char *cell);
/*
 * False where commas may be either ("1,234" alone) and nothing settles it; semicolons between the columns do, because
 * that is what programs write where the comma is the decimal sign.
 */
bool mw_style_settle(const struct mw_style_evidence *evidence, bool semicolons, struct mw_number_style *style);

/* Empty, NA, n/a, null, none, -, <not supported>, <not counted>. */
bool mw_cell_missing(const char *cell);

/*
 * The number at the start of a cell and what follows it (spaces skipped). False where there is none, for nan and inf,
 * and for what a double does not hold.
 */
bool mw_cell_number(const char *cell, const struct mw_number_style *style, double *value, const char **rest);

/*
 * A quantity in SI units: a bare number is in units of `factor`; a unit in the cell ("2.20GHz", "1m12.271s", "24.1 Wh")
 * wins. False where the cell is not a quantity of the dimension.
 */
bool mw_cell_quantity(const char *cell, const struct mw_number_style *style, enum mw_dimension dimension, double factor,
                      double *value);

#endif
