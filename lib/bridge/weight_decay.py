"""Alike classes under weight decay: where training with a penalty on Y and Z comes to rest.

    minimize L(Y, Z) + lambda / 2 (|Y|^2 + |Z|^2),   L of ``joint_training``, lambda -> 0.

Every class has the weight w, a query, a distinct and a common token, once each; the common token
belongs to s classes, the vocabulary has C labels.  At a stationary point Y = -dL/dY / lambda, so
with D = w / lambda, p_w for one of the s - 1 labels that share the common token, p_o for one of
the C - s others, delta = (s-1) p_w + (C-s) p_o and attention f_d, f_c,

    ln(p / p_w) = D f_d^2 (delta + p_w),
    ln(p / p_o) = D (f_d^2 (delta + p_o) + f_c^2 C p_o),        p = 1 - delta,
    h_d = D f_d (delta^2 + (s-1) p_w^2 + (C-s) p_o^2),   h_c = D f_c C (C-s) p_o^2,
    g = 2 D f_d f_c (h_d - h_c),  normalized  g = 2 D f_d f_c (f_c h_d - f_d h_c),

g = z_distinct - z_common.

Chapter: ``book/bridge/weight_decay.ipynb``.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import root

from lib.arrays import Array, ArrayLike
from lib.log_sums import log_sum_exp
from lib.validation import require, require_integer, require_real


class Rest(NamedTuple):
    """Where training rests, one entry for each lambda; arrays of one shape.

    gap: g.  margin: ln(p / p_w), own logit over one that shares the common token.  others:
    ln(p / p_o), infinite where there are none.
    """

    gap: np.ndarray
    margin: np.ndarray
    others: np.ndarray


def rest(
    shared: int,
    labels: int,
    log_inverse: ArrayLike,
    *,
    weight: float = 0.25,
    normalize: bool = False,
) -> Rest:
    """``Rest`` at lambda = e^{-log_inverse}, followed from the first on.

    shared: s >= 2; labels: C >= s; log_inverse: increasing, (m,); weight: w of each class.
    Raises ``ValueError`` for arguments outside of this and ``RuntimeError`` where Newton's method
    finds no point.
    """
    require_integer("shared", shared, 2)
    require_integer("labels", labels, shared)
    require_real("weight", weight, above=0)
    path = np.asarray(log_inverse, dtype=float)
    increasing = path.ndim == 1 and len(path) > 0 and (np.diff(path) > 0).all()
    require(
        increasing and np.isfinite(path).all(), "log_inverse", log_inverse, "increasing numbers"
    )
    found, point = [], np.array([np.log(0.5), 0.0, 0.0])
    for value in _steps(path):
        scale = value + np.log(weight)
        solved = root(_excess, point, args=(shared, labels, scale, normalize), tol=1e-14)
        if np.abs(_excess(solved.x, shared, labels, scale, normalize)).max() > 1e-8:
            raise RuntimeError(f"no stationary point found at log_inverse = {value:g}")
        point = solved.x
        if value in path:
            found.append((np.exp(point[0]), scale + point[1], scale + point[1] + point[2]))
    gap, margin, others = np.array(found).T
    return Rest(gap, margin, others if labels > shared else np.full_like(gap, np.inf))


def _steps(path: Array) -> list[float]:
    """The values asked for, from where the decoder is small on, in ratios of at most 1.2."""
    values, now = [], min(2.0, path[0])
    for value in path:
        number = max(1, int(np.ceil(np.log(value / now) / np.log(1.2)))) if value > now else 1
        values += [*np.geomspace(now, value, number + 1)[1:-1], value]
        now = value
    return values


def _excess(unknown: Array, s: int, C: int, scale: float, normalize: bool) -> Array:
    """Left sides over right sides of the stationary equations, in logs: (3,).

    unknown: ln g, ln(p / p_w) - ln D, ln(p / p_o) - ln(p / p_w).  Probabilities are in units of
    1/D = e^{-scale}, so that no large numbers cancel.
    """
    power = 2 if normalize else 1
    gap, (margin, beyond) = np.exp(unknown[0]), unknown[1:]
    fd, fc = (-np.logaddexp(0, sign * power * gap) / power for sign in (-1, 1))  # logs
    wrong, none = np.log(s - 1), np.log(C - s) if C > s else -np.inf
    log_p = -log_sum_exp(np.array([0.0, wrong - scale - margin, none - scale - margin - beyond]))
    pw, po = log_p - margin, log_p - margin - beyond
    delta = np.logaddexp(wrong + pw, none + po)
    hd = fd + log_sum_exp(np.array([2 * delta, wrong + 2 * pw, none + 2 * po]))
    hc = fc + np.log(C) + none + 2 * po
    use, cost = (fc + hd, fd + hc) if normalize else (hd, hc)
    pull = use + np.log(-np.expm1(np.minimum(cost - use, -1e-300)))
    to_wrong = 2 * fd + np.logaddexp(delta, pw)
    to_others = np.logaddexp(2 * fd + np.logaddexp(delta, po), 2 * fc + np.log(C) + po)
    rises = np.maximum(scale + margin, 1e-300), np.maximum(scale + margin + beyond, 1e-300)
    return np.array(
        [
            unknown[0] - np.log(2) - fd - fc - pull,
            np.log(rises[0]) - to_wrong,
            np.log(rises[1]) - to_others,
        ]
    )


def late_gap(margin: ArrayLike, shared: int, labels: int, *, normalize: bool = False) -> Array:
    """g with g e^{qg} = 2 margin^2 (shared - 1) / labels, q = 2, normalized, and else
    g e^g = 2 margin^2 (labels - 1) / labels, q = 1: the law of ``rest`` as lambda -> 0.

    margin: > 0, any shape; it is ln(1/lambda) up to lower orders.
    """
    from scipy.special import lambertw

    q, factor = (2, shared - 1) if normalize else (1, labels - 1)
    return np.real(lambertw(2 * q * factor / labels * np.asarray(margin, dtype=float) ** 2)) / q
