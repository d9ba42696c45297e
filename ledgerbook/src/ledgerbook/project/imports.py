"""Which files a piece of code imports, directly or not, among packages that are named.

Used to fingerprint results: a file outside the named packages is a matter of the locks.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from ledgerbook.project.validation import require

Packages = Mapping[str, Path]  # the name of a package and the folder that holds it


def imported_modules(source: str, packages: Packages) -> frozenset[str]:
    """Names of the modules of ``packages`` that a piece of code imports, anywhere in it.

    Raises ``ValueError`` for a name that they do not have, and for a relative import: both would
    be inputs that nobody sees.
    """
    return _imported(source, tuple(packages.items()))


@cache  # by the text itself: every chapter reaches the same few files
def _imported(source: str, pairs: tuple[tuple[str, Path], ...]) -> frozenset[str]:
    packages, found = dict(pairs), set[str]()
    for node in _statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if _is_in(alias.name, packages)}
        elif isinstance(node, ast.ImportFrom):
            require(node.level == 0, "import", ast.unparse(node), "absolute imports")
            if node.module and _is_in(node.module, packages):
                found |= {node.module, *_submodules(node.module, node, packages)}
    for name in found:
        allowed = f"a module of {name.partition('.')[0]}"
        require(module_file(name, packages), "import", name, allowed)
    return frozenset(found)


@cache
def tops(source: str) -> frozenset[str]:
    """The first names of all modules that a piece of code imports, anywhere in it."""
    found = set[str]()
    for node in _statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return frozenset(found)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Below ``node``, at any depth: imports are statements, and most nodes are expressions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from _statements(child)


def _is_in(name: str, packages: Packages) -> bool:
    return name.partition(".")[0] in packages


def _submodules(package: str, node: ast.ImportFrom, packages: Packages) -> Iterable[str]:
    """What ``from package import names`` brings: modules, since packages here are empty."""
    file = module_file(package, packages)
    if file is None or file.name == "__init__.py":
        return {f"{package}.{alias.name}" for alias in node.names}
    return ()


def module_file(name: str, packages: Packages) -> Path | None:
    """File of a module of ``packages``, or ``None``."""
    top, *parts = name.split(".")
    if top not in packages:
        return None
    path = packages[top].joinpath(top, *parts)
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def reached(names: Iterable[str], packages: Packages) -> dict[str, Path]:
    """File by name of the modules, and of all that they import or lie in, at any depth."""
    waiting, found = set(names), dict[str, Path]()
    while waiting:
        name = waiting.pop()
        file = module_file(name, packages)
        require(file, "import", name, "a module that is there")
        assert file
        found[name] = file
        around = name.rpartition(".")[0]
        wanted = imported_modules(file.read_text(encoding="utf-8"), packages)
        waiting |= (wanted | ({around} if around else set())) - found.keys()
    return found


def closure(source: str, packages: Packages) -> list[Path]:
    """The files of ``packages`` that code imports directly or indirectly, sorted."""
    return sorted(set(reached(imported_modules(source, packages), packages).values()))
