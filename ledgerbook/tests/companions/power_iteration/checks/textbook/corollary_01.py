"""Corollary 1: the eigenvalue comes twice as fast."""

from dataclasses import dataclass

import numpy as np
from ledgerbook.ledger.checks import Checks, claim, control
from ledgerbook.ledger.fields import seed
from power.iteration import path, rate


def order(error):
    """The order in the ratio 1/2, from the tenth to the twentieth step."""
    return np.log(error[20] / error[10]) / (10 * np.log(0.5))


@dataclass
class Corollary01(Checks):
    """Errors of the Rayleigh quotient."""

    seed: int = seed()

    tag = "textbook.corollary-01"
    hypotheses = {"H1": "the matrix is symmetric"}
    standing = "established"

    @claim("<=", 1e-12, "inequality", "(2)", as_printed=True, atol=1e-12)
    def bound(self, rng):
        """the error of the quotient stays below its bound"""
        worst = []
        for _ in range(200):
            matrix = rng.normal(size=(5, 5))
            matrix += matrix.T
            values = np.linalg.eigvalsh(matrix)
            first = values[np.argmax(abs(values))]
            tangent, quotient = path(matrix, rng.normal(size=5), 10)
            most = max(abs(first - values)) * (rate(values) ** np.arange(11) * tangent[0]) ** 2
            worst.append((abs(first - quotient) - most).max())
        return max(worst)

    @claim("in", [1.99, 2.01], "rate")
    def order(self):
        """the order in the ratio is 2"""
        return order(abs(1 - path(np.diag([1.0, 0.5]), [0.6, 0.8], 20)[1]))

    @control("H1", "<=", 1.1)
    def skew(self):
        """a matrix that is not symmetric: order 1"""
        matrix, x, error = np.array([[1.0, 1.0], [0.0, 0.5]]), np.array([0.6, 0.8]), []
        for _ in range(21):
            x = matrix @ x
            error.append(abs(1 - x @ matrix @ x / (x @ x)))
        return order(error)
