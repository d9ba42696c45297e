"""A chapter in which everything occurs that is compared, executed once; a small book around it."""

import os
import re
import shutil
import signal
import subprocess
import sys

import nbformat
import pytest
from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.execution import execute, snapshot
from ledgerbook.project.project import current

from tests.tooling.pages_in_browser import browser  # noqa: F401

TAG = "scan-snap.lemma-05"
CELLS = """size = 7
=====
import numpy as np
from ledgerbook.ledger.checks import Checks, claim, control, erratum
from lib.log_sums import softmax
print("size", size, "step 0.2500 and 1.25e-3, about 0.3")
=====
class Lemma(Checks):
    tag = "scan-snap.lemma-05"
    hypotheses = {"H1": "the vocabulary is finite"}
    parts = {"(31)–(33)": ("first",)}
    @claim("in", [0.2, 0.3], "rate")
    def first(self):
        "a softmax of four zeros is 1/4"
        return softmax(np.zeros(4))[0]
    @claim("<=", 1e-12, "identity")
    def zero(self):
        "nothing is left"
        return 3e-16
    @claim("<=", 1.0, "inequality", as_printed=True)
    def slip(self):
        "as the paper has it"
        return 2.0
    @claim("<=", 1.0, "inequality")
    def mended(self):
        "as it holds"
        return 0.5
    @control("H1", ">", 1.0)
    def without(self):
        "it fails"
        return 3.0
    @erratum("E1", "(33)", "$a$", fails="slip", holds="mended", reach="harmless")
    def e1(self):
        "$b$"
        return dict(printed=2.0, corrected=0.5, measured=0.5)
ledger = Lemma()
ledger.show("claim", "control")
=====
class Picture:
    def _repr_mimebundle_(self, include=None, exclude=None):
        details = {"alt": "a rising line, drawn", "caption": "The line rises, as stated."}
        details["width"] = 640
        return {"text/plain": "[figure]", "image/png": "iVBORw0KGgo="}, {"image/png": details}
Picture()
=====
ledger.close()"""


def chapter(cells=CELLS, prose="words"):
    """A chapter that was never executed."""
    code = [nbformat.v4.new_code_cell(text) for text in cells.split("\n=====\n")]
    code[0].metadata["tags"] = ["parameters"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(prose), *code])
    return notebooks.strip(notebook)


@pytest.fixture(scope="session")
def executed_text(tmp_path_factory):
    """The chapter with its outputs and their record, as text."""
    folder = tmp_path_factory.mktemp("executed")
    notebook = chapter()
    done = notebooks.strip(execute.execute(chapter(), folder))
    inputs = fingerprint.fingerprint(notebook)
    return nbformat.writes(snapshot.with_outputs(notebook, done, inputs))


@pytest.fixture
def executed(executed_text):
    """A fresh copy of the executed chapter."""
    return nbformat.reads(executed_text, as_version=4)


@pytest.fixture
def new_chapter():
    """The function that makes a chapter from the text of its cells."""
    return chapter


def ledger_data(notebook, kind):
    """The first ledger output that holds ``kind``: "rows" or "closed"."""
    return next(data for data in notebooks.ledger_outputs(notebook) if kind in data)


def picture(notebook):
    """The output that is a picture."""
    outputs = [output for cell in notebooks.code_cells(notebook) for output in cell.outputs]
    return next(output for output in outputs if "image/png" in output.get("data", {}))


def printed(notebook):
    """The output that is printed text."""
    return notebooks.code_cells(notebook)[1].outputs[0]


def _everywhere(notebook, id, **values):
    """Change a row where it is shown and where it is recorded."""
    closed = ledger_data(notebook, "closed")["closed"]
    for row in [*ledger_data(notebook, "rows")["rows"], *closed["claims"]]:
        if row["id"] == id:
            row.update(values)


def _of_closed(notebook, key, **values):
    ledger_data(notebook, "closed")["closed"][key][0].update(values)


