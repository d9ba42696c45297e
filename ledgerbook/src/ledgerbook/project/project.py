"""The companion that is worked on: its folder, its settings, and every path in it, once.

``current()`` says which companion that is.  It is looked for when it is first asked for, from the
folder that ``LEDGERBOOK_PROJECT`` names or else from the working folder; in a block ``with
use(folder):`` it is another one.  What a function computes of a companion is kept with the object,
by ``per_project``, so that two companions in one process see nothing of each other.
"""

import dataclasses
import functools
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from ledgerbook.project import settings
from ledgerbook.project.settings import VARIABLE, Companion
from ledgerbook.project.validation import require

__all__ = ["VARIABLE", "Project", "current", "per_project", "use"]

Given = ParamSpec("Given")
Made = TypeVar("Made")


def _below(folder: str, name: str) -> "cached_property[Path]":
    """A path below another one of the same project."""
    return cached_property(lambda project: getattr(project, folder) / name)


@dataclass(frozen=True)
class Project(Companion):
    """A companion with its paths: two are equal where their folders are.

    root: its folder.  settings: what its ``pyproject.toml`` says.  given: paths that are not where
    they usually are, by name.  kept: the results of what is computed once for it (``per_project``).
    """

    given: Mapping[str, Any] = field(compare=False, repr=False, default_factory=dict)
    kept: dict[Any, Any] = field(init=False, compare=False, repr=False, default_factory=dict)

    @classmethod
    def at(cls, folder: Path | str) -> "Project":
        """The companion in a folder, read anew; ``ValueError`` as of ``settings.at``."""
        return cls(**vars(settings.at(folder)))

    @classmethod
    def find(cls, start: Path | str) -> "Project":
        """The companion in the nearest folder at or above ``start``, else ``ValueError``."""
        return cls(**vars(settings.find(start)))

    def varied(self, **values: Any) -> "Project":
        """The same with another root, other settings or paths, and nothing kept.

        As ``varied(build=folder)``: what lies below such a path moves with it.  The code that a
        chapter runs (``ledger/``) asks for root and settings, and sees no other path.
        """
        own = {name: values.pop(name) for name in ("root", "settings") if name in values}
        return dataclasses.replace(self, **own, given={**self.given, **values})

    def __post_init__(self) -> None:
        for name, value in self.given.items():
            path = isinstance(getattr(Project, name, None), cached_property)
            require(path, "path", name, "one of a companion's")
            vars(self)[name] = value  # where a ``cached_property`` looks first

    config, toc = _below("root", "_config.yml"), _below("root", "_toc.yml")
    data = _below("book", "data")
    statements = _below("book", "statements.toml")
    equations = _below("book", "equations.toml")  # how many a paper displays; why one has no row
    errata = _below("book", "errata")  # a file an erratum that runs without the companion's code

    build = _below("root", "_build")
    ledger = _below("build", "ledger.json")
    statuses = _below("build", "statuses.json")
    runs = _below("build", "runs")  # one record a chapter: fingerprint, cost, outcome
    executed = _below("build", "executed")  # each chapter as this machine executed it
    homes = _below("build", "homes")  # settings of matplotlib and IPython
    chapters = _below("build", "chapters")  # single chapters with parameters of your own
    sphinx = _below("build", "sphinx")  # the generated conf.py
    extra = _below("build", "extra")  # copied to the root of the site: a font, the companion's own
    doctrees = _below("build", "doctrees")  # Sphinx' cache, not part of the site
    html = _below("build", "html")
    index = _below("html", "index.html")
    stamp = _below("build", "html.stamp")

    @cached_property
    def book(self) -> Path:
        """The folder of the chapters."""
        return self.root / self.settings.book

    @cached_property
    def proofs(self) -> Path:
        """The folder of the Coq files."""
        return self.root / self.settings.proofs

    @cached_property
    def imports(self) -> dict[str, Path]:
        """Each package whose modules are inputs of the chapters, and the folder that holds it."""
        return {name: self.root / folder for name, folder in self.settings.imports.items()}

    @cached_property
    def locks(self) -> tuple[Path, ...]:
        """The files that fix the versions of what is installed."""
        return tuple(self.root / name for name in self.settings.locks)

    def relative(self, path: Path | str) -> str:
        """A path as people and records should see it: relative to the root, links unfollowed."""
        absolute = Path(os.path.abspath(path))
        if not absolute.is_relative_to(self.root):
            absolute = absolute.resolve()
        inside = absolute.is_relative_to(self.root)
        return absolute.relative_to(self.root).as_posix() if inside else str(path)

    def packages(self) -> list[Path]:
        """The folders of the companion's own packages."""
        return [folder / name for name, folder in self.imports.items()]

    def python_path(self, root: Path | None = None) -> str:
        """``PYTHONPATH`` for a process that is to import the companion's packages.

        root: of the copy of the companion whose packages these are, if not its own.
        """
        folders = dict.fromkeys([".", *self.settings.imports.values()])
        return os.pathsep.join(str((root or self.root) / folder) for folder in folders)

    def document(self, name: str) -> str:
        """The document name of a generated page, as in ``book/errata``."""
        return self.relative(self.book / name)

    def start(self) -> str:
        """The document that a reader begins with."""
        return self.settings.start or self.document("intro")


@functools.cache
def _whole(companion: Companion) -> Project:
    return Project(**vars(companion))


def current() -> Project:
    """The companion that is worked on here; ``ValueError`` where there is none."""
    made = settings.used.get()
    return made if isinstance(made, Project) else _whole(made or settings.found())


@contextmanager
def use(project: Project | Path | str) -> Iterator[Project]:
    """A block in which ``current()`` is another companion; blocks may be nested.

    project: the companion, with what is kept of it, or its folder, which is then read anew.  A
    thread that is started in the block begins without it, unless it runs in a copy of the context
    (``contextvars.copy_context``).
    """
    made = project if isinstance(project, Project) else Project.at(project)
    before = settings.used.set(made)
    try:
        yield made
    finally:
        settings.used.reset(before)


def per_project(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """``functools.cache`` for each companion: results are kept as long as its object lives."""

    @functools.wraps(function)
    def once(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        kept = current().kept
        if function not in kept:
            kept.setdefault(function, functools.cache(function))
        return kept[function](*args, **kwargs)

    return once
