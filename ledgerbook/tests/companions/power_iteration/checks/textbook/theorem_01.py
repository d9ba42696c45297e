"""Theorem 1: power iteration turns to the first eigenvector at the rate of two eigenvalues."""

from dataclasses import dataclass

import numpy as np
import sympy as sp
from ledgerbook.ledger.checks import Checks, claim, control, erratum, once, step
from ledgerbook.ledger.fields import seed, whole
from power.iteration import path, rate


@dataclass
class Theorem01(Checks):
    """Symmetric matrices drawn at random."""

    seed: int = seed()
    matrices: int = whole(200, 10, 1000)

    tag = "textbook.theorem-01"
    hypotheses = {
        "H1": "one eigenvalue is larger than all others in absolute value",
        "H2": "the start is not orthogonal to its eigenvector",
    }
    standing = "established"

    @step("symbolic")
    def two_by_two(self):
        """two eigenvalues, seven steps: equality"""
        one, two, x, y = sp.symbols("lambda_1 lambda_2 x y", positive=True)
        after = sp.diag(one, two) ** 7 * sp.Matrix([x, y])
        return after[1] / after[0], (two / one) ** 7 * y / x

    @once
    def worst(self, rng):
        """Largest sine and tangent of the angle over their bounds."""
        found = []
        for _ in range(self.matrices):
            matrix = rng.normal(size=(5, 5))
            matrix += matrix.T
            tangent, _ = path(matrix, rng.normal(size=5), 20)
            bound = rate(np.linalg.eigvalsh(matrix)) ** np.arange(21)
            sine = tangent / np.hypot(1, tangent)
            seen = tangent > 1e-12  # below it the angle is rounding
            found.append([(a / (bound * a[0]))[seen].max() for a in (sine, tangent)])
        return np.max(found, axis=0)

    @claim("<=", 1 + 1e-6, "inequality", "(1)", as_printed=True)
    def sine(self):
        r"""$\sin\theta_k \leq \rho^k \sin\theta_0$ for every matrix"""
        return self.worst[0]

    @claim("<=", 1 + 1e-6, "inequality", "(1)", concludes=True)
    def tangent(self):
        r"""$\tan\theta_k \leq \rho^k \tan\theta_0$ for every matrix"""
        return self.worst[1]

    @erratum(
        "E1",
        "Eq. (1)",
        r"$\sin\theta_k \leq \rho^k \sin\theta_0$",
        fails="sine",
        holds="tangent",
        reach="changes a constant",
    )
    def e1(self):
        r"""$\tan\theta_k \leq \rho^k \tan\theta_0$"""
        tangent = path(np.diag([1, 0.5]), [0.6, 0.8], 1)[0][1]
        measured = np.sin(np.arctan(tangent))
        return dict(printed=0.4, corrected=2 / np.sqrt(13), measured=measured)

    @control("H1", ">=", 0.99)
    def tie(self):
        """two eigenvalues of one size: the angle stays"""
        tangent, _ = path(np.diag([1.0, -1.0]), np.array([0.6, 0.8]), 40)
        return tangent[40] / tangent[0]

    @control("H2", "==", 0.0)
    def orthogonal(self):
        """an orthogonal start never turns"""
        return np.linalg.matrix_power(np.diag([2.0, 1.0]), 40)[0] @ [0.0, 1.0]