# What a hand may do to stored outputs, and the words that have to name it.
CHANGES = {
    "number": (lambda n: _everywhere(n, "first", observed=0.375), "first: observed"),
    "verdict": (lambda n: _everywhere(n, "first", passed=False), "first: passed"),
    "claim": (
        lambda n: _everywhere(n, "first", claim="a softmax of zeros is 1/4"),
        "first: claim",
    ),
    "tolerance": (lambda n: _everywhere(n, "first", rtol=0.5), "first: rtol"),
    "reach": (lambda n: _of_closed(n, "errata", reach="changes a conclusion"), "E1: reach"),
    "erratum": (lambda n: _of_closed(n, "errata", corrected="$c$"), "E1: corrected"),
    "hypothesis": (lambda n: _of_closed(n, "hypotheses", text="none"), "H1: text"),
    "standing": (
        lambda n: ledger_data(n, "closed")["closed"].update(standing="ours"),
        "scan-snap.lemma-05: standing",
    ),
    "caption": (
        lambda n: picture(n).metadata["image/png"].update(caption="The line falls, it seems."),
        "caption",
    ),
    "width": (lambda n: picture(n).metadata["image/png"].update(width=640 * (1 + 1e-9)), "width"),
    "alt": (lambda n: picture(n).metadata["image/png"].update(alt="a falling line"), "alt"),
    "one digit": (lambda n: printed(n).update(text=printed(n).text.replace("0.3", "0.4")), "0.4"),
    "integer": (lambda n: printed(n).update(text=printed(n).text.replace("7", "8")), "size 8"),
    "digits": (lambda n: printed(n).update(text=printed(n).text.replace("1.25", "1.35")), "1.35"),
}


@pytest.fixture(params=CHANGES)
def change(request):
    """A change of stored outputs, and the words that have to name it."""
    return CHANGES[request.param]


@pytest.fixture
def changes():
    """All changes by name."""
    return CHANGES


def sparing(project, folder):
    """Copy the project's settings, but let no kernel's parent import what few chapters need."""
    text = project.read_text(encoding="utf-8")
    found, times = re.subn(r"(?s)\npreload = \[.*?\n\]", "\npreload = []", text)
    assert times == 1
    (folder / project.name).write_text(found, encoding="utf-8")


class SmallBook:
    """A copy of the project with one chapter, run for real."""

    def __init__(self, root):
        self.root = root
        writing = shutil.ignore_patterns("*.pyc.*", "*.nb[ci]*")  # by other tests' processes
        for folder in ("lib", "tooling", "ledgerbook/src"):
            shutil.copytree(current().root / folder, root / folder, ignore=writing)
        sparing(current().root / "pyproject.toml", root)
        self.chapter = root / "book/scan-snap/lemma_05.ipynb"
        self.chapter.parent.mkdir(parents=True)
        shutil.copy(current().statements, root / "book")
        self.write(chapter())

    def write(self, notebook, path=None):
        """Store a notebook, by default as the chapter."""
        (path or self.chapter).write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")

    def read(self):
        """The stored chapter."""
        return notebooks.read(self.chapter)

    def start(self, *arguments, **environment):
        """``python -m tooling book`` under way."""
        return subprocess.Popen(
            [sys.executable, "-m", "tooling", "book", "--no-pages", *arguments],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONPATH": current().python_path(self.root), **environment},
            # As at a terminal: a job in the background inherits that SIGINT is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def run(self, *arguments, **environment):
        """Exit status and output of ``python -m tooling book``."""
        process = self.start(*arguments, **environment)
        output, _ = process.communicate(timeout=300)
        return process.returncode, output

    def leftovers(self):
        """Half-written files, ended or not."""
        return list(self.root.rglob("*.partial"))


@pytest.fixture
def small_book(tmp_path):
    """A project of one chapter."""
    return SmallBook(tmp_path)


@pytest.fixture
def project(tmp_path, varied):
    """``tooling`` in this process with an empty book and nothing built; returns the folder."""
    own = {name: getattr(current(), name) for name in ("statements", "equations", "data")}
    varied(book=tmp_path / "book", build=tmp_path / "_build", **own)
    (tmp_path / "book/scan-snap").mkdir(parents=True)
    return tmp_path
