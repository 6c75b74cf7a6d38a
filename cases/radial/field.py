#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenike's radial field of a wedge, by shooting, as formulas of a case [docs/theory.md, 8.5].

    field.py FRICTION ANGLE WALL_FRICTION

p = r s(a), psi from the radial to the major principal direction, u_r = -F(a)/r with F(0) = 1:

    s (1 + 3 k c) + s' k S + 2 s k c psi' = -cos a,     s' (1 - k c) + 2 s k S psi' + 3 s k S = sin a,
    F'/F = -2 tan 2 psi,    c = cos 2 psi, S = sin 2 psi,    psi(0) = pi/2,    -k S/(1 - k c) = mu_w at the wall

Prints the coefficients of polynomials in q = (x/r)^2 for F, and for the traction (x X(q), r Y(q)) on an arc of radius r.
"""
import sys

import numpy as np


def slopes(k, a, y):
    s, psi, _ = y
    c, S = np.cos(2 * psi), np.sin(2 * psi)
    if a == 0.0:
        return np.array([0.0, (1 + s * (1 - 3 * k)) / (2 * s * k), 0.0])
    ds, dpsi = np.linalg.solve([[k * S, 2 * s * k * c], [1 - k * c, 2 * s * k * S]],
                               [-np.cos(a) - s * (1 + 3 * k * c), np.sin(a) - 3 * s * k * S])
    return np.array([ds, dpsi, -2 * S / c])


def integrate(k, end, s0, n=400):
    """Columns a, s, psi, ln F, by Runge and Kutta."""
    y, h, rows = np.array([s0, np.pi / 2, 0.0]), end / n, [(0.0, s0, np.pi / 2, 0.0)]
    for i in range(n):
        a = i * h
        k1 = slopes(k, a, y)
        k2 = slopes(k, a + h / 2, y + h / 2 * k1)
        k3 = slopes(k, a + h / 2, y + h / 2 * k2)
        k4 = slopes(k, a + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if not 0 < y[0] < 1e6 or not np.pi / 2 <= y[1] < 3 * np.pi / 4:
            return None  # no field of a converging flow
        rows.append((a + h, *y))
    return np.array(rows)


def mobilised(k, rows):
    """Shear over normal stress at the wall; too large where there is no field."""
    if rows is None:
        return np.inf
    psi = rows[-1, 2]
    return -k * np.sin(2 * psi) / (1 - k * np.cos(2 * psi))


def solve(k, degrees, mu_w):
    """The field with the friction mu_w: the larger the stress, the less the directions turn."""
    end, low, high = np.radians(degrees), 1e-3, 1e3
    for _ in range(200):
        middle = np.sqrt(low * high)
        if mobilised(k, integrate(k, end, middle)) > mu_w:
            low = middle
        else:
            high = middle
    rows = integrate(k, end, high)
    if abs(mobilised(k, rows) - mu_w) > 1e-9:
        sys.exit("field.py: there is no radial field with this friction of the wall")
    return rows


def wall_values(k, rows):
    """sigma_w/r and the speed at the wall over that of the axis."""
    _, s, psi, log_f = rows[-1]
    return s * (1 - k * np.cos(2 * psi)), np.exp(log_f)


def polynomials(k, rows, degree=4):
    a, s, psi, log_f = rows.T
    q = np.sin(a) ** 2
    t_r, t_a = -s * (1 + k * np.cos(2 * psi)), -s * k * np.sin(2 * psi)
    x = np.append(1.0, np.sin(a[1:]))  # at 0 a limit is needed: left out
    fits = {}
    for name, value, some in (("F", np.exp(log_f), slice(None)),
                              ("X", (t_r * np.sin(a) + t_a * np.cos(a)) / x, slice(1, None)),
                              ("Y", t_r * np.cos(a) - t_a * np.sin(a), slice(None))):
        fit = np.polynomial.Polynomial.fit(q[some], value[some], degree).convert()
        fits[name] = (fit.coef, np.abs(fit(q[some]) - value[some]).max())
    return fits


if __name__ == "__main__":
    friction, angle, wall = map(float, sys.argv[1:])
    table = solve(friction, angle, wall)
    stress, speed = wall_values(friction, table)
    print(f"sigma_w/r = {stress:.6f}, F_w/F_0 = {speed:.6f}, s(0) = {table[0, 1]:.6f}")
    for name, (coefficients, error) in polynomials(friction, table).items():
        text = "%.8g" % coefficients[-1]
        for value in coefficients[-2::-1]:
            text = f"{value:.8g}+q*({text})"
        print(f"{name}: {text}    # to {error:.1e}".replace("+-", "-"))
