"""Which files of the companion's packages a piece of code imports, directly or not.

Used to fingerprint results: a file outside these packages is a matter of the locks.
"""

import ast
import symtable
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ledgerbook.project import syntax
from ledgerbook.project.project import current
from ledgerbook.project.validation import require


@cache  # by the text itself: every chapter reaches the same few files
def named(source: str) -> frozenset[tuple[str, ...]]:
    """What code imports, anywhere in it, absolutely: each time a module and the names of it."""
    found = set[tuple[str, ...]]()
    for node in ast.walk(syntax.parsed(source)):
        if isinstance(node, ast.Import):
            found |= {(alias.name,) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            require(
                node.level == 0 and node.module, "import", ast.unparse(node), "absolute imports"
            )
            found.add((str(node.module), *(alias.name for alias in node.names)))
    return frozenset(found)


def imported_modules(source: str, file_of: Callable[[str], Path | None] | None = None) -> set[str]:
    """The modules of the packages that code imports; ``ValueError`` for one that is not there.

    A name that is taken from a package is a module of it, or one that the package's own file binds.
    """
    file_of = file_of or module_file
    found = set[str]()
    for module, *names in named(source):
        if module.partition(".")[0] not in current().imports:
            continue
        found.add(module)
        file = file_of(module)
        if file is None or file.name == "__init__.py":
            handed_on = bound(file.read_text(encoding="utf-8")) if file else frozenset()
            found |= {
                inside
                for name in names
                if file_of(inside := f"{module}.{name}") or name not in handed_on
            }
    for name in found:
        allowed = f"a module of {name.partition('.')[0]}"
        require(file_of(name), "import", name, allowed)
    return found


@cache
def bound(source: str) -> frozenset[str]:
    """The names that a module's top level binds: imported, defined or assigned there."""
    symbols = symtable.symtable(source, "package", "exec").get_symbols()
    return frozenset(one.get_name() for one in symbols if one.is_imported() or one.is_assigned())


def module_file(name: str) -> Path | None:
    """File of a module of the packages, or ``None``."""
    top, *parts = name.split(".")
    if top not in current().imports:
        return None
    path = current().imports[top].joinpath(top, *parts)
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def closure(source: str) -> list[Path]:
    """The files that code imports directly or indirectly, and that these lie in, sorted.

    Raises ``ValueError`` that names the file for one that is no Python.
    """
    file_of = cache(module_file)  # for this walk: many name a module, the disk is asked once
    waiting, found = imported_modules(source, file_of), dict[str, Path]()
    while waiting:
        name = waiting.pop()
        if file := file_of(name):
            found[name] = file
            text = file.read_text(encoding="utf-8")
            with syntax.of(file):
                wanted = imported_modules(text, file_of) | {name.rpartition(".")[0]}
            waiting |= wanted - found.keys()
    return sorted(set(found.values()))
