// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_LOCK_OPTIONS_H
#define MW_CLI_LOCK_OPTIONS_H

#include "cli/cli.h"
#include "measure/run/lock.h"

/* What scan, tune and measure do when another memwall measures. A command's options struct holds it as `lock`. */
struct lock_options {
    bool wait, no_lock;
};

/* clang-format off */
#define LOCK_OPTIONS(type)                                                                                              \
    {"wait", CLI_FLAG, CLI_FIELD(type, lock.wait), NULL, "wait while another memwall measures (default: refuse)", NULL, 0, 0}, \
    {"no-lock", CLI_FLAG, CLI_FIELD(type, lock.no_lock), NULL, "measure beside another memwall, and say so in the record", NULL, 0, 0}
/* clang-format on */

/*
 * Opens by `open(data, mode, error)`: at once, or with --wait, once it was told what is waited for, when its turn comes.
 * MW_USAGE where both options are given.
 */
enum mw_err lock_options_open(const struct cli *cli, const struct lock_options *options,
                              enum mw_err (*open)(void *data, enum mw_lock_mode mode, struct mw_error *error),
                              void *data, struct mw_error *error) MW_CHECKED;

/* The line "lock" of a record: what the lock did not cover; nothing where it covered all. */
enum mw_err lock_options_describe(const struct cli *cli, const struct lock_options *options,
                                  struct mw_provenance *facts, struct mw_error *error) MW_CHECKED;
/* The same text, NULL where it covered all. */
const char *lock_options_remark(const struct cli *cli, const struct lock_options *options);

#endif
