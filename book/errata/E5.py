"""E5: Remark 2, the constant c: the time that the flow needs to catch up with the steps."""

import numpy as np

M, eta = 10, 1.0
h, lag = 0.0, {}
for s in range(1, 100_001):  # the recursion (33)
    h += eta / (M - 1 + np.exp(M * h))
    if s in (10_000, 100_000):  # Eq. (45): the time at which the flow is where the steps are
        lag[s] = (np.expm1(M * h) + (M - 1) * M * h) / (M * eta) - s
print("growth of c per unit of ln s from s = 10^4 to 10^5, where h*(s) = h(s + c)")
print("printed: none, c is a constant O(ln M);  corrected: c grows like ln(eta s) / 2")
print("measured: from the recursion and the clock;  c itself at the end:", round(lag[100_000], 3))
print(f"printed {0.0:.12g}")
print(f"corrected {0.5:.12g}")
print(f"measured {(lag[100_000] - lag[10_000]) / np.log(10):.12g}")
