// SPDX-License-Identifier: GPL-3.0-or-later
// The gnuplot scripts as part of the program, so that a copied binary draws too.
#include "plots/scripts.h"

#include <string.h>

#define SCRIPT(name)                                                                                                   \
    extern const char mw_script_##name[];                                                                              \
    __asm__(".pushsection .rodata\n.global mw_script_" #name "\nmw_script_" #name ":\n.incbin \"plots/" #name          \
            ".gp\"\n.byte 0\n.popsection\n");
SCRIPT(bars)
SCRIPT(common)
SCRIPT(curves)
SCRIPT(heatmap)
SCRIPT(latency)
SCRIPT(lines)
SCRIPT(panels)
SCRIPT(roofline)

const char *mw_script_find(const char *name)
{
    static const struct {
        const char *name, *text;
    } scripts[] = {
        {"bars", mw_script_bars},         {"common", mw_script_common},   {"curves", mw_script_curves},
        {"heatmap", mw_script_heatmap},   {"latency", mw_script_latency}, {"lines", mw_script_lines},
        {"roofline", mw_script_roofline}, {"panels", mw_script_panels},
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (!strcmp(scripts[i].name, name))
            return scripts[i].text;
    return NULL;
}
