"""Which files a piece of code imports, directly or not, among packages that are named.

Used to fingerprint results: a file outside the named packages is a matter of the locks.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from ledgerbook.project.validation import require

Packages = Mapping[str, Path]  # the name of a package and the folder that holds it


@cache  # by the text itself: every chapter reaches the same few files
def named(source: str) -> frozenset[tuple[str, ...]]:
    """What code imports, anywhere in it, absolutely: each time a module and the names of it."""
    found = set[tuple[str, ...]]()
    for node in _statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {(alias.name,) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            require(
                node.level == 0 and node.module, "import", ast.unparse(node), "absolute imports"
            )
            found.add((str(node.module), *(alias.name for alias in node.names)))
    return frozenset(found)


def imported_modules(source: str, packages: Packages) -> set[str]:
    """The modules of ``packages`` that code imports; ``ValueError`` for one that is not there."""
    found = set[str]()
    for module, *names in named(source):
        if module.partition(".")[0] in packages:
            file = module_file(module, packages)
            inside = file is None or file.name == "__init__.py"  # packages here are empty
            found |= {module, *(f"{module}.{name}" for name in names if inside)}
    for name in found:
        allowed = f"a module of {name.partition('.')[0]}"
        require(module_file(name, packages), "import", name, allowed)
    return found


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Below ``node``, at any depth: imports are statements, and most nodes are expressions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from _statements(child)


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
