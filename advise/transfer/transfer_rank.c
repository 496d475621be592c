// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/transfer/transfer.h"

#include <math.h>

enum { NODES = 2000 };
static const double REACH_SD = 6; /* of the contender's own error: the rest is under 2e-9 */
static const double LEAST_SD = 1e-6;

static double normal_above(double z)
{
    return .5 * erfc(z * M_SQRT1_2);
}

void mw_transfer_rank(struct mw_transfer_contender *contenders, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (int k = 0; k <= NODES; k++) {
            double z = REACH_SD * (2. * k / NODES - 1), density = exp(-.5 * z * z);
            double at = contenders[i].ln_time + z * fmax(contenders[i].ln_sd, LEAST_SD);
            for (size_t j = 0; j < count; j++)
                if (j != i)
                    density *= normal_above((at - contenders[j].ln_time) / fmax(contenders[j].ln_sd, LEAST_SD));
            sum += k == 0 || k == NODES ? density / 2 : density;
        }
        contenders[i].chance = sum;
        total += sum;
    }
    for (size_t i = 0; i < count; i++)
        contenders[i].chance = total > 0 ? contenders[i].chance / total : 1. / (double)count;
}

double mw_transfer_margin_right(double margin, bool time_measured)
{
    /* The lowest that any test saw, of two candidates or of one and the machine at hand (docs/buying.md). */
    static const struct {
        double margin, by_score, by_time;
    } TABLE[] = {{5, .99, .99}, {2.5, .93, .98}, {1.5, .80, .89}, {1, .59, .6}};
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        if (margin >= TABLE[i].margin)
            return time_measured ? TABLE[i].by_time : TABLE[i].by_score;
    return .5;
}
