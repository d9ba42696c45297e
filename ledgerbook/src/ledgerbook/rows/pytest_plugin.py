"""pytest plugin: every row of ``checks/`` is a test, under its own id.

``pytest checks`` measures each row alone, ``-k`` some of them.  Each erratum's script is run and
compared, and the defaults of a class are those of its chapter.  ``--robust`` measures the rows
under other seeds and at both ends of their parameters instead, where they are to come out as they
do in the chapter; a control that does not at an end is told.  What knows the project is imported
late: pytest reads this file anywhere.
"""

import functools
import importlib
import inspect
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import joblib
import pytest

from ledgerbook.ledger import checks, fields
from ledgerbook.ledger.ledger import NUMBERS
from ledgerbook.ledger.ledger_table import verdict

PATIENCE = 120  # seconds for the script of an erratum
SEEDS = (10007, 20014, 30021)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Other parameters than the chapters' own."""
    told = "measure rows under other seeds and at both ends of their parameters"
    parser.getgroup("rows").addoption("--robust", action="store_true", help=told)


def pytest_configure(config: pytest.Config) -> None:
    """Make the companion's packages importable: ``pytest`` as a command does not look here."""
    from ledgerbook.project.project import current

    for place in reversed(current().python_path().split(os.pathsep)):
        if place not in sys.path:
            sys.path.insert(0, place)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """``-n auto`` is as many as the cores that are ours: pytest-xdist counts the machine's."""
    return joblib.cpu_count()


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
        from ledgerbook.chapters import registry

        module = importlib.import_module(registry.module_name(self.path))
        for kind in registry.in_module(module):
            under = conditions(kind) if self.config.getoption("--robust") else {"": {}}
            for name, given in under.items():
                called = f"{kind.__name__}[{name}]" if name else kind.__name__
                yield RowClass.from_parent(self, name=called, kind=kind, given=given)


def conditions(kind: Any) -> dict[str, dict[str, Any]]:
    """Under which parameters the rows of a class are measured again, each set of them once."""
    own = fields.defaults(kind)
    found = {f"seed-{seed}": own | {"seed": seed} for seed in SEEDS} if "seed" in own else {}
    ends = {name: fields.extremes(kind, name == "largest") for name in ("smallest", "largest")}
    return found | (ends if own.keys() - {"seed"} else {})


class RowClass(pytest.Collector):
    """A statement's rows under some parameters; what they share is computed once."""

    def __init__(self, *, kind: Any, given: dict[str, Any], **rest: Any):
        super().__init__(**rest)
        self.kind, self.given = kind, given

    @functools.cached_property
    def made(self) -> Any:
        """The object whose rows are measured."""
        return self.kind(**self.given)

    def collect(self) -> Iterator[pytest.Item]:
        for row in checks.rows(self.kind):
            if row.role in checks.SHOWN:
                yield Fact.from_parent(self, name=row.id, asked=row_holds, row=row)
            elif row.role == "erratum" and not self.given:
                name = row.details["number"]
                yield Fact.from_parent(self, name=name, asked=erratum_agrees, row=row)
        if not self.given:
            yield Fact.from_parent(self, name="defaults", asked=defaults_agree)


class Fact(pytest.Item):
    """``asked(class, row)`` says in one line what is wrong, shown with the method's place."""

    def __init__(self, *, asked: Callable[[Any, Any], str | None], row: Any = None, **rest: Any):
        super().__init__(**rest)
        self.asked, self.row, self.owner = asked, row, rest["parent"]

    def reportinfo(self):
        method = getattr(self.owner.kind, self.row.name, None) if self.row else None
        code = getattr(inspect.unwrap(method), "__code__", None) if method else None
        return self.path, code.co_firstlineno - 1 if code else 0, f"{self.owner.name}.{self.name}"

    def runtest(self) -> None:
        if why := self.asked(self.owner, self.row):
            file, line, _ = self.reportinfo()
            pytest.fail(f"{why}\n{file}:{line + 1}", pytrace=False)


def row_holds(owner: RowClass, row: Any) -> str | None:
    """A row holds, fails as an erratum says, or meets an assumption as its class says."""
    claim = owner.made.judge(row)
    wanted = row.details.get("met", row.id not in checks.announced(owner.kind))
    if claim.passed == wanted:
        return None
    if owner.name.endswith(("[smallest]", "[largest]")) and (
        claim.subject or row.role == "control"
    ):
        what = "no control" if row.role == "control" else "the assumption is met otherwise"
        pytest.skip(f"{what} at this end: {verdict(claim.record())}")
    if claim.subject:
        said = "not met" if wanted else "met"
        return f"{said}, and its class says met={wanted}: {verdict(claim.record())}"
    unlike = "" if wanted else "holds, and an erratum says that it fails: "
    return unlike + verdict(claim.record())


def erratum_agrees(owner: RowClass, row: Any) -> str | None:
    """What an erratum says is what its script alone says, to six digits."""
    from ledgerbook.project.project import current

    numbers = getattr(owner.kind(), row.name)()
    file = current().errata / f"{row.details['number']}.py"
    if not file.exists():
        return f"it has no script {current().relative(file)}"
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=PATIENCE)
    try:
        last = [line.split() for line in done.stdout.splitlines()[-3:]]
        said = {words[0]: float(words[1]) for words in last}
    except (IndexError, ValueError):
        said = {}
    if done.returncode or said.keys() != numbers.keys():
        return f"{file.name} does not end with the three numbers: {done.stderr[-300:]}"
    for name, value in numbers.items():
        if said[name] != pytest.approx(float(value), rel=1e-6):
            return f"{name} is {float(value):.9g}, {file.name} says {said[name]:.9g}"
    printed, corrected, measured = (said[name] for name in NUMBERS)
    if abs(measured - corrected) < abs(measured - printed):
        return None
    return f"measured {measured:g} is not on the side of the correction {corrected:g}"


def defaults_agree(owner: RowClass, row: Any) -> str | None:
    """The parameters of the chapter are those of the class."""
    from ledgerbook.chapters import notebooks
    from ledgerbook.chapters.statements import statement

    chapter = statement(owner.kind.tag).chapter
    theirs = notebooks.parameters(notebooks.read(chapter))
    for name, value in fields.defaults(owner.kind).items():
        if theirs.get(name) != value or type(theirs.get(name)) is not type(value):
            return f"{name} = {value!r}, {chapter.name} has {theirs.get(name)!r}"
    return None
