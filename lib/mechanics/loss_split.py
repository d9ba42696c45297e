"""The exact split of the log-loss, and coordinates adapted to it (*Mechanics*).

    L(W) = Lbar(P W) + (1/n) sum_i log(1 + mass outside SCC(y_i) / mass inside),     P onto S_fin.

``SplitLoss`` writes W = (fixed part) + x . (basis of S_fin) + z . (basis of the rest of the data
span).  The cyclic part depends on x alone; the leak's derivatives are small numbers computed with
full relative precision and may be scaled by a huge e^log_scale, so that limits can be followed.

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lib.arrays import Array
from lib.log_sums import log_sum_exp
from lib.mechanics.samples import NextTokenData
from lib.mechanics.split_loops import LARGEST, cyclic_slopes, leak_slopes
from lib.mechanics.token_priority_graph import (
    Graphs,
    cyclic_basis,
    inside_mask,
    orthonormal_basis,
    pair_matrices,
    project,
    rivals,
)


class Part(NamedTuple):
    """A function's value, gradient (p,) and Hessian (p, p), ``None`` if not asked for."""

    value: float
    gradient: np.ndarray
    hessian: np.ndarray | None


class SplitLoss:
    """The two parts of the log-loss of one ``NextTokenData``.

    graphs: its token-priority graphs.  inside: (n, K), j in X_i and in the component of y_i.
    finite_basis (r, d, d): orthonormal, spans S_fin.  outer_basis (q, d, d): orthonormal, completes
    it to the data span, span{(e_{y_i} - e_j) x_i^T}, in which gradients lie.
    """

    def __init__(self, data: NextTokenData, graphs: Graphs) -> None:
        self.data, self.graphs = data, graphs
        self.inside = inside_mask(data, self.graphs)
        self.outside = (data.counts > 0) & ~self.inside
        self.finite_basis = cyclic_basis(data, self.graphs)
        across = pair_matrices(data, rivals(data, self.outside))
        self.outer_basis = orthonormal_basis(across - project(self.finite_basis, across))
        self.finite_features = np.ascontiguousarray(self._features(self.finite_basis))
        self.outer_features = self._features(self.outer_basis) * self.outside[..., None]
        self.features = np.concatenate([self.finite_features, self.outer_features], axis=2)
        self._inside_log = np.where(self.inside, data.log_counts, -np.inf)
        self._outside_log = np.where(self.outside, data.log_counts, -np.inf)

    def _features(self, basis: Array) -> Array:
        """(n, K, p): change of a_ij - a_{i y_i} per unit of a coordinate; 0 for absent tokens."""
        data = self.data
        per_token = np.einsum("nb,pab,ka->nkp", data.queries, basis, data.embeddings)
        own = np.take_along_axis(per_token, data.label[:, None, None], axis=1)
        return (per_token - own) * (data.counts > 0)[..., None]

    def coordinates(self, W: Array) -> tuple[Array, Array]:
        """(x (..., r), z (..., q)) of W (..., d, d)."""
        return tuple(  # type: ignore[return-value]
            np.tensordot(W, basis, axes=([-2, -1], [1, 2]))
            for basis in (self.finite_basis, self.outer_basis)
        )

    def matrix(self, x: Array, z: Array) -> Array:
        """W (..., d, d) from coordinates; the part outside the data span is 0."""
        return np.tensordot(x, self.finite_basis, axes=(-1, 0)) + np.tensordot(
            z, self.outer_basis, axes=(-1, 0)
        )

    def cyclic(self, x: Array, hessian: bool = True) -> Part:
        """The cyclic part Lbar as ``Part`` in x (r,); hessian=False leaves it out, for speed."""
        if not hessian:
            known = self.data.weight, self._inside_log, self.data.label, self.finite_features
            value, gradient = cyclic_slopes(*known, x)
            return Part(value, gradient, None)
        weight, logits = self.data.weight, self._inside_log + _times(self.finite_features, x)
        total = log_sum_exp(logits)
        mass = np.exp(logits - total[:, None])
        value = weight @ (total - logits[np.arange(len(logits)), self.data.label])
        slope = _summed(weight[:, None] * mass, self.finite_features)  # type: ignore[index]
        return Part(float(value), slope, _covariance(weight, mass, self.finite_features))  # type: ignore[arg-type]

    def leak(
        self,
        x: Array,
        z: Array,
        log_scale: float = 0.0,
        hessian: bool = True,
        ahead: Array | None = None,
    ) -> Part:
        """The leak, times e^log_scale, as ``Part`` in (x, z), r + q coordinates, x first.

        hessian=False leaves it out (``None``), for speed.  ahead: (n, K), scores of the outside
        tokens beside those of z, with log_scale added; it lets two huge numbers cancel before they
        are rounded.
        """
        ahead = np.full(self.inside.shape, log_scale) if ahead is None else ahead
        if not hessian:
            known = self.data.weight, self._inside_log, self._outside_log
            features = self.finite_features, self.outer_features
            value, gradient = leak_slopes(*known, *features, x, z, log_scale, ahead)
            return Part(value, gradient, None)
        inside, outside = self._logits(x, z)
        outside = outside + ahead
        log_in, log_out = log_sum_exp(inside), log_sum_exp(outside)
        scaled_odds = log_out - log_in
        value = _bounded_exp(_log_of_log1p(scaled_odds, log_scale)) @ self.data.weight  # type: ignore[operator]
        mass_in = np.exp(inside - log_in[:, None])
        # A sample that does not leak has no mass outside, and its share of the slopes is 0.
        mass_out = np.exp(outside - np.where(log_out == -np.inf, 0.0, log_out)[:, None])
        slopes = self._leak_slopes(mass_in, mass_out, scaled_odds, log_scale)
        return Part(float(value), *slopes)

    def _leak_slopes(
        self, mass_in: Array, mass_out: Array, scaled_odds: Array, log_scale: float
    ) -> tuple[Array, Array]:
        """Gradient and Hessian of the scaled leak from the masses (n, K)."""
        odds = scaled_odds - log_scale
        q = self.data.weight * _bounded_exp(scaled_odds - np.logaddexp(0, odds))  # type: ignore[operator]
        slope = _summed(q[:, None] * (mass_out - mass_in), self.features)
        gap = np.einsum("nk,nkp->np", mass_out - mass_in, self.features)
        curvature = _covariance(q, mass_out, self.features)
        curvature = curvature - _covariance(q, mass_in, self.features)
        spread = q * np.exp(-np.logaddexp(0, odds))
        return slope, curvature + (spread[:, None] * gap).T @ gap

    def _logits(self, x: Array, z: Array) -> tuple[Array, Array]:
        """Scores plus log counts of the tokens inside and outside the label's component, (n, K).

        Relative to the label's score; minus infinity for all other tokens.
        """
        common = _times(self.finite_features, x)
        outer = _times(self.outer_features, z)
        return self._inside_log + common, self._outside_log + common + outer

    def outside_mass(self, x: Array, z: Array) -> Array:
        """(n,): log of the attention mass outside the label's component."""
        inside, outside = self._logits(x, z)
        with np.errstate(divide="ignore"):
            left, lost = log_sum_exp(inside), log_sum_exp(outside)
        return lost - np.logaddexp(left, lost)


