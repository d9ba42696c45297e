"""Joint ascent of decoder and attention on endless sequences (*Scan and Snap*).

Three decoders tell three approximations of *Scan and Snap* apart: "gradient" is training, (3);
"modified" is the update (26) of Lemma 3; "settled" holds Y at the closed form (70) for the F of
the moment, which is what Theorem 1 and Lemma 4 assume.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lib.arrays import Array
from lib.log_sums import softmax
from lib.scan_snap.attention_flow import row_velocity
from lib.scan_snap.overlaps import dual_vectors
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention
from lib.validation import require, require_choice, require_integer, require_rate, require_real

DECODERS = ("gradient", "modified", "settled")


class Trained(NamedTuple):
    """Attention Z and decoder Y at some steps, (m, M, M) each."""

    Z: np.ndarray
    Y: np.ndarray


def joint_ascent(
    classes: SequenceClasses,
    eta_y: float,
    eta_z: float,
    keep: Sequence[int],
    decoder: str = "gradient",
) -> Trained:
    """Joint training of decoder and attention on endless sequences, from Y = Z = 0.

    Each step is the mean over the classes with their priors, T = infinity; both updates see the
    state before the step.

    classes: ``SequenceClasses``.  eta_y, eta_z: learning rates.
    keep: increasing steps after which Y and Z are kept; 0 is the start.
    decoder: "gradient" (training, Eq. (3) of *Scan and Snap*), "modified" (the update (26)) or
        "settled" (Y at the closed form (70)).

    Returns ``Trained``, Z and Y of shape (len(keep), M, M). Raises ``ValueError`` for another
    decoder, steps that do not increase, a rate that is not above 0, and, unless the decoder is
    "gradient", for classes whose f_n are linearly dependent.

    >>> from lib.scan_snap.four_classes import four_classes
    >>> run = joint_ascent(four_classes(), 1.0, 1.0, [0, 44])
    >>> run.Z[:, 9, :3].round(3).tolist()  # query "band": the common token falls
    [[0.0, 0.0, 0.0], [-0.281, 0.081, 0.059]]
    """
    require_choice("decoder", decoder, DECODERS)
    require_rate("eta_y", eta_y)
    require_rate("eta_z", eta_z)
    require(
        len(keep) > 0 and list(keep) == sorted(set(keep)),
        "keep",
        keep,
        "increasing steps, at least one",
    )
    K, M = classes.num_classes, classes.vocab_size
    labels, prior = np.eye(M)[classes.next_token], classes.prior[:, None]
    at = {step: place for place, step in enumerate(keep)}
    tokens = np.flatnonzero(classes.support.any(axis=0))  # others stay at 0 in F and in rows of Y
    with np.errstate(divide="ignore"):
        log_table = np.log(classes.conditional[:, tokens])  # minus infinity off the support
    Y, z, learned = np.zeros((len(tokens), M)), np.zeros((M, len(tokens))), np.zeros((K, M))
    kept = Trained(np.zeros((len(keep), M, M)), np.zeros((len(keep), M, M)))
    if decoder != "gradient":
        dual_vectors(normalized_attention(classes, kept.Z[0]))  # raises for classes without duals
    for step in range(keep[-1] + 1):
        F = unit_rows(z[classes.query] + log_table)
        directions = F if decoder == "gradient" else np.linalg.solve(F @ F.T, F)
        if decoder == "settled":
            Y = directions.T @ learned
        if step in at:
            kept.Z[at[step], :, tokens], kept.Y[at[step], tokens] = z.T, Y
        shortfall = prior * (labels - softmax(F @ Y))
        np.add.at(z, classes.query, eta_z * row_velocity(F, shortfall @ Y.T))
        if decoder == "settled":
            learned += eta_y * shortfall
        else:
            Y += directions.T @ (eta_y * shortfall)
    return kept


def unit_rows(logits: Array) -> Array:
    """Rows e^{a_nl} over their norm, (K, M): ``normalized_attention`` from z_m + log P(l | n)."""
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / np.sqrt(np.einsum("nl,nl->n", weights, weights))[:, None]


def coupled_push(steps: int, M: int, K: int, rho: float, eta_y: float) -> Array:
    """Back-propagated coefficients under the *original* update (7): K equally frequent classes,
    equal overlap rho.

    F is fixed.

    Returns (steps, 2): iota_n and beta_{nn'} of g = iota f_n - beta sum f_n' before each step
    (gamma included), a step being the mean over the classes.  Y = sum_k f_k v_k with v_k of
    three kinds of entries: at k, at the other classes, at the tokens never predicted.
    """
    require_integer("steps", steps, 1)
    require_integer("K", K, 2, M)
    require_real("rho", rho, at_least=0, below=1)
    step, others, never = require_rate("eta_y", eta_y) / K, K - 1, M - K
    own = rival = rest = 0.0
    push = np.empty((steps, 2))
    for s in range(steps):
        logits = np.array(
            [
                own + rho * others * rival,
                rival + rho * (own + (K - 2) * rival),
                (1 + rho * others) * rest,
            ]
        )
        weights = np.exp(logits - logits.max())
        p, q, r = weights / (weights @ [1, others, never])
        push[s] = (
            own * (1 - p) - others * rival * q - never * rest * r,
            own * q - rival * (1 - p) + (K - 2) * rival * q + never * rest * r,
        )
        own, rival, rest = own + step * (1 - p), rival - step * q, rest - step * r
    return push


def messages(classes: SequenceClasses, Z: Array, Y: Array) -> tuple[Array, Array]:
    """The mixtures F and what a decoder sends back to attention, both (K, M).

    Row n of the second is the message g_n = Y (e_n - alpha_n) after an error on class n, where
    alpha_n is the softmax of f_n^T Y (*Scan and Snap*, Theorem 1).  Its strength along the class's
    own mixture is f_n^T g_n, which under the modified update is gamma, up to terms of order 1/M.

    Z, Y: (M, M) each, such as those of one step of ``joint_ascent``.
    """
    F = normalized_attention(classes, Z)
    errors = np.eye(classes.vocab_size)[classes.next_token] - softmax(F @ Y)
    return F, errors @ Y.T


def less_over_more(classes: SequenceClasses, Z: Array, Y: Array) -> Array:
    """beta_{nn'} over iota_n: how much "less of n'" a message holds for one "more of n", (K, K).

    Both come from g_n = gamma (iota_n f_n - sum beta_{nn'} f_n'), solved by least squares for
    independent mixtures; the diagonal is -1.  Not a number (NaN) while Y is zero.
    """
    F, G = messages(classes, Z, Y)
    weights = np.linalg.lstsq(F.T, G.T, rcond=None)[0].T
    with np.errstate(invalid="ignore"):
        return -weights / weights.diagonal()[:, None]
