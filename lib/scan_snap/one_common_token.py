"""Classes that share one token, and how Lemma 4 moves it (*Scan and Snap*, Section 6, Appendix F).

The smallest data on which (13), (118) and (119) say something: a common token and some distinct
ones for each class.  S classes stand on the first query; by symmetry they all gain the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lib.arrays import Array, ArrayLike
from lib.scan_snap.attention_flow import (
    Flow,
    attention_velocity,
    block_classes,
    leading_beta,
    xi,
)
from lib.scan_snap.phase_transition import (
    attention_in_gamma,
    big_gamma,
    gain,
    growth_bounds,
    printed_gain,
)
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention
from lib.validation import require, require_real


def one_common_token(
    count: int, weight: float, groups: ArrayLike | None = None, own: Sequence[float] = (1.0,)
) -> tuple[SequenceClasses, Array]:
    """Equal classes with one common token, and their F at Z = 0.

    count: number of classes.  weight: of the common token.  own: weights of the distinct tokens of
    a class.  groups: (count,), the query of each class; one for all if omitted.

    Returns (``SequenceClasses``, rows f_n); the common token has the id 0.

    >>> classes, F = one_common_token(2, 0.75)
    >>> F.round(6).tolist()
    [[0.6, 0.8, 0.0, 0.0], [0.6, 0.0, 0.8, 0.0]]
    """
    classes = block_classes(np.full((count, 1), weight), np.tile(own, (count, 1)), groups)
    return classes, normalized_attention(classes, np.zeros((classes.vocab_size,) * 2))


def padded_classes(
    K: int,
    D: int,
    rho: float,
    M: int,
    groups: ArrayLike | None = None,
    prior: Array | None = None,
) -> SequenceClasses:
    """K classes whose one common token makes every overlap f_n . f_n' equal to rho at Z = 0.

    The distinct tokens of a class have weights from 0.2 to 1 in equal steps, w_1 to w_D, and the
    common one sqrt(rho / (1 - rho) (w_1^2 + ... + w_D^2)); ids that no class emits fill up to M.

    K: number of classes.  D: distinct tokens of each, the last one dominant.  groups: (K,), the
    query of each class, one for all if omitted.  prior: (K,), frequencies of the classes.
    Raises ``ValueError`` for another rho and for an M that has no room.

    >>> classes = padded_classes(2, 2, 0.36, 20)
    >>> F = normalized_attention(classes, np.zeros((20, 20)))
    >>> round(float(F[0] @ F[1]), 6), classes.vocab_size
    (0.36, 20)
    """
    require_real("rho", rho, at_least=0, below=1)
    weights = np.linspace(0.2, 1, D)
    common = np.sqrt(rho / (1 - rho) * (weights**2).sum())
    small = one_common_token(K, common, groups, weights.tolist())[0]
    require(small.vocab_size <= M, "M", M, f"at least {small.vocab_size}")
    room = (0, 0), (0, M - small.vocab_size)
    given = {} if prior is None else {"prior": prior}
    return SequenceClasses(np.pad(small.conditional, room), small.query, **given)


class RatesAtZero(NamedTuple):
    """Lemma 4 at z = 0 for S equal classes on one query, per unit of eta_Z gamma, in rounds.

    loss: -dz_ml of the common token, times rho_0^4.  push: xi_n, times rho_0^4.
    counted: S (1 - f_nl^2).
    """

    loss: float
    push: float
    counted: float

    @property
    def quotient(self) -> float:
        """-dz_ml over xi_n."""
        return self.loss / self.push


def rates_at_zero(count: int, weight: float = 0.02) -> RatesAtZero:
    """Both sides of (118), (119) at z = 0: ``count`` classes, a common token of the given weight.

    f_nl = e^z / rho_0, so that 1 / rho_0 is the common token's entry.

    >>> found = rates_at_zero(2)
    >>> round(found.quotient, 4), round(found.counted, 4)
    (1.9992, 1.9992)
    """
    classes, F = one_common_token(count, weight)
    beta, f = leading_beta(F), float(F[0, 0])
    loss = -float(attention_velocity(classes, F, beta)[classes.query[0], 0])
    return RatesAtZero(loss / f**4, float(xi(F, beta)[0]) / f**4, count * (1 - f**2))


@dataclass
class OneCommonToken:
    """Lemma 4 without (13) for equal classes with a common token of weight 1.

    groups: (K,), the query of each class, the first one 0.  own: weights of a class's distinct
    tokens.  clock: values of Gamma at which the path is kept.  tied: how many distinct tokens stay
    alike to the end, D.
    """

    groups: list[int]
    own: list[float]
    clock: Array
    tied: int = 1

    @property
    def sharing(self) -> int:
        """S, the classes on the first query."""
        return self.groups.count(0)

    @cached_property
    def classes(self) -> SequenceClasses:
        """The classes; the common token has the id 0."""
        return one_common_token(len(self.groups), 1.0, self.groups, self.own)[0]

    @cached_property
    def path(self) -> Flow:
        """Lemma 4 in the accumulated push Gamma, M infinite."""
        return attention_in_gamma(self.classes, self.clock)

    def logits(self, token: int) -> Array:
        """z of the first query and a token along the path, (n,)."""
        return self.path.Z[:, self.classes.query[0], token]

    def late_slope(self) -> float:
        """The last slope of B_n in ln Gamma over 1 / (4 (S + 1/D)).

        >>> classes = OneCommonToken([0, 0], [1.0], np.array([1e11, 1e12]))
        >>> round(float(classes.late_slope()), 4)
        1.0
        """
        slope = np.diff(self.path.B[:, 0])[-1] / np.diff(np.log(self.path.times))[-1]
        return 4 * (self.sharing + 1 / self.tied) * slope

    def lost_over_gained(self) -> float:
        """-dz_ml of the common token over S dB_n, between the last two values of the clock."""
        return -np.diff(self.logits(0))[-1] / np.diff(self.path.B[:, 0])[-1] / self.sharing


class ScanningGrowth(NamedTuple):
    """The growth chi of a distinct token along the scanning stage, and what bounds it, (n,) each.

    printed: the lower bound of (12) with the B_n of (129).  corrected: the same with the constant
    of B_n corrected.  low, high: both sides of (12) with the B_n of Lemma 4.
    """

    chi: Array
    printed: Array
    corrected: Array
    low: Array
    high: Array


def scanning_growth(M: int, count: int = 5) -> ScanningGrowth:
    """How a distinct token grows until M h = ln M: ``count`` classes on one query, equal rates.

    M: size of the vocabulary, by which Gamma at the end is (128) at M h = ln M.

    >>> found = scanning_growth(1000)
    >>> bool(found.printed[-1] > found.chi[-1] > found.low[-1])
    True
    """
    classes, F = one_common_token(count, 1.0)
    clock = big_gamma(np.log(M) / M, M, count, 1.0) * np.logspace(-6, 0, 61)
    path = attention_in_gamma(classes, clock)
    f_squared, c0 = float(F[0, 1] ** 2), float(F[0, 0] ** -4) / count
    chi = np.exp(2 * path.Z[:, classes.query[0], 1])
    printed, corrected = (growth_bounds(B(clock, c0), f_squared)[0] for B in (printed_gain, gain))
    return ScanningGrowth(chi, printed, corrected, *growth_bounds(path.B[:, 0], f_squared))
