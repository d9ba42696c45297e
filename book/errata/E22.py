"""E22: Section 7, with a residual connection other queries' classes are left out of g."""

import numpy as np

S, far, near, eta = 3, 0.04, 0.04, 0.5  # queries, two classes each; class 2q uses token 0
query = np.repeat(np.arange(S), 2)
P = np.zeros((2 * S, 1 + 3 * S + S))  # token 0, one per query, one per class, the queries
P[::2, 0] = far
P[range(2 * S), 1 + query] = near
P[range(2 * S), 1 + S + np.arange(2 * S)] = 1 - P.sum(axis=1)
F = np.sqrt(P)  # token 0 is common, but distinct within each query
unit = lambda v: v / np.linalg.norm(v, axis=-1, keepdims=True)
bars = unit(F + np.eye(P.shape[1])[1 + 3 * S + query])  # LN(f_n + e_m)
duals, Y = np.linalg.inv(bars @ bars.T) @ bars, np.zeros((P.shape[1],) * 2)
error = lambda n: np.eye(P.shape[1])[n] - np.exp(Y.T @ bars[n]) / np.exp(Y.T @ bars[n]).sum()
for n in 20 * list(range(2 * S)):
    Y += eta * np.outer(duals[n], error(n))  # (26)
parts = (duals @ Y @ error(0)) * F[0, 0] / 2 * (F[:, 0] - F[0, 0] * (F @ F[0]))
x = lambda z: unit(unit(F[0] * np.exp(z * np.eye(len(Y))[0])) + np.eye(len(Y))[1 + 3 * S]) @ Y
J = lambda z: x(z)[0] - np.log(np.exp(x(z)).sum())
print("velocity of token 0 in row 0; printed: sum over its query; corrected: all; measured: dJ/dz")
print(f"printed {parts[query == 0].sum():.12g}\ncorrected {parts.sum():.12g}")
print(f"measured {(8 * (J(1e-3) - J(-1e-3)) - J(2e-3) + J(-2e-3)) / 0.012:.12g}")
