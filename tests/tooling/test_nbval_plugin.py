"""The plugin from end to end: pytest runs notebooks of which one thing was changed by hand."""

from types import SimpleNamespace

import nbformat
import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.project.project import VARIABLE, current
from ledgerbook.regression import nbval_plugin
from nbformat.v4 import new_notebook

pytestmark = pytest.mark.long

pytest_plugins = ["pytester"]
NBVAL = ("-p", "ledgerbook.regression.nbval_plugin", "-p", "sparing")
NBVAL += ("-p", "no:hypothesispytest", "--nbval", "--nbval-current-env", "-rA", "--color=no")
# One that lets the warmed process import nothing that other chapters need: that is test_forkserver.
SPARING = """
import dataclasses
from ledgerbook.project.project import current, use

few = dataclasses.replace(current().settings, preload=())
block = use(current().varied(settings=few))
block.__enter__()
"""


def test_a_change_fails_its_notebook_and_is_named(pytester, monkeypatch, executed_text, changes):
    """In a folder outside the project, whose notebooks are this project's all the same; what else
    a hand may change is test_reproduce.
    """
    monkeypatch.setenv(VARIABLE, str(current().root))
    pytester.makepyfile(sparing=SPARING)
    (pytester.path / "sound.ipynb").write_text(executed_text, encoding="utf-8")
    (pytester.path / "none.ipynb").write_text("{}", encoding="utf-8")
    for name in ("number", "caption", "digits"):
        notebook = nbformat.reads(executed_text, as_version=4)
        changes[name][0](notebook)
        if name != "caption":  # a thorough hand has changed the record, too
            notebook.metadata["book"]["outputs"] = notebooks.outputs_digest(notebook)
        nbformat.write(notebook, pytester.path / f"{name}.ipynb")
    result = pytester.runpytest_subprocess(*NBVAL)
    text = result.stdout.str()
    lines = [line for line in result.outlines if line.startswith("FAILED") and "::Cell" in line]
    assert {line.split()[1].partition(".ipynb")[0] for line in lines} == {
        "number",
        "caption",
        "digits",
    }
    assert [name for name in ("number", "caption", "digits") if changes[name][1] not in text] == []
    assert "sound.ipynb::stored execution" in text.partition("short test summary")[2]
    assert "caption.ipynb: its outputs were altered by hand" in text
    assert "none.ipynb: not a notebook" in text and "Traceback (most" not in text


@pytest.mark.parametrize("why", ["no text here", None])
def test_numbers_that_cannot_be_had_here_are_not_compared_and_said_to_be_skipped(monkeypatch, why):
    cells = [SimpleNamespace(options={"check": True}) for _ in range(3)]
    made = SimpleNamespace(from_parent=lambda file, name: name)
    for name in ("ExecutionItem", "NotComparedItem"):
        monkeypatch.setattr(nbval_plugin, name, made)
    monkeypatch.setattr(nbval_plugin, "collect_cells", lambda file: cells)
    monkeypatch.setattr(nbval_plugin.notebooks, "read", lambda path: new_notebook())
    monkeypatch.setattr(nbval_plugin.reproduce, "not_comparable", lambda notebook: why)
    found = list(nbval_plugin.collect(SimpleNamespace(path="a.ipynb")))
    assert found == ["stored execution", *([why] if why else []), *cells]
    assert [cell.options["check"] for cell in cells] == [why is None] * 3
