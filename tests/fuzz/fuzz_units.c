// SPDX-License-Identifier: GPL-3.0-or-later
// Words of the command line: numbers, quantities and lists.
#include "tests/fuzz/fuzz.h"

#include "data/units.h"

#include <math.h>
#include <string.h>

const char *const fuzz_seeds[] = {
    "1,2,4-16:2,all",
    "1.2-2.4:0.2,min,max,all",
    "1800MHz,2200000kHz",
    "64KiB",
    "1.5GiB",
    "200kB",
    "1m12.271s",
    "2-03:04:05",
    "1:12.5",
    "250ms",
    "2h",
    "1e308",
    "-5",
    "0x10",
    NULL,
};

static void check_list(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        FUZZ_HOLDS(isfinite(values[i]) && values[i] > 0 && (!i || values[i - 1] < values[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double offered[] = {1, 2, 4, 8}, offered_hz[] = {1.2e9, 2.4e9};
    struct mw_error error;
    char text[256];
    double value, *values;
    size_t bytes, count;
    size = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, size);
    text[size] = '\0';
    if (!mw_parse_number(text, &value, &error))
        FUZZ_HOLDS(isfinite(value));
    if (!mw_parse_freq(text, &value, &error))
        FUZZ_HOLDS(isfinite(value) && value >= 0);
    if (!mw_parse_duration(text, &value, &error))
        FUZZ_HOLDS(isfinite(value) && value >= 0);
    if (!mw_parse_size(text, &bytes, &error))
        FUZZ_HOLDS(bytes >= 1);
    for (unsigned way = 0; way < 3; way++) {
        if (way == 2 ? mw_parse_freqs(text, offered_hz, 2, &values, &count, &error)
                     : mw_parse_cores(text, way ? offered : NULL, way ? 4 : 0, &values, &count, &error))
            continue;
        check_list(values, count);
        free(values);
    }
    return 0;
}
