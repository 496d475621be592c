// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_CACHE_H
#define MW_MEASURE_CACHE_H

#include "data/error.h"
#include "measure/machine/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parameters of caches, TLBs and prefetchers, measured and compared with what the system reports.
 *
 * Method (two scans, Saavedra & Smith 1995, with these departures: every load waits for the one before; orders are random,
 * against prefetchers; steps are found by the rule of changepoint.h):
 * capacity       step of the time of a load over the size of the working set: where the first sets overflow
 * memory latency walk over lines that were flushed from all caches
 * line           level 1: stride scan on a 16 KiB array pushed out to level 2; others: the unit that a flush removes
 * associativity  lines at doubling strides: the number that fits, once it stops halving
 * TLB            one line a page against as many lines side by side: steps are the entries, their heights the costs
 * prefetchers    dependent loads forward and backward against random ones at the same stride
 */
enum mw_cache_verdict {
    MW_CACHE_AGREES,
    MW_CACHE_DIFFERS,
    MW_CACHE_UNKNOWN,  /* not found, or found and doubtful */
    MW_CACHE_MEASURED, /* found, and nothing is reported to compare with */
};

struct mw_finding {
    char level[32];       /* "1", "2", …, "memory", "tlb1", "tlb2", "prefetch" */
    const char *property; /* "capacity_bytes", "line_bytes", "associativity", "latency_ns", "entries", "miss_ns", … */
    bool found;
    double value;    /* where found */
    double reported; /* 0: the system reports none */
    enum mw_cache_verdict verdict;
    bool disturbed; /* rests on a point in whose windows the thread lost its CPU, every time; MW_CACHE_UNKNOWN then */
    char why[120];  /* empty with MW_CACHE_AGREES, and mostly with MW_CACHE_MEASURED */
};

struct mw_curve_point {
    const char *curve; /* "size", "line", "flush", "ways1", "ways2", "tlb", "forward", "backward", "random" */
    double x, time_s;  /* bytes; pages for "tlb"; a stride for "ways", with the number of lines in place of the time */
    bool disturbed;
};

/* five levels with four properties each, memory, two TLBs with two each, five of prefetchers: 30 at most */
#define MW_FINDING_MAX 40

struct mw_cache_report {
    struct mw_finding findings[MW_FINDING_MAX];
    size_t finding_count;
    struct mw_curve_point *points; /* owned */
    size_t point_count;
    double time_s;        /* taken */
    size_t scanned_bytes; /* largest working set */
    size_t page_bytes;    /* of most of the memory scanned */
};

struct mw_cache_options {
    unsigned cpu;      /* the kernel's number; the scan runs there */
    size_t size_bytes; /* largest working set */
    double max_time_s;
    uint64_t seed;
    bool guest;         /* in a virtual machine */
    bool (*stop)(void); /* NULL, or asked now and then */
};

/*
 * *report is filled also where the time was up before the end: what is missing is then MW_CACHE_UNKNOWN.
 * MW_NOMEM, MW_RUN (not bound), MW_INTERRUPTED (stop() was true; *report unchanged). Takes 15 to 25 s with 512 MiB.
 */
enum mw_err mw_cache_measure(const struct mw_topology *topology, const struct mw_cache_options *options,
                             struct mw_cache_report *report, struct mw_error *error) MW_CHECKED;
void mw_cache_report_release(struct mw_cache_report *report);

/* Agreement of what was measured with what is reported: within two points of the scan over sizes. */
#define MW_CAPACITY_TOLERANCE 0.125

#endif
