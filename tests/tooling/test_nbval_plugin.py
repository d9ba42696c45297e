"""The plugin from end to end: pytest runs notebooks of which one thing was changed by hand."""

from types import SimpleNamespace

import nbformat
import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.project import paths, settings
from ledgerbook.regression import nbval_plugin

pytestmark = pytest.mark.long

pytest_plugins = ["pytester"]
NBVAL = ("-p", "ledgerbook.regression.nbval_plugin", "-p", "sparing")
NBVAL += ("-p", "no:hypothesispytest", "--nbval", "--nbval-current-env", "-rA", "--color=no")
# One that lets the warmed process import nothing that other chapters need: that is test_forkserver.
SPARING = """
import dataclasses
from ledgerbook.project import settings

few = dataclasses.replace(settings.settings(), preload=())
settings.settings = lambda: few
"""


@pytest.fixture
def project_of(pytester, monkeypatch):
    """A folder outside the project, whose notebooks are this project's all the same."""
    monkeypatch.setenv(settings.VARIABLE, str(paths.ROOT))
    pytester.makepyfile(sparing=SPARING)
    return pytester


@pytest.fixture
def folder(project_of, executed_text, changes):
    """A sound notebook, and one for each change, whose record a thorough hand has changed too."""
    (project_of.path / "sound.ipynb").write_text(executed_text, encoding="utf-8")
    for name, (make, _) in changes.items():
        notebook = nbformat.reads(executed_text, as_version=4)
        make(notebook)
        notebook.metadata["book"]["outputs"] = notebooks.outputs_digest(notebook)
        nbformat.write(notebook, project_of.path / f"{name.replace(' ', '_')}.ipynb")
    return project_of


def failing_cells(result):
    """Names of the notebooks of which a cell failed, not only the check of what is stored."""
    failed = [line for line in result.outlines if line.startswith("FAILED") and "::Cell" in line]
    return {line.split()[1].split(".ipynb")[0] for line in failed}


def test_every_change_fails_its_notebook_and_is_named(folder, changes):
    result = folder.runpytest_subprocess(*NBVAL)
    assert failing_cells(result) == {name.replace(" ", "_") for name in changes}
    text = result.stdout.str()
    assert [words for _, words in changes.values() if words not in text] == []
    assert "sound.ipynb::stored execution" in text.partition("short test summary")[2]


def test_what_was_altered_behind_the_record_fails(project_of, executed, changes):
    changes["caption"][0](executed)
    nbformat.write(executed, project_of.path / "one.ipynb")
    (project_of.path / "two.ipynb").write_text("{}", encoding="utf-8")
    result = project_of.runpytest_subprocess(*NBVAL, "-k", "stored", "one.ipynb", "two.ipynb")
    text = result.stdout.str()
    assert "one.ipynb: its outputs were altered by hand" in text
    assert "two.ipynb: not a notebook" in text and "Traceback" not in text


@pytest.mark.parametrize("why", ["no text here", None])
def test_numbers_that_cannot_be_had_here_are_not_compared_and_said_to_be_skipped(monkeypatch, why):
    cells = [SimpleNamespace(options={"check": True}) for _ in range(3)]
    made = SimpleNamespace(from_parent=lambda file, name: name)
    for name in ("ExecutionItem", "NotComparedItem"):
        monkeypatch.setattr(nbval_plugin, name, made)
    monkeypatch.setattr(nbval_plugin, "collect_cells", lambda file: cells)
    monkeypatch.setattr(nbval_plugin.notebooks, "read", lambda path: None)
    monkeypatch.setattr(nbval_plugin.reproduce, "not_comparable", lambda notebook: why)
    found = list(nbval_plugin.collect(SimpleNamespace(path="a.ipynb")))
    assert found == ["stored execution", *([why] if why else []), *cells]
    assert [cell.options["check"] for cell in cells] == [why is None] * 3
