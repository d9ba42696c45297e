"""E15: Theorem 3, proof, Eq. (112) has lost a factor 2: the rate of the relative gain."""
import numpy as np

law = np.array([0.5, 0.4, 0.6])  # P(l_0|n), P(l'|n), and a common token that falls at 0.1

def speeds(z):
    share = (law * np.exp(z)) ** 2  # (98) with eta_Z = xi_n = 1: a distinct token moves by f^2
    return np.append((share / share.sum())[:2], -0.1)

def run(steps, dt=1e-4):  # Runge-Kutta of fourth order
    z = np.zeros(3)
    for _ in range(steps):
        a = speeds(z)
        b = speeds(z + dt / 2 * a)
        c = speeds(z + dt / 2 * b)
        z = z + dt / 6 * (a + 2 * b + 2 * c + speeds(z + dt * c))
    return z, (law[0] / law[1]) ** 2 * np.exp(2 * (z[0] - z[1])) - 1


z, r0 = run(10000)[0], (law[0] / law[1]) ** 2 - 1
print("dr/dt at t = 1; measured: from the relative gain itself, just after and before")
print(f"printed {r0 * np.exp(2 * z[0]) * speeds(z)[0]:.12g}")
print(f"corrected {2 * r0 * np.exp(2 * z[0]) * speeds(z)[0]:.12g}")
print(f"measured {(run(10010)[1] - run(9990)[1]) / 0.002:.12g}")
