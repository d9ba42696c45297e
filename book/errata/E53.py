"""E53: Remark 2, s_1 has lost a factor ln M: where h begins to follow ln(M eta t) / M."""

import math

M, eta = 10**6, 0.5
v = math.log(M)
for _ in range(200):  # e^v = (M - 1) v, the upper one: v = (1 + omega_1) ln M of Lemma 8
    v = math.log((M - 1) * v)
omega = v / math.log(M) - 1
low, high = 1.0, 1000.0
for _ in range(100):  # the time at which e^u overtakes (M - 1) u in (45), by bisection
    t = (low + high) / 2
    u = math.log(M * eta * t + 1)
    for _ in range(60):
        u -= (math.exp(u) + (M - 1) * u - M * eta * t - 1) / (math.exp(u) + M - 1)
    low, high = (t, high) if math.exp(u) < (M - 1) * u else (low, t)
print("s_1 for M = 10^6, eta_Y = 0.5; measured: e^(M h) overtakes (M - 1) M h")
print(f"printed {2 * math.log(1 + omega) / eta:.12g}")
print(f"corrected {2 * (1 + omega) * math.log(M) / eta:.12g}")
print(f"measured {low:.12g}")
