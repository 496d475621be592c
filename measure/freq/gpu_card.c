// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/freq/gpu_card.h"

#include "measure/machine/sysfile.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define CARDS_MAX           64
#define NVML_CLOCK_GRAPHICS 0

static const struct {
    const char *name, *vendors[3];
    enum mw_card_driver driver;
} drivers[] = {
    {"amdgpu", {"AMD", "Advanced Micro Devices"}, MW_CARD_AMDGPU},
    {"i915", {"Intel"}, MW_CARD_I915},
    {"xe", {"Intel"}, MW_CARD_XE},
    {"nvidia", {"NVIDIA"}, MW_CARD_NVIDIA},
};
#define DRIVERS (sizeof drivers / sizeof *drivers)

static bool is_vendor(size_t driver, const char *vendor)
{
    for (const char *const *v = drivers[driver].vendors; vendor && *v; v++)
        if (strcasestr(vendor, *v))
            return true;
    return !vendor;
}

/* The end of the link device/driver. */
static bool driver_name(const char *root, unsigned card, char *name, size_t size)
{
    char path[PATH_MAX], target[PATH_MAX];
    snprintf(path, sizeof path, "%s/sys/class/drm/card%u/device/driver", root, card);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
        return false;
    target[length] = '\0';
    const char *slash = strrchr(target, '/');
    snprintf(name, size, "%.32s", slash ? slash + 1 : target);
    return true;
}

static double nvidia_clock(unsigned *cards)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), *device = NULL;
    unsigned count = 0, mhz = 0;
    *cards = 0;
    if (!library)
        return 0;
    int (*init)(void), (*get_count)(unsigned *), (*get)(unsigned, void **), (*clock)(void *, unsigned, unsigned *);
    *(void **)&init = dlsym(library, "nvmlInit_v2");
    *(void **)&get_count = dlsym(library, "nvmlDeviceGetCount_v2");
    *(void **)&get = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&clock = dlsym(library, "nvmlDeviceGetClockInfo");
    if (!init || !get_count || !get || !clock || init() || get_count(&count))
        return 0;
    *cards = count;
    return count == 1 && !get(0, &device) && !clock(device, NVML_CLOCK_GRAPHICS, &mhz) ? 1e6 * mhz : 0;
}

/* Cards whose vendor the text names; *card is the last of them. */
static size_t count_cards(const char *root, const char *vendor, struct mw_card *card)
{
    size_t count = 0;
    unsigned nvidia = 0;
    for (unsigned i = 0; i < CARDS_MAX; i++) {
        char name[64];
        if (!driver_name(root, i, name, sizeof name))
            continue;
        for (size_t d = 0; d < DRIVERS; d++)
            if (!strcmp(name, drivers[d].name) && drivers[d].driver != MW_CARD_NVIDIA && is_vendor(d, vendor)) {
                card->driver = drivers[d].driver;
                snprintf(card->folder, sizeof card->folder, "/sys/class/drm/card%u", i);
                count++;
            }
    }
    if (!*root && is_vendor(DRIVERS - 1, vendor))
        nvidia_clock(&nvidia);
    if (nvidia)
        *card = (struct mw_card){.driver = MW_CARD_NVIDIA};
    return count + nvidia;
}

bool mw_card_find(const char *root, const char *vendor, struct mw_card *card)
{
    struct mw_card found = {0};
    size_t count = count_cards(root, vendor, &found);
    if (count == 1)
        *card = found;
    return count == 1;
}

size_t mw_card_count(const char *root)
{
    struct mw_card ignored;
    return count_cards(root, NULL, &ignored);
}

/* amdgpu: the line with an asterisk, "2: 1200Mhz *" */
static double amdgpu_clock(const char *root, const struct mw_card *card)
{
    char text[2048];
    if (mw_sysfile_text(root, text, sizeof text, "%s/device/pp_dpm_sclk", card->folder))
        return 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        double mhz = 0;
        if (strchr(line, '*') && sscanf(line, "%*d: %lfMhz", &mhz) == 1)
            return mhz * 1e6;
    }
    return 0;
}

double mw_card_clock(const char *root, const struct mw_card *card)
{
    double mhz = 0;
    unsigned cards;
    switch (card->driver) {
    case MW_CARD_AMDGPU:
        return amdgpu_clock(root, card);
    case MW_CARD_I915:
        return mw_sysfile_number(root, &mhz, "%s/gt_act_freq_mhz", card->folder) ? 0 : mhz * 1e6;
    case MW_CARD_XE:
        return mw_sysfile_number(root, &mhz, "%s/device/tile0/gt0/freq0/act_freq", card->folder) ? 0 : mhz * 1e6;
    case MW_CARD_NVIDIA:
        return nvidia_clock(&cards);
    default:
        return 0;
    }
}
