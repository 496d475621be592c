// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_BENCH_DIAGNOSE_TABLES_H
#define MW_BENCH_DIAGNOSE_TABLES_H

/* Diagnoses of the measured tables below `folder`, whole and by replay from three points; says so where it is absent. */
void diagnose_tables(const char *folder);

#endif
