"""E56: Lemma 9, the first stage: e^(M h) <= (M - 1) M h begins later than at t = 0."""

import math

M, K, eta = 10**12, 10**4, 1e-9  # eta_Y = 759 M^(-0.99), M = 10^4 K^2


def height(t, steps=100):
    """M h(t / K) by Runge-Kutta from (44)."""
    u, speed = 0.0, lambda v: M * eta / K / (M - 1 + math.exp(v))
    for _ in range(steps):
        a = speed(u)
        b = speed(u + t / steps * a / 2)
        u += t / steps * (a + 4 * b + speed(u + t / steps * (2 * b - a))) / 6
    return u


u_0, low, high = 0.0, 0.0, 1000.0
for _ in range(60):
    u_0 = math.exp(u_0) / (M - 1)  # e^u = (M - 1) u, the lower crossing
    t = (low + high) / 2  # the first t with e^(M h) <= (M - 1) M h
    low, high = (low, t) if math.exp(height(t)) <= (M - 1) * height(t) else (t, high)
print("the step t at which the first stage begins\nprinted 0")
print(f"corrected {K * (2 * math.exp(u_0) - 1) / (M * eta):.12g}\nmeasured {high:.12g}")
