// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/code.h"

#include "measure/gpu/session.h"
#include "measure/process/capture.h"

#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a kernel has some hundred instructions */
#define INSTRUCTIONS_MAX 20000
#define TEXT_MAX         ((size_t)8 << 20)

struct instruction {
    unsigned long address, target; /* target of a jump, 0 for all else */
    bool fma, call, stack;
    char width[8];
};

static const char *width_of(const char *operands, const char *mnemonic)
{
    if (strstr(operands, "%zmm"))
        return "zmm";
    if (strstr(operands, "%ymm"))
        return "ymm";
    size_t length = strlen(mnemonic);
    if (length > 2 && mnemonic[length - 2] == 's' && (mnemonic[length - 1] == 's' || mnemonic[length - 1] == 'd'))
        return "scalar";
    if (strstr(operands, "%xmm"))
        return "xmm";
    return strchr(operands, '.') ? "v" : "scalar"; /* AArch64: fmla v0.4s, fmadd s0 */
}

/* "  401234:<tab>vfmadd213ps %zmm0,%zmm1,%zmm2"; bytes of the instruction are not shown */
static bool parse_line(const char *line, size_t length, struct instruction *i)
{
    char text[256], mnemonic[32], *rest;
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), line);
    *i = (struct instruction){.address = strtoul(text, &rest, 16)};
    if (rest == text || *rest != ':')
        return false;
    rest += 1 + strspn(rest + 1, " \t");
    size_t n = strcspn(rest, " \t");
    snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)n, rest);
    const char *operands = rest + n + strspn(rest + n, " \t");
    i->fma = !strncmp(mnemonic, "vfmadd", 6) || !strncmp(mnemonic, "vfnmadd", 7) || !strcmp(mnemonic, "fmla") ||
             !strcmp(mnemonic, "fmadd");
    i->call = !strncmp(mnemonic, "call", 4) || !strcmp(mnemonic, "bl") || !strcmp(mnemonic, "blr");
    i->stack = strstr(operands, "(%rsp") || strstr(operands, "(%rbp") || strstr(operands, "[sp");
    bool jump = (*mnemonic == 'j' || !strcmp(mnemonic, "b") || !strncmp(mnemonic, "b.", 2) ||
                 !strncmp(mnemonic, "cb", 2) || !strncmp(mnemonic, "tb", 2)) &&
                !i->call;
    if (jump) { /* the last operand: "401200 <name+0x40>", "x0, 401200 <name>" */
        const char *comma = strrchr(operands, ',');
        i->target = strtoul(comma ? comma + 1 : operands, NULL, 16);
    }
    if (i->fma)
        snprintf(i->width, sizeof i->width, "%s", width_of(operands, mnemonic));
    return true;
}

static struct mw_gpu_code count_between(const struct instruction *list, size_t from, size_t to)
{
    struct mw_gpu_code code = {0};
    for (size_t i = from; i <= to; i++) {
        code.calls += list[i].call;
        code.spills += list[i].stack;
        if (list[i].fma && !code.fma++)
            memcpy(code.width, list[i].width, sizeof code.width);
    }
    return code;
}

bool mw_gpu_code_count_elf(const char *text, struct mw_gpu_code *code)
{
    struct instruction *list = calloc(INSTRUCTIONS_MAX, sizeof *list);
    size_t count = 0;
    bool found = false;
    struct mw_gpu_code best = {0};
    for (const char *line = text; list && *line && count < INSTRUCTIONS_MAX; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        count += parse_line(line, length, &list[count]);
        line += length;
    }
    for (size_t end = 0; end < count; end++) {
        size_t start = end;
        if (!list[end].target || list[end].target > list[end].address)
            continue;
        while (start > 0 && list[start].address > list[end].target)
            start--;
        bool inner = true; /* no smaller loop with multiply-adds inside */
        for (size_t i = start; i < end && inner; i++)
            if (list[i].target && list[i].target <= list[i].address && list[i].target > list[start].address)
                inner = !count_between(list, start, i).fma;
        struct mw_gpu_code here = count_between(list, start, end);
        if (inner && (!found || here.fma > best.fma || (here.fma == best.fma && here.calls > best.calls)))
            best = here;
        found = true;
    }
    free(list);
    if (found)
        *code = best;
    return found;
}

