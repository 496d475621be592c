// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/machine/smbios.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TYPE_MEMORY_DEVICE 17
#define TYPE_END           127
/* the specification bounds the table by 64 KiB (32-bit entry point) and 4 GiB; no machine is known above 1 MiB */
#define TABLE_MAX_BYTES ((size_t)4 << 20)

/* Kinds, and the lowest transfer rate that JEDEC has for them in MT/s. */
static const struct {
    unsigned type;
    const char *name;
    unsigned least_mts;
} kinds[] = {{0x12, "DDR", 200},   {0x13, "DDR2", 400},   {0x18, "DDR3", 800},   {0x1A, "DDR4", 1600},
             {0x1B, "LPDDR", 200}, {0x1C, "LPDDR2", 400}, {0x1D, "LPDDR3", 800}, {0x1E, "LPDDR4", 1600},
             {0x20, "HBM", 1000},  {0x21, "HBM2", 1600},  {0x22, "DDR5", 3200},  {0x23, "LPDDR5", 3200},
             {0x24, "HBM3", 3200}};

const char *mw_dimm_type_name(unsigned type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type)
            return kinds[i].name;
    return "memory";
}

/* A little-endian field of a structure; 0 where the structure is too short (older version) to have it. */
static uint64_t field(const uint8_t *structure, unsigned length, unsigned offset, unsigned bytes)
{
    uint64_t value = 0;
    if (offset + bytes > length)
        return 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | structure[offset + i];
    return value;
}

/* The string with this number, counted from 1, of the unformed section [at, end). */
static void copy_string(const uint8_t *at, const uint8_t *end, unsigned number, char *text, size_t size)
{
    while (number > 1 && at < end && *at) {
        at += strnlen((const char *)at, (size_t)(end - at)) + 1;
        number--;
    }
    size_t length = number && at < end ? strnlen((const char *)at, (size_t)(end - at)) : 0;
    snprintf(text, size, "%.*s", (int)(length < size ? length : size - 1), length ? (const char *)at : "");
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
}

static unsigned speed(const uint8_t *s, unsigned length, unsigned offset, unsigned extended)
{
    unsigned mts = (unsigned)field(s, length, offset, 2);
    return mts == 0xFFFF ? (unsigned)(field(s, length, extended, 4) & 0x7FFFFFFF) : mts;
}

static struct mw_dimm parse_device(const uint8_t *s, unsigned length, const uint8_t *strings, const uint8_t *end)
{
    struct mw_dimm dimm = {0};
    uint64_t size = field(s, length, 0x0C, 2);
    if (size == 0x7FFF)
        dimm.size_bytes = (field(s, length, 0x1C, 4) & 0x7FFFFFFF) << 20;
    else if (size != 0xFFFF) /* 0xFFFF: there, size unknown */
        dimm.size_bytes = (size & 0x7FFF) << (size & 0x8000 ? 10 : 20);
    dimm.type = (unsigned)field(s, length, 0x12, 1);
    dimm.rated_mts = speed(s, length, 0x15, 0x54);
    dimm.configured_mts = speed(s, length, 0x20, 0x58);
    copy_string(strings, end, (unsigned)field(s, length, 0x10, 1), dimm.locator, sizeof dimm.locator);
    copy_string(strings, end, (unsigned)field(s, length, 0x11, 1), dimm.bank, sizeof dimm.bank);
    return dimm;
}

enum mw_err mw_smbios_parse(struct mw_memory_devices *devices, const uint8_t *table, size_t size_bytes,
                            unsigned version, struct mw_error *error)
{
    struct mw_memory_devices found = {.version = version};
    const uint8_t *at = table, *end = table + size_bytes;
    while (end - at >= 4 && at[1] >= 4 && at[1] <= end - at && at[0] != TYPE_END) {
        const uint8_t *strings = at + at[1], *next = strings;
        while (end - next >= 2 && (next[0] || next[1]))
            next++;
        if (end - next < 2)
            break;
        if (at[0] == TYPE_MEMORY_DEVICE) {
            struct mw_dimm *dimms = realloc(found.dimms, (found.count + 1) * sizeof *dimms);
            if (!dimms) {
                mw_smbios_release(&found);
                return mw_fail(error, MW_NOMEM, "out of memory");
            }
            found.dimms = dimms;
            found.dimms[found.count++] = parse_device(at, at[1], strings, next);
        }
        at = next + 2;
    }
    *devices = found;
    return MW_OK;
}

