"""E54: Lemma 14, proof, (76): the sum of (-D)^n, not of -(D^n).  Two classes, overlap 0.2."""

import numpy as np

E = np.array([[0, 0.2], [0.2, 0]])
printed = np.eye(2) - sum(np.linalg.matrix_power(E, n) for n in range(1, 61))
corrected = np.eye(2) + sum(np.linalg.matrix_power(-E, n) for n in range(1, 61))
print("the diagonal of (I + E)^-1, by the series (76) and by inversion")
print(f"printed {printed[0, 0]:.12g}")
print(f"corrected {corrected[0, 0]:.12g}")
print(f"measured {np.linalg.inv(np.eye(2) + E)[0, 0]:.12g}")
