// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"

#include "measure/freq/gpufreq.h"
#include "measure/run/lock.h"

#include <stdio.h>
#include <stdlib.h>

static int run(struct cli *cli, const void *options)
{
    (void)options;
    char *report = NULL;
    struct mw_lock lock;
    enum mw_err err = mw_lock_take(&lock, cli->common.root, true, MW_LOCK_TRY, NULL, &cli->error);
    if (err)
        return cli_fail(cli, &cli->error);
    err = mw_freq_recover(cli->common.root, &report, &cli->error);
    mw_lock_drop(&lock);
    if (err)
        return cli_fail(cli, &cli->error);
    if (report)
        printf("put back:\n%s", report);
    else
        printf("nothing to put back\n");
    free(report);
    return 0;
}

const struct cli_command cmd_restore = {
    .name = "restore",
    .summary = "put back frequencies that a killed scan left changed",
    .usage = "[options]",
    .description =
        "A scan notes governor, limits and boost in /run/memwall/state before it changes them (in "
        "$XDG_RUNTIME_DIR/memwall or /tmp/memwall-UID for an ordinary user, in $MEMWALL_RUN_DIR where that is set), puts them back at its end, on an error and on SIGINT, "
        "SIGTERM and SIGHUP; the clock of a graphics processor in gpu-state beside it. After SIGKILL this command puts back what the note says and reads it back; the next "
        "scan does the same first. After a reboot there is nothing to put back.",
    .groups = CLI_ROOT,
    .run = run,
    .examples = "  memwall restore\n",
};
