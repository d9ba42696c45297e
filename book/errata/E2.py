"""E2: the sign of E' in Appendix D.1.  Two classes whose attention vectors overlap by one half."""

import numpy as np

overlap = np.array([[0, 0.5], [0.5, 0]])  # E; the Gram matrix is I + E
identity = np.eye(2)
inverse = np.linalg.inv(identity + overlap)

print("Printed in D.1: E' = (I + E)^-1 - I.")
print("Used everywhere after it: E' = I - (I + E)^-1, as in (40), (I + E) E' = E.")
print("The entry of E' for the pair, by both, and by solving (40):")
solved = np.linalg.solve(identity + overlap, overlap)
print(f"printed {(inverse - identity)[0, 1]:.12g}")
print(f"corrected {(identity - inverse)[0, 1]:.12g}")
print(f"measured {solved[0, 1]:.12g}")
