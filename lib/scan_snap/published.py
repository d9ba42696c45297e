"""The sweep of *Scan and Snap*, Section 8, and what the authors reported of it.

``FIGURE_6`` holds the mean and the sample standard deviation over 10 seeds of the entropy on
distinct tokens, for 1, 3, 5 and 10 queries, from the authors' public log of Figure 6.
"""

import csv
import io
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from lib.arrays import Array
from lib.scan_snap.engine.train import Trajectory, train
from lib.scan_snap.sequence_classes import syn_medium
from lib.scan_snap.sparsity import distinct_entropy, entropy, recall, row_attention

QUERIES = (1, 3, 5, 10)  # with two next tokens each: K = 2, 6, 10, 20
ETA_Z = (0.5, 1.0, 2.0, 3.0)
RATIOS = (1.0, 2.0, 5.0, 10.0)  # eta_Y / eta_Z
THRESHOLDS = {
    1: (0.028, 0.038),
    3: (0.012, 0.016),
    5: (0.0075, 0.0105),
    10: (0.0040, 0.0050),
}  # Figures 11, 12
SEEDS = 10
# Loss of the batch at iterations 0, 2, ..., 98 of the run behind Figure 4's left half: one seed,
# eta_Y = eta_Z = 1, from figure_4.log (github.com/facebookresearch/luckmatters, ssl/real-dataset).
FIGURE_4_LOSS = (
    3.526,
    2.368,
    0.7335,
    0.1608,
    0.04443,
    0.01295,
    0.004386,
    0.00181,
    0.0006407,
    0.0004102,
    0.0002054,
    0.000148,
    0.0001294,
    8.064e-05,
    6.176e-05,
    5.301e-05,
    5.06e-05,
    3.579e-05,
    3.45e-05,
    3.094e-05,
    2.911e-05,
    2.978e-05,
    3.086e-05,
    2.485e-05,
    2.51e-05,
    2.578e-05,
    2.679e-05,
    2.287e-05,
    2.112e-05,
    2.55e-05,
    2.43e-05,
    2.261e-05,
    2.673e-05,
    2.239e-05,
    2.206e-05,
    1.995e-05,
    2.241e-05,
    2.163e-05,
    1.959e-05,
    2.687e-05,
    2.182e-05,
    2.199e-05,
    2.096e-05,
    2.162e-05,
    1.969e-05,
    2.201e-05,
    2.631e-05,
    2.365e-05,
    2.238e-05,
    2.222e-05,
)
FIGURE_6 = """queries,eta_z,ratio,mean,std
1,0.5,1,1.971,0.028
1,0.5,2,2.007,0.032
1,0.5,5,2.066,0.017
1,0.5,10,2.092,0.016
1,1,1,1.871,0.052
1,1,2,1.937,0.052
1,1,5,2.022,0.036
1,1,10,2.053,0.030
1,2,1,1.699,0.101
1,2,2,1.810,0.099
1,2,5,1.934,0.068
1,2,10,1.900,0.200
1,3,1,1.551,0.155
1,3,2,1.708,0.152
1,3,5,1.786,0.170
1,3,10,1.825,0.331
3,0.5,1,2.019,0.010
3,0.5,2,1.988,0.012
3,0.5,5,2.031,0.007
3,0.5,10,2.063,0.005
3,1,1,1.963,0.015
3,1,2,1.920,0.018
3,1,5,1.982,0.009
3,1,10,2.024,0.008
3,2,1,1.842,0.024
3,2,2,1.809,0.027
3,2,5,1.899,0.018
3,2,10,1.955,0.020
3,3,1,1.737,0.032
3,3,2,1.715,0.038
3,3,5,1.821,0.030
3,3,10,1.839,0.100
5,0.5,1,2.026,0.005
5,0.5,2,1.994,0.007
5,0.5,5,2.020,0.007
5,0.5,10,2.055,0.006
5,1,1,1.995,0.007
5,1,2,1.931,0.011
5,1,5,1.971,0.010
5,1,10,2.014,0.009
5,2,1,1.906,0.012
5,2,2,1.816,0.022
5,2,5,1.884,0.020
5,2,10,1.926,0.025
5,3,1,1.817,0.021
5,3,2,1.718,0.032
5,3,5,1.802,0.033
5,3,10,1.831,0.050
10,0.5,1,2.033,0.004
10,0.5,2,2.012,0.004
10,0.5,5,2.018,0.004
10,0.5,10,2.051,0.003
10,1,1,2.027,0.003
10,1,2,1.975,0.005
10,1,5,1.976,0.006
10,1,10,2.015,0.006
10,2,1,1.990,0.005
10,2,2,1.888,0.009
10,2,5,1.899,0.013
10,2,10,1.947,0.015
10,3,1,1.940,0.006
10,3,2,1.805,0.013
10,3,5,1.829,0.019
10,3,10,1.875,0.023
"""


