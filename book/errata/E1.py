"""E1: Lemma 4, Eq. (10) sums over classes where one step of batch size 1 sees only one of them."""

import numpy as np

M, law = 1000, np.zeros((2, 1000))  # P(l|n): two classes, one query, token 0 common
law[0, :2] = law[1, [0, 2]] = np.array([1, np.sqrt(3)]) / (1 + np.sqrt(3))  # overlap 1/4
f = lambda z: (v := law * np.exp(z * np.eye(M)[1])) / np.linalg.norm(v, axis=1, keepdims=True)
F = f(0)
duals = np.linalg.inv(F @ F.T) @ F  # directions of the modified update (26)
Y = np.zeros((M, M))
for n in [0, 1] * 10:
    p = np.exp(F[n] @ Y)
    Y += 0.5 * np.outer(duals[n], np.eye(M)[n] - p / p.sum())
total = 0.0
for n in (0, 1):  # each class's term: diag(f) (I - f f^T) Y (e_n - alpha_n), at token 1
    p = np.exp(F[n] @ Y)
    g = Y @ (np.eye(M)[n] - p / p.sum())
    total += (F[n] * (g - F[n] * (F[n] @ g)))[1]
J = lambda z: np.mean([f(z)[n] @ Y[:, n] - np.log(np.exp(f(z)[n] @ Y).sum()) for n in (0, 1)])
print("velocity of z_m1 over eta_Z, time in single steps; printed: the sum over both classes")
print("corrected: their mean;  measured: derivative of the mean log-likelihood by z_m1")
print(f"printed {total:.12g}")
print(f"corrected {total / 2:.12g}")
print(f"measured {(J(1e-5) - J(-1e-5)) / 2e-5:.12g}")
