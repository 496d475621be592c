// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_RECOMMEND_H
#define MW_CLI_RECOMMEND_H

#include "advise/diagnose/answer.h"
#include "advise/recommend/recommend.h"
#include "cli/goal_options.h"

/* The parts of `memwall recommend`. */
struct recommendation {
    struct cli *cli;
    struct mw_goal goal;
    struct mw_model model;
    struct mw_recommendation r;
    bool pareto;
    struct mw_answer answer;
    char *program; /* as a shell takes it, its cores replaced; NULL: the model does not know it */
};

void recommend_print(const struct recommendation *recommendation);
enum mw_err recommend_write_json(const struct recommendation *recommendation, struct mw_error *error) MW_CHECKED;

/*
 * A power law from FILE: the object `power` of a model.json, or the same members in an object of their own (what is not
 * there is 0). MW_DATA names file and key.
 */
enum mw_err recommend_read_power(struct mw_model_power *power, const char *path, struct mw_error *error) MW_CHECKED;

#endif
