// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_KERNELS_STREAM_ISA_H
#define MW_MEASURE_KERNELS_STREAM_ISA_H

#include "measure/probe/kernels/stream.h"

/* One file each; which of them exist depends on the architecture (see stream.c). */
extern const struct mw_stream_isa mw_stream_scalar, mw_stream_sse2, mw_stream_avx2, mw_stream_avx512, mw_stream_neon;
extern const struct mw_stream_isa mw_stream_scalar_paged, mw_stream_sse2_paged, mw_stream_avx2_paged,
    mw_stream_avx512_paged, mw_stream_neon_paged;

#endif
