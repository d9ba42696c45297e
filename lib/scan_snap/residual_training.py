"""A decoder trained on residual features, and what it makes of attention (*Scan and Snap*, 7).

Two cases: classes that contexts describe (``ResidualDecoder``), and the smallest one in which a
token that one class of each query uses is seen by two queries or more (``shared_token_features``).
"""

from functools import cached_property

import numpy as np
import torch

from lib.arrays import Array, Ids
from lib.scan_snap.attention_flow import class_velocities, finite_beta, leading_beta
from lib.scan_snap.decoder import h_star, speed
from lib.scan_snap.overlaps import dual_vectors, feature_ascent, shortfall
from lib.scan_snap.residual_connection import (
    repeated_ascent,
    repeated_shortfall,
    residual_features,
    residual_objective,
    residual_row_velocity,
)
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention
from lib.validation import require, require_integer


class ResidualDecoder:
    """Classes at some attention, with a decoder trained by (26) on the features that it sees.

    classes: K classes over M tokens.  Z: (M, M).  rounds: visits of each class.  eta_y: its rate.
    Attributes: rows and bars (K, M), f_n and LN(f_n + e_m); Y (M, M).
    """

    def __init__(self, classes: SequenceClasses, Z: Array, rounds: int, eta_y: float) -> None:
        self.classes, self.Z = classes, Z
        self.rounds, self.eta_y = require_integer("rounds", rounds, 1), eta_y
        self.rows = normalized_attention(classes, Z)
        self.bars = residual_features(self.rows, classes.query)
        labels = np.tile(np.arange(len(self.rows)), rounds)
        self.Y = feature_ascent(labels, self.bars, eta_y, dual_vectors(self.bars))

    def steps(self, classes: SequenceClasses) -> Array:
        """Each class's step of its row of Z, by the two-projector formula: (K, M).

        classes: of the same number, at the same Z; their contexts may contain queries.
        """
        rows = normalized_attention(classes, self.Z)
        bars = residual_features(rows, classes.query)
        pushes = [self.Y @ shortfall(self.Y, bars, n) for n in range(len(rows))]
        each = zip(rows, classes.query, pushes, strict=True)
        return np.array([residual_row_velocity(*one) for one in each])

    def by_row(self, classes: SequenceClasses) -> Array:
        """The steps of all classes, added up in the rows of their queries: (M, M)."""
        added = np.zeros_like(self.Z)
        np.add.at(added, classes.query, self.steps(classes))
        return added

    def differentiated(self, classes: SequenceClasses) -> Array:
        """The gradient of J by Z, all classes, by automatic differentiation: (M, M)."""
        Z, parts = torch.tensor(self.Z, requires_grad=True), (classes.query, classes.next_token)
        total = torch.zeros((), dtype=Z.dtype)
        for n in range(len(self.rows)):
            event = [torch.tensor(part[n : n + 1]) for part in (classes.conditional, *parts)]
            total = total + residual_objective(torch.tensor(self.Y), Z, *event)
        return torch.autograd.grad(total, Z)[0].numpy()

    @cached_property
    def lemma_4(self) -> Array:
        """Lemma 4 with the coefficients of the residual features, over all classes: (K, M)."""
        size = len(self.Z)
        state = h_star(self.rounds, size, self.eta_y)[-1]
        gamma = (size - 1) ** 2 * state * speed(state, size)
        return gamma * class_velocities(self.rows, finite_beta(self.bars, size))


def shared_token_features(within: float, across: float, sharing: int) -> Array:
    """Rows f_n of two classes for each of ``sharing`` queries; one of each pair uses token 0.

    within: f_n . f_n' of the two of one query.  across: of two that use token 0.
    Columns: token 0, a token for each query, one for each class, the queries: (2 S, 1 + 4 S).
    Raises ``ValueError`` where the overlaps do not fit into a unit vector.
    """
    require_integer("sharing", sharing, 1)
    fit = within >= 0 and across >= 0 and within + across <= 1
    require(fit, "within, across", (within, across), "numbers >= 0 that add up to 1 at most")
    owner = np.repeat(np.arange(sharing), 2)
    F = np.zeros((2 * sharing, 1 + 3 * sharing + sharing))
    F[::2, 0] = np.sqrt(across)
    for n, q in enumerate(owner):
        F[n, 1 + q] = np.sqrt(within)
        F[n, 1 + sharing + n] = np.sqrt(1 - (F[n] ** 2).sum())
    return F


def pair_queries(rows: Array) -> Ids:
    """Ids of the queries of ``shared_token_features``, the last columns of the rows: (2 S,)."""
    return rows.shape[1] - len(rows) // 2 + np.repeat(np.arange(len(rows) // 2), 2)


def shared_token_velocity(within: float, across: float, sharing: int) -> tuple[float, float]:
    """Velocity of token 0 in the row of query 0, over f_0^2 gamma, M infinite.

    Returns (over all classes, over those of the same query).
    """
    F = shared_token_features(within, across, sharing)
    ids = pair_queries(F)
    beta = leading_beta(residual_features(F, ids))
    near_beta = beta * (ids[:, None] == ids)
    whole, near = (class_velocities(F, some)[0, 0] / across for some in (beta, near_beta))
    return whole, near


def passed_on(rows: Array) -> Array:
    """What attention to token 0 in class 0 passes on of what each class pushes: (2 S,).

    f_00 (f_j0 - f_00 f_0 . f_j) / 2: two normalizations, and half of the features.
    """
    return (rows[:, 0] - rows[0, 0] * (rows @ rows[0])) * rows[0, 0] / 2


def trained_token_velocity(
    rows: Array, visits: int, M: int, modified: bool, eta_y: float = 0.5
) -> tuple[Array, float]:
    """Velocity of token 0 in row 0 over eta_Z after some rounds of the decoder's training.

    rows: ``shared_token_features``.  visits: rounds.  M: tokens of the vocabulary.
    modified: by the update (26); else by (7).

    Returns (each class's part of the backpropagated g, passed on, (2 S,); the gradient of J by
    automatic differentiation).  The second is the sum of the first.
    """
    ids = pair_queries(rows)
    copies = np.r_[np.ones(len(rows)), M - len(rows)]  # Y's last column: no next token's
    bars = residual_features(rows, ids)
    duals, labels = dual_vectors(bars), np.tile(np.arange(len(rows)), visits)
    Y = repeated_ascent(labels, bars, eta_y, duals if modified else bars, copies)
    push = duals @ Y @ repeated_shortfall(Y, bars, 0, copies)
    Z_flat = torch.zeros((rows.shape[1],) * 2, dtype=torch.float64, requires_grad=True)
    counts, query, token = (torch.tensor(part) for part in (rows[:1], ids[:1], np.array([0])))
    J = residual_objective(torch.tensor(Y), Z_flat, counts, query, token, copies)
    slope = torch.autograd.grad(J, Z_flat)[0][ids[0], 0].item()
    return push * passed_on(rows), slope


def confusion(k: float, learned: float) -> float:
    """phi(k): the push of a class that (7) confuses with another, overlap k, after a = learned.

    (a + 1/k) (e^(k a) - 1).
    """
    return (learned + 1 / k) * np.expm1(k * learned)
