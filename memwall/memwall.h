/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEMWALL_MEMWALL_H
#define MEMWALL_MEMWALL_H

/*
 * How a parallel program scales over cores and clock: all of libmemwall. Laws for all headers:
 *
 * - Handles are opaque: made by _alloc, _load, _open or _fit, freed by _free or _close, which take NULL.
 * - Structs of options are good when zeroed, structs of results are written whole; both have reserved room, zero, so that a
 *   new member breaks nobody who was built before. Link by soname: it changes where anything else does.
 * - What a call is given is borrowed for the call; what must live longer says so. Texts are the handle's.
 * - On failure outputs are as they were.
 * - GSL's error handler, which aborts, is off while any call is inside, and put back after the last: from any number of
 *   threads. A program that sets its own handler does so before or after, not meanwhile.
 */
#include "memwall/dataset.h"
#include "memwall/diagnose.h"
#include "memwall/error.h"
#include "memwall/fit.h"
#include "memwall/model.h"
#include "memwall/predict.h"
#include "memwall/recommend.h"
#include "memwall/schedule.h"
#include "memwall/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.2.0": of the library that is linked. */
MW_API const char *mw_version(void);

#ifdef __cplusplus
}
#endif

#endif
