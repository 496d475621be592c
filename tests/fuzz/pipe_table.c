// SPDX-License-Identifier: GPL-3.0-or-later
// From bytes to advice: a table that can be read is fitted, and the model predicts, recommends and is diagnosed.
#include "tests/fuzz/pipe.h"

const char *const fuzz_seeds[] = {
    "cores,freq_ghz,time_s\n1,1.2,8.6\n2,1.2,4.9\n4,1.2,3.0\n8,1.2,2.1\n1,2.4,4.5\n2,2.4,2.6\n4,2.4,1.7\n8,2.4,1.2\n",
    "threads;time [s];energy [J];power [W]\n1;40,1;2000;50\n2;21,5;1500;70\n4;12,3;1230;100\n8;8,1;1134;140\n16;7,9;1500;190\n",
    "cores,speedup\n1,1\n2,1.9\n4,3.4\n8,5.1\n16,4.8\n",
    "cores,repetition,time_s,cpu_s,exit_status,sys_s,main_wait_s,threads,disturbed\n1,1,4,3.9,0,0.1,0,1,0\n1,2,4.1,3.9,0,"
    "0.1,0,1,0\n2,1,2.2,4.0,0,0.1,0.01,2,0\n2,2,2.2,4.0,1,0.1,0.01,2,1\n4,1,1.3,4.4,0,0.2,0.3,4,0\n",
    NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mw_dataset *dataset = NULL;
    struct mw_model *model = NULL;
    struct mw_error error = {0};
    const char *path = fuzz_file(data, size);
    if (!path)
        return 0;
    enum mw_err err = mw_dataset_load(&dataset, path, NULL, &error);
    if (!err)
        err = mw_model_fit(&model, dataset, NULL, &error);
    FUZZ_HOLDS(!err || *error.message);
    if (!err)
        pipe_use(model);
    mw_model_free(model);
    mw_dataset_free(dataset);
    return 0;
}
