// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_STREAM_TEAM_H
#define MW_MEASURE_STREAM_TEAM_H

#include "measure/probe/stream.h"
#include "measure/probe/team.h"

/* What the threads of one bandwidth measurement share; stream.c sets it up, stream_team.c works on it. */
struct stream_set {
    bool used;
    struct mw_arena *arena;
    double *a, *b, *c;
    struct mw_placement placement;
};

struct stream_times {
    const char *isa;
    mw_stream_fn kernel;
    double *time_s; /* room for options->runs */
    bool *disturbed;
    size_t count;
    bool valid;
};

/* Written by one thread, read by the first after a barrier; a cache line pair each, so that none disturbs another. */
struct stream_member {
    _Alignas(128) double start_s, end_s;
    bool disturbed, wrong;
};

struct stream_shared {
    const struct mw_stream_options *options;
    size_t elements;
    double start_s, check_s; /* check_s: what comparing both sets takes about */
    struct stream_set sets[2];
    struct mw_arena own[2]; /* where the caller keeps none */
    struct stream_times *times;
    struct stream_member *members;
    bool go_on, stopped; /* the first thread's decision, read after a barrier */
};

enum mw_err mw_stream_member(void *shared, struct mw_team *team, size_t index, struct mw_error *error) MW_CHECKED;

#endif
