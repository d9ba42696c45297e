"""Argument checks of models and data, beside those that every companion has."""

import numpy as np
from ledgerbook.project.validation import (
    require,
    require_choice,
    require_integer,
    require_real,
    require_seed,
)

__all__ = [
    "require",
    "require_choice",
    "require_integer",
    "require_momentum",
    "require_probability_table",
    "require_rate",
    "require_real",
    "require_seed",
]


def require_rate(argument, value):
    """Return a learning rate as ``float``: finite and positive."""
    return require_real(argument, value, above=0)


def require_momentum(argument, value):
    """Return the factor of heavy-ball momentum as ``float``: from 0 to below 1."""
    return require_real(argument, value, at_least=0, below=1)


def require_probability_table(argument, table):
    """Return ``table`` as float64 if each row is a probability vector.

    Shape ``(K, M)``.  Raises ``ValueError`` for a wrong shape, a non-finite or
    negative entry, or a row whose sum differs from 1 by more than 1e-9.
    """
    array = np.asarray(table, dtype=np.float64)
    require(
        array.ndim == 2 and array.size > 0,
        f"{argument}.shape",
        array.shape,
        "(K, M) with K, M >= 1",
    )
    require(np.isfinite(array).all(), argument, "a table with non-finite entries", "finite entries")
    require(
        (array >= 0).all(), argument, f"a table with smallest entry {array.min():g}", "entries >= 0"
    )
    worst = int(np.abs(array.sum(axis=1) - 1).argmax())
    require(
        abs(array[worst].sum() - 1) <= 1e-9,
        f"{argument}[{worst}].sum()",
        float(array[worst].sum()),
        "1 (each row sums to one)",
    )
    return array
