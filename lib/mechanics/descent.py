"""Gradient descent on the attention layer's W, all trials of a ``DataBatch`` at once (*Mechanics*).

W is (..., d, d) with the leading axes of the data.  What is observed at every step is computed on
blocks of steps, so nothing but the observables is kept.

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

import numpy as np

from lib.mechanics.attention_layer import attention, gradient, log_loss
from lib.mechanics.samples import stack
from lib.validation import require, require_integer, require_rate, require_real

BLOCK = 250


def initial_weights(trials, d, rng):
    """The authors' initialization, (trials, d, d): entries uniform in +-1/sqrt(d)."""
    return rng.uniform(-1, 1, size=(trials, d, d)) / np.sqrt(d)


def descend(W, data, eta, steps, *, normalized=False, eps=0.0, loss=log_loss, observe=None):
    """Gradient descent from W; what ``observe`` says of W(0), ..., W(steps).

    normalized: divide the gradient by its Frobenius norm (per trial) plus ``eps``.  The authors'
        eps is that of float64: once the gradient is as small, their steps shorten and W stops.
    eta: a number, or a function of the step 0, 1, ... for decaying steps.
    observe: a function of a block of weights (b, ..., d, d) that returns a dict of arrays
        with first axis b; the blocks are joined.  Omitted: ``{"W": W}``, the whole trajectory.
    Returns (last W, dict).
    """
    require_integer("steps", steps, 1)
    size = eta if callable(eta) else lambda step: eta
    require_rate("eta", float(size(0)))
    require_real("eps", eps, at_least=0)
    observe = observe or (lambda block: {"W": block.copy()})
    W, block, found = np.array(W, dtype=float), [], []
    for step in range(steps + 1):
        block.append(W)
        if len(block) == BLOCK or step == steps:
            found.append(observe(np.stack(block)))
            block = []
        if step < steps:
            W = W - size(step) * _direction(W, data, loss, normalized, eps)
    return W, {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def descended(W, data, eta, steps, **options):
    """The last W of ``descend``, nothing observed on the way."""
    return descend(W, data, eta, steps, observe=lambda block: {}, **options)[0]


def _direction(W, data, loss, normalized, eps):
    slope = gradient(W, data, loss)
    if normalized:
        norm = np.sqrt(np.einsum("...ab,...ab->...", slope, slope))[..., None, None] + eps
        slope = np.divide(slope, norm, out=slope, where=norm > 0)
    return slope


def cosine(W, V):
    """The cosine of the angle between W and V (..., d, d) in the Frobenius product: shape (...)."""
    inner = np.einsum("...ab,...ab->...", W, V)
    return inner / np.sqrt(
        np.einsum("...ab,...ab->...", W, W) * np.einsum("...ab,...ab->...", V, V)
    )


def sine(W, V):
    """The sine of the angle between W and V (..., d, d): shape (...).

    By what W has off V, so that a small angle keeps its digits, which 1 minus the cosine does not.
    """
    along = np.einsum("...ab,...ab->...", W, V) / (V**2).sum(axis=(-2, -1))
    off = W - along[..., None, None] * V
    return np.linalg.norm(off, axis=(-2, -1)) / np.linalg.norm(W, axis=(-2, -1))


def pad_bases(bases):
    """Orthonormal bases (r_t, d, d) of several trials as (trials, r, d, d), padded with zeros."""
    width = max(len(basis) for basis in bases)
    return np.stack(
        [
            np.concatenate([basis, np.zeros((width - len(basis), *basis.shape[1:]))])
            for basis in bases
        ]
    )


class Observables:
    """The authors' observables at every step, for trials with known W_svm, W_fin and S_fin.

    svm, fin: (trials, d, d).  basis: (trials, r, d, d) from ``pad_bases``.  inside: (trials, n, K),
    the component of each label.  Called on a block (b, trials, d, d) it gives arrays (b, trials):
    ``norm`` |W|_F; ``cosine`` of W and W_svm; ``ridge`` of W and W_fin + R W_svm with R the length
    of W along W_svm over |W_svm|, nan where both are 0; ``outer`` of W with S_fin projected out and
    W_svm; ``distance`` |P W - W_fin|_F; ``mass`` on the labels' components, averaged over the
    samples.
    """

    def __init__(self, data, svm, fin, basis, inside):
        require(
            (np.linalg.norm(svm, axis=(-2, -1)) > 0).all(),
            "svm",
            "a zero matrix",
            "W_svm != 0 in every trial",
        )
        self.data, self.svm, self.fin, self.inside = data, svm, fin, inside
        flat = basis.reshape(*basis.shape[:2], svm[0].size)  # (trials, r, d*d); r may be 0
        self.rows, self.columns = flat, np.swapaxes(flat, -1, -2)
        self.size = (svm**2).sum(axis=(-2, -1))

    def __call__(self, block):
        inner = np.einsum("btij,tij->bt", block, self.svm)
        norm = np.sqrt(np.einsum("btij,btij->bt", block, block))
        # coordinates in S_fin: (trials, b, r), then P W as (b, trials, d, d)
        inside = np.moveaxis(block.reshape(*block.shape[:2], -1), 0, 1) @ self.columns
        part = np.moveaxis(inside @ self.rows, 0, 1).reshape(block.shape)
        outer = np.sqrt(np.maximum(norm**2 - np.einsum("tbr,tbr->bt", inside, inside), 1e-300))
        along = inner / self.size
        ridge = np.einsum("btij,tij->bt", block, self.fin) + along * inner
        ridge_size = np.sqrt(
            (self.fin**2).sum(axis=(-2, -1)) + along**2 * self.size
        )  # W_fin is orthogonal to W_svm
        mass = (attention(block, self.data) * self.inside).sum(axis=-1).mean(axis=-1)
        return {
            "norm": norm,
            "cosine": inner / norm / np.sqrt(self.size),
            "ridge": ridge / norm / ridge_size,
            "outer": inner / outer / np.sqrt(self.size),
            "distance": np.linalg.norm(part - self.fin, axis=(-2, -1)),
            "mass": mass,
        }


def observables(problems):
    """``Observables`` of the trials, one for each ``Problem``, all of one shape (n, K, d)."""
    svm, fin = (np.stack([getattr(p, part).W for p in problems]) for part in ("svm", "fin"))
    basis = pad_bases([p.split.finite_basis for p in problems])
    inside = np.stack([p.split.inside for p in problems])
    return Observables(stack([p.data for p in problems]), svm, fin, basis, inside)
