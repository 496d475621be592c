// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/switches.h"

#include <sys/resource.h>

struct mw_switches mw_switches_now(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    return (struct mw_switches){usage.ru_nvcsw, usage.ru_nivcsw};
}

bool mw_switched_since(const struct mw_switches *before)
{
    struct mw_switches now = mw_switches_now();
    return now.voluntary != before->voluntary || now.involuntary != before->involuntary;
}
