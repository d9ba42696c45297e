"""The regularization path: minimizers of the log-loss over growing balls (*Mechanics*).

Coordinates, and why nothing is lost at scales of e^600: ``lib.mechanics.limit_paths``.

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

import numpy as np

from lib.arrays import Array, ArrayLike
from lib.mechanics.limit_paths import Path, increasing, scaled_loss
from lib.mechanics.loss_split import SplitLoss, finite_part
from lib.validation import require, require_real


def regularization_path(split: SplitLoss, log_scales: ArrayLike) -> Path:
    """argmin L(W) + |W|^2 / (2 e^s) for each s of ``log_scales`` (increasing, <= 650): a ``Path``.

    As s grows these are the minimizers over the balls |W|_F <= R, R their own norm.  Newton's
    method on e^s L + |W|^2/2, from each point to the next.
    """
    log_scales = increasing(log_scales)
    require(log_scales[-1] <= 650, "log_scales", float(log_scales[-1]), "numbers up to 650")
    r, reached = len(split.finite_basis), []
    point, now = np.zeros(r + len(split.outer_basis)), min(-5.0, log_scales[0])
    for target in log_scales:
        point = _follow(split, point, now, target, r)  # type: ignore[assignment]
        reached.append(point)
        now = target
    points = np.array(reached)
    return Path(log_scales, points[:, :r], points[:, r:], points[:, :r] - finite_part(split).x)


def _follow(
    split: SplitLoss, point: Array, now: float, target: float, r: int, stride: float = 2.0
) -> Array:
    """The path's point at ``target``, from that at ``now``: tangent steps, then Newton's.

    A tangent step is ``stride`` long at most.
    """
    strides = int(np.ceil(abs(target - now) / stride))
    for scale in np.linspace(now, target, strides + 1)[1:] if strides else [target]:
        curvature = scaled_loss(split, point[:r], point[r:], now).hessian + np.eye(len(point))  # type: ignore[operator]
        point = _ridge_minimizer(
            split, point + (scale - now) * np.linalg.solve(curvature, point), scale, r
        )
        now = scale
    return point


def _ridge_minimizer(
    split: SplitLoss, point: Array, scale: float, r: int, steps: int = 100
) -> Array:
    """Newton on e^s L + |W|^2/2, damped: no step moves any score by more than 1.

    The leak is exponential in the scores, so an undamped step overshoots by orders of magnitude.
    """
    features = split.features.reshape(-1, len(point))
    for _ in range(steps):
        here = scaled_loss(split, point[:r], point[r:], scale)
        step = np.linalg.solve(here.hessian + np.eye(len(point)), here.gradient + point)  # type: ignore[operator]
        point = point - step * min(1.0, 1.0 / max(np.abs(features @ step).max(initial=0), 1e-300))
        if np.linalg.norm(step) <= 1e-13 * (1 + np.linalg.norm(point)):
            return point
    raise ValueError(f"log_scales = {scale}, allowed: a scale at which Newton's method settles")


def minimizer_in_ball(split: SplitLoss, radius: float) -> tuple[Array, Array]:
    """argmin of the log-loss over |W|_F <= radius, as (x, z): the point of the path with this norm.

    By strides along the path, then by halving the last one; needs ``radius`` between the norms
    that the scales e^-30 and e^650 reach.
    """
    require_real("radius", radius, above=0)
    low, r = -30.0, len(split.finite_basis)
    point = _follow(split, np.zeros(r + len(split.outer_basis)), low, low, r)
    for high in np.arange(low, 650.5, 0.5):
        further = _follow(split, point, low, high, r)
        if np.linalg.norm(further) > radius:
            break
        point, low = further, high
    require(low < high, "radius", radius, "a norm on the path, scales e^-30 to e^650")
    for _ in range(60):
        if high - low <= 1e-10 * max(1, abs(low)):
            break
        middle = (low + high) / 2
        further = _follow(split, point, low, middle, r)
        if np.linalg.norm(further) <= radius:
            point, low = further, middle
        else:
            high = middle
    return point[:r], point[r:]
