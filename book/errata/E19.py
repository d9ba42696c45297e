"""E19: Lemma 4, Theorem 4 for plain training (3): how far the dominant token gets by t_0."""

import numpy as np

M, rho, eta, eta_z, t0 = 200, 0.45, 0.5, 0.0005, 58  # two classes, one query, overlap rho
w, label = np.linspace(0.2, 1, 5), np.eye(2, M)
law, gram = np.zeros((2, M)), np.array([[1, rho], [rho, 1]])
law[:, 0], law[0, 1:6], law[1, 6:11] = np.sqrt(rho / (1 - rho) * w @ w), w, w
Y, V, z, u, printed, corrected = np.zeros((M, M)), np.zeros((2, M)), np.zeros(M), 0, 0, 0
soft = lambda x: np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
share = 0.5 * rho * eta_z * (1 - rho) / (w @ w)  # (97): rho f^2 / K of the dominant token
q = M / (M - 1) * np.array([1, -1 / (M - 1)])  # zeta products of (83)
for t in range(t0):
    for _ in range(50):  # (45) at t / K by Newton's method
        u -= (np.exp(u) + (M - 1) * u - M * eta * t / 2 - 1) / (np.exp(u) + M - 1)
    printed -= share * (M - 1) ** 2 * u / M / (M - 1 + np.exp(u)) * np.linalg.solve(gram, q)[1]
    error = label - soft(gram @ V)  # plain gradient, attention at rest: Y = sum of f_k v_k
    corrected, V = corrected - share * V[1] @ error[0], V + eta / 2 * error
    F = law * np.exp(z) / np.linalg.norm(law * np.exp(z), axis=1, keepdims=True)
    miss = (label - soft(F @ Y)) / 2  # joint training
    g = miss @ Y.T
    z = z + eta_z * (F * (g - F * (F * g).sum(axis=1, keepdims=True))).sum(axis=0)
    Y = Y + eta * F.T @ miss
print(f"logit at t_0\nprinted {printed:.12g}\ncorrected {corrected:.12g}\nmeasured {z[5]:.12g}")
