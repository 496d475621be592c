#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The optimum of the variable-latency law on a published set by scipy's differential evolution and Nelder-Mead, beside
memwall's: squared speedup, F_mem 2.133 GHz. Skipped with a word where scipy or the data are missing."""
import json, os, subprocess, sys, tempfile, time

try:
    import numpy as np
    from scipy.optimize import differential_evolution, minimize
except ImportError:
    print("scipy: not installed, skipped")
    sys.exit(0)
folder = os.environ.get("MEMWALL_DATA", "../shared/data") + "/parsec-speedup/"
if not os.path.isdir(folder):
    print("scipy: no ../shared/data, skipped")
    sys.exit(0)


def load(name, wanted):
    rows = []
    with open(folder + name + ".csv") as f:
        next(f)
        for line in f:
            c = line.split(",")
            if c[0] == wanted:
                rows.append((float(c[1]), float(c[2]) / 2.133, float(c[3])))
    return np.array(rows).T


def loss_of(p, phi, s):
    def loss(x):
        f, k, m1, m2 = x
        mu, one = np.minimum(m1 + m2 / p, 1), np.minimum(m1 + m2, 1)
        slow = np.maximum((1 + k * phi * mu) * ((1 - f) + f / p), (1 + k * phi) * mu)
        return np.mean((s - (1 + k * phi * one) / slow) ** 2)
    return loss


print(f"{'set':16s} {'memwall':>12s} {'ms':>8s} {'DE + simplex':>14s} {'ms':>8s} {'memwall/DE - 1':>15s}")
for name, wanted in (("x264_3", "3"), ("ferret_3", "3"), ("black_2", "1"), ("swaptions_1", "1"), ("swaptions_2", "5"),
                     ("canneal_2", "1"), ("canneal_2", "5"), ("vips_1", "5")):
    loss, bounds = loss_of(*load(name, wanted)), [(0, 1), (0, 10), (0, 1), (0, 1)]
    start = time.time()
    found = differential_evolution(loss, bounds, seed=1, popsize=30, maxiter=1000, tol=1e-10, polish=False)
    fine = minimize(loss, found.x, method="Nelder-Mead", bounds=bounds,
                    options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 5000})
    took = time.time() - start
    with tempfile.TemporaryDirectory() as tmp:
        model = tmp + "/m.json"
        start = time.time()
        subprocess.run([os.environ.get("MEMWALL", "build/release/memwall"), "fit", folder + name + ".csv", "--where",
                        "input=" + wanted, "--loss", "speedup-mse", "--memory-freq", "2.133", "--law", "vls", "--keep-all",
                        "-o", model], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        mine_took = time.time() - start
        mine = json.load(open(model))["fit"]["mse_speedup"]
    other = min(found.fun, fine.fun)
    print(f"{name + ' ' + wanted:16s} {mine:12.7g} {1e3 * mine_took:8.0f} {other:14.7g} {1e3 * took:8.0f} {mine / other - 1:15.1e}")
