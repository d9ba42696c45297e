"""The authors' log-loss experiment (*Mechanics*), compiled: gradient descent on scores.

A step moves the scores by A -= eta (Q Q^T) R (E E^T), with R the weighted excess s - 1_y, and W by
eta E^T R^T Q.  W itself is not needed, because the sum C of the moves, (n, K), determines it:
    <W, V> = <W(0), V> - <C, scores of V>,
and its norm is carried along.  Same numbers as ``lib.mechanics.descent``, many times faster.

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from collections.abc import Iterable

import numpy as np

from lib.arrays import Array, Ids
from lib.compiled import njit
from lib.mechanics.attention_layer import scores
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData
from lib.validation import require, require_integer, require_rate


@njit(cache=True)
def _run(
    scores_start: Array,
    counts: Array,
    label: Ids,
    weight: Array,
    query_gram: Array,
    token_gram: Array,
    size: float,
    eta: float,
    steps: int,
    normalized: bool,
) -> tuple[Array, Array, Array]:
    n, K = scores_start.shape
    a, moved, excess = scores_start.copy(), np.zeros((n, K)), np.zeros((n, K))
    moves, masses, sizes = (
        np.empty((steps + 1, n, K)),
        np.zeros((steps + 1, n, K)),
        np.empty(steps + 1),
    )
    for step in range(steps + 1):
        for i in range(n):
            top, total, others = -np.inf, 0.0, 0.0
            for j in range(K):
                if counts[i, j] > 0 and a[i, j] > top:
                    top = a[i, j]
            for j in range(K):
                if counts[i, j] > 0:
                    masses[step, i, j] = counts[i, j] * np.exp(a[i, j] - top)
                    total += masses[step, i, j]
            for j in range(K):
                masses[step, i, j] /= total
                moves[step, i, j] = moved[i, j]  # as a whole it compiles thrice as long
                if j != label[i]:
                    excess[i, j] = weight[i] * masses[step, i, j]
                    others += excess[i, j]
            excess[i, label[i]] = -others
        sizes[step] = size
        slope = query_gram @ excess @ token_gram
        steepness, along = 0.0, 0.0
        for i in range(n):
            for j in range(K):
                steepness += excess[i, j] * slope[i, j]
                along += excess[i, j] * a[i, j]
        length = eta / np.sqrt(steepness) if normalized else eta
        size += length * length * steepness - 2 * length * along
        for i in range(n):
            for j in range(K):
                a[i, j] -= length * slope[i, j]
                moved[i, j] += length * excess[i, j]
    return moves, masses, np.sqrt(np.maximum(sizes, 0.0))


def run_trial(
    data: NextTokenData, start: Array, eta: float, steps: int, normalized: bool = True
) -> tuple[Array, Array, Array]:
    """Log-loss descent of one ``NextTokenData`` from ``start`` (d, d).

    Returns moves C (steps + 1, n, K), masses s (steps + 1, n, K) and |W|_F (steps + 1,), at W(0),
    ..., W(steps).
    """
    require_rate("eta", eta)
    require_integer("steps", steps, 1)
    return _run(
        scores(start, data),
        data.counts,
        data.label,
        data.weight,
        data.queries @ data.queries.T,
        data.embeddings @ data.embeddings.T,
        float((start**2).sum()),
        eta,
        steps,
        normalized,
    )


def weights(data: NextTokenData, start: Array, moves: Array) -> Array:
    """W (..., d, d) from the moves C (..., n, K): W(0) - E^T C^T Q."""
    return start - data.embeddings.T @ np.swapaxes(moves, -1, -2) @ data.queries


def observe_trial(
    problem: Problem, start: Array, eta: float, steps: int, normalized: bool = True
) -> tuple[dict[str, Array], Array]:
    """The authors' observables of one trial at every step, (steps + 1,), and the last W.

    ``norm`` |W|_F; ``cosine`` of W and W_svm; ``ridge`` of W and W_fin + R W_svm with R the length
    of W along W_svm over |W_svm|; ``outer`` of W with S_fin projected out and W_svm; ``mass`` on
    the labels' components, averaged over the samples.  Needs W_svm != 0.
    """
    data, svm, fin, split = problem.data, problem.svm, problem.fin, problem.split
    require(svm.norm > 0, "problem", "W_svm = 0", "data in which something is ordered")
    moves, masses, norm = run_trial(data, start, eta, steps, normalized)
    probes = np.concatenate([svm.W[None], fin.W[None], split.finite_basis])
    base = np.tensordot(probes, start, axes=([1, 2], [0, 1]))
    inner = base - moves.reshape(len(moves), -1) @ scores(probes, data).reshape(len(probes), -1).T
    to_svm, to_fin, x = inner[:, 0], inner[:, 1], inner[:, 2:]
    along = to_svm / svm.norm**2
    outer = np.sqrt(np.maximum(norm**2 - (x**2).sum(axis=1), 1e-300))
    ridge = np.sqrt((fin.W**2).sum() + along**2 * svm.norm**2)
    return {
        "norm": norm,
        "cosine": to_svm / norm / svm.norm,
        "ridge": (to_fin + along * to_svm) / norm / ridge,
        "outer": to_svm / outer / svm.norm,
        "mass": (masses * split.inside).sum(axis=2).mean(axis=1),
    }, weights(data, start, moves[-1])


def observe_trials(
    problems: Iterable[Problem],
    starts: Iterable[Array],
    eta: float,
    steps: int,
    normalized: bool = True,
) -> tuple[Array, dict[str, Array]]:
    """``observe_trial`` for each trial: (last W (trials, d, d), dict of (steps + 1, trials))."""
    runs = [
        observe_trial(problem, start, eta, steps, normalized)
        for problem, start in zip(problems, starts, strict=True)
    ]
    return np.stack([W for _, W in runs]), {
        name: np.stack([seen[name] for seen, _ in runs], axis=1) for name in runs[0][0]
    }
