// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The kinds of simulated programs; part of diagnose_truth.c alone, which has the words that they are written in. DRAW: what a
 * kind has beside the small common parameters; SUM: its time and core seconds on p cores at clock x.
 */
/* clang-format off */

DRAW(scales) {}
SUM(scales) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); return sum; }
DRAW(serial) { k->s = log_between(r, .03, .3); }
SUM(serial) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); return sum; }
DRAW(serial_spin) { k->s = log_between(r, .03, .3); }
SUM(serial_spin) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 1); even(&sum, k, p, x); return sum; }
DRAW(serial_some) { k->s = log_between(r, .03, .3); k->a[0] = between(r, .3, .9); }
SUM(serial_some) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, k->a[0]); even(&sum, k, p, x); return sum; }
DRAW(serial_memory) { k->s = log_between(r, .03, .3); k->a[0] = between(r, .6, 1); }
SUM(serial_memory) { struct sum sum = {0, 0}; alone(&sum, p, k->s * ((1 - k->a[0]) / x + k->a[0]), 0); even(&sum, k,
    p, x); return sum; }
DRAW(latency) { k->l = log_between(r, .8, 3); }
SUM(latency) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); return sum; }
DRAW(roof) { k->l = log_between(r, .3, 2); k->a[0] = log_between(r, 1.3, .6 * k->cores); }
SUM(roof) { struct sum sum = {0, 0}; double b = (1 + k->l) / k->a[0]; struct sum bare = {0, 0}; alone(&bare, p, k->s /
    x, 0); even(&bare, k, p, x); sum.t = fmax(bare.t, b); sum.c = bare.c + p * (sum.t - bare.t); return sum; }
DRAW(roof_soft) { k->l = log_between(r, .3, 2); k->a[0] = log_between(r, 1.3, .6 * k->cores); k->a[1] = between(r, 3, 8); }
SUM(roof_soft) { struct sum sum = {0, 0}; double b = (1 + k->l) / k->a[0]; struct sum bare = {0, 0}; alone(&bare, p,
    k->s / x, 0); even(&bare, k, p, x); sum.t = soft_max(bare.t, b, k->a[1]); sum.c = bare.c + p * (sum.t - bare.t);
    return sum; }
DRAW(roof_root) { k->l = log_between(r, .3, 2); k->a[0] = log_between(r, 1.3, .6 * k->cores); }
SUM(roof_root) { struct sum sum = {0, 0}; double b = (1 + k->l) / k->a[0]; struct sum bare = {0, 0}; alone(&bare, p,
    k->s / x, 0); even(&bare, k, p, x); sum.t = fmax(bare.t, b / sqrt(x)); sum.c = bare.c + p * (sum.t - bare.t);
    return sum; }
DRAW(loaded) { k->l = log_between(r, .3, 1.5); k->a[0] = log_between(r, 1, 5); k->a[1] = between(r, .7, 1.6); }
SUM(loaded) { struct sum sum = {0, 0}; struct truth loaded = *k; loaded.l *= 1 + k->a[0] * pow((p - 1) / (k->cores -
    1), k->a[1]); alone(&sum, p, k->s / x, 0); even(&sum, &loaded, p, x); return sum; }
DRAW(cache) { k->l = log_between(r, .8, 3); k->a[0] = between(r, .5, .95); k->a[1] = between(r, .6, 1.3); }
SUM(cache) { struct sum sum = {0, 0}; struct truth fits = *k; fits.l *= 1 - k->a[0] + k->a[0] / pow(p, k->a[1]);
    alone(&sum, p, k->s / x, 0); even(&sum, &fits, p, x); return sum; }
DRAW(grains) { k->k = ceil(k->cores * between(r, 1.05, 1.5)); }
SUM(grains) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); uneven(&sum, k, p, x, ceil(k->k / p) / k->k, 0);
    return sum; }
DRAW(grains_spin) { k->k = ceil(k->cores * between(r, 1.05, 1.5)); }
SUM(grains_spin) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 1); uneven(&sum, k, p, x, ceil(k->k / p) / k->k,
    1); return sum; }
DRAW(imbalance) { k->a[0] = log_between(r, .6, 1.6); }
SUM(imbalance) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); uneven(&sum, k, p, x, (1 + k->a[0] * (1 - 1 /
    p)) / p, 0); return sum; }
DRAW(imbalance_log) { k->a[0] = between(r, .3, .7); }
SUM(imbalance_log) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); uneven(&sum, k, p, x, fmin((1 + k->a[0] *
    sqrt(2 * log(p))) / p, 1), 0); return sum; }
