"""The classes of ``checks/``: which one judges a statement, and where its rows are written."""

import ast
import importlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ledgerbook.ledger.checks import Checks
from ledgerbook.project import paths, settings, syntax
from ledgerbook.project.validation import require


def folder() -> Path:
    """Where the classes are."""
    return paths.ROOT / settings.settings().checks


def files() -> list[Path]:
    """The modules that may judge a statement, sorted."""
    return sorted(file for file in folder().rglob("*.py") if file.name != "__init__.py")


def module_name(file: Path) -> str:
    """The dotted name of one of these files."""
    return ".".join(file.relative_to(folder().parent).with_suffix("").parts)


def in_module(module: Any) -> list[type[Checks]]:
    """The classes that a module defines, in its order."""
    things = (one for one in vars(module).values() if isinstance(one, type))
    own = (one for one in things if issubclass(one, Checks) and one.__module__ == module.__name__)
    return [kind for kind in own if "tag" in vars(kind)]


def classes(wanted: Sequence[str] = ()) -> dict[str, type[Checks]]:
    """The class of each tag, or of the wanted ones; ``ValueError`` for none and for two."""
    found, homes = dict[str, type[Checks]](), declared()
    for tag in wanted:
        require(tag in homes, "tag", tag, f"one that a class of {folder().name}/ judges")
    for file in dict.fromkeys(homes[tag] for tag in wanted or homes):
        for kind in in_module(importlib.import_module(module_name(file))):
            require(kind.tag not in found, "tag", kind.tag, "one class for a statement")
            found[kind.tag] = kind
    return {tag: found[tag] for tag in wanted} if wanted else found


def declared() -> dict[str, Path]:
    """The file of each tag, read and not imported; ``ValueError`` for a file that is no Python."""
    found = dict[str, Path]()
    for file in files():
        with syntax.of(file):
            found |= dict.fromkeys(tags(file.read_text(encoding="utf-8")), file)
    return found


@cache
def tags(source: str) -> dict[str, ast.ClassDef]:
    """The tags that a module judges, each with the class that says ``tag = "paper.name"``."""
    found = dict[str, ast.ClassDef]()
    for kind in (one for one in ast.parse(source).body if isinstance(one, ast.ClassDef)):
        for line in kind.body:
            match line:
                case ast.Assign(targets=[ast.Name(id="tag")], value=ast.Constant(value=str(tag))):
                    found[tag] = kind
    return found


class Place(NamedTuple):
    """Where a row is written: file, method, first line, source."""

    file: Path
    name: str
    first: int
    source: str


@cache
def places() -> dict[str, dict[str, Place]]:
    """By tag and by the row's name (dashes), where each decorated method stands."""
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
    """Where a row of a tag is written; of several rows of one method, the method."""
    names = places().get(tag, {})
    while id not in names and "-" in id:
        id = id.rpartition("-")[0]
    return names.get(id)
