// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/runner_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* CPUs in the order in which they are filled, and the boundaries crossed on the way. */
static enum mw_err describe_cpus(const struct mw_runner *runner, unsigned max_cores, struct mw_provenance *facts,
                                 struct mw_error *error)
{
    static const char *const names[] = {"socket", "node", "kind", "smt"};
    char *text = NULL;
    size_t size, count = 0;
    unsigned *at = NULL;
    enum mw_boundary_kind *what = NULL;
    enum mw_err err = mw_runner_cpus(runner, max_cores, runner->cpus, error);
    if (!err)
        err =
            mw_topology_boundaries(&runner->machine, runner->setup.order, runner->setup.smt, &at, &what, &count, error);
    FILE *f = err ? NULL : open_memstream(&text, &size);
    for (unsigned i = 0; f && i < max_cores; i++)
        fprintf(f, "%s%u", i ? "," : "", runner->cpus[i]);
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

/* Processors' worth of time that may be used: those of the mask, or less where a quota says so. */
static enum mw_err describe_limit(const struct mw_runner *runner, struct mw_provenance *facts, struct mw_error *error)
{
    double allowed = (double)runner->machine.cpu_allowed_count;
    enum mw_err err = mw_provenance_add(facts, error, "cpu_limit", "%.6g", fmin(allowed, mw_runner_cpu_limit(runner)));
    if (!err && runner->limit.cpus < allowed)
        err = mw_provenance_add(facts, error, "cpu_limit_by", "quota of the control group '%s'", runner->limit.group);
    return err;
}

static enum mw_err describe_freq(const struct mw_runner *runner, struct mw_provenance *facts, struct mw_error *error)
{
    static const char *const boosts[] = {"unknown", "off", "on"};
    const struct mw_policy *policy = runner->session.has_cpufreq ? &runner->session.cpufreq.policies[0] : NULL;
    char governor[32] = "unknown";
    if (!policy)
        return mw_provenance_add(facts, error, "freq_driver", "none");
    mw_cpufreq_governor(&runner->session.cpufreq, policy, governor, sizeof governor);
    enum mw_err err = mw_provenance_add(facts, error, "freq_driver", "%s", policy->driver_name);
    if (!err)
        err = mw_provenance_add(facts, error, "governor", "%s", governor);
    if (!err)
        err = mw_provenance_add(facts, error, "boost", "%s",
                                boosts[mw_cpufreq_boost_state(&runner->session.cpufreq) + 1]);
    return err;
}

/* by enum mw_energy_kind; what is to be found out is not known to be a counter */
static const char *const kinds[] = {"the last run's energy", "a counter", "the last run's energy"};

enum mw_err mw_runner_describe(const struct mw_runner *runner, unsigned max_cores, struct mw_provenance *facts,
                               struct mw_error *error)
{
    enum mw_err err = runner->setup.unbound ? MW_OK : describe_cpus(runner, max_cores, facts, error);
    if (!err)
        err = describe_limit(runner, facts, error);
    if (!err)
        err = describe_freq(runner, facts, error);
    if (!err && runner->energy_command.command)
        err = mw_provenance_add(facts, error, "energy", "command (%s): %.180s", kinds[runner->energy_command.kind],
                                runner->energy_command.command);
    else if (!err && (runner->energy || runner->energy_missing[0]))
        err = mw_provenance_add(facts, error, "energy", "%s%s", runner->energy ? "" : "not measured: ",
                                runner->energy ? mw_energy_describe(runner->energy) : runner->energy_missing);
    return err;
}
