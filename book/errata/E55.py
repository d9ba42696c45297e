"""E55: Theorem 5, proof: the space beside f_1..f_K begins at f_(K+1), not at f_K."""

import numpy as np

M, K, overlap = 1000, 2, 0.25
F = np.zeros((K, M))
F[0, 0], F[1, :2] = 1, (overlap, np.sqrt(1 - overlap**2))
print("dimension of Xi', orthogonal to f_1..f_K; printed: f_K..f_M, and f_K . f_K =", F[1] @ F[1])
print("measured: M less the rank of F")
print(f"printed {M - K + 1}")
print(f"corrected {M - K}")
print(f"measured {M - np.linalg.matrix_rank(F)}")
