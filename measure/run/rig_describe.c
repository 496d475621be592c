// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/rig_inside.h"

#include <stdio.h>
#include <stdlib.h>

/* CPUs in the order in which they are filled, and the boundaries crossed on the way. */
static enum mw_err describe_cpus(const struct mw_rig *rig, unsigned max_cores, struct mw_provenance *facts,
                                 struct mw_error *error)
{
    static const char *const names[] = {"socket", "node", "kind", "smt"};
    char *text = NULL;
    size_t size, count = 0;
    unsigned *at = NULL;
    enum mw_boundary *what = NULL;
    enum mw_err err = mw_rig_cpus(rig, max_cores, rig->cpus, error);
    if (!err)
        err = mw_topology_boundaries(&rig->machine, rig->setup.order, rig->setup.smt, &at, &what, &count, error);
    FILE *f = err ? NULL : open_memstream(&text, &size);
    for (unsigned i = 0; f && i < max_cores; i++)
        fprintf(f, "%s%u", i ? "," : "", rig->cpus[i]);
    if (!err && (!f || fclose(f)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_provenance_add(facts, error, "cpus", "%s", text);
    free(text);
    text = NULL;
    f = err || !count ? NULL : open_memstream(&text, &size);
    for (size_t i = 0; f && i < count; i++)
        fprintf(f, "%s%u %s", i ? ", " : "", at[i], names[what[i]]);
    if (f && fclose(f))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (f && !err)
        err = mw_provenance_add(facts, error, "boundaries", "%s", text);
    free(text);
    free(at);
    free(what);
    return err;
}

static enum mw_err describe_freq(const struct mw_rig *rig, struct mw_provenance *facts, struct mw_error *error)
{
    static const char *const boosts[] = {"unknown", "off", "on"};
    const struct mw_policy *policy = rig->hold.has_cpufreq ? &rig->hold.cpufreq.policies[0] : NULL;
    char governor[32] = "unknown";
    if (!policy)
        return mw_provenance_add(facts, error, "freq_driver", "none");
    mw_cpufreq_governor(&rig->hold.cpufreq, policy, governor, sizeof governor);
    enum mw_err err = mw_provenance_add(facts, error, "freq_driver", "%s", policy->driver_name);
    if (!err)
        err = mw_provenance_add(facts, error, "governor", "%s", governor);
    if (!err)
        err = mw_provenance_add(facts, error, "boost", "%s", boosts[mw_cpufreq_boost_state(&rig->hold.cpufreq) + 1]);
    return err;
}

enum mw_err mw_rig_describe(const struct mw_rig *rig, unsigned max_cores, struct mw_provenance *facts,
                            struct mw_error *error)
{
    enum mw_err err = describe_cpus(rig, max_cores, facts, error);
    if (!err)
        err = describe_freq(rig, facts, error);
    if (!err && (rig->energy || rig->energy_missing[0]))
        err = mw_provenance_add(facts, error, "energy", "%s%s", rig->energy ? "" : "not measured: ",
                                rig->energy ? mw_energy_describe(rig->energy) : rig->energy_missing);
    return err;
}
