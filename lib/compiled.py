"""``njit`` where numba is installed.

The core environment leaves numba out: there the loops that ask here for ``njit`` run as plain
Python, the same lines, many times slower.  What is compiled is kept where it can be, and compiled
anew by each process where neither this folder nor HOME can be written.

numba compares what it kept with the caller's own file alone, and a constant that this file imports
is part of the compiled code.  Here what is kept counts only while every file of this package that
the caller's file imports, at any depth, is the same, and numpy's version, which computed some of
the constants.  Where numba keeps things is said by classes of its own that
``NUMBA_CACHE_LOCATOR_CLASSES`` may name; it names those below while a function is made.
"""

import ast
import functools
import hashlib
from contextlib import contextmanager
from pathlib import Path

import numpy as np

PACKAGE = Path(__file__).resolve().parent
STOP = b"."  # the last byte of a pickle


def _as_it_is(**_):
    return lambda function: function


def _files(module):
    """The files of this package that are loaded with a module: its own, and of its folders."""
    top, *parts = module.split(".")
    found = [PACKAGE.joinpath(*parts[:k], "__init__.py") for k in range(len(parts) + 1)]
    found += [PACKAGE.joinpath(*parts).with_suffix(".py")] if parts else []
    return {file for file in found if file.is_file()} if top == PACKAGE.name else set()


@functools.cache
def _imported(file):
    """The files of this package that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            found.update(*(_files(alias.name) for alias in node.names))
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update(*(_files(f"{node.module}.{alias.name}") for alias in node.names))
            found |= _files(node.module)
    return found


def stamp(file):
    """Hash of all that compiled code of a file may hold: see above."""
    waiting, found = {Path(file).resolve()}, set()
    while waiting:
        found.add(one := waiting.pop())
        waiting |= _imported(one) - found
    sha = hashlib.sha256(np.__version__.encode())
    for one in sorted(found):
        sha.update(hashlib.sha256(one.read_bytes()).digest())
    return sha.hexdigest()


try:
    import numba
    from numba.core import caching
except ImportError:
    njit = _as_it_is
else:

    class _Ours:
        """What our three places have in common."""

        _py_file: str

        def get_source_stamp(self):
            return stamp(self._py_file)

        @classmethod
        def from_function(cls, function, file):
            """A place, or ``None``.  A file that was cut short, where numba would stop with an
            error of unpickling, is removed: then it is compiled anew.
            """
            place = super().from_function(function, file)  # type: ignore[misc]
            kept = f"{Path(file).stem}.*-{function.__code__.co_firstlineno}.*nb[ci]"
            for one in Path(place.get_cache_path()).glob(kept) if place else ():
                if one.read_bytes()[-1:] != STOP:
                    one.unlink(missing_ok=True)
            return place

    class Named(_Ours, caching.UserProvidedCacheLocator):
        """In the folder that ``NUMBA_CACHE_DIR`` names."""

    class Beside(_Ours, caching.InTreeCacheLocator):
        """Beside the file."""

    class AtHome(_Ours, caching.UserWideCacheLocator):
        """Below HOME."""

    PLACES = ",".join(f"{__name__}.{one.__name__}" for one in (Named, Beside, AtHome))

    @contextmanager
    def _places():
        before, numba.config.CACHE_LOCATOR_CLASSES = numba.config.CACHE_LOCATOR_CLASSES, PLACES
        try:
            yield
        finally:
            numba.config.CACHE_LOCATOR_CLASSES = before

    def njit(cache=False, **options):
        """``numba.njit`` with these options; ``cache``: keep what is compiled, where one can."""

        def compiled(function):
            try:
                with _places():
                    return numba.njit(function, cache=cache, **options)
            except RuntimeError:  # no place to keep it
                return numba.njit(function, **options)

        return compiled


__all__ = ["njit"]
