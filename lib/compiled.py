"""``njit`` where numba is installed.

The core environment leaves numba out: there the loops that ask here for ``njit`` run as plain
Python, the same lines, many times slower.  What is compiled is kept where it can be, and compiled
anew by each process where neither this folder nor HOME can be written.
"""


def _as_it_is(**_):
    return lambda function: function


try:
    import numba
except ImportError:
    njit = _as_it_is
else:

    def njit(cache=False, **options):
        """``numba.njit`` with these options; ``cache``: keep what is compiled, where one can."""

        def compiled(function):
            try:
                return numba.njit(function, cache=cache, **options)
            except RuntimeError:  # no place to keep it
                return numba.njit(function, **options)

        return compiled


__all__ = ["njit"]
