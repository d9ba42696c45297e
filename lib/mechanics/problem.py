"""A training set, and what gradient descent on it converges to, computed once (*Mechanics*).

problem = Problem(data);  problem.split, problem.svm, problem.fin

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lib.arrays import Array
from lib.mechanics.graph_svm import GraphSVM, graph_svm
from lib.mechanics.limit_offset import Leaks, Offset, leaks, offset
from lib.mechanics.loss_split import FinitePart, SplitLoss, finite_part
from lib.mechanics.samples import NextTokenData
from lib.mechanics.token_priority_graph import Graphs, cyclic_subdata, priority_graphs


@dataclass(frozen=True, eq=False)
class Problem:
    """A training set of *Mechanics*, and where training the attention layer on it leads.

    Under gradient flow on the log-loss the key-query matrix W grows along W_svm, like
    log t W_svm, and its part in the cyclic subspace converges to W_fin.

    data: ``NextTokenData``, n samples over K tokens embedded in R^d.

    Attributes, each computed when it is first asked for: ``graphs`` (token-priority graphs),
    ``svm`` (W_svm), ``fin`` (W_fin), ``split`` (the log-loss in two parts) and ``cyclic_data``.
    ``svm`` raises ``InfeasibleGraphSVM`` where no W_svm exists.

    >>> from lib.mechanics.five_samples import five_samples
    >>> problem = Problem(five_samples())
    >>> problem.graphs[4].components  # of last token 4, from the highest priority down
    [(0, 1), (2,), (3,), (4,)]
    >>> problem.svm.W[:, 4].round(6).tolist()  # one more for each step of priority
    [1.2, 1.2, 0.2, -0.8, -1.8]
    >>> W_fin = problem.fin.W
    >>> round(float(np.exp(W_fin[1, 4] - W_fin[0, 4])), 6)  # token 1 is the label twice, 0 once
    2.0
    """

    data: NextTokenData

    @cached_property
    def graphs(self) -> Graphs:
        """``{k: PriorityGraph}``: which token has priority over which, for each last token k."""
        return priority_graphs(self.data)

    @cached_property
    def split(self) -> SplitLoss:
        """The log-loss as ``SplitLoss``: a cyclic part, which stays, and a leak, which vanishes."""
        return SplitLoss(self.data, self.graphs)

    @cached_property
    def svm(self) -> GraphSVM:
        """``GraphSVM``, with W_svm, in which W grows.  Raises ``InfeasibleGraphSVM``."""
        return graph_svm(self.data, self.graphs)

    @cached_property
    def fin(self) -> FinitePart:
        """``FinitePart``, with W_fin, where the cyclic part comes to rest."""
        return finite_part(self.split)

    @cached_property
    def cyclic_data(self) -> NextTokenData | None:
        """The data that the cyclic part is the log-loss of; ``None`` when nothing is cyclic."""
        return cyclic_subdata(self.data, self.graphs)


@dataclass(frozen=True, eq=False)
class Resting(Problem):
    """A ``Problem`` in coordinates z, with the offset at which W comes to rest beside C W_svm."""

    @cached_property
    def w(self) -> Array:
        """W_svm in coordinates z, (q,)."""
        return self.split.coordinates(self.svm.W)[1]

    @cached_property
    def leaks(self) -> Leaks:
        """The leading ``Leaks``, the cyclic part at rest at W_fin."""
        return leaks(self.split, self.fin.x)

    @cached_property
    def rest(self) -> Offset:
        """``Offset``: rho* and what belongs to it.  Raises ``ValueError`` for degenerate data."""
        return offset(self.leaks, self.w)

    @property
    def c(self) -> float:
        """C - log t in the limit: the part of rho* along w."""
        return self.rest.rho @ self.w / (self.w @ self.w)  # type: ignore[return-value]

    @property
    def has_slack(self) -> bool:
        """Whether the tight constraints do not span all of z."""
        return len(self.rest.basis) < len(self.w)

    def off(self, z: Array) -> Array:
        """z (..., q) without its part along w."""
        return z - np.multiply.outer(z @ self.w / (self.w @ self.w), self.w)

    def tight(self, z: Array) -> Array:
        """The part of z (..., q) in the span of the tight constraints."""
        return z @ self.rest.basis.T @ self.rest.basis


def slack_directions(data: NextTokenData) -> bool:
    """Whether the tight constraints of ``data`` do not span all of z: a draw may ask for it."""
    return Resting(data).has_slack