bool mw_gpu_code_count_ptx(const char *ptx, const char *kernel, struct mw_gpu_code *code)
{
    char name[80], label[64] = "";
    snprintf(name, sizeof name, ".entry %s(", kernel);
    const char *from = strstr(ptx, name), *to = from ? strstr(from, "\n}") : NULL;
    struct mw_gpu_code now = {0}, best = {0};
    bool found = false;
    for (const char *line = from; line && line < to; line = strchr(line, '\n'), line += line != NULL) {
        const char *word = line + strspn(line, " \t\n"), *branch = strstr(word, "bra");
        size_t n = strcspn(word, " \t:;\n");
        const char *end = strchr(word, '\n');
        if (*word == '$' && word[n] == ':') { /* a label begins a block */
            snprintf(label, sizeof label, "%.*s", (int)n, word);
            now = (struct mw_gpu_code){0};
        } else if (!strncmp(word, "fma.rn", 6)) {
            if (!now.fma++)
                snprintf(now.width, sizeof now.width, "scalar");
        } else if (!strncmp(word, "call", 4)) {
            now.calls++;
        } else if (!strncmp(word, "ld.local", 8) || !strncmp(word, "st.local", 8)) {
            now.spills++;
        } else if (branch && (!end || branch < end) && *label) {
            const char *target = strchr(branch, '$');
            if (target && !strncmp(target, label, strlen(label)) && (!found || now.fma > best.fma)) {
                best = now;
                found = true;
            }
        }
    }
    if (found)
        *code = best;
    return found;
}

static struct {
    const char *kernel;
    char path[512];
} search;

/* PoCL: FOLDER/XX/HASH/KERNEL/LOCAL/KERNEL.so */
static int look(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    size_t length = strlen(path);
    char part[80];
    snprintf(part, sizeof part, "/%s/", search.kernel);
    if (length > 3 && !strcmp(path + length - 3, ".so") && strstr(path, part))
        snprintf(search.path, sizeof search.path, "%s", path);
    return 0;
}

/* A kernel takes it milliseconds. NULL where it is missing or does not end. */
static char *disassemble(const char *path)
{
    static const double within_s = 30;
    const char *const words[] = {"objdump", "-d", "--no-show-raw-insn", path, NULL};
    struct mw_error ignored;
    char *text = NULL;
    int status;
    if (mw_capture(words, within_s, NULL, &text, &status, &ignored))
        return NULL;
    if (status || !*text) {
        free(text);
        return NULL;
    }
    return text;
}

static char *program_binary(const struct mw_cl_session *s, void *program)
{
    size_t size = 0;
    if (s->cl.clGetProgramInfo(program, MW_CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) || !size ||
        size > TEXT_MAX)
        return NULL;
    unsigned char *data = calloc(size + 1, 1);
    if (data && s->cl.clGetProgramInfo(program, MW_CL_PROGRAM_BINARIES, sizeof data, &data, NULL)) {
        free(data);
        return NULL;
    }
    return (char *)data;
}

void mw_gpu_code_describe(const struct mw_cl_session *s, void *program, const char *kernel, char *text, size_t size)
{
    struct mw_gpu_code code;
    const char *why = "it hands out neither PTX nor a file of its own";
    const char *cache = getenv("POCL_CACHE_DIR");
    bool counted = false;
    search.kernel = kernel;
    *search.path = '\0';
    if (cache)
        nftw(cache, look, 16, FTW_PHYS);
    if (*search.path) {
        char *disassembly = disassemble(search.path);
        counted = disassembly && mw_gpu_code_count_elf(disassembly, &code);
        why = disassembly ? "no loop is found in it" : "objdump (binutils) is not there";
        free(disassembly);
    } else {
        char *binary = program_binary(s, program);
        counted = binary && mw_gpu_code_count_ptx(binary, kernel, &code);
        free(binary);
    }
    if (counted)
        snprintf(text, size, "%u fma%s%s; %u calls; %u spills", code.fma, *code.width ? " " : "", code.width,
                 code.calls, code.spills);
    else
        snprintf(text, size, "not shown by this driver: %s", why);
}
