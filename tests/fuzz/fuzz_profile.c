// SPDX-License-Identifier: GPL-3.0-or-later
// Machine profiles.
#include "tests/fuzz/fuzz.h"

#include "data/profile.h"

#include <math.h>

const char *const fuzz_seeds[] = {
    "{\"memwall_machine\": 1, \"name\": \"b\", \"cores\": 48, \"cores_per_node\": 6, \"sockets\": 4, \"smt\": 1, "
    "\"clock_ghz\": [[8, 2.4], [1, 3.1], [3, 2.9]], \"stream_gbs\": 100, \"stream_1_gbs\": 5, \"mem_bytes\": "
    "68719476736, "
    "\"score\": {\"name\": \"kernel\", \"value\": 11.2}, \"isa\": \"x86_64\", \"latency_ns\": 98, \"channels\": 16, "
    "\"mem_mts\": 1333, \"llc_bytes\": 5242880, \"boundaries\": [12], \"freqs_ghz\": [2.4, 1.2], "
    "\"source\": {\"stream_gbs\": \"guessed\"}}",
    "{\"memwall_machine\": 1, \"clock_ghz\": 3.1}",
    NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mw_profile profile;
    struct mw_error error = {0};
    const char *path = fuzz_file(data, size);
    if (!path)
        return 0;
    if (mw_profile_read(&profile, path, &error)) {
        FUZZ_HOLDS(*error.message);
        return 0;
    }
    for (double cores = 1; cores < 100; cores += 7)
        FUZZ_HOLDS(isfinite(mw_profile_clock_at(&profile, cores)) && mw_profile_clock_at(&profile, cores) >= 0);
    mw_profile_release(&profile);
    return 0;
}
