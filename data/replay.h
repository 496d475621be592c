// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_REPLAY_H
#define MW_DATA_REPLAY_H

#include "data/dataset.h"

/* A measured table that answers in place of a machine. Owns what it points to. */
struct mw_replay {
    struct mw_dataset dataset;
    double *cores,
        *freqs_hz; /* what the table has, ascending without duplicates; freq_count 0: it has no frequencies */
    size_t core_count, freq_count;
};

/* As mw_dataset_read; MW_DATA for a table of speedups, unless energy_only is set and it has energies. */
enum mw_err mw_replay_open(struct mw_replay *replay, const char *path, const struct mw_dataset_options *options,
                           struct mw_error *error) MW_CHECKED;
void mw_replay_close(struct mw_replay *replay);

/*
 * The row of a configuration; freq_hz 0 stands for the one frequency of a table without any. Its rows are given in turn,
 * repetition counts from 1. *row belongs to the replay. MW_DATA names the nearest configuration that the table has
 * (the fewest cores apart in proportion, then in frequency).
 */
enum mw_err mw_replay_row(const struct mw_replay *replay, unsigned cores, double freq_hz, unsigned repetition,
                          const struct mw_row **row, struct mw_error *error) MW_CHECKED;

#endif
