"""E7: Remark 3, the chain for the learning rate: which of two powers of M is the larger one."""

import math

M = 1000
omega = 0.0
for _ in range(50):  # omega_0 from Eq. (50)
    omega = (math.log(M / (M - 1)) + M ** (omega - 1)) / math.log(M)
low, high = 0.0, 1.0  # lower zero of e^u - (M - 1) u, which is M^-(1 - omega_0)
for _ in range(200):
    mid = (low + high) / 2
    low, high = (mid, high) if math.exp(mid) > (M - 1) * mid else (low, mid)
print("M^-(1 - omega_0) over M^-0.99, M = 1000")
print("printed:   above 1;  corrected: M^(omega_0 - 0.01) with omega_0 from (50), below 1")
print("measured:  the lower zero of e^u - (M - 1) u, times M^0.99")
print(f"printed {1.0:.12g}")
print(f"corrected {M ** (omega - 0.01):.12g}")
print(f"measured {low * M**0.99:.12g}")
