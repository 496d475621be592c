// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_CELL_H
#define MW_DATA_CELL_H

#include "data/error.h"

#include <stdbool.h>

/* Numbers and units as people and tools write them in the cells and headers of tables. */

enum mw_dimension { MW_DIM_NONE, MW_DIM_TIME, MW_DIM_FREQ, MW_DIM_ENERGY, MW_DIM_POWER };

/* The factor to SI base units of a unit's name ("ms", "GHz", "kJ", "Wh"); false where it is none of the dimension. */
bool mw_unit_find(const char *name, enum mw_dimension *dimension, double *factor);

extern const char *const mw_thousands_signs[]; /* "," "." "'" "_": what may stand between thousands; ends in NULL */

/* How the numbers of one column are written. */
struct mw_number_style {
    char decimal;   /* '.' or ',' */
    char thousands; /* '\0', '.', ',' or another (spaces and apostrophes are always understood) */
};

/* What the cells of a column show of their style, gathered cell by cell. */
struct mw_style_evidence {
    bool comma_decimal, comma_thousands, comma_unclear;
    bool dot_decimal, dot_thousands, dot_unclear; /* unclear: three digits behind it, as in 1.234 */
};
void mw_style_observe(struct mw_style_evidence *evidence, const char *cell);
/*
 * False where commas may be either ("1,234" alone) and nothing settles it: not the decimal sign of the other columns
 * (`decimal`, 0 where they show none), nor semicolons between the columns, which are what programs write where the comma
 * is the decimal sign. A dot in a table of decimal commas separates thousands.
 */
bool mw_style_settle(const struct mw_style_evidence *evidence, bool semicolons, char decimal,
                     struct mw_number_style *style);

/* Empty, NA, n/a, null, none, -, NaN, inf, <not supported>, <not counted>, and words for a run that came to nothing. */
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
