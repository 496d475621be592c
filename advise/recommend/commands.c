// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/recommend/commands.h"

#include "data/output.h"

#include <stdio.h>
#include <string.h>

/* Longer ones would not be read, and are known to who wrote them; quoted for sbatch one is four times as long at most. */
enum { PROGRAM_MOST = 500 };

size_t mw_command_lines(const struct mw_config *choice, const struct mw_command_facts *facts,
                        struct mw_command_line lines[MW_COMMAND_LINES])
{
    char first[64], slurm_freq[64] = "";
    const char *cpus = facts->cpus,
               *program = facts->program && strlen(facts->program) < PROGRAM_MOST ? facts->program : "COMMAND";
    double khz = choice->freq_hz / 1e3, mhz = choice->freq_hz / 1e6;
    size_t count = 0;
    if (!cpus) {
        snprintf(first, sizeof first, choice->cores > 1 ? "0-%.0f" : "%.0f", choice->cores - 1);
        cpus = first;
    }
    lines[count] = (struct mw_command_line){.use = "local"};
    snprintf(lines[count].text, sizeof lines[count].text,
             "OMP_NUM_THREADS=%.0f OMP_PROC_BIND=close OMP_PLACES=cores taskset -c %s %s", choice->cores, cpus,
             program);
    count++;
    if (choice->freq_hz > 0 && !facts->clock_fixed) {
        lines[count] = (struct mw_command_line){.use = "clock"};
        snprintf(lines[count].text, sizeof lines[count].text,
                 "sudo cpupower -c %s frequency-set --min %.0fMHz --max %.0fMHz", cpus, mhz, mhz);
        count++;
        if (facts->freq_low_hz > 0 && facts->freq_high_hz > facts->freq_low_hz) {
            lines[count] = (struct mw_command_line){.use = "clock-back"};
            snprintf(lines[count].text, sizeof lines[count].text,
                     "sudo cpupower -c %s frequency-set --min %.0fMHz --max %.0fMHz", cpus, facts->freq_low_hz / 1e6,
                     facts->freq_high_hz / 1e6);
            count++;
        }
        snprintf(slurm_freq, sizeof slurm_freq, " --cpu-freq=%.0f", khz);
    }
    lines[count] = (struct mw_command_line){.use = "slurm"};
    snprintf(lines[count].text, sizeof lines[count].text,
             "srun --ntasks=1 --cpus-per-task=%.0f --cpu-bind=cores --hint=nomultithread%s %s", choice->cores,
             slurm_freq, program);
    count++;
    lines[count] = (struct mw_command_line){.use = "batch"};
    int used =
        snprintf(lines[count].text, sizeof lines[count].text,
                 "sbatch --ntasks=1 --cpus-per-task=%.0f --hint=nomultithread%s --wrap=", choice->cores, slurm_freq);
    FILE *f = fmemopen(lines[count].text + used, sizeof lines[count].text - (size_t)used, "w");
    if (f) {
        mw_quote_word(f, program);
        fclose(f);
    }
    return count + 1;
}
