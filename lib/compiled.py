"""``numba.njit`` with a cache on disk that notices changed imports; plain Python without numba.

The core environment does not install numba.  There the functions decorated with ``njit`` run as
plain Python, the same lines, many times slower.  Compiled code is cached on disk; where neither
this folder nor HOME can be written, each process compiles anew.

numba's own cache compares only the file of the function, although a constant which this file
imports is part of the compiled code.  Here a cache entry is valid as long as all files of this
package that the function's file imports, at any depth, are the same, and so is the version of
numpy, which computed some of the constants.  numba accepts classes for the places of its cache
under the name ``NUMBA_CACHE_LOCATOR_CLASSES``; while a function is made it names those below.
"""

import ast
import functools
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = Path(__file__).resolve().parent
STOP = b"."  # the last byte of a pickle


def _as_it_is(**_: Any) -> Callable[[Any], Any]:
    return lambda function: function


def _files(module: str) -> set[Path]:
    """The files of this package that are loaded with a module: its own, and of its folders."""
    top, *parts = module.split(".")
    found = [PACKAGE.joinpath(*parts[:k], "__init__.py") for k in range(len(parts) + 1)]
    found += [PACKAGE.joinpath(*parts).with_suffix(".py")] if parts else []
    return {file for file in found if file.is_file()} if top == PACKAGE.name else set()


@functools.cache
def _imported(file: Path) -> set[Path]:
    """The files of this package that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            found.update(*(_files(alias.name) for alias in node.names))
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update(*(_files(f"{node.module}.{alias.name}") for alias in node.names))
            found |= _files(node.module)
    return found


def stamp(file: str | Path) -> str:
    """Hash of all that compiled code of a file may depend on: its imports in this package, and
    numpy.
    """
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
        """What the three places of the cache have in common."""

        _py_file: str

        def get_source_stamp(self) -> str:
            return stamp(self._py_file)

        @classmethod
        def from_function(cls, function: Any, file: str) -> Any:
            """A place of the cache, or ``None``.

            A file of the cache that was cut short is removed, so that the function is compiled
            anew; numba would stop with an error of unpickling.
            """
            place = super().from_function(function, file)  # type: ignore[misc]
            kept = f"{Path(file).stem}.*-{function.__code__.co_firstlineno}.*nb[ci]"
            for one in Path(place.get_cache_path()).glob(kept) if place else ():
                if one.read_bytes()[-1:] != STOP:
                    one.unlink(missing_ok=True)
            return place

    class Named(_Ours, caching.UserProvidedCacheLocator):
        """The cache in the folder that ``NUMBA_CACHE_DIR`` names."""

    class Beside(_Ours, caching.InTreeCacheLocator):
        """The cache beside the file."""

    class AtHome(_Ours, caching.UserWideCacheLocator):
        """The cache below HOME."""

    PLACES = ",".join(f"{__name__}.{one.__name__}" for one in (Named, Beside, AtHome))

    @contextmanager
    def _places() -> Iterator[None]:
        before, numba.config.CACHE_LOCATOR_CLASSES = numba.config.CACHE_LOCATOR_CLASSES, PLACES
        try:
            yield
        finally:
            numba.config.CACHE_LOCATOR_CLASSES = before

    def njit(cache: bool = False, **options: Any) -> Callable[[Any], Any]:
        """``numba.njit`` with these options; ``cache``: keep the compiled code on disk if
        possible.
        """

        def compiled(function: Any) -> Any:
            try:
                with _places():
                    return numba.njit(function, cache=cache, **options)
            except RuntimeError:  # no place to keep it
                return numba.njit(function, **options)

        return compiled


__all__ = ["njit"]
