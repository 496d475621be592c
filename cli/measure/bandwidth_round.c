// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/bandwidth_round.h"

#include "measure/probe/bandwidth_verdict.h"

#include <math.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
/* sizes are multiples of it, as mw_bandwidth_open rounds them */
#define GRAIN 512
/* visits of the whole before half of it is called faster, and the undisturbed windows of these */
#define CONFIRM_TURNS   4
#define CONFIRM_WINDOWS 4
/* offsets that a verdict rests on at least */
#define OFFSETS_LEAST 8
/* of the slowest offset: one alone may have met a moment in which the machine was slow */
#define OFFSET_VISITS_LEAST 3

const char *const bandwidth_score_formula =
    "(memset x read x memcpy x strided)^(1/4), their mb_s at the largest size; strided: geometric mean of strided-read "
    "over the strides beyond two lines";

void bandwidth_score(struct bandwidth_round *r, unsigned strides)
{
    static const enum mw_bandwidth_test parts[] = {MW_BW_MEMSET, MW_BW_READ, MW_BW_MEMCPY};
    double log_score = r->stride_count ? log(1e-6) + r->stride_log / r->stride_count : 0;
    bool whole = r->stride_count == strides && !r->cached;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        whole = whole && r->rate_bps[parts[i]] > 0;
        log_score += whole ? log(1e-6 * r->rate_bps[parts[i]]) : 0;
    }
    if (!whole) {
        cli_say(r->run->cli,
                "score on %u core%s: withheld, since a rate in it is missing, disturbed by other work, or a cache's",
                r->cores, r->cores == 1 ? "" : "s");
        return;
    }
    double score = exp(log_score / 4);
    measure_row(r->run, r->cores, r->freq_hz);
    fprintf(r->run->rows, "score,%zu,,," MEASURE_CELL ",,,,0,,\n", r->memory.size_bytes, score);
    cli_say(r->run->cli, "score on %u core%s: (memset x read x memcpy x strided)^(1/4) at %zu MiB = %.0f MB/s",
            r->cores, r->cores == 1 ? "" : "s", r->memory.size_bytes / MIB, score);
}

enum mw_err bandwidth_confirm(struct bandwidth_round *r, struct mw_error *error)
{
    const char *name = mw_bandwidth_name(MW_BW_READ);
    struct mw_bandwidth_case whole = {
        .test = MW_BW_READ, .cores = r->cores, .size_bytes = r->memory.size_bytes, .time_s = r->time_s};
    struct mw_bandwidth_case half = whole;
    struct mw_bandwidth_rate rate;
    double whole_bps = r->rate_bps[MW_BW_READ];
    size_t again = 0;
    half.size_bytes = whole.size_bytes / 2 / GRAIN * GRAIN;
    enum mw_err err = bandwidth_visit(r, name, &half, &rate, error);
    double half_bps = err ? 0 : bandwidth_row(r, name, &half, &rate);
    for (int turn = 0; turn < CONFIRM_TURNS && !err && mw_bw_gain(half_bps, whole_bps) == MW_BW_GAIN_FASTER; turn++) {
        err = bandwidth_visit(r, name, &whole, &rate, error);
        if (!err && rate.windows && !rate.disturbed) {
            again += rate.windows;
            whole_bps = fmax(whole_bps, rate.best_bps);
        }
    }
    if (err)
        return err;
    r->cached = mw_bw_gain(half_bps, whole_bps) == MW_BW_GAIN_FASTER;
    return measure_size_check(r->run, r->cores, name, whole_bps, r->cached && again < CONFIRM_WINDOWS ? 0 : half_bps,
                              error);
}

static enum mw_err tell(struct bandwidth_round *r, const char *what, struct mw_error *error, const char *text)
{
    char key[64];
    snprintf(key, sizeof key, "%s (%u core%s)", what, r->cores, r->cores == 1 ? "" : "s");
    cli_say(r->run->cli, "%s: %s", key, text);
    return mw_provenance_add(&r->run->provenance, error, key, "%s", text);
}

