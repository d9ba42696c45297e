"""One data set with everything that follows from it, computed once (*Mechanics*).

problem = Problem(data);  problem.split, problem.svm, problem.fin

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from dataclasses import dataclass
from functools import cached_property

from lib.mechanics.graph_svm import graph_svm
from lib.mechanics.loss_split import SplitLoss, finite_part
from lib.mechanics.samples import NextTokenData
from lib.mechanics.token_priority_graph import cyclic_subdata, priority_graphs


@dataclass(frozen=True, eq=False)
class Problem:
    """What training on ``data`` comes down to; each part is made when it is first asked for."""

    data: NextTokenData

    @cached_property
    def graphs(self):
        """``{k: PriorityGraph}``: who beats whom, for each last token k."""
        return priority_graphs(self.data)

    @cached_property
    def split(self):
        """The log-loss as ``SplitLoss``: a cyclic part, which stays, and a leak, which vanishes."""
        return SplitLoss(self.data, self.graphs)

    @cached_property
    def svm(self):
        """``GraphSVM``, with W_svm, in which W grows.  Raises ``InfeasibleGraphSVM``."""
        return graph_svm(self.data, self.graphs)

    @cached_property
    def fin(self):
        """``FinitePart``, with W_fin, where the cyclic part comes to rest."""
        return finite_part(self.split)

    @cached_property
    def cyclic_data(self):
        """The data that the cyclic part is the log-loss of; ``None`` when nothing is cyclic."""
        return cyclic_subdata(self.data, self.graphs)