def figure_6() -> dict[int, tuple[Array, ...]]:
    """The published cells: ``{queries: (mean, std)}``, each (4, 4) over ETA_Z and RATIOS."""
    rows = list(csv.DictReader(io.StringIO(FIGURE_6)))
    return {
        q: tuple(
            np.array([float(row[name]) for row in rows if int(row["queries"]) == q]).reshape(4, 4)
            for name in ("mean", "std")
        )
        for q in QUERIES
    }


def figure_6_sweep(
    queries: int, seeds: Iterable[int], *, init: str = "uniform", steps: int = 100, **options: Any
) -> Trajectory:
    """Train the 16 cells of one panel of *Scan and Snap*, Figure 6, on Syn-Medium.

    queries: of Syn-Medium.  seeds: a run for each.  init, steps, options: as in
    ``lib.scan_snap.engine.train.train``.

    Returns a ``Trajectory`` whose cells are those of (ETA_Z, RATIOS), flattened.
    """
    eta_z, ratio = (grid.ravel() for grid in np.meshgrid(ETA_Z, RATIOS, indexing="ij"))
    return train(
        syn_medium(queries),
        eta_z * ratio,
        eta_z,
        steps=steps,
        seeds=tuple(seeds),
        init=init,
        **options,
    )


class RecallPanel(NamedTuple):
    """thresholds (H,); recall (seeds, 4, 4, H) of the full-row softmax; limit: of c_n.

    entropy, row_entropy: (seeds, 4, 4), of c_n on distinct tokens and of the full row.
    """

    thresholds: np.ndarray
    recall: np.ndarray
    limit: np.ndarray
    entropy: np.ndarray
    row_entropy: np.ndarray


def recall_panel(
    queries: int, seeds: Iterable[int], *, points: int = 21, **options: Any
) -> RecallPanel:
    """One row of *Scan and Snap*, Figures 11 and 12: recall of distinct tokens by threshold.

    queries: 1, 3, 5 or 10.  seeds: a run for each.  points: thresholds in the published range.
    options: as in ``figure_6_sweep``.

    Returns a ``RecallPanel``.
    """
    run = figure_6_sweep(queries, seeds, **options)
    classes, shape = run.layout.classes, (len(run.seeds), len(ETA_Z), len(RATIOS))
    thresholds, c = np.linspace(*THRESHOLDS[queries], points), run.attention[:, :, -1]
    rows = row_attention(run.z[:, :, -1], classes, run.layout.query_row)
    curves = (recall(a, classes, thresholds).reshape(*shape, points) for a in (rows, c))
    entropies = (distinct_entropy(c, classes), entropy(rows).mean(axis=-1))
    return RecallPanel(thresholds, *curves, *(value.reshape(shape) for value in entropies))


def recall_drop(curves: Array) -> Array:
    """Recall lost from the first threshold to the last: (..., H) to (...)."""
    return curves[..., 0] - curves[..., -1]
