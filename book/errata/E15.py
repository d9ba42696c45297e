"""E15: Theorem 3, proof, Eq. (112) has lost a factor 2: the rate of the relative gain."""

import numpy as np

law = np.array([0.4, 0.3, 0.3])  # P(l_0|n), P(l'|n), and a common token that falls at 0.1


def speeds(z):
    share = (law * np.exp(z)) ** 2  # (98) with eta_Z = xi_n = 1: a distinct token moves by f^2
    return np.append((share / share.sum())[:2], -0.1)


path, dt = [np.zeros(3)], 1e-4  # the three logits, step by step
for _ in range(10010):  # Runge-Kutta of fourth order
    a = speeds(path[-1])
    b = speeds(path[-1] + dt / 2 * a)
    c = speeds(path[-1] + dt / 2 * b)
    path.append(path[-1] + dt / 6 * (a + 2 * b + 2 * c + speeds(path[-1] + dt * c)))
z, before, after = path[10000], path[9990], path[10010]  # t = 1, 0.999, 1.001
r = lambda z: (law[0] / law[1]) ** 2 * np.exp(2 * (z[0] - z[1])) - 1  # the relative gain itself
print("dr/dt at t = 1; measured: from the relative gain just before and after")
print(f"printed {r(path[0]) * np.exp(2 * z[0]) * speeds(z)[0]:.12g}")
print(f"corrected {2 * r(path[0]) * np.exp(2 * z[0]) * speeds(z)[0]:.12g}")
print(f"measured {(r(after) - r(before)) / 0.002:.12g}")
