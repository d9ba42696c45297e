"""E35: Lemma 7(b), proof, (48): a lower bound that no step meets when epsilon is small."""

import math

M, eta, gap, s = 50, 0.1, 0.1, 10**7  # gap = M epsilon; epsilon <= 2 eta / M = 0.2 / M is allowed


def u(t):
    """M h(t): e^u + (M - 1) u = M eta t + 1, Eq. (45)."""
    low, high = 0.0, 50.0
    for _ in range(200):
        mid = (low + high) / 2
        low, high = (mid, high) if math.exp(mid) + (M - 1) * mid < M * eta * t + 1 else (low, mid)
    return low


print("a lower bound of e^(M eps) - e^(M (h(s+1) - h(s))) for late s; measured: at s = 10^7")
print("printed:   e^(M eps) / 2;  corrected: (e^(M eps) - 1) / 2")
print("h rises, so the difference stays below e^(M eps) - 1, and that is less than printed")
print(f"printed {math.exp(gap) / 2:.12g}")
print(f"corrected {math.expm1(gap) / 2:.12g}")
print(f"measured {math.exp(gap) - math.exp(u(s + 1) - u(s)):.12g}")
