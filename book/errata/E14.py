"""E14: the sentence after Theorem 1: under (7) rivals hardly repel for a long time."""

import numpy as np

K, M, eta, rho, rounds = 3, 1400, 0.5, 0.165, 100  # all overlaps equal; t = 300, K^2 = 9
gram = (1 - rho) * np.eye(K) + rho
W, a, b, c = np.zeros((K, M)), 0.0, 0.0, 0.0  # decoder; scores of own, rival and other tokens
for _ in range(rounds + 1):  # the last round is only looked at
    error = np.eye(K, M) - np.exp(W) / np.exp(W).sum(axis=1, keepdims=True)
    p, q, r = np.exp([a, b, c]) / (np.exp(a) + (K - 1) * np.exp(b) + (M - K) * np.exp(c))
    g = np.linalg.solve(gram, W @ error[0])  # g = sum of g_n f_n: iota and minus the betas
    x = a * (1 - p) - (K - 1) * b * q - (M - K) * c * r
    y = b * (1 - p) - a * q - (K - 2) * b * q - (M - K) * c * r
    W = W + eta * gram @ error  # (7), every class once
    a, b = a + eta * (1 - p - rho * (K - 1) * q), b + eta * (rho * (1 - p - (K - 2) * q) - q)
    c -= eta * (1 + rho * (K - 1)) * r
theorem = np.linalg.solve(gram, [M / (M - 1)] + (K - 1) * [-M / (M - 1) ** 2])  # (83)
print("beta / iota after 100 rounds, K = 3, all overlaps 0.165, M = 1400, eta_Y = 0.5")
print("printed: Theorem 1 with another rate, which leaves the ratio alone; corrected: from three")
print("numbers, own, rival and other tokens;  measured: from the trained decoder")
print(f"printed {-theorem[1] / theorem[0]:.12g}")
print(f"corrected {(rho * x - y) / ((1 + (K - 2) * rho) * x - (K - 1) * rho * y):.12g}")
print(f"measured {-g[1] / g[0]:.12g}")
