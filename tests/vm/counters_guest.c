// SPDX-License-Identifier: GPL-3.0-or-later
// The first process of a virtual machine: counts the events of loops whose instructions are known, prints them, ends.
#include "measure/run/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned long turns_least = 10000000;

/* Two instructions a turn. */
static void work(unsigned long turns)
{
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
}

static int count(const char *self, unsigned long turns)
{
    struct mw_events events;
    struct mw_event_counts counts;
    struct mw_error error;
    char text[32];
    snprintf(text, sizeof text, "%lu", turns);
    if (mw_events_open(&events, &error)) {
        printf("none: %s\n", error.message);
        return 1;
    }
    pid_t pid = vfork();
    if (pid == 0) {
        execl(self, self, text, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
    mw_events_read(&events, &counts);
    mw_events_close(&events);
    printf("turns %lu", turns);
    for (int i = 0; i < MW_EVENT_COUNT; i++)
        if (counts.has[i])
            printf(" %s %.0f", mw_event_name((enum mw_event)i), counts.count[i]);
    printf(" share %.4f\n", counts.share);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && atol(argv[1]) > 0) {
        work(strtoul(argv[1], NULL, 10));
        return 0;
    }
    for (unsigned long n = 1; n <= 3; n++)
        if (count("/init", n * turns_least))
            break;
    printf("end of counting\n");
    fflush(stdout);
    reboot(RB_POWER_OFF);
    return 0;
}
