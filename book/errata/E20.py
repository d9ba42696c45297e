"""E20: Corollary 2, proof, Eqs. (102), (106): a normalizer without its square."""

import numpy as np

first = np.array([0.5, 0.3, 0.2, 0])  # weights c~ of two classes
second = np.array([0.5, 0.3, 0, 0.2])
inner, square = first @ second, first @ first  # both classes have the same sum of squares
unit = first / np.linalg.norm(first) - second / np.linalg.norm(second)
print("f_n . f_n', with f_n = c~_n / o_n a unit vector, so that it is at most 1")
print("printed:   o_n = sum of squares")
print("corrected: o_n^2 = sum of squares;  measured: 1 - |f_n - f_n'|^2 / 2 of the unit vectors")
print(f"printed {inner / square**2:.12g}")
print(f"corrected {inner / square:.12g}")
print(f"measured {1 - unit @ unit / 2:.12g}")
