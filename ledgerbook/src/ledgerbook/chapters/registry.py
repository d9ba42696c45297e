"""The classes of rows in ``checks/``: which class judges a statement, and where its rows stand."""

import ast
import importlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ledgerbook.ledger.checks import Checks
from ledgerbook.project import syntax
from ledgerbook.project.project import current, per_project
from ledgerbook.project.validation import require


def folder() -> Path:
    """The folder of the classes of rows."""
    return current().root / current().settings.checks


def files() -> list[Path]:
    """The Python files of that folder, sorted, without those named ``__init__.py``."""
    return sorted(file for file in folder().rglob("*.py") if file.name != "__init__.py")


def module_name(file: Path) -> str:
    """The dotted name of the module in one of ``files``."""
    return ".".join(file.relative_to(folder().parent).with_suffix("").parts)


def in_module(module: Any) -> list[type[Checks]]:
    """The classes that a module defines, in the order of its source."""
    things = (one for one in vars(module).values() if isinstance(one, type))
    own = (one for one in things if issubclass(one, Checks) and one.__module__ == module.__name__)
    return [kind for kind in own if "tag" in vars(kind)]


def classes(wanted: Sequence[str] = ()) -> dict[str, type[Checks]]:
    """The class of rows of each tag, or of the wanted tags, imported.

    Raises ``ValueError`` for a tag without a class or with two.
    """
    found, homes = dict[str, type[Checks]](), declared()
    for tag in wanted:
        require(tag in homes, "tag", tag, f"one that a class of {folder().name}/ judges")
    for file in dict.fromkeys(homes[tag] for tag in wanted or homes):
        for kind in in_module(importlib.import_module(module_name(file))):
            require(kind.tag not in found, "tag", kind.tag, "one class for a statement")
            found[kind.tag] = kind
    return {tag: found[tag] for tag in wanted} if wanted else found


def declared() -> dict[str, Path]:
    """The file that defines the class of each tag, found by parsing and without importing.

    Raises ``ValueError`` for a file with a syntax error.
    """
    found = dict[str, Path]()
    for file in files():
        with syntax.of(file):
            found |= dict.fromkeys(tags(file.read_text(encoding="utf-8")), file)
    return found


@cache
def tags(source: str) -> dict[str, ast.ClassDef]:
    """The tags in the text of a module, each with the name of the class that sets ``tag`` to it."""
    found = dict[str, ast.ClassDef]()
    for kind in (one for one in syntax.parsed(source).body if isinstance(one, ast.ClassDef)):
        for line in kind.body:
            match line:
                case ast.Assign(targets=[ast.Name(id="tag")], value=ast.Constant(value=str(tag))):
                    found[tag] = kind
    return found


class Place(NamedTuple):
    """Where a row's method is written: file, method, number of its first line, source."""

    file: Path
    name: str
    first: int
    source: str


@per_project
def places() -> dict[str, dict[str, Place]]:
    """The ``Place`` of each decorated method, by tag and by the row's id (with dashes)."""
    found: dict[str, dict[str, Place]] = {}
    for file in files():
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines()
        with syntax.of(file):
            kinds = tags(text)
        for tag, kind in kinds.items():
            for one in kind.body:
                if isinstance(one, ast.FunctionDef) and one.decorator_list:
                    first = one.decorator_list[0].lineno
                    source = "\n".join(line[4:] for line in lines[first - 1 : one.end_lineno])
                    place = Place(file, one.name, first, source)
                    found.setdefault(tag, {})[one.name.replace("_", "-")] = place
    return found


def place(tag: str, id: str) -> Place | None:
    """The ``Place`` of a row, which several cases of one method share."""
    names = places().get(tag, {})
    while id not in names and "-" in id:
        id = id.rpartition("-")[0]
    return names.get(id)
