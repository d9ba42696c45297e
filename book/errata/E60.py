"""E60: Lemma 11, (62): eta_Y Delta / 3 is not small against ln M for every N."""

import math

M, K, eta, delta, N = 1000, 10, 0.5, 0.05, 10**8
plan, off = N / K, math.ceil(math.sqrt(N * math.log(1 / delta)))


def error(t):
    """1/(M - 1 + e^u) at u = M h(t): e^u + (M - 1) u = M eta t + 1, Eq. (45)."""
    low, high = 0.0, 50.0
    for _ in range(200):
        mid = (low + high) / 2
        low, high = (mid, high) if math.exp(mid) + (M - 1) * mid < M * eta * t + 1 else (low, mid)
    return 1 / (M - 1 + math.exp(low))


print(f"bounds of sigma' where Delta = {off} visits are missing; ln M = {math.log(M):.3f}")
print(f"printed {eta * off / 3:.12g}")
print(f"corrected {2 * off / (plan - 2 * off):.12g}")
print(f"measured {error(plan - off) / error(plan) - 1:.12g}")
