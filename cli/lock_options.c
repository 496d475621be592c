// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/lock_options.h"

#include "measure/machine/state_folder.h"

enum mw_err lock_options_open(const struct cli *cli, const struct lock_options *options,
                              enum mw_err (*open)(void *data, enum mw_lock_mode mode, struct mw_error *error),
                              void *data, struct mw_error *error)
{
    struct mw_error why;
    if (options->wait && options->no_lock)
        return mw_fail(error, MW_USAGE, "--wait and --no-lock exclude each other");
    enum mw_err err = open(data, options->no_lock ? MW_LOCK_OFF : MW_LOCK_TRY, &why);
    if (err == MW_BUSY && options->wait) {
        cli_say(cli, "%s: waiting for it", why.message);
        err = open(data, MW_LOCK_WAIT, &why);
    }
    if (err && error)
        *error = why;
    return err;
}

const char *lock_options_remark(const struct cli *cli, const struct lock_options *options)
{
    return options->no_lock                          ? "none (--no-lock): other memwalls may have run beside this one"
           : mw_state_folder_given(cli->common.root) ? "of MEMWALL_RUN_DIR alone: other memwalls may have run beside"
                                                     : NULL;
}

enum mw_err lock_options_describe(const struct cli *cli, const struct lock_options *options,
                                  struct mw_provenance *facts, struct mw_error *error)
{
    const char *remark = lock_options_remark(cli, options);
    return remark ? mw_provenance_add(facts, error, "lock", "%s", remark) : MW_OK;
}