DRAW(step) { k->a[0] = between(r, .55, 1); }
SUM(step) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); sum.t *= p > k->cores / 2 ? 1 +
    k->a[0] : 1; sum.c *= p > k->cores / 2 ? 1 + k->a[0] : 1; return sum; }
DRAW(slow_cores) { k->a[0] = between(r, .2, .5); k->k = floor(k->cores / 2.); }
SUM(slow_cores) { struct sum sum = {0, 0}; double slow = fmax(p - k->k, 0), capacity = p - slow + k->a[0] * slow;
    struct sum bare = {0, 0}; even(&bare, k, p, x); alone(&sum, p, k->s / x, 0); sum.t += bare.c / capacity; sum.c +=
    bare.c / capacity * p; return sum; }
DRAW(threads_two) { k->a[0] = between(r, .1, .3); k->k = floor(k->cores / 2.); }
SUM(threads_two) { struct sum sum = {0, 0}; double slow = fmax(p - k->k, 0), capacity = p - slow + k->a[0] * slow;
    struct sum bare = {0, 0}; even(&bare, k, p, x); alone(&sum, p, k->s / x, 0); sum.t += bare.c / capacity; sum.c +=
    bare.c / capacity * p; return sum; }
DRAW(slow_anywhere) { k->a[0] = between(r, .1, .4); k->k = ceil(k->cores * between(r, .2, .7)); }
SUM(slow_anywhere) { struct sum sum = {0, 0}; double slow = fmax(p - k->k, 0), capacity = p - slow + k->a[0] * slow;
    struct sum bare = {0, 0}; even(&bare, k, p, x); alone(&sum, p, k->s / x, 0); sum.t += bare.c / capacity; sum.c +=
    bare.c / capacity * p; return sum; }
DRAW(slow_static) { k->a[0] = between(r, .4, .6); k->k = floor(k->cores / 2.); }
SUM(slow_static) { struct sum sum = {0, 0}; bool mixed = p > k->k; double work = (1 - k->s) / x + k->l, longest =
    mixed ? 1 / k->a[0] : 1; alone(&sum, p, k->s / x, 0); sum.t += work * longest / p; sum.c += work * (fmin(p, k->k)
    + fmax(p - k->k, 0) * longest) / p; return sum; }
DRAW(lock_sleep) { k->a[0] = log_between(r, 1.5, .6 * k->cores); k->a[1] = between(r, 4, 30); }
SUM(lock_sleep) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); uneven(&sum, k, p, x, soft_max(1 / p, 1 /
    k->a[0], k->a[1]), 0); return sum; }
DRAW(lock_spin) { k->a[0] = log_between(r, 1.5, .6 * k->cores); k->a[1] = between(r, 4, 30); }
SUM(lock_spin) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 1); uneven(&sum, k, p, x, soft_max(1 / p, 1 /
    k->a[0], k->a[1]), 1); return sum; }
DRAW(extra) { k->a[0] = log_between(r, .3, 3) / (k->cores * k->cores); }
SUM(extra) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); everybody(&sum, p, k->a[0] *
    (p - 1) / x); return sum; }
DRAW(convoy) { k->a[0] = log_between(r, .3, 3) / (k->cores * k->cores); }
SUM(convoy) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); nobody(&sum, k->a[0] * (p -
    1)); return sum; }
DRAW(sharing) { k->a[0] = log_between(r, .5, 3); k->a[1] = between(r, .5, 1.5); }
SUM(sharing) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); everybody(&sum, p, k->a[0] *
    pow((p - 1) / (k->cores - 1), k->a[1]) / p / x); return sum; }
DRAW(polling) { k->a[0] = log_between(r, .5, 3) / (k->cores * log2(k->cores)); }
SUM(polling) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); everybody(&sum, p, k->a[0] *
    log2(p)); return sum; }
DRAW(blocking) { k->a[0] = log_between(r, .5, 3) / (k->cores * log2(k->cores)); }
SUM(blocking) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); nobody(&sum, k->a[0] *
    log2(p)); return sum; }
DRAW(startup) { k->n = log_between(r, .6, 5) / k->cores; }
SUM(startup) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); return sum; }
DRAW(startup_serial) { k->n = log_between(r, .3, 3) / k->cores; k->s = log_between(r, .3, 3) / k->cores; }
SUM(startup_serial) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); return sum; }
DRAW(shared_io) { k->a[0] = log_between(r, .2, 2); }
SUM(shared_io) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); nobody(&sum, k->a[0] *
    sum.t); return sum; }
DRAW(quota) { k->a[0] = between(r, 1.5, fmax(.55 * k->cores, 2)); }
SUM(quota) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); uneven(&sum, k, p, x, fmax(1 / p, 1 / k->a[0]), 0);
    return sum; }
