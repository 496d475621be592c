// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_UNITS_H
#define MW_DATA_UNITS_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Text to quantities and lists. All parsers take the whole string (no trailing rest), the C locale's
 * decimal point, and refuse nan, inf and overflow with MW_USAGE and a message that states the valid form.
 */
enum mw_err mw_parse_number(const char *text, double *value, struct mw_error *error) MW_CHECKED;
/* "1.8", "1.8GHz", "1800MHz", "1800000kHz" -> hertz; a bare number is in GHz. */
enum mw_err mw_parse_freq(const char *text, double *freq_hz, struct mw_error *error) MW_CHECKED;
/* "65536", "64KiB", "1.5GiB", "200kB", "200MB", "1GB" -> bytes. */
enum mw_err mw_parse_size(const char *text, size_t *size_bytes, struct mw_error *error) MW_CHECKED;
/* "90", "90s", "250ms", "1m12.271s", "1:12.5", "2-03:04:05", "2h" -> seconds. */
enum mw_err mw_parse_duration(const char *text, double *time_s, struct mw_error *error) MW_CHECKED;

/*
 * A list option resolved against what the machine (or the domain of a model) offers:
 * "1,2,4-16:2,all" / "1.2-2.4:0.2,min,max,all". `offered` sorted ascending, may be empty: then the
 * words min, max and all are an error. Result ascending without duplicates; caller frees *values.
 * Frequencies in hertz; cores whole numbers >= 1. A stepped range includes its end when a step meets it
 * within a thousandth of the step.
 */
enum mw_err mw_parse_cores(const char *text, const double *offered, size_t offered_count, double **values,
                           size_t *count, struct mw_error *error) MW_CHECKED;
enum mw_err mw_parse_freqs(const char *text, const double *offered_hz, size_t offered_count, double **freq_hz,
                           size_t *count, struct mw_error *error) MW_CHECKED;

/* 2500 MHz pinned is 2489 observed on well-behaved servers; anything farther off is another frequency. */
#define MW_FREQ_TOLERANCE 0.006
/* Whether two frequencies are one; an unknown one (0) is the same as another unknown one only. */
bool mw_freq_same(double a_hz, double b_hz);

/* Nearest word (Damerau-Levenshtein distance <= 2, or a third of its length), NULL where none is near. */
const char *mw_nearest(const char *word, const char *const *words, size_t count);

#endif
