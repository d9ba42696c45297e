"""Power iteration on a symmetric matrix, and the rate that a textbook gives it."""

import numpy as np


def path(matrix, x, steps):
    """Tangent of the angle to the first eigenvector, and Rayleigh quotient, at each step."""
    values, vectors = np.linalg.eigh(matrix)
    q, found = vectors[:, np.argmax(abs(values))], []
    for _ in range(steps + 1):
        x = np.asarray(x) / np.linalg.norm(x)
        found.append((np.linalg.norm(x - (q @ x) * q) / abs(q @ x), x @ matrix @ x))
        x = matrix @ x
    return np.array(found).T


def rate(values):
    """The second largest absolute eigenvalue over the largest."""
    return np.divide(*np.sort(abs(values))[-2:])
