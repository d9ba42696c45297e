"""E10: Lemma 12 completes F to a square matrix and does not say that it must do so orthogonally."""

import numpy as np

f, eta, h = np.array([0.6, 0.8]), 1.0, 0.0  # two tokens, one class
for _ in range(3):
    h += eta / (1 + np.exp(2 * h))  # h* of (33) with M = 2
Y = np.zeros((2, 2))
for _ in range(3):  # the run: with one class the modified update is the plain one
    alpha = np.exp(f @ Y) / np.exp(f @ Y).sum()
    Y += eta * np.outer(f, np.array([1, 0]) - alpha)
W = h * np.array([[1.0, -1.0], [0.0, 0.0]])  # W' = [w_0, 0], w_0 = (M - 1) h* zeta_0
formula = lambda added: np.linalg.solve(np.array([f, added]), W)[1, 0]  # (F')^-T W'
print("entry (1, 0) of Y after three steps, by the formula Y = (F')^-T W' with F' = [f, added]")
print("printed:   any added column that makes the rank full, here (1, 0)")
print("corrected: the column orthogonal to f, here (-0.8, 0.6);  measured: the run")
print(f"printed {formula([1.0, 0.0]):.12g}")
print(f"corrected {formula([-0.8, 0.6]):.12g}")
print(f"measured {Y[1, 0]:.12g}")
