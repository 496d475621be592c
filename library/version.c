// SPDX-License-Identifier: GPL-3.0-or-later
#include "memwall/memwall.h"

const char *mw_version(void)
{
    return MW_VERSION;
}
