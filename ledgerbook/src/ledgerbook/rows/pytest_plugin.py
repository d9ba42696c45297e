"""pytest plugin: every row of ``checks/`` is a test, under its own id.

``pytest checks`` measures each row alone, ``-k`` some of them, ``--row-seed 7`` all of them under
another seed.  A row passes if it holds, or if an erratum
says that it fails as printed.  Beside the rows each erratum's script is run and compared, and the
defaults of a class are those of its chapter.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledgerbook.project import machine

PATIENCE = 120  # seconds for the script of an erratum


def pytest_addoption(parser: pytest.Parser) -> None:
    """Another seed than the chapters' own."""
    parser.getgroup("rows").addoption("--row-seed", type=int, help="measure rows under this seed")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """``-n auto`` is as many as the cores that are ours: pytest-xdist counts the machine's."""
    return machine.cores()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The modules of rows."""
    from ledgerbook.chapters import registry

    if file_path.suffix == ".py" and file_path.is_relative_to(registry.folder()):
        if registry.tags(file_path.read_text(encoding="utf-8")):
            return RowFile.from_parent(parent, path=file_path)
    return None


class RowFile(pytest.File):
    """A module of rows."""

    def collect(self) -> Iterator[pytest.Collector]:
        import importlib

        from ledgerbook.chapters import registry

        module = importlib.import_module(registry.module_name(self.path))
        for kind in registry.in_module(module):
            yield RowClass.from_parent(self, name=kind.__name__, kind=kind)


class RowClass(pytest.Collector):
    """A statement's rows; what they share is computed once."""

    def __init__(self, *, kind: Any, **rest: Any):
        super().__init__(**rest)
        self.kind, self._made = kind, None

    @property
    def made(self) -> Any:
        """The object whose rows are measured, at the chapter's parameters."""
        if self._made is None:
            seed = self.config.getoption("--row-seed")
            has_seed = "seed" in self.kind.__dataclass_fields__
            self._made = self.kind(**({} if seed is None or not has_seed else {"seed": seed}))
        return self._made

    def collect(self) -> Iterator[pytest.Item]:
        from ledgerbook.ledger import checks

        for row in checks.rows(self.kind):
            if row.role in checks.SHOWN:
                yield RowItem.from_parent(self, name=row.id, row=row)
            elif row.role == "erratum":
                yield ErratumItem.from_parent(self, name=row.details["number"], row=row)
        yield DefaultsItem.from_parent(self, name="defaults")


class _Item(pytest.Item):
    """A test that says in one line what is wrong, and where its method stands."""

    def __init__(self, *, row: Any = None, **rest: Any):
        super().__init__(**rest)
        self.row = row

    @property
    def owner(self) -> RowClass:
        assert isinstance(self.parent, RowClass)
        return self.parent

    def reportinfo(self):
        from ledgerbook.chapters import registry

        place = registry.place(self.owner.kind.tag, self.row.id) if self.row else None
        return self.path, place.first - 1 if place else 0, f"{self.owner.name}.{self.name}"

    def fail(self, why: str) -> None:
        file, line, _ = self.reportinfo()
        pytest.fail(f"{why}\n{file}:{line + 1}", pytrace=False)


class RowItem(_Item):
    """A row holds, or fails as an erratum says."""

    def runtest(self) -> None:
        from ledgerbook.ledger import checks
        from ledgerbook.ledger.ledger_table import verdict

        claim = self.owner.made.judge(self.row)
        if claim.subject:
            return  # whether an assumption is met has no right answer
        wanted = self.row.id not in checks.announced(self.owner.kind)
        if claim.passed != wanted:
            unlike = "" if wanted else "holds, and an erratum says that it fails: "
            self.fail(unlike + verdict(claim.record()))


class ErratumItem(_Item):
    """What an erratum says is what its script alone says, to six digits."""

    def runtest(self) -> None:
        from ledgerbook.project import paths

        numbers = self.owner.kind().numbers(self.row)
        file = paths.ERRATA / f"{self.name}.py"
        if not file.exists():
            self.fail(f"it has no script {paths.relative(file)}")
        done = subprocess.run(
            [sys.executable, file], capture_output=True, text=True, timeout=PATIENCE
        )
        last = [line.split() for line in done.stdout.splitlines()[-3:]]
        try:
            said = {words[0]: float(words[1]) for words in last}
        except (IndexError, ValueError):
            said = {}
        if done.returncode or said.keys() != numbers.keys():
            self.fail(f"{file.name} does not end with the three numbers: {done.stderr[-300:]}")
        for name, value in numbers.items():
            if said[name] != pytest.approx(float(value), rel=1e-6):
                self.fail(f"{name} is {float(value):.9g}, {file.name} says {said[name]:.9g}")
        printed, corrected, measured = (said[k] for k in ("printed", "corrected", "measured"))
        if not abs(measured - corrected) < abs(measured - printed):
            self.fail(f"measured {measured:g} is not on the side of the correction {corrected:g}")


class DefaultsItem(_Item):
    """The parameters of the chapter are those of the class."""

    def runtest(self) -> None:
        from ledgerbook.chapters import notebooks
        from ledgerbook.chapters.statements import statement
        from ledgerbook.ledger import fields

        chapter = statement(self.owner.kind.tag).chapter
        theirs = notebooks.parameters(notebooks.read(chapter))
        for name, value in fields.defaults(self.owner.kind).items():
            if theirs.get(name) != value or type(theirs.get(name)) is not type(value):
                self.fail(f"{name} = {value!r}, {chapter.name} has {theirs.get(name)!r}")
