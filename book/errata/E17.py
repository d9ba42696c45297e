"""E17: (13), (118): ten classes behind one query push the common token ninety times, not ten."""

import numpy as np

K, weight = 10, 0.02  # one common token beside one distinct token of weight 1 a class
F = np.hstack([np.full((K, 1), weight), np.eye(K)])
F /= np.linalg.norm(F, axis=1, keepdims=True)  # rows f_n at z = 0
gram = F @ F.T
beta = np.eye(K) - np.linalg.inv(gram)  # E', which is beta for M -> infinity
np.fill_diagonal(beta, 0)
g = -beta @ F  # the gradient of Theorem 1 over gamma; layer normalization removes iota f_n
velocity = (F * (g - (F * g).sum(axis=1, keepdims=True) * F)).sum(axis=0)  # Lemma 4, all classes
rho_0 = 1 / F[0, 0]
print("speed of the common token at z = 0 in units of eta_Z gamma / rho_0^4, weak overlap")
print("printed: K; corrected: K (K - 1); measured: Lemma 4 itself")
print(f"printed {K}")
print(f"corrected {K * (K - 1)}")
print(f"measured {-velocity[0] * rho_0**4:.12g}")
