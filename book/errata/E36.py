"""E36: Lemma 11, Eq. (64) has lost a minus sign: g = 1 / (M - 1 + e^(M h)) falls."""

import math

M, eta = 1000, 1.0


def g(t):
    """1 / (M - 1 + e^u), u = M h(t) from e^u + (M - 1) u = M eta t + 1, Eq. (45)."""
    u = math.log(M - 1)
    for _ in range(60):
        u -= (math.exp(u) + (M - 1) * u - M * eta * t - 1) / (math.exp(u) + M - 1)
    return 1 / (M - 1 + math.exp(u))


x = M - 1  # e^(M h) where the slope of ln g is steepest
at = (x + (M - 1) * math.log(x) - 1) / (M * eta)
size = eta * M * x / (M - 1 + x) ** 3
print("dg/ds at h = ln(M - 1)/M, M = 1000, eta_Y = 1")
print("printed:   positive;  corrected: negative;  measured: a central difference of width 2e-4")
print(f"printed {size:.12g}")
print(f"corrected {-size:.12g}")
print(f"measured {(g(at + 1e-4) - g(at - 1e-4)) / 2e-4:.12g}")
