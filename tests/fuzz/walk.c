// SPDX-License-Identifier: GPL-3.0-or-later
// A short random walk from the seeds for builds without libFuzzer: deterministic, one TAP line. An argument is a folder
// to write the seeds to, as a first corpus for libFuzzer.
#include "tests/fuzz/fuzz.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 1 << 14 };
#ifndef STEPS /* of the short form; MEMWALL_FUZZ_STEPS of a long one, MEMWALL_FUZZ_SEED from another start */
#define STEPS 4000
#endif

/* SplitMix64 (Steele, Lea, Flood 2014) */
static uint64_t state = 1;
static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static size_t below(size_t n)
{
    return n ? (size_t)(draw() % n) : 0;
}

static const char *const words[] = {",",
                                    ";",
                                    "\t",
                                    "|",
                                    "\"",
                                    "\n",
                                    "\r\n",
                                    "#",
                                    "nan",
                                    "inf",
                                    "-1",
                                    "1e999",
                                    "0",
                                    "-",
                                    "1,5",
                                    "1.5",
                                    "  ",
                                    "[",
                                    "]",
                                    "{",
                                    "}",
                                    ":",
                                    "=",
                                    "GHz",
                                    "[s]",
                                    "(",
                                    ")",
                                    "null",
                                    "1e-320",
                                    "-0",
                                    "99999999999999999999",
                                    "\xef\xbb\xbf",
                                    "\xff"};

static uint8_t input[LONGEST];
static size_t input_size;

static void insert(size_t at, const void *bytes, size_t n)
{
    if (input_size + n > LONGEST)
        return;
    memmove(input + at + n, input + at, input_size - at);
    memcpy(input + at, bytes, n);
    input_size += n;
}

static void mutate(const char *other)
{
    size_t at = below(input_size + 1), n = below(16) + 1;
    uint8_t chunk[256];
    const char *word = words[below(sizeof words / sizeof *words)];
    switch (below(7)) {
    case 0:
        if (at < input_size)
            input[at] = (uint8_t)draw();
        break;
    case 1:
        insert(at, word, strlen(word));
        break;
    case 2: /* a word over what stands there */
        for (size_t i = 0; word[i] && at + i < input_size; i++)
            input[at + i] = (uint8_t)word[i];
        break;
    case 3:
        n = at + n > input_size ? input_size - at : n;
        memmove(input + at, input + at + n, input_size - at - n);
        input_size -= n;
        break;
    case 4: /* a piece again elsewhere */
        n = below(sizeof chunk);
        n = at + n > input_size ? input_size - at : n;
        memcpy(chunk, input + at, n);
        insert(below(input_size + 1), chunk, n);
        break;
    case 5: /* a piece of another seed */
        if (*other) {
            size_t from = below(strlen(other));
            insert(at, other + from, strlen(other + from) < n * 4 ? strlen(other + from) : n * 4);
        }
        break;
    default: /* torn off */
        input_size = at;
    }
}

static void crashed(int signal_number)
{
    static const char head[] = "\nnot ok 1 random walk crashed; input (escaped):\n# ";
    (void)!write(STDOUT_FILENO, head, sizeof head - 1);
    for (size_t i = 0; i < input_size; i++) {
        char text[8];
        int n = snprintf(text, sizeof text, input[i] >= 32 && input[i] < 127 ? "%c" : "\\x%02x", input[i]);
        (void)!write(STDOUT_FILENO, text, (size_t)n);
    }
    (void)!write(STDOUT_FILENO, "\n1..1\n", 6);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static int write_seeds(const char *folder)
{
    for (size_t i = 0; fuzz_seeds[i]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/seed%zu", folder, i);
        FILE *f = fopen(path, "w");
        if (!f || fputs(fuzz_seeds[i], f) == EOF || fclose(f))
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    size_t seeds = 0;
    if (argc == 2)
        return write_seeds(argv[1]);
    signal(SIGSEGV, crashed);
    signal(SIGABRT, crashed);
    signal(SIGFPE, crashed);
    while (fuzz_seeds[seeds])
        seeds++;
    const char *wanted = getenv("MEMWALL_FUZZ_STEPS"), *start = getenv("MEMWALL_FUZZ_SEED");
    size_t steps = wanted ? strtoul(wanted, NULL, 10) : STEPS;
    state = start ? strtoul(start, NULL, 10) : state;
    for (size_t step = 0; step < seeds + steps; step++) { /* the seeds themselves first */
        const char *seed = fuzz_seeds[step < seeds ? step : below(seeds)];
        input_size = strlen(seed) < LONGEST ? strlen(seed) : LONGEST;
        memcpy(input, seed, input_size);
        for (size_t changes = step < seeds ? 0 : below(8) + 1; changes; changes--)
            mutate(fuzz_seeds[below(seeds)]);
        LLVMFuzzerTestOneInput(input, input_size);
    }
    printf("ok 1 %zu mutations of %zu seeds\n1..1\n", steps, seeds);
    return 0;
}
