// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/goal_options.h"

#include "data/json.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const goal_objective_choices[] = {"time", "energy", "edp", "ed2p", NULL};

/* Not given: a number that cannot be. */
static const double not_given = -1;

void goal_options_default(struct goal_options *options)
{
    options->objective = "time";
    options->deadline_s = options->power_cap_w = options->max_slowdown = options->min_efficiency = not_given;
    options->certainty = .9;
}

static enum mw_err parse_reference(struct mw_goal *goal, const char *text, struct mw_error *error)
{
    char cores[16];
    const char *at = strchr(text, '@');
    size_t length = at ? (size_t)(at - text) : strlen(text);
    double p = 0, freq_hz = 0;
    struct mw_error ignored;
    snprintf(cores, sizeof cores, "%.*s", (int)length, text);
    bool good = length < sizeof cores && !mw_parse_number(cores, &p, &ignored) && p >= 1 && p <= 1e6 && floor(p) == p;
    if (good && at)
        good = !mw_parse_freq(at + 1, &freq_hz, &ignored);
    if (!good)
        return mw_fail(error, MW_USAGE, "option '--reference': '%s' is not cores@frequency, as in 24@2.4", text);
    goal->has_reference = true;
    goal->reference = (struct mw_config){(unsigned)p, freq_hz};
    return MW_OK;
}

enum mw_err goal_from_options(struct mw_goal *goal, const struct goal_options *options, struct mw_error *error)
{
    const struct {
        const char *name;
        double value;
    } limits[] = {{"deadline", options->deadline_s},
                  {"power-cap", options->power_cap_w},
                  {"min-efficiency", options->min_efficiency}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value <= 0 && limits[i].value > not_given)
            return mw_fail(error, MW_USAGE, "option '--%s': the value must be above 0", limits[i].name);
    struct mw_goal g = {.deadline_s = fmax(0, options->deadline_s),
                        .power_cap_w = fmax(0, options->power_cap_w),
                        .has_slowdown = options->max_slowdown > not_given,
                        .max_slowdown = fmax(0, options->max_slowdown),
                        .min_efficiency = fmax(0, options->min_efficiency),
                        .certainty = options->certainty};
    if (!mw_objective_find(options->objective, &g.objective))
        return mw_fail(error, MW_USAGE, "unknown objective '%s'", options->objective);
    enum mw_err err = options->reference ? parse_reference(&g, options->reference, error) : MW_OK;
    if (!err)
        *goal = g;
    return err;
}

void goal_name(const struct mw_config *candidate, char *text, size_t size)
{
    int used = snprintf(text, size, "%.0f core%s", candidate->cores, candidate->cores == 1 ? "" : "s");
    if (candidate->freq_hz > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " at %.4g GHz", candidate->freq_hz / 1e9);
}

void goal_name_time(double time_s, const char *rate_unit, char *text, size_t size)
{
    if (rate_unit && *rate_unit)
        snprintf(text, size, "%.5g %s", 1 / time_s, rate_unit);
    else
        snprintf(text, size, "%.5g s", time_s);
}

json_t *goal_candidate_json(const struct mw_config *candidate)
{
    return json_pack("{s:I, s:o}", "cores", (json_int_t)candidate->cores, "freq_ghz",
                     mw_json_real(candidate->freq_hz > 0, candidate->freq_hz / 1e9));
}

json_t *goal_json(const struct mw_goal *goal)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:f}", "objective", mw_objective_name(goal->objective), "deadline_s",
                     mw_json_real(goal->deadline_s > 0, goal->deadline_s), "power_cap_w",
                     mw_json_real(goal->power_cap_w > 0, goal->power_cap_w), "max_slowdown_percent",
                     mw_json_real(goal->has_slowdown, 100 * goal->max_slowdown), "min_efficiency_percent",
                     mw_json_real(goal->min_efficiency > 0, 100 * goal->min_efficiency), "certainty", goal->certainty);
}

json_t *goal_commands_json(const struct mw_config *candidate, const struct mw_command_facts *facts)
{
    struct mw_command_line lines[MW_COMMAND_LINES];
    size_t count = mw_command_lines(candidate, facts, lines);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "use", lines[i].use, "line", lines[i].text));
    return list;
}

void goal_print_commands(const struct mw_config *candidate, const struct mw_command_facts *facts)
{
    static const struct {
        const char *use, *text;
    } titles[] = {{"local", "here"},
                  {"clock", "set the clock"},
                  {"clock-back", "put it back"},
                  {"slurm", "under Slurm"},
                  {"batch", "as a job"}};
    struct mw_command_line lines[MW_COMMAND_LINES];
    size_t count = mw_command_lines(candidate, facts, lines);
    printf("to use it\n");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof titles / sizeof *titles; k++)
            if (!strcmp(titles[k].use, lines[i].use))
                printf("  %-14s %s\n", titles[k].text, lines[i].text);
}
