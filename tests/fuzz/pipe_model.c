// SPDX-License-Identifier: GPL-3.0-or-later
// A good model with some of its values replaced by others of the same or another kind, and all that is done with models.
// Input: pairs of bytes, which value of the file, and by what it is replaced.
#include "tests/fuzz/pipe.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

const char *const fuzz_seeds[] = {"", "\x03\x01", "\x10\x20\x30\x41", "abcdefgh", "01020304050607", "g\x01\x01", NULL};

static json_t *good;

static void make_good(void)
{
    static const char table[] =
        "cores,freq_ghz,time_s,power_w\n1,1.2,8.6,40\n2,1.2,4.9,45\n4,1.2,3.0,55\n8,1.2,2.1,75\n1,"
        "2.4,4.5,60\n2,2.4,2.6,75\n4,2.4,1.7,100\n8,2.4,1.2,150\n";
    char saved[] = "/tmp/memwall-fuzz-XXXXXX";
    struct mw_dataset *dataset = NULL;
    struct mw_model *model = NULL;
    int fd = mkstemp(saved);
    FUZZ_HOLDS(fd >= 0);
    close(fd);
    const char *path = fuzz_file((const uint8_t *)table, strlen(table));
    FUZZ_HOLDS(path && !mw_dataset_load(&dataset, path, NULL, NULL) && !mw_model_fit(&model, dataset, NULL, NULL));
    FUZZ_HOLDS(!mw_model_save(model, saved, true, NULL));
    good = json_load_file(saved, 0, NULL);
    FUZZ_HOLDS(good);
    unlink(saved);
    mw_model_free(model);
    mw_dataset_free(dataset);
}

static json_t *replacement(unsigned which)
{
    static const double numbers[] = {0,     -1,   1,    0.5,   1e-300, 1e300, -1e300, 1e-18, 1e18, 2.4,
                                     1e-31, 1e31, -0.0, 1e-10, 1e6,    3,     1e9,    -3,    0.999};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    switch (which % (NUMBERS + 8)) {
    case NUMBERS:
        return json_null();
    case NUMBERS + 1:
        return json_true();
    case NUMBERS + 2:
        return json_string("");
    case NUMBERS + 3:
        return json_array();
    case NUMBERS + 4:
        return json_object();
    case NUMBERS + 5:
        return json_integer(0);
    case NUMBERS + 6:
        return json_integer(2147483647);
    case NUMBERS + 7:
        return json_integer(-7);
    default:
        return json_real(numbers[which % (NUMBERS + 8)]);
    }
}

/* Replaces the value number *left of the tree, counted depth first; long arrays by a few of theirs. */
static bool replace(json_t *node, size_t *left, unsigned which)
{
    enum { OF_ARRAY = 4 };
    const char *key;
    json_t *child;
    size_t index;
    json_object_foreach(node, key, child)
    {
        if (!(*left)--)
            return json_object_set_new(node, key, replacement(which)) == 0;
        if (replace(child, left, which))
            return true;
    }
    json_array_foreach(node, index, child)
    {
        if (index >= OF_ARRAY)
            break;
        if (!(*left)--)
            return json_array_set_new(node, index, replacement(which)) == 0;
        if (replace(child, left, which))
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mw_model *model = NULL;
    struct mw_error error = {0};
    if (!good)
        make_good();
    json_t *changed = json_deep_copy(good);
    for (size_t i = 0; changed && i + 2 < size && i < 12; i += 3) {
        size_t which = data[i] + 256u * (data[i + 1] & 1);
        replace(changed, &which, data[i + 2]);
    }
    char *text = changed ? json_dumps(changed, 0) : NULL;
    const char *path = text ? fuzz_file((const uint8_t *)text, strlen(text)) : NULL;
    if (path && !mw_model_load(&model, path, &error)) {
        pipe_use(model);
        mw_model_free(model);
    } else {
        FUZZ_HOLDS(!path || *error.message);
    }
    free(text);
    json_decref(changed);
    return 0;
}
