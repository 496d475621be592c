// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/shares.h"
#include "fit/posterior/cautious.h"

#include <stdlib.h>
#include <string.h>

/* Before the model's other combinations. */
static enum mw_err put_shares(struct mw_model *m, const struct mw_combination *shares, size_t count,
                              struct mw_error *error)
{
    struct mw_combination *list = malloc((count + m->combination_count + 1) * sizeof *list);
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory");
    memcpy(list, shares, count * sizeof *list);
    if (m->combination_count)
        memcpy(list + count, m->combinations, m->combination_count * sizeof *list);
    free(m->combinations);
    m->combinations = list;
    m->combination_count += count;
    return MW_OK;
}

enum mw_err mw_shares_read(struct mw_model *model, const struct mw_domain *domain, struct mw_error *error)
{
    const unsigned ends[2] = {domain->cores_low, domain->cores_high};
    const struct mw_diagnose_options options = {
        .boundaries = model->boundaries, .boundary_count = model->boundary_count, .seed = model->seed};
    struct mw_combination shares[2] = {0};
    struct mw_cautious reading = {0};
    size_t count = 0, wanted = ends[1] > ends[0] ? 2 : 1;
    if (model->quantity != MW_TIME || domain->freq_count < 2)
        return MW_OK;
    enum mw_err err = mw_cautious_init(&reading, &options, error);
    if (!err)
        err = mw_cautious_read(&reading, &model->points, error);
    for (; count < wanted && !err && !reading.view.one_clock; count++) {
        struct mw_interval share = mw_cautious_fixed(&reading, ends[count]);
        shares[count] = (struct mw_combination){.value = share.median, .low = share.low, .high = share.high};
        mw_share_describe(&shares[count], ends[count], domain->freq_high_hz);
    }
    mw_cautious_release(&reading);
    return err || !count ? err : put_shares(model, shares, count, error);
}
