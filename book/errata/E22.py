"""E22: Section 7, residual connection, decoder of (26): other queries' classes left out of g."""

import numpy as np

S, far, near, eta, M = 3, 0.04, 0.04, 0.5, 10**6  # queries, two classes each; 2q uses token 0
query = np.repeat(np.arange(S), 2)
P = np.zeros((2 * S, 1 + 3 * S + S))  # token 0, one per query, one per class, the queries
P[::2, 0] = far
P[range(2 * S), 1 + query] = near
P[range(2 * S), 1 + S + np.arange(2 * S)] = 1 - P.sum(axis=1)
F = np.sqrt(P)  # inside Assumption 2; token 0 is common, but distinct within each query
unit = lambda v: v / np.linalg.norm(v, axis=-1, keepdims=True)
bars = unit(F + np.eye(P.shape[1])[1 + 3 * S + query])  # LN(f_n + e_m)
many = np.r_[np.ones(2 * S), M - 2 * S]  # the last column of Y stands for all other tokens
duals, Y = np.linalg.inv(bars @ bars.T) @ bars, np.zeros((P.shape[1], 2 * S + 1))
error = lambda n: np.eye(2 * S + 1)[n] - np.exp(bars[n] @ Y) / (many @ np.exp(bars[n] @ Y))
for n in 20 * list(range(2 * S)):
    Y += eta * np.outer(duals[n], error(n))  # (26)
parts = (duals @ Y @ (many * error(0))) * F[0, 0] / 2 * (F[:, 0] - F[0, 0] * (F @ F[0]))
x = lambda z: unit(unit(F[0] * np.exp(z * np.eye(1, len(Y))[0])) + np.eye(len(Y))[1 + 3 * S]) @ Y
J = lambda z: x(z)[0] - np.log(many @ np.exp(x(z)))
slope = (8 * (J(1e-3) - J(-1e-3)) - J(2e-3) + J(-2e-3)) / 0.012
print("velocity of token 0 in row 0; printed: its query; corrected: all classes; measured: dJ/dz")
print(f"printed {parts[:2].sum():.12g}\ncorrected {parts.sum():.12g}\nmeasured {slope:.12g}")
