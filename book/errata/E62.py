"""E62: (35), (38) and the line after (24) have lost the rate eta_Y."""

import numpy as np

M, eta = 50, 0.5
w = np.zeros(M)
softmax = np.exp(w) / np.exp(w).sum()
step = eta * (np.eye(M)[0] - softmax)  # (8)

print("what the first step adds to entry n of w_n")
print(f"printed {1 - 1 / M:.12g}")
print(f"corrected {eta * (1 - 1 / M):.12g}")
print(f"measured {step[0]:.12g}")
