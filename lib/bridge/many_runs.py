"""The joint layer of ``lib.bridge.joint_training`` on many small data sets at once.

Every run goes its own steps of an explicit method in log time.  Residuals fall like 1/t, so in log
time nothing gets very stiff as long as every sample can be told apart.  Each run is the
``joint_flow`` of its data set, to the tolerance.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lib.arrays import Array, ArrayLike
from lib.bridge.joint_loops import follow
from lib.bridge.joint_training import BEGINNING, JointPath
from lib.log_sums import softmax
from lib.mechanics.samples import NextTokenData
from lib.validation import require, require_rate


class Runs(NamedTuple):
    """log_counts: (b, n, K).  rows: (b, n, q) one-hot, whose query, of q.  label: (b, n) ids < C.

    log_weight: (b, n).  last: (b, q), token ids of the queries.
    """

    log_counts: np.ndarray
    rows: np.ndarray
    label: np.ndarray
    log_weight: np.ndarray
    last: np.ndarray


def stacked(data_sets: Sequence[NextTokenData]) -> Runs:
    """``Runs`` of ``NextTokenData`` with the same n, K and number of queries."""
    shapes = {(data.counts.shape, len(np.unique(data.last))) for data in data_sets}
    require(len(shapes) == 1, "data_sets", sorted(shapes), "one (n, K) and number of queries")
    last = np.array([np.unique(data.last) for data in data_sets])
    rows = np.array([data.last[:, None] == ids for data, ids in zip(data_sets, last, strict=True)])
    return Runs(
        np.array([data.log_counts for data in data_sets]),
        rows.astype(float),
        np.array([data.label for data in data_sets]),
        np.log([data.weight for data in data_sets]),  # type: ignore[arg-type]
        last,
    )


def _samples(runs: Runs) -> Iterable[tuple[Any, ...]]:
    """What the compiled loops read of each run: counts, place of the query, label, weight."""
    return zip(runs.log_counts, runs.rows.argmax(axis=-1), runs.label, runs.log_weight, strict=True)


def run_many(
    runs: Runs,
    Y: ArrayLike,
    log_times: ArrayLike,
    *,
    eta_y: ArrayLike = 1.0,
    eta_z: ArrayLike = 1.0,
    normalize: bool = False,
    begin: float = BEGINNING,
    tolerance: float = 1e-3,
    most: int = 20_000,
) -> JointPath:
    """Every run from (Y, Z = 0): ``JointPath`` with Y (m, b, K, C) and Z (m, b, q, K).

    Y: (b, K, C) or (K, C); eta_y, eta_z: numbers or (b,).  log_times: increasing, (m,).
    tolerance: how far Heun's step and Euler's may differ, in any entry.
    Raises ``RuntimeError`` after ``most`` steps from one kept point to the next.
    """
    log_times = np.asarray(log_times, dtype=float)
    increasing = len(log_times) > 0 and (np.diff(np.r_[begin, log_times]) > 0).all()
    require(increasing, "log_times", log_times.tolist(), f"increasing log times above {begin}")
    require_rate("tolerance", tolerance)
    (b, _, K), q, C = runs.log_counts.shape, runs.rows.shape[2], np.shape(Y)[-1]
    wide = runs.label.max() < C
    require(wide, "Y.shape", np.shape(Y), f"(K, C) with C > {runs.label.max()}, the largest label")
    rates = np.stack([np.broadcast_to(rate, b) for rate in (eta_y, eta_z)], axis=1).astype(float)
    require(rates.min() >= 0, "eta_y, eta_z", (eta_y, eta_z), "rates >= 0")
    times = np.r_[begin, log_times]
    shape = K, C
    X = np.zeros((b, len(times), K * C + q * K))
    X[:, 0, : K * C] = np.broadcast_to(Y, (b, K, C)).reshape(b, K * C)
    for number, samples in enumerate(_samples(runs)):
        known = samples, X[number], shape, rates[number], normalize
        ended = follow(*known, times, tolerance, most)
        if ended < times[-1]:
            raise RuntimeError(
                f"{most} steps, still at log t = {ended:.3g}: samples that stay alike"
            )
    kept, m = X.swapaxes(0, 1)[1:], len(log_times)
    parts = kept[..., : K * C].reshape(m, b, K, C), kept[..., K * C :].reshape(m, b, q, K)
    return JointPath(log_times, *parts)


def attention(runs: Runs, Z: Array) -> Array:
    """Attention mass (..., b, n, K) from rows of queries Z (..., b, q, K)."""
    return softmax(runs.rows @ Z + runs.log_counts)
