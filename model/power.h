// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MODEL_POWER_H
#define MW_MODEL_POWER_H

/*
 * The power of a node with p cores at work on S sockets at frequency F:
 *
 *   P = s0 + s1 (S - 1) + u3 S x^3 + p (c1 x + c3 x^3),   x = F / F_ref,   all coefficients in W, >= 0
 *
 * s0: idle and the first socket, s1: a further socket, u3: the uncore, whose clock follows the cores', c1 and c3: a
 * core's share linear in the clock and with the voltage (P ~ V^2 F, V ~ F). Pure functions.
 * Source: CMOS power as in docs/advice.md; the uncore term halved the residual on measured tables. Test: test_power.c.
 */
enum mw_power_term { MW_POWER_S0, MW_POWER_S1, MW_POWER_U3, MW_POWER_C1, MW_POWER_C3, MW_POWER_TERMS };

/* Sockets in use by p >= 1 cores filled socket by socket; cores_per_socket 0 (unknown) counts as one socket. */
double mw_sockets(double cores, unsigned cores_per_socket);

/* terms[t]: what coefficient t is multiplied by, so that P is their dot product. cores >= 1, sockets >= 1, x > 0. */
void mw_power_terms(double cores, double sockets, double x, double terms[MW_POWER_TERMS]);

/* P in watts. */
double mw_power_law(const double coefficients[MW_POWER_TERMS], double cores, double sockets, double x);

#endif
