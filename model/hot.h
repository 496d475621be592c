// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MODEL_HOT_H
#define MW_MODEL_HOT_H

#include <math.h>

/*
 * MW_HOT marks a loop that is worth several instruction sets, chosen by the loader at run time. Only in files named
 * hot_*.c or law_*.c and in mechanisms.c, which are built with reassociation. Sanitizers cannot run before the loader's resolvers do, so they get
 * the plain version.
 */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define MW_HOT __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define MW_HOT
#endif

/* glibc has vector versions within 4 ulp; the compiler uses them where it is told that they exist. */
#if defined(__GLIBC__) && defined(__x86_64__) && !defined(__clang__)
extern double log(double) __attribute__((simd("notinbranch")));
extern double pow(double, double) __attribute__((simd("notinbranch")));
#endif

#endif
