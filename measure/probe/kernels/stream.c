// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/kernels/stream_isa.h"

const struct mw_op_info mw_op_infos[MW_OP_COUNT] = {
    [MW_OP_COPY] = {"copy", "c = a", 16, 0, 'c'},   [MW_OP_SCALE] = {"scale", "b = s c", 16, 1, 'b'},
    [MW_OP_ADD] = {"add", "c = a + b", 24, 1, 'c'}, [MW_OP_TRIAD] = {"triad", "a = b + s c", 24, 2, 'a'},
    [MW_OP_READ] = {"read", "sum a", 8, 1, 0},      [MW_OP_FILL] = {"fill", "c = s", 8, 0, 'c'},
    [MW_OP_DOT] = {"dot", "sum a b", 16, 2, 0},     [MW_OP_UPDATE] = {"update", "a = s a", 16, 1, 'a'},
};

const struct mw_stream_isa *const mw_stream_isas[] = {
#if defined(__x86_64__)
    &mw_stream_sse2,
    &mw_stream_avx2,
    &mw_stream_avx512,
    &mw_stream_sse2_paged,
    &mw_stream_avx2_paged,
    &mw_stream_avx512_paged,
#elif defined(__aarch64__)
    &mw_stream_neon,
    &mw_stream_neon_paged,
#else
    &mw_stream_scalar,
    &mw_stream_scalar_paged,
#endif
    NULL,
};
