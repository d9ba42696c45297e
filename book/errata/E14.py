"""E14: the sentence after Theorem 1: under the original update (7) rivals hardly repel."""

import numpy as np

K, M, eta, rho = 3, 1400, 0.5, 0.165  # all overlaps equal
gram = (1 - rho) * np.eye(K) + rho
W = eta * gram @ (np.eye(K, M) - 1 / M)  # one round of (7): every class once, from Y = 0
error = np.eye(M)[0] - np.exp(W[0]) / np.exp(W[0]).sum()
c = np.linalg.solve(gram, W @ error)  # g = sum of c_n f_n: iota and minus the betas
q1, q0 = M / (M - 1), -M / (M - 1) ** 2
theorem = np.linalg.solve(gram, [q1, q0, q0])  # (83) with equal visits
one = np.exp(eta * rho)
print("beta / iota after one round, K = 3, all overlaps 0.165, M = 1400, eta_Y = 0.5")
print("printed:   Theorem 1 with another rate; a rate leaves the ratio alone")
print("corrected: e^(eta rho) / ((K-1) e^(eta rho) + M - K);  measured: from the trained decoder")
print(f"printed {-theorem[1] / theorem[0]:.12g}")
print(f"corrected {one / ((K - 1) * one + M - K):.12g}")
print(f"measured {-c[1] / c[0]:.12g}")
