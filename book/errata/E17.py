"""E17: (118), (119): ten classes push the query's common token, one of them makes up xi_n."""

import numpy as np

S, weight = 10, 0.02  # classes on one query; one common token beside one distinct token each
F = np.hstack([np.full((S, 1), weight), np.eye(S)])
F /= np.linalg.norm(F, axis=1, keepdims=True)  # rows f_n at z = 0
gram = F @ F.T
beta = np.eye(S) - np.linalg.inv(gram)  # E', which is beta for M -> infinity
np.fill_diagonal(beta, 0)
g = -beta @ F  # the gradient of Theorem 1 over gamma; layer normalization removes iota f_n
velocity = (F * (g - (F * g).sum(axis=1, keepdims=True) * F)).sum(axis=0)  # Lemma 4, all classes
xi = (beta * gram).sum(axis=1)[0]  # Theorem 1(a), over gamma, the same for each class
print("fall of the common token over eta_Z xi_n at z = 0, ten classes on one query")
print("printed: 1, both are gamma e^(4z) / C_0; corrected: S (1 - f_nl^2); measured: Lemma 4")
print("printed 1")
print(f"corrected {S * (1 - F[0, 0] ** 2):.12g}")
print(f"measured {-velocity[0] / xi:.12g}")