class FinitePart(NamedTuple):
    """W_fin (d, d), its coordinates x (r,), and the loss Lbar there, which is inf L.

    least_curvature: the Hessian's least eigenvalue, > 0 for strict convexity, infinity when
    S_fin = 0.
    """

    W: np.ndarray
    x: np.ndarray
    loss: float
    least_curvature: float


def finite_part(split: SplitLoss) -> FinitePart:
    """``FinitePart`` of a ``SplitLoss``: the cyclic part's minimizer, by damped Newton from 0."""
    x = minimize(split.cyclic, np.zeros(len(split.finite_basis)))
    part = split.cyclic(x)
    least = np.linalg.eigvalsh(part.hessian).min(initial=np.inf)  # type: ignore[arg-type]
    W = split.matrix(x, np.zeros(len(split.outer_basis)))
    return FinitePart(W, x, part.value, float(least))


def minimize(function: Callable[[Array], Part], start: Array, steps: int = 200) -> Array:
    """Minimize a strictly convex ``function(x) -> Part`` by damped Newton steps, to rounding."""
    x, here = start, function(start)
    for _ in range(steps if len(start) else 0):
        direction = np.linalg.solve(here.hessian, here.gradient)  # type: ignore[arg-type]
        decrement, share = here.gradient @ direction, 1.0
        there = function(x - direction)
        while (
            there.value > here.value - 0.25 * share * decrement + 1e-15 * abs(here.value)
            and share > 1e-10
        ):
            share /= 2
            there = function(x - share * direction)
        x, here = x - share * direction, there
        if np.linalg.norm(direction) <= 1e-15 * (1 + np.linalg.norm(x)):
            break
    return x


def _log_of_log1p(scaled_odds: Array, log_scale: float) -> Array:
    """log(e^log_scale log(1 + odds)), from the log of e^log_scale times the odds.

    Below odds of e^-40, less than half a unit in the last place of 1, log(1 + odds) is the odds:
    there the scale never has to be taken out and put back, which would cost all digits.
    """
    log_odds = scaled_odds - log_scale
    large = np.maximum(log_odds, -40)  # keeps the branch that is not taken away from log(0)
    return np.where(log_odds < -40, scaled_odds, log_scale + np.log(np.logaddexp(0, large)))


def _bounded_exp(exponent: Array) -> Array:
    """e^exponent, kept finite: a step that overshoots must look bad to a solver, not infinite."""
    return np.exp(np.minimum(exponent, LARGEST))


def _times(features: Array, x: Array) -> Array:
    """features @ x of (n, K, p) and (p,), as one product of a matrix: (n, K)."""
    return (_flat(features) @ x).reshape(features.shape[:2])


def _summed(mass: Array, features: Array) -> Array:
    """sum_{n, k} mass_nk features_nk: (p,)."""
    return mass.ravel() @ _flat(features)


def _flat(features: Array) -> Array:
    n, K, p = features.shape
    return features.reshape(n * K, p)


def _covariance(weight: Array, mass: Array, features: Array) -> Array:
    """sum_n weight_n Cov_{mass_n}(features_n): (p, p)."""
    mean = np.einsum("nk,nkp->np", mass, features)
    centered = ((features - mean[:, None]) * np.sqrt(weight[:, None] * mass)[..., None]).reshape(
        mass.size, features.shape[2]
    )
    return centered.T @ centered
