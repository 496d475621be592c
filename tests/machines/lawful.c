// SPDX-License-Identifier: GPL-3.0-or-later
// A program whose run time follows the variable-latency law with known parameters, at the frequency that the kernel
// says the slowest of CPUs 0 … p-1 has.
//   lawful ROOT P f k m1 m2 SCALE [print|sleep] [NOISE]
// T = SCALE h / F (F in GHz, memory at 2.133 GHz). print: says "time: T s" and ends; sleep: takes that long.
// NOISE: relative spread, from a hash of the process number and the clock; one run in ten is half as slow again.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double read_ghz(const char *root, int cpu)
{
    char path[512];
    double khz = 0;
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", root, cpu);
    FILE *f = fopen(path, "r");
    for (int policy = cpu; !f && policy >= 0; policy--) {
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpufreq/policy%d/scaling_cur_freq", root, policy);
        f = fopen(path, "r");
    }
    if (!f || fscanf(f, "%lf", &khz) != 1)
        exit(3);
    fclose(f);
    return khz / 1e6;
}

static double uniform(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

int main(int argc, char **argv)
{
    if (argc < 8)
        return 2;
    int p = atoi(argv[2]);
    double f = atof(argv[3]), k = atof(argv[4]), m1 = atof(argv[5]), m2 = atof(argv[6]), ghz = INFINITY;
    for (int cpu = 0; cpu < p; cpu++)
        ghz = fmin(ghz, read_ghz(argv[1], cpu));
    double phi = ghz / 2.133, mu = fmin(m1 + m2 / p, 1);
    double h = fmax((1 + k * phi * mu) * ((1 - f) + f / p), (1 + k * phi) * mu);
    double time_s = atof(argv[7]) * h / ghz;
    if (argc > 9) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t state = (uint64_t)getpid() * 1000003u + (uint64_t)now.tv_nsec;
        double normal = sqrt(-2 * log(1 - uniform(&state))) * cos(2 * M_PI * uniform(&state));
        time_s *= exp(atof(argv[9]) * normal) * (uniform(&state) < .1 ? 1.5 : 1);
    }
    if (argc > 8 && !strcmp(argv[8], "sleep")) {
        struct timespec t = {.tv_sec = (time_t)time_s};
        t.tv_nsec = (long)((time_s - (double)t.tv_sec) * 1e9);
        nanosleep(&t, NULL);
    } else {
        printf("time: %.9g s\n", time_s);
    }
    return 0;
}
