"""E61: the sentence after (30): Lemma 15, not Lemma 17, bounds the eigenvalues of E'."""

import numpy as np

top = 0.25  # overlap of two classes, and so |lambda_1|
E = np.array([[0, top], [top, 0]])
E_prime = np.eye(2) - np.linalg.inv(np.eye(2) + E)

print("max |lambda_i(E')| for two classes of overlap 1/4, and what should bound it")
print(f"printed {top**2 / (1 - top):.12g}")
print(f"corrected {top / (1 - top):.12g}")
print(f"measured {np.abs(np.linalg.eigvalsh(E_prime)).max():.12g}")
