"""What the signature of a symbolic row says that it returns; ``symbolic`` decides it.

Apart from there, so that no chapter's results depend on what is said in signatures.
"""

from collections.abc import Iterable
from typing import Protocol, TypeAlias

import sympy as sp


class Goal(Protocol):
    """What a decision procedure is asked."""

    def holds(self) -> bool:
        """Whether it is so."""


Fact: TypeAlias = tuple[object, object] | sp.Basic | Goal
Facts: TypeAlias = Fact | Iterable[Fact]
