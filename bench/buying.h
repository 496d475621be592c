// SPDX-License-Identifier: GPL-3.0-or-later
// The machines and programs that make bench-buying carries from one to another.
#ifndef MW_BENCH_BUYING_H
#define MW_BENCH_BUYING_H

#include "advise/transfer/transfer.h"
#include "fit/fit.h"

enum { MACHINES = 8, PROGRAMS = 8, MOST = 48 };

/* One program measured on one machine with 1 ... cores, all of them; [0] is not used. */
struct curve {
    bool present, memory;
    struct mw_dataset dataset;
    struct mw_model model;
    unsigned cores;
    double time_s[MOST + 1];
    struct mw_transfer_source source;
};
extern struct curve curves[MACHINES][PROGRAMS];
extern struct mw_profile profiles[MACHINES];

/* Reads and fits all tables of the folder; false: it has none. */
bool buying_load(const char *folder);
_Noreturn void buying_die(const struct mw_error *error);
/* Fits the rows of these core counts (NULL: all) up to the physical ones; the others are put aside. */
bool buying_fit(struct mw_model *model, struct mw_dataset *dataset, unsigned physical, const unsigned *cores,
                size_t count);
/* The program on the target from machine a. The caller releases it. */
struct mw_transfer_result buying_answer(int a, int program, double exponent, const struct mw_transfer_target *target,
                                        const double *cores, size_t n);

/* Prints: errors and coverage with a few points on the target; answers to "what if memory were faster". */
void buying_points(void);
void buying_what_if(const char *folder);

#endif
