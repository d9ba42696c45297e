"""E63: the sentence after (131): B_n(t_0) depends on C_0, too."""

import numpy as np

M, K, eta_y, eta_z, c0, steps = 10**6, 4, 0.5, 0.05, 25.0, 10_000  # overlaps 0.05
high = 15.0  # (1 + omega_1) ln M, where e^u = (M - 1) u
for _ in range(200):
    high = np.log((M - 1) * high)


def velocity(state):
    h, clock, z, gain = state  # (44), Gamma, (118), eta_Z times (119)
    error = 1 / (M - 1 + np.exp(M * h))
    push = eta_z * (M - 1) ** 2 * h * error  # eta_Z gamma, (85)
    return np.array([eta_y * error / K, push, *(np.array([-1, 1]) * push * np.exp(4 * z) / c0)])


state, dt = np.zeros(4), 2 * high * K / eta_y / steps  # up to t_0
for _ in range(steps):  # Runge-Kutta
    a, b = velocity(state), velocity(state + dt / 2 * velocity(state))
    c = velocity(state + dt / 2 * b)
    state = state + dt / 6 * (a + 2 * b + 2 * c + velocity(state + dt * c))
for name, constant in (("printed", 400.0), ("corrected", c0)):  # that of overlaps 0.025; its own
    print(f"{name} {np.log(1 + 4 * state[1] / constant) / 4:.12g}")
print(f"measured {state[3]:.12g}")
