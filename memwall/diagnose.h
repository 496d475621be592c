/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEMWALL_DIAGNOSE_H
#define MEMWALL_DIAGNOSE_H

#include "memwall/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What binds a program; docs/diagnosis.md has the rule. More may be added before _COUNT: treat others as undetermined. */
enum mw_verdict {
    MW_VERDICT_SCALES_WELL,
    MW_VERDICT_SERIAL,
    MW_VERDICT_MEMORY_LATENCY,
    MW_VERDICT_MEMORY_BANDWIDTH,
    MW_VERDICT_CACHE,
    MW_VERDICT_GRANULARITY,
    MW_VERDICT_STEP,
    MW_VERDICT_SLOWS_DOWN,
    MW_VERDICT_WEAK_SCALING,
    MW_VERDICT_WAITING,
    MW_VERDICT_LIMIT,
    MW_VERDICT_ONE_THREAD,
    MW_VERDICT_CLOCK,
    MW_VERDICT_BUSY_CLOCK, /* a cause (spinning, extra work) and a pair */
    MW_VERDICT_MEMORY,     /* the two kinds together */
    MW_VERDICT_FLAT,       /* times alone: one thread, or work that grows */
    MW_VERDICT_IDLE_CLOCK, /* pairs: what the cores lose, and whether it moves with the clock */
    MW_VERDICT_IDLE_FIXED,
    MW_VERDICT_BUSY_FIXED,
    MW_VERDICT_IDLE, /* families: cores without work, or work that takes more of their time */
    MW_VERDICT_BUSY,
    MW_VERDICT_BOTH,
    MW_VERDICT_UNDETERMINED,
    MW_VERDICT_COUNT
};
/* "scales-well", ... as `memwall diagnose` prints them */
MW_API const char *mw_verdict_name(enum mw_verdict verdict);
/* One line on what the verdict means. */
MW_API const char *mw_verdict_sentence(enum mw_verdict verdict);

/* Zeroed is good. Arrays are borrowed for the call. */
struct mw_diagnose_options {
    unsigned cores;             /* P that the verdict is for; 0: the largest measured */
    double freq_max_hz;         /* that the verdict is for; 0: the highest measured */
    const unsigned *boundaries; /* known socket, NUMA, SMT or kind boundaries; none: P/2 and anywhere */
    size_t boundary_count;
    unsigned long seed;
    size_t reserved[4];
};

/* Opaque. Never changed once made: any number of threads may read one. */
struct mw_report;

/*
 * What limits the program of a model, from its points. options NULL: the defaults. *report is overwritten, whatever it held,
 * and is the caller's to free. MW_DATA where nothing can be said (fewer than two points), MW_NOMEM. Deterministic.
 */
MW_API enum mw_err mw_report_alloc(struct mw_report **report, const struct mw_model *model,
                                   const struct mw_diagnose_options *options, struct mw_error *error) MW_CHECKED;
/* NULL is taken. */
MW_API void mw_report_free(struct mw_report *report);

MW_API enum mw_verdict mw_report_verdict(const struct mw_report *report);
/* Posterior chance of the verdict; 0 where it is undetermined. */
MW_API double mw_report_confidence(const struct mw_report *report);
/* Sentences, the report's; NULL beyond the last. */
MW_API const char *mw_report_evidence(const struct mw_report *report, size_t i);
MW_API const char *mw_report_advice(const struct mw_report *report, size_t i);

#ifdef __cplusplus
}
#endif

#endif
