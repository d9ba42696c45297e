"""E58: Corollary 2, (101): matched distinct tokens surely move alike only after equal visits."""

import numpy as np

M, K, s, eta = 40_000, 3, 0.08, 0.02  # overlaps s: inside Assumption 2; M^(-0.99) << eta_Y
F = np.zeros((K, 1 + K))  # one common token, one distinct token a class: alike in all
F[:, 0], F[range(K), 1 + np.arange(K)] = np.sqrt(s), np.sqrt(1 - s)
W, h = np.zeros((K, M)), np.zeros(K)
visits = np.random.default_rng(0).multinomial(900, [1 / K] * K)  # uniform, N = 100 K^2


def error(n):
    """e_n less the softmax of class n's scores."""
    return np.eye(1, M, n)[0] - np.exp(W[n]) / np.exp(W[n]).sum()


for n in np.repeat(range(K), visits):
    W[n] += eta * error(n)  # (26), seen in W
    h[n] += eta / (M - 1 + np.exp(M * h[n]))  # (33)
g = [F.T @ np.linalg.solve(F @ F.T, W @ error(n)) for n in range(K)]  # Y (e_n - alpha)
speeds = [F[n, 1 + n] * (g[n][1 + n] - F[n, 1 + n] * (F[n] @ g[n])) for n in range(K)]
a, b = visits.argmax(), visits.argmin()
ratio = h[a] / h[b] * (M - 1 + np.exp(M * h[b])) / (M - 1 + np.exp(M * h[a]))
print(f"speeds of matched distinct tokens, class with {visits[a]} over class with {visits[b]}")
print(f"printed 1\ncorrected {ratio:.12g}\nmeasured {speeds[a] / speeds[b]:.12g}")
