"""E51: the range of (132), (133): the time at which 4 Gamma passes C_0, and nu upside down."""

import math

M, K, eta_y, eta_z, C0 = 10**6, 10, 0.5, 0.05, 1000.0  # overlaps 0.01: inside Assumption 2
nu = eta_y / eta_z


def four_gamma(u):
    """4 Gamma of (128) at u = M h(t/K)."""
    return 2 * K * (M - 1) ** 2 / M**2 * u**2 / nu


low, high = 0.0, 100.0
for _ in range(100):  # bisection for 4 Gamma = C_0
    middle = (low + high) / 2
    low, high = (middle, high) if four_gamma(middle) < C0 else (low, middle)
time = K * (math.exp(low) + (M - 1) * low - 1) / (M * eta_y)  # (45)
print("the t with 4 Gamma = C_0, after which (132) may leave C_0 out")
print("printed: e^(1/sqrt(2 nu)) / (M eta_Y);  corrected: K e^sqrt(C_0 nu / 2 K) / (M eta_Y)")
print(f"printed {math.exp(1 / math.sqrt(2 * nu)) / (M * eta_y):.12g}")
print(f"corrected {K * math.exp(math.sqrt(C0 * nu / (2 * K))) / (M * eta_y):.12g}")
print(f"measured {time:.12g}")
