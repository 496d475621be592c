#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A good model with a few of its values replaced, through the commands that take models: never a crash, never a hang.

    commands.py MEMWALL [--count 40] [--seed 1]

The tables and the models go through fit, predict, recommend and diagnose in pipe_table.c and pipe_model.c; here is what is behind them:
plan, report, plot, schedule, fit --update, and what they print. Prints each failure with the change that made it; the last line counts.
"""
import argparse
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

TABLE = "cores,freq_ghz,time_s,power_w\n" + "".join(
    f"{p},{f},{9.5 / f * (.1 + .9 / p):.6g},{20 + 10 * f + 8 * p * f:.6g}\n" for f in (1.2, 2.4) for p in (1, 2, 4, 8))
VALUES = [0, -1, 1, .5, 1e-300, 1e300, -1e300, 1e18, 2.4, 1e-31, -0.0, 1e6, 3, 1e9, -3, None, True, "", "x\u0007</title>", [], {}, 2147483647, -7, [1], "1e999"]
JOBS = {"cores": 8, "jobs": [{"name": "a", "model": "M"}, {"name": "b", "model": "M", "cores": "1-4"}]}
COMMANDS = ["predict M --cores 1-12", "recommend M --objective energy", "diagnose M --json", "plan M", "plan --for surface M", "plan --for diagnosis M",
            "report M -o O", "plot M -o O.svg", "fit T --update M -o O.json", "schedule J"]


def places(node, path=()):
    """Every value of the tree; of long lists the first few."""
    items = node.items() if isinstance(node, dict) else enumerate(node[:4]) if isinstance(node, list) else ()
    for key, child in items:
        yield path + (key,)
        yield from places(child, path + (key,))


def change(model, draw, where):
    changed, said = copy.deepcopy(model), []
    for path in draw.sample(where, draw.randint(1, 3)):
        node, value = changed, draw.choice(VALUES)
        try:
            for key in path[:-1]:
                node = node[key]
            node[path[-1]] = value
            said.append(f"{'.'.join(map(str, path))} = {value!r}")
        except (KeyError, IndexError, TypeError):
            pass  # an earlier change took the branch away
    return changed, said


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("memwall")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw, failures, runs = random.Random(options.seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "T").write_text(TABLE)
        (here / "J").write_text(json.dumps(JOBS))
        subprocess.run([options.memwall, "fit", "T", "-o", "M"], cwd=here, check=True, capture_output=True)
        model = json.loads((here / "M").read_text())
        where = list(places(model))
        for _ in range(options.count):
            changed, said = change(model, draw, where)
            (here / "M").write_text(json.dumps(changed))
            for command in COMMANDS:
                runs += 1
                try:
                    status = subprocess.run([options.memwall, *command.split(), "--force"], cwd=here, capture_output=True, timeout=60).returncode
                except subprocess.TimeoutExpired:
                    status = "no end"
                if status not in (0, 1, 2, 3, 4, 5):
                    failures += 1
                    print(f"{command}: {status} with {'; '.join(said)}", flush=True)
    print(f"{runs} runs, {failures} failures, seed {options.seed}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