DRAW(fixed) { k->k = ceil(between(r, 1, .5 * k->cores)); }
SUM(fixed) { struct sum sum = {0, 0}; double threads = fmin(p, k->k); alone(&sum, p, k->s / x, 0); uneven(&sum, k, p,
    x, 1 / threads, 0); return sum; }
DRAW(untold) {}
SUM(untold) { struct sum sum = {0, 0}; (void)p; sum.t = sum.c = 1 / x + k->l; return sum; }
DRAW(weak) { k->a[0] = between(r, -.03, .1); k->l = log_between(r, .03, 1); }
SUM(weak) { struct sum sum = {0, 0}; everybody(&sum, p, (1 / x + k->l) * (1 + k->a[0] * log(p))); return sum; }
DRAW(turbo) { k->a[0] = between(r, .2, .45); k->a[1] = between(r, .6, 1.8); }
SUM(turbo) { struct sum sum = {0, 0}; double clock = fmin(x, 1 - k->a[0] * pow(log(p) / log(k->cores), k->a[1]));
    alone(&sum, p, k->s / clock, 0); even(&sum, k, p, clock); return sum; }
DRAW(turbo_serial) { k->a[0] = between(r, .15, .4); k->a[1] = between(r, .6, 1.8); k->s = log_between(r, .5, 3) / k->cores; }
SUM(turbo_serial) { struct sum sum = {0, 0}; double clock = fmin(x, 1 - k->a[0] * pow(log(p) / log(k->cores),
    k->a[1])); alone(&sum, p, k->s / clock, 0); even(&sum, k, p, clock); return sum; }
DRAW(turbo_latency) { k->a[0] = between(r, .2, .45); k->a[1] = between(r, .6, 1.8); k->l = log_between(r, .8, 3); }
SUM(turbo_latency) { struct sum sum = {0, 0}; double clock = fmin(x, 1 - k->a[0] * pow(log(p) / log(k->cores),
    k->a[1])); alone(&sum, p, k->s / clock, 0); even(&sum, k, p, clock); return sum; }
DRAW(others) { k->a[0] = log_between(r, .2, 2); k->a[1] = between(r, .2, .6); }
SUM(others) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); sum.t *= 1 + k->a[0] * pow(p,
    k->a[1]); return sum; }
DRAW(steal) { k->a[0] = log_between(r, .1, 1); k->a[1] = between(r, .3, .9); }
SUM(steal) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); double slower = 1 + k->a[0] *
    (pow(p, k->a[1]) - 1); sum.t *= slower; sum.c *= slower; return sum; }
DRAW(roof_serial) { k->l = log_between(r, .3, 1); k->a[0] = between(r, 2, .4 * k->cores); k->a[1] = between(r, .7, 1.4) / k->a[0]; }
SUM(roof_serial) { struct sum sum = {0, 0}; struct sum bare = {0, 0}; even(&bare, k, p, x); sum.t = fmax(bare.t, (1 +
    k->l) / k->a[0]); sum.c = bare.c + p * (sum.t - bare.t); alone(&sum, p, k->a[1] / x, 0); return sum; }
DRAW(pipeline) { k->a[0] = between(r, .3, .5); }
SUM(pipeline) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); uneven(&sum, k, p, x, fmax(1 / p, k->a[0]) * (1
    + .1 / p), 0); return sum; }
DRAW(swapping) { k->a[0] = between(r, .2, .5); }
SUM(swapping) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); sum.t += p > k->cores - 1 ?
    k->a[0] : 0; sum.c += p > k->cores - 1 ? .05 * k->a[0] : 0; return sum; }
DRAW(disk) { k->a[0] = between(r, .2, .5); }
SUM(disk) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); sum.t = fmax(sum.t, k->a[0]);
    return sum; }
DRAW(roof_serial2) { k->l = .5; k->a[0] = between(r, .2, .4); k->a[1] = between(r, .1, .2); }
SUM(roof_serial2) { struct sum sum = {0, 0}; struct sum bare = {0, 0}; even(&bare, k, p, x); sum.t = fmax(bare.t,
    k->a[0]); sum.c = bare.c + p * (sum.t - bare.t); alone(&sum, p, k->a[1] / x, 0); return sum; }
DRAW(tree) { k->a[0] = between(r, .08, .15); }
SUM(tree) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); sum.t += k->a[0] * log2(p) / x;
    sum.c += k->a[0] * (p - 1) / x; return sum; }
