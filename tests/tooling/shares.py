"""The attention of the running example, with which the pages' numbers are compared."""

from collections.abc import Iterable

import numpy as np

from lib.arrays import Array
from lib.scan_snap.four_classes import MOMENTS, RATE, four_classes
from lib.scan_snap.joint_ascent import joint_ascent
from lib.scan_snap.sequence_classes import SequenceClasses, limiting_attention


def shares(
    steps: Iterable[int] = MOMENTS,
    decoder: str = "gradient",
    classes: SequenceClasses | None = None,
    eta_y: float = RATE,
    eta_z: float = RATE,
) -> Array:
    """The attention of each class to each token, (5), at some steps of a run: (steps, K, M).

    steps: increasing whole numbers.
    decoder: "gradient" (ordinary training), "modified" (the update (26) of the theory) or
        "settled", see ``joint_ascent``.
    classes: ``four_classes()`` when omitted.
    """
    classes = four_classes() if classes is None else classes
    run = joint_ascent(classes, eta_y, eta_z, list(steps), decoder)
    return np.array([limiting_attention(classes, Z) for Z in run.Z])
