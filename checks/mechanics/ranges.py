"""A range that the chapters of this paper share."""

from typing import Any

from ledgerbook import whole


def dimensions(default: int, at_most: int, holds: tuple) -> Any:
    """The field ``d`` of a class that has K tokens with independent embeddings: from K on.

    holds: where the rows are claimed to hold, as of ``whole``.
    """
    why = "K independent embeddings need K dimensions"
    return whole(default, lambda self: self.K, at_most, holds=holds, why=why)
