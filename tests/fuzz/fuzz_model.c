// SPDX-License-Identifier: GPL-3.0-or-later
// Model files: what is read can be written, and holds only values in range.
#include "tests/fuzz/fuzz.h"

#include "data/model_file/model_file.h"

#include <math.h>
#include <string.h>

const char *const fuzz_seeds[] = {
    /* a whole model, every key: it must be read */
    "{\"schema\": \"memwall-model/2\", \"quantity\": \"time\", \"law\": \"mixture\", \"time_scale_s_ghz\": 3.5, "
    "\"memory_freq_ghz\": 2.133, \"memory_freq_assumed\": true, \"k_max\": 5.2, \"weak\": false, \"cores_per_socket\": 12, "
    "\"parameters\": {\"f\": {\"value\": 0.3, \"low\": 0.1, \"high\": 0.9, \"settle\": \"\", \"status\": "
    "\"identified\"}}, "
    "\"domain\": {\"cores\": [1, 4], \"freq_ghz\": [1.2, 2.4]}, \"fit\": {\"loss\": \"robust\", \"loss_value\": 0.1, "
    "\"method\": \"csa\", \"rmse_log_time\": 0.1, \"mse_speedup\": null, \"cv_mape_percent\": 2.5, \"evaluations\": "
    "12, "
    "\"seed\": 7}, \"boundaries\": [12, 24], \"data\": {\"file\": \"a.csv\", \"sha256\": \"00\", \"workload\": \"\", "
    "\"input\": \"3\", \"rows\": 9, \"used\": 8, \"detected\": 1, \"set_aside\": [{\"row\": 4, \"reason\": \"failed\"}], \"warnings\": "
    "[\"w\"]}, "
    "\"laws\": [{\"name\": \"usl\", \"scale\": 3.0, \"loss\": 0.0, \"rmse_log\": 0.0, \"mse_speedup\": null, "
    "\"cv_mape_percent\": null, \"log_evidence\": null, \"weight\": 0.5, \"parameters\": [0.1, 2e-17]}], "
    "\"combinations\": [{\"name\": \"s\", \"text\": \"t\", \"value\": 0.3, \"low\": 0.3, \"high\": 0.4, "
    "\"identified\": true}], "
    "\"power\": {\"s0_w\": 10.1, \"s1_w\": 0.0, \"u3_w\": 0.0, \"c1_w\": 0.0, \"c3_w\": 0.0, \"freq_ref_ghz\": 2.4, "
    "\"residual_sd\": 0.0, \"cores_per_socket\": 0, \"source\": \"test\", \"draws\": [0.0, 0.0, 0.0, 0.0, 0.1]}, "
    "\"points\": {\"cores\": [1, 4], \"freq_ghz\": [1.2, 1.2], \"value\": [10.1, 0.14], \"spread\": [0.01, 0.0], "
    "\"repetitions\": [3, 1], \"energy_j\": [400.7, null], \"power_w\": [null, null], \"cpu_s\": [null, null], "
    "\"noise_factor\": [1.0, 25.0], \"row\": [5, 6]}, "
    "\"runs\": {\"has\": [11, 33], \"cores\": [1, 4], \"freq_ghz\": [1.2, 0.0], \"freq_effective_ghz\": [0.0, 0.0], "
    "\"repetition\": [1, 0], \"value\": [10.1, 0.14], \"energy_j\": [400.7, 0.0], \"power_w\": [0.0, 0.0], \"cpu_s\": "
    "[0.0, 0.5], \"row\": [5, 6]}, \"ensemble\": [{\"law\": \"vls\", \"prior\": 2, \"independent\": "
    "true, "
    "\"log_evidence\": -12.5, \"parameter_count\": 2, \"parameters\": [1.4, 1.0, 1.7, 0.3], \"ln_scale\": [1.1, 1.4], "
    "\"sigma\": [0.3, 0.25], \"kernel\": [0, 1]}], \"run\": {\"wall_s\": 0.25}}",
    "{\"schema\": \"memwall-model/2\", \"quantity\": \"speedup\", \"law\": \"vls\"}",
    NULL,
};

/* What an update makes of them (fit/update.h). */
static void check_rows(const struct mw_model *model)
{
    FUZZ_HOLDS(model->detected_count <= model->set_aside_count);
    for (size_t i = 0; i < model->set_aside_count; i++)
        FUZZ_HOLDS(model->set_aside[i].reason);
    for (size_t i = 0; i < model->run_count; i++) {
        const struct mw_row *run = &model->runs[i];
        FUZZ_HOLDS(run->cores >= 1 && isfinite(run->value) && run->value > 0 && run->has & MW_HAS_VALUE);
        FUZZ_HOLDS(isfinite(run->freq_hz) && run->freq_hz >= 0 && run->energy_j >= 0 && run->power_w >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mw_model model;
    struct mw_error error = {0};
    const char *path = fuzz_file(data, size);
    if (!path)
        return 0;
    if (mw_model_read(&model, path, &error)) {
        FUZZ_HOLDS(*error.message);
        FUZZ_HOLDS(size != strlen(fuzz_seeds[0]) || memcmp(data, fuzz_seeds[0], size) != 0);
        return 0;
    }
    check_rows(&model);
    FUZZ_HOLDS(model.points.count > 0);
    for (size_t i = 0; i < model.points.count; i++)
        FUZZ_HOLDS(model.points.items[i].value > 0 && isfinite(model.points.items[i].value));
    for (size_t i = 0; i < model.ensemble.count; i++)
        for (size_t k = 0; k < model.ensemble.fits[i].draw_count * model.ensemble.fits[i].param_count; k++)
            FUZZ_HOLDS(isfinite(model.ensemble.fits[i].params[k]));
    FUZZ_HOLDS(!mw_model_write(&model, "/dev/null", true, NULL, &error));
    mw_model_release(&model);
    return 0;
}
