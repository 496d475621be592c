// SPDX-License-Identifier: GPL-3.0-or-later
// Predicts the time on P cores at F GHz from a model file: cc predict.c $(pkg-config --cflags --libs memwall)
#include <fit/predict/predict.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct mw_model model = {0};
    struct mw_error error;
    struct mw_prediction answer;
    if (argc != 4)
        return 2;
    struct mw_config query = {.cores = atof(argv[2]), .freq_hz = 1e9 * atof(argv[3])};
    if (mw_model_read(&model, argv[1], &error) || mw_predict(&model, &query, 1, &answer, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("%.6g s (%.6g to %.6g)\n", answer.value, answer.low, answer.high);
    mw_model_release(&model);
}
