"""E11: Theorem 1, Eq. (88) has one wrong sign; the demand against a class that shares no token."""

import numpy as np

M, eta, rho = 600, 0.5, 0.2474
E = rho * np.kron(np.eye(2), [[0, 1], [1, 0]])  # four classes in two pairs
inverse = np.linalg.inv(np.eye(4) + E)
W = np.zeros((4, M))  # rows w_n = Y^T f_n; the modified update (26) moves one row at a time
for n in list(range(4)) * 5:  # five visits of each class
    W[n] += eta * (np.eye(M)[n] - np.exp(W[n]) / np.exp(W[n]).sum())
error = np.eye(M)[0] - np.exp(W[0]) / np.exp(W[0]).sum()
c = inverse @ W @ error  # Y (e_0 - alpha_0) = sum of c_n f_n
q1, q0, prime = M / (M - 1), -M / (M - 1) ** 2, np.eye(4) - inverse  # E'
iota = q1 * (1 - prime[0, 0]) - q0 * prime[1:, 0].sum()  # (86), equal visits: all theta are 0
tail = q0 * prime[1:, 2].sum()
print("beta_02 / iota_0, class 2 sharing no token with class 0")
print("printed:   beta = q_1 E'_02 + q_0 (+1 + sum)")
print("corrected: beta = q_1 E'_02 + q_0 (-1 + sum);  measured: from the trained decoder")
print(f"printed {(q1 * prime[0, 2] + q0 + tail) / iota:.12g}")
print(f"corrected {(q1 * prime[0, 2] - q0 + tail) / iota:.12g}")
print(f"measured {-c[2] / c[0]:.12g}")
