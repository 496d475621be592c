// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/power.h"

#include <math.h>

double mw_sockets(double cores, unsigned cores_per_socket)
{
    return cores_per_socket ? ceil(cores / (double)cores_per_socket) : 1;
}

void mw_power_terms(double cores, double sockets, double x, double terms[MW_POWER_TERMS])
{
    double cube = x * x * x;
    terms[MW_POWER_S0] = 1;
    terms[MW_POWER_S1] = sockets - 1;
    terms[MW_POWER_U3] = sockets * cube;
    terms[MW_POWER_C1] = cores * x;
    terms[MW_POWER_C3] = cores * cube;
}

double mw_power_law(const double coefficients[MW_POWER_TERMS], double cores, double sockets, double x)
{
    double terms[MW_POWER_TERMS], sum = 0;
    mw_power_terms(cores, sockets, x, terms);
    for (int t = 0; t < MW_POWER_TERMS; t++)
        sum += coefficients[t] * terms[t];
    return sum;
}
