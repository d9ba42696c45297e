"""E6: Remark 2, the gap law: M t (h* - h) is not bounded, it grows like ln(eta t) / 2."""

import numpy as np

M, eta = 1000, 0.5


def flow(t):
    """h(t) of (44), from e^u + (M - 1) u = M eta t + 1, u = M h."""
    u = np.log(M * eta * t + 1)
    for _ in range(60):
        u -= (np.exp(u) + (M - 1) * u - M * eta * t - 1) / (np.exp(u) + M - 1)
    return u / M


h, scaled = 0.0, {}
for s in range(1, 1_000_001):  # the recursion (33)
    h += eta / (M - 1 + np.exp(M * h))
    if s in (100_000, 1_000_000):
        scaled[s] = M * s * (h - flow(s))
print("growth of M t (h* - h) per unit of ln t from t = 10^5 to 10^6")
print("printed: none, it is O(ln M);  corrected: 1/2;  measured: recursion minus flow")
print(f"printed {0.0:.12g}")
print(f"corrected {0.5:.12g}")
print(f"measured {(scaled[1_000_000] - scaled[100_000]) / np.log(10):.12g}")
