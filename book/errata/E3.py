"""E3: Remark 1, Eq. (43), for fewer classes than tokens: two classes, five tokens, ten rounds."""

import numpy as np

M, K, rho, eta, rounds = 5, 2, 0.5, 1.0, 10
h = a = b = c = 0.0  # h* of (33); scores of class 0 at itself, at the rival, at an unused token
for _ in range(rounds):
    h += eta / (M - 1 + np.exp(M * h))
    p, q, r = np.exp([a, b, c]) / (np.exp(a) + (K - 1) * np.exp(b) + (M - K) * np.exp(c))
    a += eta * (1 - p - rho * (K - 1) * q)
    b += eta * (-q + rho * (1 - p - (K - 2) * q))
    c -= eta * (1 + rho * (K - 1)) * r
F = np.eye(K, M)
F[1] = [rho, np.sqrt(1 - rho**2), 0, 0, 0]  # unit vectors with f_0 . f_1 = rho
Y = np.zeros((M, M))
for _ in range(rounds):  # plain gradient, both classes in every round
    alpha = np.exp(F @ Y) / np.exp(F @ Y).sum(axis=1, keepdims=True)
    Y += eta * F.T @ (np.eye(K, M) - alpha)
print("score that class 0 gives to a token which is never a next token")
print("printed:   (1-rho) (M-1) h* zeta;  corrected: the third of three numbers a, b, c")
print("measured:  gradient ascent of the whole decoder")
print(f"printed {-(1 - rho) * h:.12g}")
print(f"corrected {c:.12g}")
print(f"measured {(F @ Y)[0, 4]:.12g}")
