"""The joint layer of ``lib.bridge.joint_training``, many small data sets at once.

Runs of equal shape lie along a first axis b and share the steps of one explicit method in log time.
Residuals fall like 1/t, so in log time nothing gets very stiff as long as every sample can be told
apart.  Each run is the ``joint_flow`` of its data set, to the tolerance.
"""

from typing import NamedTuple

import numpy as np

from lib.bridge.joint_training import BEGINNING, JointPath
from lib.log_sums import log_sum_exp, softmax
from lib.validation import require, require_rate


class Runs(NamedTuple):
    """log_counts: (b, n, K).  rows: (b, n, q) one-hot, whose query, of q.  labels: (b, n, C).

    log_weight: (b, n).  last: (b, q), token ids of the queries.
    """

    log_counts: np.ndarray
    rows: np.ndarray
    labels: np.ndarray
    log_weight: np.ndarray
    last: np.ndarray


def stacked(data_sets, C):
    """``Runs`` of ``NextTokenData`` with the same n, K and number of queries; C next tokens."""
    shapes = {(data.counts.shape, len(np.unique(data.last))) for data in data_sets}
    require(len(shapes) == 1, "data_sets", sorted(shapes), "one (n, K) and number of queries")
    last = np.array([np.unique(data.last) for data in data_sets])
    rows = np.array([data.last[:, None] == ids for data, ids in zip(data_sets, last, strict=True)])
    return Runs(
        np.array([data.log_counts for data in data_sets]),
        rows.astype(float),
        np.array([np.eye(C)[data.label] for data in data_sets]),
        np.log([data.weight for data in data_sets]),
        last,
    )


def velocities(runs, Y, Z, normalize, log_scale):
    """(-dL/dY (b, K, C), -dL/dZ (b, q, K)) times e^log_scale; Z holds the rows of the queries.

    As in ``joint_training.gradients``, but differences of h are taken before they are multiplied.
    """
    s = softmax(runs.rows @ Z + runs.log_counts)
    f = s / np.sqrt(_inner(s, s)) if normalize else s
    logits = f @ Y
    wrong = np.where(runs.labels > 0, -np.inf, logits)
    others = log_sum_exp(wrong)[..., None]
    own = _inner(runs.labels, logits)
    size = -np.logaddexp(0, own - others)  # log of the mass on wrong labels
    excess = np.exp(wrong - others) - runs.labels
    force = f * np.exp(runs.log_weight[..., None] + size + log_scale)
    h = excess @ Y.swapaxes(-1, -2)
    inner = _inner(f, h)
    by_score = force * (inner * f - h) if normalize else force * (inner - h)
    return -force.swapaxes(-1, -2) @ excess, runs.rows.swapaxes(-1, -2) @ by_score


def _inner(a, b):
    """Inner products along the last axis, which is kept; ``sum`` is slow where rows are short."""
    return np.einsum("...j,...j->...", a, b)[..., None]


def run_many(
    runs,
    Y,
    log_times,
    *,
    eta_y=1.0,
    eta_z=1.0,
    normalize=False,
    begin=BEGINNING,
    tolerance=1e-3,
    most=20_000,
):
    """Every run from (Y, Z = 0): ``JointPath`` with Y (m, b, K, C) and Z (m, b, q, K).

    Y: (b, K, C) or (K, C); eta_y, eta_z: numbers or (b,).  log_times: increasing, (m,).
    tolerance: how far Heun's step and Euler's may differ, in any entry of any run.
    Raises ``RuntimeError`` after ``most`` steps from one kept point to the next.
    """
    log_times = np.asarray(log_times, dtype=float)
    increasing = len(log_times) > 0 and (np.diff(np.r_[begin, log_times]) > 0).all()
    require(increasing, "log_times", log_times.tolist(), f"increasing log times above {begin}")
    require_rate("tolerance", tolerance)
    (b, _, K), q = runs.log_counts.shape, runs.rows.shape[2]
    Y = np.broadcast_to(np.asarray(Y, dtype=float), (b, K, runs.labels.shape[2])).copy()
    rates = [np.reshape(np.broadcast_to(rate, b), (b, 1, 1)) for rate in (eta_y, eta_z)]
    require(min(rate.min() for rate in rates) >= 0, "eta_y, eta_z", (eta_y, eta_z), "rates >= 0")
    state, now, step, kept = (Y, np.zeros((b, q, K))), begin, 0.1, []

    def velocity(state, tau):
        moves = velocities(runs, *state, normalize, tau)
        return [rate * move for rate, move in zip(rates, moves, strict=True)]

    for target in log_times:
        state, step = _advance(velocity, state, (now, target), step, tolerance, most)
        now = target
        kept.append(state)
    return JointPath(log_times, *(np.array(part) for part in zip(*kept, strict=True)))


def _advance(velocity, state, span, step, tolerance, most):
    """State at the end of ``span`` and the step to go on with: Heun's method beside Euler's."""
    now, target = span
    first, tries = velocity(state, now), 0
    while now < target:
        tries += 1
        if tries > most:
            raise RuntimeError(f"{most} steps, still at log t = {now:.3g}: samples that stay alike")
        this = min(step, target - now)
        ahead = [x + this * v for x, v in zip(state, first, strict=True)]
        second = velocity(ahead, now + this)
        apart = [this / 2 * (w - v) for v, w in zip(first, second, strict=True)]
        error = np.max([np.abs(change).max() for change in apart])
        if error <= tolerance:
            now = target if this == target - now else now + this
            state = tuple(x + change for x, change in zip(ahead, apart, strict=True))
            first = velocity(state, now)
        step = this * min(2.0, max(0.2, 0.9 * np.sqrt(tolerance / max(error, 1e-300))))
    return state, step


def attention(runs, Z):
    """Attention mass (..., b, n, K) from rows of queries Z (..., b, q, K)."""
    return softmax(runs.rows @ Z + runs.log_counts)
