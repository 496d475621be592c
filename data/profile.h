// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_PROFILE_H
#define MW_DATA_PROFILE_H

#include "data/boundary.h"
#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What a prediction needs to know of a machine: written by `memwall machine --json` or by hand from a data sheet.
 * Keys as in the manual of `memwall machine`; every one is optional, 0 or NULL means unknown.
 */
struct mw_profile {
    char *name;
    unsigned cores, cores_per_node, sockets, smt;
    unsigned *boundaries;                  /* core counts after which a socket, NUMA, SMT or kind boundary lies */
    enum mw_boundary_kind *boundary_kinds; /* of each; NULL: not named */
    size_t boundary_count;
    struct mw_profile_clock {
        unsigned active_cores;
        double freq_hz;
    } * clock; /* "clock_ghz": [[cores, GHz], …] ascending in cores */
    size_t clock_count;
    double *freqs_hz; /* "freqs_ghz": what can be set, ascending */
    size_t freq_count;
    double stream_bps, stream_1_bps; /* "stream_gbs", "stream_1_gbs": all cores, one core; bytes per second */
    double memory_bytes, llc_bytes;
    double latency_s;           /* "latency_ns" */
    double memory_transfers_hz; /* "mem_mts" in MT/s */
    double memory_freq_hz;      /* "memory_freq_ghz"; else from mem_mts */
    unsigned channels;
    char *score_name;
    double score;
    char *isa;
    bool stream_guessed; /* "source": {"stream_gbs": "guessed"} */
};

void mw_profile_release(struct mw_profile *profile);
/* MW_DATA names the file and the key. */
enum mw_err mw_profile_read(struct mw_profile *profile, const char *path, struct mw_error *error) MW_CHECKED;
/* The clock with `cores` active: linear between entries, the nearest beyond; 0 where there is no table. */
double mw_profile_clock_at(const struct mw_profile *profile, double cores);

#endif
