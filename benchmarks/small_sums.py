"""Sums of exponentials of small arrays beside scipy's, and what a flow on few samples gains.

CPU seconds of this process: honest on a busy machine.
"""

import numpy as np
from scipy import special

from benchmarks.engine import seconds
from lib.log_sums import log_softmax, log_sum_exp, softmax
from lib.mechanics.draws import cyclic_draw
from lib.mechanics.problem import Problem

SHAPES = ((6, 6), (60, 6), (55, 6, 6), (200, 50))
PAIRS = (
    ("log_sum_exp", log_sum_exp, special.logsumexp),
    ("log_softmax", log_softmax, special.log_softmax),
    ("softmax", softmax, special.softmax),
)


def microseconds(work, times=300):
    """CPU time of one call of ``work``, the best of five rounds."""
    return seconds(lambda: [work() for _ in range(times)], repeat=5) / times * 1e6


def main(times=300):
    """Print each function beside scipy's, then one evaluation of the flows that stand on them."""
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        logits = rng.normal(size=shape)
        for name, ours, scipys in PAIRS:
            fast, slow = (
                microseconds(work, times)
                for work in (lambda f=ours: f(logits), lambda f=scipys: f(logits, axis=-1))
            )
            print(f"{name:12s} {shape!s:12s} {fast:7.1f} us; scipy {slow:7.1f} us")
    split = Problem(cyclic_draw(rng, n=40)).split
    x, z = rng.normal(size=len(split.finite_basis)), rng.normal(size=len(split.outer_basis))
    for hessian in (False, True):
        spent = microseconds(lambda h=hessian: split.leak(x, z, 30.0, h), times)
        print(f"the leak of 40 samples, Hessian {hessian!s:5s}: {spent:7.1f} us")


if __name__ == "__main__":
    main()
