// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_PLOTS_REPORT_H
#define MW_PLOTS_REPORT_H

#include "advise/diagnose/answer.h"
#include "data/model_file/model_file.h"
#include "data/output.h"
#include "data/table.h"

#include <stdio.h>

/* What is recommended for one objective, as plain figures. */
struct mw_report_choice {
    const char *objective;
    bool possible;
    unsigned cores;
    double freq_hz, time_s, energy_j; /* energy_j 0: unknown */
    const char *command;              /* the ready line */
};

struct mw_report {
    const struct mw_model *model;
    const struct mw_answer *answer;
    const struct mw_report_choice *choices;
    size_t choice_count;
    const struct mw_table *gpu; /* of measure gpu; NULL: no such section */
    const struct mw_provenance *run;
    bool all; /* parameters and laws that the data can't tell, too */
};

/*
 * One self-contained HTML page: verdict, recommendations, pictures (inline SVG), parameters, laws, data quality.
 * Pictures that the model or the machine can't give (one frequency, no energy, no gnuplot) are left out with the reason.
 * The caller opens the stream and checks it afterwards.
 */
void mw_report_print(const struct mw_report *report, FILE *stream);

#endif
