// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_GPU_SPEC_H
#define MW_MEASURE_GPU_SPEC_H

#include "data/gpu_spec.h"
#include "measure/gpu/job.h"

/*
 * A specification beside a measurement. A share is only formed where both are the same thing: definition (the row that the
 * figure is about), format, filter, clock and rule of counting; each that differs or is not stated is named in `why`.
 * Over 1 it is kept, and `why` says what would explain it. Pure. Test: test_gpu.c.
 */
struct mw_gpu_comparison {
    bool compared; /* false: there is no such figure for this row */
    double value;  /* the specification's, in the row's unit */
    double share;  /* measured over specified; 0 where they are not the same thing */
    char why[240]; /* empty where there is nothing to say */
};
void mw_gpu_compare(const struct mw_gpu_row *row, const struct mw_gpu_spec *spec, struct mw_gpu_comparison *comparison);

#endif
