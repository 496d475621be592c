// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "measure/machine/smbios.h"

static struct mw_error error;

struct table {
    uint8_t bytes[2048];
    size_t size;
};

static void put_word(uint8_t *at, unsigned value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint8_t *add(struct table *t, uint8_t type, uint8_t length, const char *strings, size_t strings_size)
{
    uint8_t *s = t->bytes + t->size;
    s[0] = type;
    s[1] = length;
    memcpy(s + length, strings, strings_size);
    t->size += length + strings_size;
    return s;
}

static void add_dimm(struct table *t, uint8_t length, unsigned size, uint8_t type, unsigned rated, unsigned configured)
{
    static const char strings[] = "DIMM_A1\0BANK 0\0"; /* and the terminating zero: two zeros end the strings */
    uint8_t *s = add(t, 17, length, strings, sizeof strings);
    put_word(s + 0x0C, size, 2);
    s[0x10] = 1;
    s[0x11] = 2;
    s[0x12] = type;
    if (length > 0x16)
        put_word(s + 0x15, rated, 2);
    if (length > 0x21)
        put_word(s + 0x20, configured, 2);
}

static struct mw_memory_devices parse(const struct table *t, size_t size)
{
    struct mw_memory_devices d;
    assert_int_equal(mw_smbios_parse(&d, t->bytes, size, 0x0302, &error), MW_OK);
    return d;
}

static void the_slowest_populated_device_counts(void **state)
{
    (void)state;
    struct table t = {0};
    bool doubtful;
    add(&t, 0, 24, "vendor\0", 8);
    add_dimm(&t, 0x54, 16384, 0x1A, 3200, 2933);
    add_dimm(&t, 0x54, 0, 0x1A, 1600, 1600); /* an empty slot */
    add_dimm(&t, 0x54, 16384, 0x1A, 3200, 3200);
    add(&t, 127, 4, "\0", 2);
    struct mw_memory_devices d = parse(&t, t.size);
    assert_int_equal(d.count, 3);
    assert_string_equal(d.dimms[0].locator, "DIMM_A1");
    assert_string_equal(d.dimms[0].bank, "BANK 0");
    assert_int_equal(d.dimms[0].size_bytes, (uint64_t)16 << 30);
    assert_string_equal(mw_dimm_type_name(d.dimms[0].type), "DDR4");
    assert_int_equal(mw_smbios_mts(&d, &doubtful), 2933);
    assert_false(doubtful);
    mw_smbios_release(&d);
}

static void extended_size_and_speed(void **state)
{
    (void)state;
    struct table t = {0};
    bool doubtful;
    add_dimm(&t, 0x5C, 0x7FFF, 0x22, 0xFFFF, 0xFFFF);
    put_word(t.bytes + 0x1C, 65536, 4);
    put_word(t.bytes + 0x54, 70000, 4);
    put_word(t.bytes + 0x58, 66000, 4);
    struct mw_memory_devices d = parse(&t, t.size);
    assert_int_equal(d.dimms[0].size_bytes, (uint64_t)64 << 30);
    assert_int_equal(mw_smbios_mts(&d, &doubtful), 66000);
    mw_smbios_release(&d);
}

static void short_structures_and_caveat(void **state)
{
    (void)state;
    struct table t = {0};
    bool doubtful;
    add_dimm(&t, 0x1B, 4096, 0x18, 667, 0); /* version 2.3: no configured speed */
    struct mw_memory_devices d = parse(&t, t.size);
    assert_int_equal(mw_smbios_mts(&d, &doubtful), 667);
    assert_true(doubtful); /* DDR3 begins at 800 */
    mw_smbios_release(&d);
    t = (struct table){0};
    add_dimm(&t, 0x15, 4096, 0x18, 0, 0); /* version 2.1: no speed at all */
    d = parse(&t, t.size);
    assert_int_equal(mw_smbios_mts(&d, &doubtful), 0);
    mw_smbios_release(&d);
}

static void channels_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *locator[4], *bank[4];
        unsigned channels;
    } cases[] = {
        {{"DIMM_A1", "DIMM_A2", "DIMM_B1", "DIMM_B2"}, {"", "", "", ""}, 2},
        {{"ChannelA-DIMM0", "ChannelB-DIMM0"}, {"BANK 0", "BANK 2"}, 2},
        {{"DIMM 0", "DIMM 0", "DIMM 1"}, {"P0 CHANNEL A", "P0 CHANNEL B", "P0 CHANNEL B"}, 2},
        {{"CPU1_DIMM_A1", "CPU2_DIMM_A1"}, {"", ""}, 2},
        {{"DIMM_A1", "DIMM_A1"}, {"NODE 0", "NODE 1"}, 0},
        {{"DIMM_A1", "PROC 1 SLOT 3"}, {"", ""}, 0},
        {{"DIMM 0"}, {"Not Specified"}, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mw_dimm dimms[5] = {{.locator = "DIMM_C1"}}; /* an empty slot */
        struct mw_memory_devices d = {.dimms = dimms, .count = 1};
        for (; d.count <= 4 && cases[c].locator[d.count - 1]; d.count++) {
            dimms[d.count].size_bytes = 1 << 30;
            snprintf(dimms[d.count].locator, sizeof dimms->locator, "%s", cases[c].locator[d.count - 1]);
            snprintf(dimms[d.count].bank, sizeof dimms->bank, "%s", cases[c].bank[d.count - 1]);
        }
        if (mw_smbios_channels(&d) != cases[c].channels)
            fail_msg("case %zu: %u channels", c, mw_smbios_channels(&d));
    }
}

/* Cut anywhere and with any byte changed: no read outside, no crash (run under the sanitizers). */
static void damage_is_survived(void **state)
{
    (void)state;
    struct table t = {0};
    add_dimm(&t, 0x5C, 0x7FFF, 0x22, 0xFFFF, 0xFFFF);
    add_dimm(&t, 0x54, 16384, 0x1A, 3200, 2933);
    for (size_t size = 0; size <= t.size; size++) {
        uint8_t *copy = malloc(size + 1);
        struct mw_memory_devices d;
        memcpy(copy, t.bytes, size);
        for (size_t i = 0; i < size; i += 3) {
            uint8_t kept = copy[i];
            for (unsigned value = 0; value < 256; value += 51) {
                copy[i] = (uint8_t)value;
                assert_int_equal(mw_smbios_parse(&d, copy, size, 0, &error), MW_OK);
                mw_smbios_release(&d);
            }
            copy[i] = kept;
        }
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_populated_device_counts),
        cmocka_unit_test(extended_size_and_speed),
        cmocka_unit_test(short_structures_and_caveat),
        cmocka_unit_test(channels_are_counted),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
