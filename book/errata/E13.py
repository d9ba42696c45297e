"""E13: Theorem 1(b), the logarithm of the late regime has lost an M."""

import numpy as np

M, tau = 1e12, 1000.0  # tau = eta_Y t / K, well after 2 (1 + omega_1) ln M = 62
low, high = 0.0, 100.0  # u = M h solves e^u + (M - 1) u = M tau + 1, Eq. (45)
for _ in range(200):
    u = (low + high) / 2
    low, high = (u, high) if np.exp(u) + (M - 1) * u < M * tau + 1 else (low, u)
gamma = (M - 1) ** 2 * (u / M) / (M - 1 + np.exp(u))  # Eq. (85)
print("gamma at M = 10^12, eta_Y t / K = 1000")
print("printed:   ln(eta_Y t/K) / (eta_Y t/K), to be multiplied by a constant")
print("corrected: ln(M eta_Y t/K) / (eta_Y t/K);  measured: gamma itself")
print(f"printed {np.log(tau) / tau:.12g}")
print(f"corrected {np.log(M * tau) / tau:.12g}")
print(f"measured {gamma:.12g}")
