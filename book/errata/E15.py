"""E15: Theorem 3, proof, Eq. (112) has lost a factor 2: the rate of the relative gain."""

import numpy as np

law = np.array([0.5, 0.4, 0.6])  # P(l_0|n), P(l'|n), and a common token that falls at 0.1


def speeds(z):
    share = (law * np.exp(z)) ** 2  # (98) with eta_Z = xi_n = 1: a distinct token moves by f^2
    return np.append((share / share.sum())[:2], -0.1)


z, dt, r0, r = np.zeros(3), 1e-4, (law[0] / law[1]) ** 2 - 1, {}
for step in range(10011):  # Runge-Kutta of fourth order
    r[step] = (law[0] / law[1]) ** 2 * np.exp(2 * (z[0] - z[1])) - 1  # the relative gain itself
    at_one = z if step <= 10000 else at_one
    a = speeds(z)
    b = speeds(z + dt / 2 * a)
    c = speeds(z + dt / 2 * b)
    z = z + dt / 6 * (a + 2 * b + 2 * c + speeds(z + dt * c))
print("dr/dt at t = 1; measured: from the relative gain just before and after")
print(f"printed {r0 * np.exp(2 * at_one[0]) * speeds(at_one)[0]:.12g}")
print(f"corrected {2 * r0 * np.exp(2 * at_one[0]) * speeds(at_one)[0]:.12g}")
print(f"measured {(r[10010] - r[9990]) / 0.002:.12g}")
