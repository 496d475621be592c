// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/machine/health.h"

#include "measure/machine/cgroup.h"
#include "measure/machine/sysfile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SENSORS_MAX = 64, CHANNELS_MAX = 32 };

static bool is_among(const unsigned *cpus, size_t count, unsigned cpu)
{
    for (size_t i = 0; i < count; i++)
        if (cpus[i] == cpu)
            return true;
    return false;
}

/* The lines "cpuN user nice system idle iowait irq softirq steal …" of the CPUs, without idle and iowait. */
static bool read_busy(const unsigned *cpus, size_t count, struct mw_health *health)
{
    FILE *f = fopen("/proc/stat", "re");
    char line[512];
    double ticks = 0, stolen = 0;
    size_t found = 0;
    while (f && found < count && fgets(line, sizeof line, f)) {
        unsigned cpu;
        double v[8];
        if (strncmp(line, "cpu", 3))
            break;
        if (sscanf(line, "cpu%u %lf %lf %lf %lf %lf %lf %lf %lf", &cpu, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
                   &v[7]) != 9 ||
            !is_among(cpus, count, cpu))
            continue;
        ticks += v[0] + v[1] + v[2] + v[5] + v[6];
        stolen += v[7];
        found++;
    }
    if (f)
        fclose(f);
    health->busy_s = ticks / (double)sysconf(_SC_CLK_TCK);
    health->steal_s = stolen / (double)sysconf(_SC_CLK_TCK);
    return found == count;
}

struct mw_health mw_health_read(const unsigned *cpus, size_t count)
{
    static const char *const names[] = {"core", "package"};
    struct mw_health health = {0};
    health.has_busy = read_busy(cpus, count, &health);
    health.has_throttled = mw_cpu_throttled("", &health.throttled_s);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 2; k++) {
            double value;
            if (mw_sysfile_number("", &value, "/sys/devices/system/cpu/cpu%u/thermal_throttle/%s_throttle_count",
                                  cpus[i], names[k]))
                return health; /* not counted here */
            health.hot += value;
        }
    }
    return health;
}

double mw_health_foreign(const struct mw_health *before, const struct mw_health *after, double cpu_time_s,
                         double wall_s, size_t count)
{
    const double ticks_least = 3; /* a CPU: one at each end, one in between for the program's own rounding */
    if (!before->has_busy || !after->has_busy || wall_s <= 0)
        return 0;
    double foreign_s = after->busy_s + after->steal_s - before->busy_s - before->steal_s - cpu_time_s;
    if (foreign_s < ticks_least * (double)count / (double)sysconf(_SC_CLK_TCK))
        return 0;
    return fmin(foreign_s / (wall_s * (double)count), 1);
}

static bool is_processor(const char *name)
{
    static const char *const names[] = {"coretemp",     "k10temp",     "zenpower",    "cpu_thermal", "cpu-thermal",
                                        "x86_pkg_temp", "soc_thermal", "soc-thermal", "CPU-therm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

bool mw_health_temperature(const char *root, double *celsius)
{
    double hottest = -INFINITY, value; /* the files count in thousandths of a degree */
    char name[48];
    for (unsigned s = 0; s < SENSORS_MAX; s++)
        if (!mw_sysfile_text(root, name, sizeof name, "/sys/class/hwmon/hwmon%u/name", s) && is_processor(name))
            for (unsigned c = 1; c <= CHANNELS_MAX; c++)
                if (!mw_sysfile_number(root, &value, "/sys/class/hwmon/hwmon%u/temp%u_input", s, c))
                    hottest = fmax(hottest, value / 1e3);
    for (unsigned z = 0; z < SENSORS_MAX && isinf(hottest); z++)
        if (!mw_sysfile_text(root, name, sizeof name, "/sys/class/thermal/thermal_zone%u/type", z) &&
            is_processor(name) && !mw_sysfile_number(root, &value, "/sys/class/thermal/thermal_zone%u/temp", z))
            hottest = value / 1e3;
    if (isinf(hottest))
        return false;
    *celsius = hottest;
    return true;
}
