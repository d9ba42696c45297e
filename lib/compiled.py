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

    def _unharmed(made):
        """A kept file that is cut short or empty counts as none, where numba would stop at it."""
        kept, load = made._cache, made._cache.load_overload

        def loaded(*given):
            try:
                return load(*given)
            except Exception:  # of unpickling, any kind
                kept.flush()
                return None

        kept.load_overload = loaded
        return made

    def njit(cache=False, **options):
        """``numba.njit`` with these options; ``cache``: keep what is compiled, where one can."""

        def compiled(function):
            try:
                made = numba.njit(function, cache=cache, **options)
            except RuntimeError:  # no place to keep it
                return numba.njit(function, **options)
            return _unharmed(made) if cache else made

        return compiled


__all__ = ["njit"]