DRAW(helper) { k->a[0] = between(r, .3, .8); }
SUM(helper) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); sum.t *= p < 2 ? 1 + k->a[0]
    : 1; sum.c *= 1 + k->a[0]; return sum; }
DRAW(imbalance_random) { k->a[0] = between(r, .25, .5); }
SUM(imbalance_random) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); uneven(&sum, k, p, x, fmin((1 + k->a[0]
    * sqrt(2 * log(p))) / p, 1), 0); return sum; }
DRAW(polling2) { k->a[0] = between(r, .05, .12); }
SUM(polling2) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); everybody(&sum, p, k->a[0]
    * log2(p)); sum.c = p * sum.t; return sum; }
DRAW(throttled) { k->a[0] = between(r, .3, .45); }
SUM(throttled) { struct sum sum = {0, 0}; double clock = x * (p > k->cores / 2. ? 1 - k->a[0] : 1); alone(&sum, p,
    k->s / clock, 0); even(&sum, k, p, clock); return sum; }
DRAW(hybrid) { k->a[0] = between(r, .4, .55); }
SUM(hybrid) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); bool mixed = p > k->cores /
    2.; sum.t *= mixed ? 1 / k->a[0] : 1; sum.c *= mixed ? .5 + .5 / k->a[0] : 1; return sum; }
DRAW(collector) { k->a[0] = log_between(r, .5, 4) / pow(k->cores, 1.5); }
SUM(collector) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); alone(&sum, p, k->a[0] *
    sqrt(p) / x, .1); return sum; }
DRAW(checkpoint) { k->a[0] = log_between(r, .3, 3) / pow(k->cores, 1.3); }
SUM(checkpoint) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); nobody(&sum, k->a[0] *
    pow(p, .3)); return sum; }
DRAW(remote) { k->l = log_between(r, .5, 2); k->a[0] = between(r, 1, 3); }
SUM(remote) { struct sum sum = {0, 0}; struct truth far = *k; far.l *= 1 + (p > k->cores / 2. ? k->a[0] * (1 -
    k->cores / 2. / p) * 2 : 0); alone(&sum, p, k->s / x, 0); even(&sum, &far, p, x); return sum; }
DRAW(stealing) { k->s = fmin(log_between(r, .6, 4) / k->cores, .9); k->a[0] = between(r, .4, .8); }
SUM(stealing) { struct sum sum = {0, 0}; uneven(&sum, k, p, x, soft_max(1 / p, k->s, 3), k->a[0]); return sum; }
DRAW(turbo_roof) { k->a[0] = log_between(r, 2, .5 * k->cores); k->a[1] = between(r, .15, .35); k->l = log_between(r, .3, 1.5); }
SUM(turbo_roof) { struct sum sum = {0, 0}; double clock = fmin(x, 1 - k->a[1] * log(p) / log(k->cores)); struct sum
    bare = {0, 0}; even(&bare, k, p, clock); sum.t = soft_max(bare.t, (1 + k->l) / k->a[0], 6); sum.c = bare.c + p *
    (sum.t - bare.t); return sum; }
DRAW(evicted) { k->a[0] = log_between(r, .6, 3) / k->cores; }
SUM(evicted) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); nobody(&sum, p > k->cores /
    2. ? k->a[0] * (2 * p / k->cores - 1) : 0); return sum; }
DRAW(device) { k->a[0] = log_between(r, .6, 4) / k->cores; }
SUM(device) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); alone(&sum, p, k->a[0], 0);
    return sum; }
DRAW(feed) { k->a[0] = log_between(r, 1.6, 8) / k->cores; }
SUM(feed) { struct sum sum = {0, 0}; alone(&sum, p, k->s / x, 0); even(&sum, k, p, x); sum.t = soft_max(sum.t,
    k->a[0], 8); sum.c *= 1.03; return sum; }
DRAW(threads_serial) { k->a[0] = between(r, .15, .35); k->k = floor(k->cores / 2.); k->s = log_between(r, .4, 2) / k->cores; }
SUM(threads_serial) { struct sum sum = {0, 0}; double slow = fmax(p - k->k, 0), capacity = p - slow + k->a[0] * slow;
    struct sum bare = {0, 0}; even(&bare, k, p, x); alone(&sum, p, k->s / x, 0); sum.t += bare.c / capacity; sum.c +=
    bare.c / capacity * p; return sum; }
DRAW(quota_spin) { k->a[0] = between(r, 1.5, .5 * k->cores); }
SUM(quota_spin) { struct sum sum = {0, 0}; even(&sum, k, p, x); sum.t = fmax(sum.c / p, sum.c / k->a[0]); sum.c =
    fmin(p, k->a[0]) * sum.t; return sum; }
