"""What a grid of training runs leaves of signs and order (*Scan and Snap*, Theorems 2 and 3).

The classes have one common token, id 0, and D distinct ones each, in the order of
``block_classes``.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import kendalltau

from lib.arrays import Array
from lib.scan_snap.engine.train import Trajectory
from lib.scan_snap.sequence_classes import SequenceClasses


class Survival(NamedTuple):
    """What a survey of runs leaves of signs and order, for each of R ratios.

    rise: share of distinct tokens that end above zero; fall: of common ones below; tau: Kendall's
    between the distinct tokens' logits and frequencies; winner: share of classes whose dominant
    token is first; each (R,).  dominant: its mean logit, (R, times); tokens, blur: mean logits of
    the distinct tokens and their standard errors over seeds and classes, (R, D).
    """

    rise: Array
    fall: Array
    tau: Array
    winner: Array
    dominant: Array
    tokens: Array
    blur: Array

    def line(self, name: str) -> str:
        """One row of the survival table, for each ratio in turn."""
        four = zip(*self[:4], strict=True)
        cells = (
            f"{rise:.2f} {fall:.2f} {tau:+.2f} {winner:.2f}" for rise, fall, tau, winner in four
        )
        return f"{name:24s}  " + "   |   ".join(cells)


def survival(run: Trajectory, classes: SequenceClasses, distinct: int) -> Survival:
    """``Survival`` of a run of ``train`` on classes with one common token.

    run: S seeds, R ratios, the kept steps.  distinct: number D of distinct tokens of a class.

    >>> from lib.scan_snap.engine.train import train
    >>> from lib.scan_snap.one_common_token import padded_classes
    >>> classes, endless = padded_classes(2, 3, 0.4, 30), dict(batch_size=np.inf, T=np.inf)
    >>> run = train(classes, 0.5, [0.5], steps=60, keep=[60], **endless)
    >>> survival(run, classes, 3).line("a short run").split()[3:]
    ['1.00', '1.00', '+1.00', '1.00']
    """
    z = run.z[:, :, :, run.layout.query_row]  # (seeds, ratios, times, K, M)
    own = 1 + np.arange(classes.num_classes * distinct).reshape(-1, distinct)
    paths = np.take_along_axis(z, own[None, None, None], axis=-1)
    order = np.take_along_axis(classes.conditional, own, axis=1)
    best, end = order.argmax(axis=-1), paths[:, :, -1]
    every = 0, 2  # seeds and classes
    taus = [
        [
            kendalltau(law, row).statistic
            for rows in cell
            for law, row in zip(order, rows, strict=True)
        ]
        for cell in end.swapaxes(0, 1)
    ]
    return Survival(
        rise=(end > 0).mean(axis=(0, 2, 3)),
        fall=(z[:, :, -1, :, 0] < 0).mean(axis=every),
        tau=np.mean(taus, axis=1),
        winner=(end.argmax(axis=-1) == best).mean(axis=every),
        dominant=np.take_along_axis(paths, best[None, None, None, :, None], axis=-1).mean(
            axis=(0, 3, 4)
        ),
        tokens=end.mean(axis=every),
        blur=end.std(axis=every, ddof=1) / np.sqrt(len(end) * classes.num_classes),
    )
