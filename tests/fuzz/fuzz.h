// SPDX-License-Identifier: GPL-3.0-or-later
// A fuzz target: LLVMFuzzerTestOneInput and the seeds to start from. Built with libFuzzer (make fuzz) or with walk.c.
#ifndef MW_TESTS_FUZZ_H
#define MW_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const char *const fuzz_seeds[]; /* ends in NULL */

/* What must hold for any input; a violation is a finding as a crash is. */
#define FUZZ_HOLDS(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* The bytes as a file, for functions that take a path; the file is replaced by the next call. NULL where that fails. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
