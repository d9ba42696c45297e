"""The companion that is worked on: its folder, and what its ``pyproject.toml`` says.

All that a companion may set stands in one table, ``[tool.ledgerbook]``; ``Settings`` lists it.
This is what a chapter's own code asks of a companion.  Its paths are in ``project``: no chapter is
stale where one of them is added.
"""

import functools
import os
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledgerbook.project import storage, typed
from ledgerbook.project.validation import require

TABLE = "ledgerbook"
VARIABLE = "LEDGERBOOK_PROJECT"  # names the folder where the working folder does not lie below it


@dataclass(frozen=True)
class Settings:
    """The table ``[tool.ledgerbook]``; folders are relative to the project's.

    title: of the book.  command: the door that messages name.
    start: the document that a reader begins with, of a book that was there before; its table of
        contents is then its author's own.  Unless given: ``intro`` in the folder of chapters.
    strict: whether a warning ends the build of the pages.
    book, proofs, checks: folders of the chapters, of the Coq files, of the classes of rows.
    papers: the first word of the tags to the title that pages show, in the reader's order.
    imports: each package whose modules are inputs of the chapters, and the folder that holds it.
    locks: files that fix the versions of what is installed; the first is the list of packages.
    preload: modules that a kernel's parent process imports once for all chapters; the function
        of a ``module:function`` is called there too.
    packages: distributions whose versions the status page shows.
    figures: the module that a new chapter draws with.
    modules: folders of the map of the code, in its order, with their titles.
    ground: modules that hold no formula of a paper: nothing to mutate the claims by.
    extra: folders of the site that a module, run with the path, makes where ``page`` exists.
    sealed: folders in which each JSON file must have its seals (``seals``).
    comparable: ``module:function`` that says why a chapter cannot be compared here, or ``None``.
    """

    title: str = "A companion"
    command: str = "python -m ledgerbook"
    start: str = ""
    strict: bool = True
    book: str = "book"
    proofs: str = "proofs"
    checks: str = "checks"
    papers: Mapping[str, str] = field(default_factory=dict)
    imports: Mapping[str, str] = field(default_factory=lambda: {"lib": ".", "checks": "."})
    locks: tuple[str, ...] = ("requirements.txt",)
    preload: tuple[str, ...] = ()
    packages: tuple[str, ...] = ("numpy", "matplotlib")
    figures: str = "ledgerbook.ledger.figures"
    modules: Mapping[str, str] = field(default_factory=lambda: {"lib": "The code"})
    ground: tuple[str, ...] = ()
    extra: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    sealed: tuple[str, ...] = ()
    comparable: str = ""


def table(folder: Path) -> dict[str, Any] | None:
    """The table of a folder's ``pyproject.toml``; ``None`` where there is none."""
    found = storage.table(folder / "pyproject.toml").get("tool", {}).get(TABLE)
    require(found is None or isinstance(found, dict), f"tool.{TABLE}", found, "a table")
    return found


@dataclass(frozen=True)
class Companion:
    """A companion's folder and settings; two are equal where their folders are."""

    root: Path
    settings: Settings = field(compare=False, repr=False)


def at(folder: Path | str) -> Companion:
    """The companion in a folder, read anew.

    Raises ``ValueError`` where there is none, and for a setting that does not exist or is of
    another kind.
    """
    top = Path(folder).resolve()
    found = table(top)
    require(found is not None, "folder", str(top), f"one with a [tool.{TABLE}] table")
    return Companion(top, typed.made(Settings, found or {}, f"[tool.{TABLE}]"))


def find(start: Path | str) -> Companion:
    """The companion in the nearest folder at or above ``start``, else ``ValueError``."""
    start = Path(start).resolve()
    for folder in (start, *start.parents):
        if table(folder) is not None:
            return at(folder)
    allowed = f"one below a [tool.{TABLE}] table, or {VARIABLE} names the companion's folder"
    raise ValueError(f"folder = {str(start)!r}, allowed: {allowed}")


used: ContextVar[Companion | None] = ContextVar("project", default=None)  # of ``project.use``


@functools.cache
def found() -> Companion:
    """The companion of this process, looked for when it is first asked for."""
    return find(os.environ.get(VARIABLE) or Path.cwd())


def root() -> Path:
    """The folder of the companion that is worked on; ``ValueError`` where there is none."""
    return (used.get() or found()).root


def settings() -> Settings:
    """The settings of the companion that is worked on."""
    return (used.get() or found()).settings
