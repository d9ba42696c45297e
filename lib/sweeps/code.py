"""Which code a result was made by: one hash of the files that a module reaches."""

import hashlib
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from ledgerbook.project import imports

import ledgerbook

LIBRARIES = ("numpy", "torch", "numba")  # another version may round differently
PACKAGES = {  # and the folders that hold them, on this machine
    "lib": Path(__file__).resolve().parents[2],
    "ledgerbook": Path(ledgerbook.__file__).resolve().parents[1],
}


@cache
def fingerprint(module):
    """Hash (16 digits) of the files that ``module`` reaches in ``PACKAGES``, and of ``LIBRARIES``.

    Kept for the life of the process: what is imported does not change any more either.
    """
    sha = hashlib.sha256(repr([(name, version(name)) for name in LIBRARIES]).encode())
    for name, file in sorted(reached(module).items()):
        data = file.read_bytes()
        sha.update(f"{name} {len(data)} ".encode() + data)
    return sha.hexdigest()[:16]


def reached(module):
    """Files by module name: ``module`` and all that it imports or lies in, at any depth."""
    if imports.module_file(module, PACKAGES):
        return imports.reached([module], PACKAGES)
    own = Path(find_spec(module).origin)  # a task that stands outside of the packages
    inside = imports.imported_modules(own.read_text(encoding="utf-8"), PACKAGES)
    return imports.reached(inside, PACKAGES) | {module: own}
