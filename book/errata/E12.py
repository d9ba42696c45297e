"""E12: Theorem 1, proof, the first bound of (93) points the wrong way: two pairs of classes."""

import numpy as np

M, K, strong, s = 10**6, 4, 0.24, 0.2  # overlap `strong` in one pair, s in the other, 0 between
q1, q0 = M / (M - 1), -M / (M - 1) ** 2
coordinates = np.linalg.solve([[1, s], [s, 1]], [q1, q0])  # of g over gamma (1 + sigma)
total = -coordinates[1] * s  # sum of beta f.f': only the partner has an overlap
bound = lambda denominator: q1 / denominator * s**2 - 3 / M * K * strong
print("a lower bound for the sum of beta_nn' f_n.f_n', a class of the weaker pair")
print("printed:   (1 + delta_1) min|lambda|^2 / (1 - |lambda_1|) - 3 K |lambda_1| / M")
print("corrected: the same with 1 + |lambda_1|;  measured: the sum itself")
print(f"printed {bound(1 - strong):.12g}")
print(f"corrected {bound(1 + strong):.12g}")
print(f"measured {total:.12g}")
