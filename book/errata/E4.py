"""E4: Remark 1, Eq. (43), when every token is a class: the factor belongs to the clock."""

import numpy as np

M, rho, eta, rounds = 5, 0.5, 1.0, 10


def h_star(rate):
    """The recursion (33) after ten steps."""
    h = 0.0
    for _ in range(rounds):
        h += rate / (M - 1 + np.exp(M * h))
    return h


F = np.linalg.cholesky((1 - rho) * np.eye(M) + rho)  # rows f_n, every f_n . f_n' = rho
Y = np.zeros((M, M))
for _ in range(rounds):  # plain gradient, every class in every round
    alpha = np.exp(F @ Y) / np.exp(F @ Y).sum(axis=1, keepdims=True)
    Y += eta * F.T @ (np.eye(M) - alpha)
print("score of class 0 for its own token; measured: gradient ascent of the whole decoder")
print("printed:   (1-rho) (M-1) h* at the rate eta;  corrected: (M-1) h* at the rate (1-rho) eta")
print(f"printed {(1 - rho) * (M - 1) * h_star(eta):.12g}")
print(f"corrected {(M - 1) * h_star((1 - rho) * eta):.12g}")
print(f"measured {(F @ Y)[0, 0]:.12g}")
