// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_GOAL_OPTIONS_H
#define MW_CLI_GOAL_OPTIONS_H

#include "advise/recommend/commands.h"
#include "advise/recommend/goal.h"
#include "cli/cli.h"

#include <jansson.h>

/* What recommend, plan and tune ask of the user in the same words. A command's options struct holds it as `goal`. */
struct goal_options {
    const char *objective, *reference;
    double deadline_s, power_cap_w, max_slowdown, min_efficiency, certainty;
};
extern const char *const goal_objective_choices[];

/* clang-format off */
#define GOAL_OPTIONS(type)                                                                                              \
    {"objective", CLI_CHOICE, CLI_FIELD(type, goal.objective), "WHAT", "time (default), energy, edp (energy x time) or ed2p", goal_objective_choices, 0, 0}, \
    {"deadline", CLI_DURATION, CLI_FIELD(type, goal.deadline_s), "S", "the run may take S at most (as in 90, 30m, 2h)", NULL, 0, 0}, \
    {"power-cap", CLI_NUMBER, CLI_FIELD(type, goal.power_cap_w), "W", "mean power of at most W watts", NULL, 0, 1e9},  \
    {"max-slowdown", CLI_PERCENT, CLI_FIELD(type, goal.max_slowdown), "PCT", "at most PCT slower than the reference", NULL, 0, 100000}, \
    {"min-efficiency", CLI_PERCENT, CLI_FIELD(type, goal.min_efficiency), "PCT", "speedup over one core of at least PCT of the cores", NULL, 0, 1000}, \
    {"reference", CLI_STRING, CLI_FIELD(type, goal.reference), "P@F", "cores and frequency compared with, as in 24@2.4 (default: all cores at the highest)", NULL, 0, 0}, \
    {"certainty", CLI_PERCENT, CLI_FIELD(type, goal.certainty), "PCT", "that limits hold, and that nothing better is left (default 90)", NULL, 50, 99.99}
/* clang-format on */

/* For a command's defaults(). */
void goal_options_default(struct goal_options *options);
/* MW_USAGE for a reference that is not P@F. */
enum mw_err goal_from_options(struct mw_goal *goal, const struct goal_options *options,
                              struct mw_error *error) MW_CHECKED;

/* "24 cores at 2.4 GHz", "1 core". */
void goal_name(const struct mw_config *candidate, char *text, size_t size);
/* "1.17 s", or in the user's unit where times are inverses of rates: "8.2 ns/day". rate_unit may be NULL. */
void goal_name_time(double time_s, const char *rate_unit, char *text, size_t size);
/* {"cores": 24, "freq_ghz": 2.4}; freq_ghz null where unknown. */
json_t *goal_candidate_json(const struct mw_config *candidate);
json_t *goal_json(const struct mw_goal *goal);
json_t *goal_commands_json(const struct mw_config *candidate, const struct mw_command_facts *facts);
void goal_print_commands(const struct mw_config *candidate, const struct mw_command_facts *facts);

#endif
