// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/kernels/stream_isa.h"

#define NAME(op) scalar_##op
#define TARGET
#define VEC         double
#define LANES       1
#define LOAD(p)     (*(p))
#define STORE(p, v) (*(p) = (v))
#define SET(s)      (s)
#define ADD(x, y)   ((x) + (y))
#define MUL(x, y)   ((x) * (y))
#define SUM(v)      (v)

#include "measure/probe/kernels/stream_body.h"

static bool supported(void)
{
    return true;
}

const struct mw_stream_isa mw_stream_scalar = {"scalar", supported, {PLAIN_KERNELS}, {NT_KERNELS}};
const struct mw_stream_isa mw_stream_scalar_paged = {"scalar-8pages", supported, {PAGED_KERNELS}, {NT_PAGED_KERNELS}};
