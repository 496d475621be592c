// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"

enum mw_err measure_size_check(struct measure_run *run, unsigned cores, const char *name, double whole_bps,
                               double half_bps, struct mw_error *error)
{
    bool known = whole_bps > 0 && half_bps > 0, depends = mw_bw_gain(half_bps, whole_bps) == MW_BW_GAIN_FASTER;
    char key[48];
    snprintf(key, sizeof key, "size_check (%u core%s)", cores, cores == 1 ? "" : "s");
    run->depends_on_size = run->depends_on_size || depends;
    if (!known)
        return mw_provenance_add(&run->provenance, error, key,
                                 "%s on half the size was disturbed or there was no time for it: it can't be told "
                                 "whether the rate depends on the size",
                                 name);
    if (depends)
        cli_warn(
            run->cli,
            "%u core%s: %s is %.2f times as fast on half the size: caches still help; a larger --llc measures memory",
            cores, cores == 1 ? "" : "s", name, half_bps / whole_bps);
    return mw_provenance_add(&run->provenance, error, key, "%s on half the size: %.2f of the rate, which %s", name,
                             half_bps / whole_bps,
                             depends ? "depends on the size: caches still help" : "doesn't depend on the size");
}
