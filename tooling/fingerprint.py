"""What a chapter's results depend on: its code, the ``lib`` files it reaches, data, the lock."""

import ast
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from lib import kernel_record
from lib.validation import require
from tooling import notebooks, paths


@cache  # by the text itself: every chapter reaches the same few files
def imported_modules(source: str) -> frozenset[str]:
    """Names of the ``lib`` modules that a piece of code imports, anywhere in it.

    Raises ``ValueError`` for a name that ``lib`` does not have, and for a relative import: both
    would be inputs that nobody sees.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if _in_lib(alias.name)}
        elif isinstance(node, ast.ImportFrom):
            require(node.level == 0, "import", ast.unparse(node), "absolute imports")
            if node.module and _in_lib(node.module):
                found |= {node.module, *_submodules(node.module, node)}
    for name in found:
        require(module_file(name), "import", name, "a module of lib")
    return frozenset(found)


def _in_lib(name: str) -> bool:
    return name.split(".")[0] == "lib"


def _submodules(package: str, node: ast.ImportFrom) -> set[str]:
    """What ``from package import names`` brings: modules, since packages here are empty."""
    file = module_file(package)
    if file is None or file.name == "__init__.py":
        return {f"{package}.{alias.name}" for alias in node.names}
    return set()


def module_file(name: str) -> Path | None:
    """File of a ``lib`` module, or ``None``."""
    path = paths.ROOT.joinpath(*name.split("."))
    return next(
        (file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None
    )


@cache
def _module(name: str) -> tuple[Path, str]:
    file = module_file(name)
    assert file, name  # ``imported_modules`` lets no other name through
    return file, file.read_text(encoding="utf-8")


def closure(source: str) -> list[Path]:
    """The ``lib`` files that code imports directly or indirectly, sorted."""
    waiting, seen = set(imported_modules(source)) | {"lib"}, {}
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen[name], text = _module(name)
            waiting |= imported_modules(text) - seen.keys()
    return sorted(set(seen.values()))


def data_files(sources: Iterable[str]) -> list[Path]:
    """Stored tables whose file name occurs in the code."""
    text = "\n".join(sources)
    tables = [*paths.DATA.rglob("*"), *paths.LIB.rglob("*.csv"), *paths.LIB.rglob("*.json")]
    return sorted(file for file in tables if file.is_file() and file.name in text)


def digest(parts: Iterable[str | Path]) -> str:
    """One short hash of texts and files."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part.read_bytes()
        sha.update(len(data).to_bytes(8, "big") + data)
    return sha.hexdigest()[:16]


def lib_fingerprint(notebook: NotebookNode) -> str:
    """Hash of the ``lib`` files that the notebook reaches: what the provenance section shows."""
    return digest(closure(notebooks.code(notebook)))


def fingerprint(notebook: NotebookNode) -> str:
    """Hash of everything that the results depend on; prose and stored outputs are not in it, nor
    is the version of Python: that is a condition of a run, not an input of the book.
    """
    code = notebooks.code(notebook)
    files = closure(code)
    data = data_files([code, *(file.read_text(encoding="utf-8") for file in files)])
    locks = [file for file in paths.LOCKS if file.exists()]
    return digest([code, *files, *data, *proofs(code), *locks])


def proofs(code: str) -> list[Path]:
    """The proof files of the statements that a chapter judges."""
    files = [kernel_record.source(tag) for tag in re.findall(r'Ledger\(\s*"([^"]+)"', code)]
    return [file for file in files if file.exists()]
