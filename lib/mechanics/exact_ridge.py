"""The ridge path of three scores to hundreds of digits, by Newton's method.

Three samples of tokens 0, 1, 2 behind one query, labels 0, 0, 1: the loss of the scores a (3,) is

    -(2/3) log p_0 - (1/3) log p_1 + (ridge / 2) |a|^2,    p = softmax(a),

which is convex.  Tokens 0 and 1 quarrel, both are over token 2; a_0 - a_1 goes to W_fin's log 2,
and how far it is from there falls below what a float can tell.
Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from typing import Any

import mpmath as mp
import numpy as np

from lib.validation import require_integer, require_real

ENOUGH = 300  # a Newton step below 10^-300 is the last


def slope_and_curvature(point: Any, ridge: Any) -> tuple[mp.matrix, mp.matrix]:
    """Gradient (3,) and Hessian (3, 3) of the loss at ``point`` (3,), in mpmath's digits."""
    mass = [mp.exp(score) for score in point]
    mass = [part / sum(mass) for part in mass]
    wins = mp.mpf(2) / 3, mp.mpf(1) / 3, mp.mpf(0)
    triples = zip(mass, wins, point, strict=True)
    slope = mp.matrix([p - win + ridge * a for p, win, a in triples])
    curvature = mp.matrix(3, 3)
    for i in range(3):
        for j in range(3):
            curvature[i, j] = (mass[i] + ridge) * (i == j) - mass[i] * mass[j]
    return slope, curvature


def gap_and_length(s: float, digits: int = 330) -> tuple[Any, Any]:
    """(|a - its limit| inside the cycle, |a|) at ridge = e^-s, to ``digits`` digits.

    The first is |a_0 - a_1 - log 2| / sqrt 2, the distance to W_fin; the second the path's R.
    s: a positive number.  digits: more than 300.

    >>> gap, length = gap_and_length(640.0)
    >>> float(mp.log(gap)) < -600, float(length) > 500
    (True, True)
    """
    require_real("s", s, above=0)
    with mp.workdps(require_integer("digits", digits, ENOUGH + 1)):
        along = log_inverse(s, mp)
        half = mp.log(2) / 2
        point = mp.matrix([along / 3 + half, along / 3 - half, -2 * along / 3])
        for _ in range(40):
            slope, curvature = slope_and_curvature(point, mp.exp(-mp.mpf(s)))
            move = mp.lu_solve(curvature, slope)
            point -= move
            if mp.norm(move) < mp.mpf(10) ** -ENOUGH:
                break
        return abs(point[0] - point[1] - mp.log(2)) / mp.sqrt(2), mp.norm(point)


def log_inverse(s: float, numbers: Any = np) -> Any:
    """The C with C + log C = s, by sixty rounds of C = s - log C; s from 2 on.

    numbers: ``numpy``, or ``mpmath`` for its digits.

    >>> bool(abs(log_inverse(1 + np.exp(1.0)) - np.exp(1.0)) < 1e-12)
    True
    """
    found = numbers.mpf(s) if numbers is mp else s
    for _ in range(60):
        found = s - numbers.log(found)
    return found
