#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small faults, one at a time, drawn by rule and seed over all rooms; each must be noticed by the tests of its room.

    mutate.py [--count 50] [--seed 1] [--least 95] [--only ROOM,FILE] [--list]

Works on a copy of the tree below build/mutate. A fault is a comparison turned round, a sign, a factor, `and` for `or`, a `not`
left out, a constant half as large again, or an assignment left out; never in messages and never where memory runs out. A room is
drawn first, then a fault in it, so that small rooms get their share. Faults that do not compile are drawn again.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREE = ROOT / "build/mutate/tree"
SWAPS = [(" < ", " >= "), (" > ", " <= "), (" <= ", " > "), (" >= ", " < "), (" == ", " != "), (" != ", " == "), (" + ", " - "),
         (" - ", " + "), (" * ", " / "), (" / ", " * "), (" && ", " || "), (" || ", " && ")]
CONSTANT = re.compile(r"^(?:static const (?:double|int|unsigned) |#define MW_).*?[ =](-?\d*\.?\d+(?:e-?\d+)?)(?=[,;\s/]|$)")
ASSIGNMENT = re.compile(r"^\s{4,}[a-z_][\w.\[\]]*(?:->\w[\w.\[\]]*)* [-+*/|]?= [^;{]*;(?: /\*.*\*/)?$")
# What a test cannot see, or should not: words for people, memory that runs out, hints to the compiler and the machine.
LEAVE = re.compile(r"mw_fail|mw_hint|NOMEM|out of memory|printf|free\(|alloc\(|assert|pragma|\(void\)|_warn\(|_say\(|prefetch|errno")


def included():
    """Of each unit test the rooms whose headers it includes."""
    return {path.stem: {str(pathlib.PurePath(name).parent) for name in re.findall(r'#include "([^"]+)"', path.read_text())}
            for path in sorted((ROOT / "tests/unit").glob("test_*.c"))}


def rooms():
    table, unit = {}, included()
    for line in (ROOT / "tests/mutate.rooms").read_text().splitlines():
        if line and not line.startswith("#"):
            name, *tests = line.split()
            room = str(pathlib.PurePath(name).parent) if name.endswith(".c") else name
            table[name] = tests + [test for test, of in unit.items() if room in of and test not in tests]
    return table


def sources(room):
    path = ROOT / room
    return [path] if path.is_file() else sorted(path.glob("*.c"))


def blank(text):
    """The text with comments blanked out, strings kept; lengths and lines unchanged."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def faults(path):
    """(line number, new line) of every fault that the rules make in a file."""
    lines, code, found, statement = path.read_text().split("\n"), blank(path.read_text()).split("\n"), [], ""
    starts = []
    for text in code:  # the whole statement that a line belongs to, so that a message on the next line counts
        statement = text if not statement or statement.rstrip().endswith((";", "{", "}", ":")) else statement + text
        starts.append(statement)
    whole = starts[:]
    for i in range(len(code) - 2, -1, -1):
        if not code[i].rstrip().endswith((";", "{", "}", ":")):
            whole[i] = whole[i + 1]
    for i, text in enumerate(code):
        constant = CONSTANT.match(text)
        if constant and '"' not in text:
            value = float(constant.group(1))
            larger = f"{1.5 * value:.17g}" if "." in constant.group(1) or "e" in constant.group(1) else f"{int(value) + max(1, int(value) // 2)}"
            found.append((i, text[:constant.start(1)] + larger + text[constant.end(1):]))
            continue
        if '"' in whole[i] or LEAVE.search(whole[i]) or text.startswith("#") or not text.startswith("    "):
            continue
        for old, new in SWAPS:
            for at in re.finditer(re.escape(old), text):
                found.append((i, text[:at.start()] + new + text[at.end():]))
        for at in re.finditer(r"(?<=[( ])!(?=[a-z(*])", text):
            found.append((i, text[:at.start()] + text[at.end():]))
        if ASSIGNMENT.match(text) and not text.lstrip().startswith(("*error", "err =")):
            found.append((i, re.match(r"\s*", text).group() + ";"))
    return [(i, new) for i, new in found if new.strip() != lines[i].strip()]


def copy_tree():
    shutil.rmtree(TREE, ignore_errors=True)
    for name in subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n"):
        if name and (ROOT / name).exists():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name)
    shared = TREE.parent / "shared"
    if (ROOT.parent / "shared").exists() and not shared.exists():
        shared.symlink_to((ROOT.parent / "shared").resolve())


def make(*targets, loud=False):
    run = subprocess.run(["make", "-s", "-j2", f"CC={os.environ.get('CC', 'gcc')}", *targets], cwd=TREE, capture_output=True, text=True)
    if loud and run.returncode:
        print(run.stderr[-2000:], file=sys.stderr)
    return run.returncode == 0


def noticed(tests):
    files = [f"tests/{t}" if t.endswith(".sh") else f"build/release/tests/{t}" for t in tests]
    environment = dict(os.environ, TEST_TIMEOUT="240", MEMWALL=str(TREE / "build/release/memwall"))
    run = subprocess.run(["bash", "-c", 'ulimit -v 16000000; exec tests/run.sh "$@"', "run", *files], cwd=TREE, env=environment,
                         capture_output=True, text=True)
    return run.returncode != 0, run.stdout


def built(tests, loud=False):
    return make("build-all", *[f"build/release/tests/{t}" for t in tests if not t.endswith(".sh")], loud=loud)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=95, help="percent that must be noticed")
    parser.add_argument("--only", help="these rooms, or files of rooms, with commas between")
    parser.add_argument("--list", action="store_true", help="how many faults the rules make, by room")
    options = parser.parse_args()
    asked = options.only.split(",") if options.only else []
    table = rooms()
    possible = {room: [(path, *fault) for path in sources(room) if not asked or room in asked or str(path.relative_to(ROOT)) in asked
                       for fault in faults(path)] for room in table}
    for name in asked:
        if not any(name in (room, str(path.relative_to(ROOT))) for room in table for path, *_ in possible[room]):
            parser.error(f"--only: no faults in '{name}': not a room of tests/mutate.rooms, nor a file of one")
    if options.list:
        for room, list_ in possible.items():
            print(f"{len(list_):6d} {room}")
        return 0
    draw = random.Random(options.seed)
    copy_tree()
    if not make("build-all", loud=True):
        sys.exit("mutate: the tree does not build")
    sound = set()  # rooms whose tests were seen to pass without a fault
    seen = tried = 0
    order = [room for room in table if possible[room]]
    draw.shuffle(order)
    while tried < options.count:
        room = order[tried % len(order)]
        if room not in sound:
            bad, output = noticed(table[room]) if built(table[room], loud=True) else (True, "not built")
            if bad:
                sys.exit(f"mutate: the tests of {room} fail without a fault\n{output}")
            sound.add(room)
        path, line, new = draw.choice(possible[room])
        relative = path.relative_to(ROOT)
        text = path.read_text()
        lines = text.split("\n")
        lines[line] = new
        (TREE / relative).write_text("\n".join(lines))
        if built(table[room]):
            tried += 1
            hit, _ = noticed(table[room])
            seen += hit
            print(f"{'noticed  ' if hit else 'UNNOTICED'} {relative}:{line + 1}: {text.split(chr(10))[line].strip()}  ->  {new.strip()}",
                  flush=True)
        (TREE / relative).write_text(text)
    percent = 100 * seen / tried
    print(f"{seen} of {tried} noticed ({percent:.0f} %), seed {options.seed}")
    return 0 if percent >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