static enum mw_err tell_offsets(struct bandwidth_round *r, struct mw_error *error)
{
    char text[200];
    if (r->offset_count < OFFSETS_LEAST)
        return MW_OK;
    struct mw_bw_offsets v = mw_bw_offsets(r->offset_bps, r->offset_count);
    int used = snprintf(text, sizeof text, "best 0x%zx (%.0f MB/s), worst 0x%zx (%.0f MB/s): ", r->offset_bytes[v.best],
                        1e-6 * r->offset_bps[v.best], r->offset_bytes[v.worst], 1e-6 * r->offset_bps[v.worst]);
    if (v.conflict && r->offset_visits[v.worst] < OFFSET_VISITS_LEAST)
        snprintf(text + used, sizeof text - (size_t)used,
                 "whether it is a conflict can't be told, there was no time for another visit");
    else if (v.conflict)
        snprintf(text + used, sizeof text - (size_t)used, "a conflict costs %.0f %% of the median", 100 * v.cost);
    else
        snprintf(text + used, sizeof text - (size_t)used, "no conflict beyond %.0f %%", 100 * MW_BW_MARGIN);
    return tell(r, "copy_offsets", error, text);
}

static enum mw_err tell_stores(struct bandwidth_round *r, struct mw_error *error)
{
    char text[260];
    const double *rate = r->rate_bps;
    if (!(rate[MW_BW_COPY] > 0 && rate[MW_BW_COPY_NT] > 0))
        return MW_OK;
    enum mw_bw_gain gain = mw_bw_gain(rate[MW_BW_COPY_NT], rate[MW_BW_COPY]);
    snprintf(text, sizeof text, "%s: copies of %zu MiB at %.2f times the rate of regular ones",
             gain == MW_BW_GAIN_FASTER   ? "they pay"
             : gain == MW_BW_GAIN_SLOWER ? "they cost"
                                         : "no difference",
             r->memory.size_bytes / MIB, rate[MW_BW_COPY_NT] / rate[MW_BW_COPY]);
    enum mw_err err = tell(r, "streaming_stores", error, text);
    for (size_t i = 0; i < r->size_count && !err; i++)
        if (!(r->fill_bps[i] > 0 && r->fill_nt_bps[i] > 0)) /* one that is not known is no rate that is the same */
            return MW_OK;
    if (err || !(rate[MW_BW_FILL] > 0 && rate[MW_BW_FILL_NT] > 0))
        return err;
    size_t from = mw_bw_allocates_from(r->fill_bps, r->fill_nt_bps, r->size_count);
    if (from < r->size_count)
        snprintf(text, sizeof text,
                 "regular stores read each line first from %zu KiB on: fills at %.2f times the rate "
                 "without it at %zu MiB",
                 r->size_bytes[from] / KIB, rate[MW_BW_FILL] / rate[MW_BW_FILL_NT], r->memory.size_bytes / MIB);
    else if (gain == MW_BW_GAIN_FASTER)
        snprintf(
            text, sizeof text,
            "not by fills, regular ones are as fast as streaming ones at every size (whole lines may be written without "
            "a read); copies are not: streaming ones move %.2f times as much",
            rate[MW_BW_COPY_NT] / rate[MW_BW_COPY]);
    else
        snprintf(text, sizeof text, "no cost at any size: regular fills and copies are as fast as streaming ones");
    return tell(r, "write_allocate", error, text);
}

/* From the core count before to this one. */
static enum mw_err tell_bound(struct bandwidth_round *r, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    const double read_bps = r->rate_bps[MW_BW_READ], copy_bps = r->rate_bps[MW_BW_COPY];
    char text[200];
    if (r->before_cores && r->before_read_bps > 0 && read_bps > 0) {
        snprintf(text, sizeof text, "reads are bound by %s: %.0f MB/s on %u, %.0f on %u",
                 mw_bw_bound_text(mw_bw_bound(r->before_cores, r->before_read_bps, r->cores, read_bps)),
                 1e-6 * r->before_read_bps, r->before_cores, 1e-6 * read_bps, r->cores);
        err = tell(r, "bound_reads", error, text);
    }
    if (!err && r->before_cores && r->before_copy_bps > 0 && copy_bps > 0) {
        snprintf(text, sizeof text, "copies are bound by %s: %.0f MB/s on %u, %.0f on %u",
                 mw_bw_bound_text(mw_bw_bound(r->before_cores, r->before_copy_bps, r->cores, copy_bps)),
                 1e-6 * r->before_copy_bps, r->before_cores, 1e-6 * copy_bps, r->cores);
        err = tell(r, "bound_copies", error, text);
    }
    r->before_cores = r->cores;
    r->before_read_bps = read_bps;
    r->before_copy_bps = copy_bps;
    return err;
}

enum mw_err bandwidth_verdicts(struct bandwidth_round *r, struct mw_error *error)
{
    enum mw_err err = tell_offsets(r, error);
    if (!err)
        err = tell_stores(r, error);
    return err ? err : tell_bound(r, error);
}
