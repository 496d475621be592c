// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_SMBIOS_H
#define MW_MEASURE_SMBIOS_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory devices (type 17) of the firmware's SMBIOS table. Speeds are in MT/s from version 3.1 on; older tables say MHz and
 * may mean the clock or the transfers. 0: unknown. Source: DMTF DSP0134, System Management BIOS, 7.18.
 */
struct mw_dimm {
    char locator[64], bank[64];
    uint64_t size_bytes; /* 0: an empty slot */
    unsigned type;       /* 0x18 DDR3, 0x1A DDR4, 0x22 DDR5, … */
    unsigned rated_mts, configured_mts;
};

struct mw_memory_devices {
    struct mw_dimm *dimms; /* populated and empty slots, in the table's order */
    size_t count;
    unsigned version; /* major << 8 | minor; 0: unknown */
};

/* Structures in a row, as in /sys/firmware/dmi/tables/DMI. A truncated or damaged table gives what comes before: MW_OK. */
enum mw_err mw_smbios_parse(struct mw_memory_devices *devices, const uint8_t *table, size_t size_bytes,
                            unsigned version, struct mw_error *error) MW_CHECKED;
/* Of a machine. MW_UNSUPPORTED where there is no table, MW_PERM where only root may read it. */
enum mw_err mw_smbios_read(struct mw_memory_devices *devices, const char *root, struct mw_error *error) MW_CHECKED;
void mw_smbios_release(struct mw_memory_devices *devices);

const char *mw_dimm_type_name(unsigned type); /* "DDR4"; "type 0x1f" kinds give "memory" */

/*
 * Distinct channels that the populated devices' locators (or banks) name, as in "ChannelA-DIMM0", "P0 CHANNEL B" or
 * "CPU1_DIMM_A1"; 0 where one of them names none, or two have
 * one name. Populated ones only: an empty channel moves nothing.
 */
unsigned mw_smbios_channels(const struct mw_memory_devices *devices);

/*
 * Transfers per second of the populated devices: the least configured one, else the least rated. *doubtful: the number is
 * below the lowest rate of its kind and may be the clock, half of the transfers. 0 where unknown.
 */
unsigned mw_smbios_mts(const struct mw_memory_devices *devices, bool *doubtful);

#endif
