// SPDX-License-Identifier: GPL-3.0-or-later
// Predicts the time on P cores at F GHz from a model file: cc predict.c $(pkg-config --cflags --libs memwall)
#include <memwall/memwall.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct mw_model *model = NULL;
    struct mw_predictor *predictor = NULL;
    struct mw_answer answer;
    struct mw_error error;
    if (argc != 4) {
        fprintf(stderr, "usage: predict MODEL.json CORES GHZ\n");
        return 2;
    }
    struct mw_config config = {.cores = atof(argv[2]), .freq_hz = 1e9 * atof(argv[3])};
    enum mw_err err = mw_model_load(&model, argv[1], &error);
    if (!err)
        err = mw_predictor_open(&predictor, model, NULL, &error); /* once; asked as often as needed */
    if (!err)
        err = mw_predictor_ask(predictor, &config, 1, &answer, &error);
    if (err)
        fprintf(stderr, "%s\n%s\n", error.message, error.hint);
    else
        printf("%.6g s (%.6g to %.6g)\n", answer.value, answer.low, answer.high);
    mw_predictor_close(predictor);
    mw_model_free(model);
    return err ? 1 : 0;
}
