"""What a chapter's results depend on: its code, the ``lib`` files it reaches, data, the lock."""

import ast
import hashlib
import sys
from functools import cache

from lib.validation import require
from tooling import notebooks, paths


def imported_modules(source):
    """Names of the ``lib`` modules that a piece of code imports, anywhere in it.

    Raises ``ValueError`` for a name that ``lib`` does not have, and for a relative import: both
    would be inputs that nobody sees.
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if _in_lib(alias.name)}
        elif isinstance(node, ast.ImportFrom):
            require(node.level == 0, "import", ast.unparse(node), "absolute imports")
            if _in_lib(node.module):
                found |= {node.module, *_submodules(node)}
    for name in found:
        require(module_file(name), "import", name, "a module of lib")
    return found


def _in_lib(name):
    return name.split(".")[0] == "lib"


def _submodules(node):
    """What ``from package import names`` brings: modules, since packages here are empty."""
    if module_file(node.module) is None or module_file(node.module).name == "__init__.py":
        return {f"{node.module}.{alias.name}" for alias in node.names}
    return set()


def module_file(name):
    """File of a ``lib`` module, or ``None``."""
    path = paths.ROOT.joinpath(*name.split("."))
    return next(
        (file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None
    )


@cache
def _module(name):
    file = module_file(name)
    return file, file.read_text(encoding="utf-8")


def closure(source):
    """The ``lib`` files that code imports directly or indirectly, sorted."""
    waiting, seen = imported_modules(source) | {"lib"}, {}
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen[name], text = _module(name)
            waiting |= imported_modules(text) - seen.keys()
    return sorted(set(seen.values()))


def data_files(sources):
    """Stored tables whose file name occurs in the code."""
    text = "\n".join(sources)
    tables = [*paths.DATA.rglob("*"), *paths.LIB.rglob("*.csv"), *paths.LIB.rglob("*.json")]
    return sorted(file for file in tables if file.is_file() and file.name in text)


def digest(parts):
    """One short hash of texts and files."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part.read_bytes()
        sha.update(len(data).to_bytes(8, "big") + data)
    return sha.hexdigest()[:16]


def lib_fingerprint(notebook):
    """Hash of the ``lib`` files that the notebook reaches: what the provenance section shows."""
    return digest(closure(notebooks.code(notebook)))


def fingerprint(notebook):
    """Hash of everything that the results depend on; prose and stored outputs are not in it."""
    code = notebooks.code(notebook)
    files = closure(code)
    data = data_files([code, *(file.read_text(encoding="utf-8") for file in files)])
    locks = [file for file in paths.LOCKS if file.exists()]
    return digest([code, f"{sys.version_info[:2]}", *files, *data, *locks])
