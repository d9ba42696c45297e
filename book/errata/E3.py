"""E3: Remark 1, Eq. (43), for fewer classes than tokens: what class 0 gives to a rival's token."""

import numpy as np

M, K, rho, eta, rounds = 10**4, 3, 0.15, 0.5, 2000
h = a = b = c = 0.0  # h* of (33); scores of class 0 at itself, at the rival, at an unused token
gram, rows = (1 - rho) * np.eye(K) + rho, np.zeros((K, M))
for _ in range(rounds):
    h += eta / (M - 1 + np.exp(M * h))
    p, q, r = np.exp([a, b, c]) / (np.exp(a) + (K - 1) * np.exp(b) + (M - K) * np.exp(c))
    a += eta * (1 - p - rho * (K - 1) * q)
    b += eta * (-q + rho * (1 - p - (K - 2) * q))
    c -= eta * (1 + rho * (K - 1)) * r
    alpha = np.exp(rows) / np.exp(rows).sum(axis=1, keepdims=True)
    rows += eta * gram @ (np.eye(K, M) - alpha)  # (40): every class once in every round
print("score that class 0 gives to the next token of class 1; overlaps 0.15, 2000 rounds")
print("printed:   (1-rho) (M-1) h* zeta;  corrected: the second of three numbers a, b, c")
print("measured:  gradient ascent, all rows F^T Y")
print(f"printed {-(1 - rho) * h:.12g}")
print(f"corrected {b:.12g}")
print(f"measured {rows[0, 1]:.12g}")
