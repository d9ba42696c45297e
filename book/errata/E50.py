"""E50: (124), first integral: under an integral over t' the clock is Gamma(t'), not Gamma(t)."""

import numpy as np

M, K, eta_y, eta_z, c0, t, steps = 10**6, 4, 0.5, 0.05, 400.0, 100.0, 4000  # overlaps 0.025


def velocity(state):
    h, clock, z, gain, inside = state  # (44), Gamma, (118), eta_Z times (119), the integral
    error = 1 / (M - 1 + np.exp(M * h))
    push = eta_z * (M - 1) ** 2 * h * error  # eta_Z gamma, (85)
    pull = push * np.exp(4 * z) / c0
    return np.array([eta_y * error / K, push, -pull, pull, push / (c0 + 4 * clock)])


state, dt = np.zeros(5), t / steps
for _ in range(steps):  # Runge-Kutta
    a = velocity(state)
    b = velocity(state + dt / 2 * a)
    c = velocity(state + dt / 2 * b)
    state = state + dt / 6 * (a + 2 * b + 2 * c + velocity(state + dt * c))
print("B_n(100), K = 4, M = 10^6, rates 0.5, 0.05, C_0 = 400; measured: (118), (119) integrated")
print(f"printed {state[1] / (c0 + 4 * state[1]):.12g}")
print(f"corrected {state[4]:.12g}")
print(f"measured {state[3]:.12g}")