/* The whole file below root; caller frees. */
static uint8_t *read_file(const char *root, const char *name, size_t *size_bytes, int *failed)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/sys/firmware/dmi/tables/%s", root, name);
    int fd = n > 0 && (size_t)n < sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    *failed = fd < 0 ? errno : 0;
    uint8_t *data = fd < 0 ? NULL : malloc(TABLE_MAX_BYTES);
    if (fd >= 0 && !data)
        *failed = ENOMEM;
    ssize_t got = 1;
    for (*size_bytes = 0; data && got > 0 && *size_bytes<TABLE_MAX_BYTES; *size_bytes += got> 0 ? (size_t)got : 0)
        got = read(fd, data + *size_bytes, TABLE_MAX_BYTES - *size_bytes);
    if (got < 0)
        *failed = errno;
    if (fd >= 0)
        close(fd);
    if (*failed) {
        free(data);
        data = NULL;
    }
    return data;
}

static unsigned read_version(const char *root)
{
    size_t size;
    int failed;
    unsigned version = 0;
    uint8_t *entry = read_file(root, "smbios_entry_point", &size, &failed);
    if (entry && size >= 9 && !memcmp(entry, "_SM3_", 5))
        version = (unsigned)entry[7] << 8 | entry[8];
    else if (entry && size >= 8 && !memcmp(entry, "_SM_", 4))
        version = (unsigned)entry[6] << 8 | entry[7];
    free(entry);
    return version;
}

enum mw_err mw_smbios_read(struct mw_memory_devices *devices, const char *root, struct mw_error *error)
{
    size_t size;
    int failed;
    uint8_t *table = read_file(root, "DMI", &size, &failed);
    if (!table) {
        if (failed == EACCES || failed == EPERM) {
            mw_fail(error, MW_PERM, "the firmware's SMBIOS table may only be read by root");
            return mw_hint(error, "sudo memwall machine, or --memory-freq GHz");
        }
        mw_fail(error, MW_UNSUPPORTED, "there is no SMBIOS table (virtual machines, boards with a device tree)");
        return mw_hint(error, "--memory-freq GHz, from the data sheet");
    }
    enum mw_err err = mw_smbios_parse(devices, table, size, read_version(root), error);
    free(table);
    return err;
}

void mw_smbios_release(struct mw_memory_devices *devices)
{
    free(devices->dimms);
    *devices = (struct mw_memory_devices){0};
}

/* Length of the text up to the name of a channel: "channel" and what follows, or the letter of "DIMM_A1"; 0: none. */
static size_t channel_length(const char *text)
{
    const char *word = strcasestr(text, "channel");
    bool letter = !word;
    word = word ? word + strlen("channel") : strcasestr(text, "dimm");
    if (letter && word)
        word += strlen("dimm");
    if (!word)
        return 0;
    word += strspn(word, " _-");
    if (letter ? !(isalpha((unsigned char)word[0]) && isdigit((unsigned char)word[1])) : !isalnum((unsigned char)*word))
        return 0;
    return (size_t)(word + 1 - text);
}

static const char *channel_of(const struct mw_dimm *dimm, size_t *length)
{
    *length = channel_length(dimm->locator);
    if (*length)
        return dimm->locator;
    *length = channel_length(dimm->bank);
    return dimm->bank;
}

unsigned mw_smbios_channels(const struct mw_memory_devices *devices)
{
    unsigned channels = 0;
    for (size_t i = 0; i < devices->count; i++) {
        size_t length, other;
        const char *name = channel_of(&devices->dimms[i], &length);
        bool seen = false;
        if (!devices->dimms[i].size_bytes)
            continue;
        if (!length)
            return 0;
        for (size_t k = 0; k < i && !seen; k++) {
            const char *before = channel_of(&devices->dimms[k], &other);
            if (devices->dimms[k].size_bytes && !strcasecmp(name, before) && name == devices->dimms[i].locator)
                return 0; /* sockets that name theirs alike */
            seen = devices->dimms[k].size_bytes && other == length && !strncasecmp(name, before, length);
        }
        channels += !seen;
    }
    return channels;
}

unsigned mw_smbios_mts(const struct mw_memory_devices *devices, bool *doubtful)
{
    unsigned configured = 0, rated = 0;
    *doubtful = false;
    for (size_t i = 0; i < devices->count; i++) {
        const struct mw_dimm *d = &devices->dimms[i];
        if (!d->size_bytes)
            continue;
        if (d->configured_mts && (!configured || d->configured_mts < configured))
            configured = d->configured_mts;
        if (d->rated_mts && (!rated || d->rated_mts < rated))
            rated = d->rated_mts;
    }
    unsigned mts = configured ? configured : rated;
    for (size_t i = 0; i < devices->count && mts; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (devices->dimms[i].size_bytes && kinds[k].type == devices->dimms[i].type && mts < kinds[k].least_mts)
                *doubtful = true;
    return mts;
}
