"""pytest plugin on top of nbval: the comparison is that of ``make book``, and what nbval lacks is
checked.

nbval compares text exactly and pictures not at all.  Here ``compare`` says what differs,
and ``snapshot`` whether the stored notebook is whole and its outputs those of its record.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbval.plugin
import pytest
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell, IPyNbFile

from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import written
from ledgerbook.execution import environment, execute, provisioner, snapshot
from ledgerbook.regression import compare, reproduce

collect_cells = IPyNbFile.collect


def compare_outputs(
    cell: IPyNbCell,
    computed: list[NotebookNode],
    reference: list[NotebookNode],
    skip_compare: Any = None,
) -> bool:
    """Whether a cell's outputs are the stored ones within tolerance; what differs is reported."""
    name = f"code cell {cell.cell_num + 1}"
    found = compare.output_differences(name, reference, computed)
    cell.comparison_traceback = [f"{cell.colors.FAIL}{d}{cell.colors.ENDC}" for d in found]
    return not found


def pytest_configure(config: pytest.Config) -> None:
    """Put our comparison in nbval's place; a notebook's cells stay together, in their order."""
    if config.getoption("nbval") and getattr(config.option, "dist", "no") == "load":
        config.option.dist = "loadfile"  # what ``-n`` alone asks for scatters them
    environment.collect_seldom()
    IPyNbCell.compare_outputs, IPyNbFile.collect = compare_outputs, collect
    tidy = {"read": lambda file, as_version: notebooks.read(Path(file))}
    nbval.plugin.nbformat = SimpleNamespace(**vars(nbval.plugin.nbformat) | tidy)
    os.environ.update(environment.quiet())
    provisioner.use()


@pytest.hookimpl(tryfirst=True)  # before parallel workers are started: they take the address over
def pytest_sessionstart(session: pytest.Session) -> None:
    """One warmed process for the kernels of the whole session."""
    config = session.config
    if config.getoption("nbval") and not hasattr(config, "workerinput"):
        reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
        warmed = contextlib.ExitStack()
        warmed.enter_context(provisioner.warmed(reporter.write_line))
        config.add_cleanup(warmed.close)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The chapters that take longest first, as far as known, so that no worker ends alone."""
    if config.getoption("nbval"):
        seconds = {row.chapter: execute.expected_seconds(row) for row in written()}
        items.sort(key=lambda item: -seconds.get(item.path, 0.0))


class ExecutionItem(pytest.Item):
    """The stored notebook was executed whole, its outputs those of its record and rows."""

    def runtest(self) -> None:
        try:
            notebook = notebooks.read(self.path)
            execute.require_code(notebook)
            reproduce.not_comparable(notebook)
            altered = reproduce.altered_inputs(notebook)
            problems: tuple = (
                snapshot.record_problem(notebook),
                *snapshot.problems(notebook),
                *altered,
            )
        except (ValueError, RuntimeError) as error:
            problems = (str(error),)
        if found := [*filter(None, problems)]:
            pytest.fail("\n".join(f"{self.path.name}: {line}" for line in found), pytrace=False)

    def reportinfo(self):
        return self.path, 0, f"{self.path.name}: stored execution"


class NotComparedItem(pytest.Item):
    """Says, as a skipped test, why a notebook's numbers cannot be had on this machine."""

    def runtest(self) -> None:
        pytest.skip(self.name)


def collect(file: IPyNbFile) -> Iterator[pytest.Item]:
    """The check of what is stored, then nbval's cells; no notebook is one failure by name."""
    yield ExecutionItem.from_parent(file, name="stored execution")
    try:
        notebook = notebooks.read(file.path)
        execute.require_code(notebook)
        other = reproduce.not_comparable(notebook)
    except (ValueError, RuntimeError):  # said by the item above; the others are tested all the same
        return
    cells = list(collect_cells(file))
    if other:
        yield NotComparedItem.from_parent(file, name=other)
        for cell in cells:
            cell.options["check"] = False
    yield from cells
