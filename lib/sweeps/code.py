"""Which code a result was made by: one hash of the ``lib`` files that a module reaches."""

import ast
import hashlib
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

LIBRARIES = ("numpy", "torch", "numba")  # another version may round differently


@cache
def fingerprint(module):
    """Hash (16 digits) of the files that ``module`` reaches in ``lib``, and of ``LIBRARIES``.

    Kept for the life of the process: what is imported does not change any more either.
    """
    sha = hashlib.sha256(repr([(name, version(name)) for name in LIBRARIES]).encode())
    for name, file in sorted(reached(module).items()):
        data = file.read_bytes()
        sha.update(f"{name} {len(data)} ".encode() + data)
    return sha.hexdigest()[:16]


def reached(module):
    """Files by module name: ``module`` and every ``lib`` module that it imports, at any depth."""
    waiting, files = [module], {}
    while waiting:
        name = waiting.pop()
        file = None if name in files else _file(name)
        if file:
            files[name] = file
            waiting += _imported(file.read_text(encoding="utf-8"))
    return files


def _imported(source):
    """Names below ``lib`` in import statements; of ``from a import b`` both a and a.b."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in names if name.split(".")[0] == "lib"]


def _file(name):
    """A module's file; ``None`` for a name that is no module, such as a function's."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec and spec.origin else None
