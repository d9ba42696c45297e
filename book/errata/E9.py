"""E9: Lemma 11, proof: visits fewer than planned cost more than a third of eta Delta."""

import math

M, eta, plan, missed = 1e18, 0.015, 3000.0, 300.0  # K = 10, N = 300 K^2, delta = 0.05


def root(f):
    """The zero of an increasing function on [0, 50]."""
    low, high = 0.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) < 0 else (low, middle)
    return low


u = lambda t: root(lambda v: math.exp(v) + (M - 1) * v - M * eta * t - 1)  # M h(t), Eq. (45)
denominator = lambda t: M - 1 + math.exp(u(t))
w = root(lambda v: math.sinh(v) + v - M * eta * missed / (2 * (M - 1)))
print("sigma' = (M-1+e^(M h(3000))) / (M-1+e^(M h(2700))) - 1: 2700 visits for 3000")
print("printed:   eta Delta / 3;  corrected: e^w - 1, sinh w + w = M eta Delta / (2 (M-1))")
print(f"printed {eta * missed / 3:.12g}")
print(f"corrected {math.expm1(w):.12g}")
print(f"measured {denominator(plan) / denominator(plan - missed) - 1:.12g}")
