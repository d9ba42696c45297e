"""``njit`` where numba is installed.

The core environment leaves numba out: there the loops that ask here for ``njit`` run as plain
Python, the same lines, many times slower.
"""


def _as_it_is(**_):
    return lambda function: function


try:
    from numba import njit
except ImportError:
    njit = _as_it_is  # type: ignore[assignment]

__all__ = ["njit"]
