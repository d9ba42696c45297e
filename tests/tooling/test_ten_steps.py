"""The ten steps of *How to write a chapter*, walked in a copy of the project: they add Lemma 99."""

import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.execution.snapshot import execution_problem
from ledgerbook.project.project import current

from tests.tooling.conftest import sparing

pytestmark = pytest.mark.long

TAG = "scan-snap.lemma-99"
LISTED = f"""
[[statement]]
tag = "{TAG}"
number = "Lemma 99"
title = "A sum of odd numbers is a square"
part = "technical"
equations = "(99)"
uses = ["scan-snap.setting"]
"""
FORMULA = '''"""Sums of odd numbers (Lemma 99, (99))."""

from lib.validation import require_integer


def odd_sum(n):
    """The first ``n`` odd numbers added up.  Raises ``ValueError`` for a negative ``n``."""
    return sum(range(1, 2 * require_integer("n", n, 0), 2))
'''
# What is written into the skeleton's class, and the words of it that are replaced.
ROWS = '''
    @claim("<=", 0, "exact", "(99)")
    def square(self, rng):
        """the sum is $n^2$"""
        return max(abs(odd_sum(int(n)) - int(n) ** 2) for n in rng.integers(1, 100, size=20))

    @claim("==", 1, "exact", "(99)", as_printed=True)
    def one_more(self):
        """the sum is $n^2+1$"""
        return odd_sum(7) - 7**2

    @erratum(
        "E99", "Lemma 99, (99)", "$n^2+1$", fails="one-more", holds="square", reach="harmless"
    )
    def e99(self):
        """$n^2$"""
        return dict(printed=2, corrected=1, measured=odd_sum(1))

    @control("H1", ">", 0)
    def even(self):
        """even numbers give no square"""
        return abs(sum(range(0, 20, 2)) - 10**2)
'''
EDITED = {
    "control, seed\n": "control, erratum, seed\n\nfrom lib.scan_snap.odd_numbers import odd_sum\n",
    '{"H1": "…"}': '{"H1": "the numbers are odd"}',
    '    unknown = {"H1": "nobody has dropped it yet"}  # until there is a control\n': "",
}
SCRIPT = 'print("printed", 2)\nprint("corrected", 1)\nprint("measured", 1)\n'
PICTURE = """from lib.scan_snap.odd_numbers import odd_sum

figure, ax = figures.subplots()
ax.plot(range(9), [odd_sum(n) for n in range(9)], color=figures.COLORS["theory"])
words = "Sums of odd numbers are squares."
figures.Picture(figure, alt=words, caption=words)"""


def copied(folder, *more):
    """The project without its book and what is built, but for what is compiled of it and a font."""
    writing = shutil.ignore_patterns("*.pyc.*", "*.nb[ci]*")  # by other tests' processes
    for name in ("lib", "checks", "tooling", "ledgerbook/src", *more):
        shutil.copytree(current().root / name, folder / name, ignore=writing)
    for file in ("_config.yml", "requirements.txt", "requirements.lock"):
        shutil.copy(current().root / file, folder)
    sparing(current().root / "pyproject.toml", folder)
    if (
        fonts := current().extra / "_fonts"
    ).exists():  # seconds to make, and the same in every copy
        shutil.copytree(fonts, folder / "_build/extra/_fonts")
    return folder


@pytest.fixture
def copy(tmp_path):
    """The whole project."""
    copied(tmp_path, "book")
    shutil.copy(current().root / "_toc.yml", tmp_path)
    return tmp_path


@pytest.fixture
def begun(tmp_path):
    """A book of a landing page, which lists one chapter."""
    copied(tmp_path)
    (tmp_path / "book").mkdir()
    (tmp_path / "book/intro.md").write_text("# A book that was just begun\n")
    (tmp_path / "book/statements.toml").write_text(re.sub("(part|uses) = .*\n", "", LISTED))
    shutil.copy(current().book / "references.bib", tmp_path / "book")
    (tmp_path / "_build").mkdir(exist_ok=True)
    (tmp_path / "_build/moving.json").write_text("{}")  # no figure moves in it
    return tmp_path


def tooling(root, *words):
    """Output of a command in the copy, which must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "tooling", *words],
        cwd=root,
        env=os.environ | {"PYTHONPATH": current().python_path(root)},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def write_rows(file):
    """The step that writes the rows, into the skeleton."""
    text = file.read_text(encoding="utf-8")
    for old, new in EDITED.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file.write_text(text + ROWS, encoding="utf-8")


def draw(file):
    """The steps that show the rows, and that draw: a cell below parameters and set-up."""
    notebook = notebooks.read(file)
    for cell in notebooks.code_cells(notebook):
        cell.source = cell.source.removeprefix("# ")
    notebook.cells.insert(3, nbformat.v4.new_code_cell(PICTURE))
    notebooks.store(notebooks.strip(notebook), file)


def test_the_ten_steps_add_a_lemma(copy):
    listed = copy / "book/statements.toml"
    listed.write_text(listed.read_text(encoding="utf-8") + LISTED, encoding="utf-8")
    tooling(copy, "new", TAG)
    chapter = copy / "book/scan-snap/lemma_99.ipynb"
    assert "      - file: book/scan-snap/lemma_99\n" in (copy / "_toc.yml").read_text()
    (copy / "lib/scan_snap/odd_numbers.py").write_text(FORMULA)
    write_rows(copy / "checks/scan_snap/lemma_99.py")
    (copy / "book/errata/E99.py").write_text(SCRIPT)
    draw(chapter)
    measured = [sys.executable, "-m", "pytest", "-q", "checks/scan_snap/lemma_99.py"]
    done = subprocess.run(measured, cwd=copy, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0 and done.stdout.startswith("....."), done.stdout + done.stderr
    shown = tooling(copy, "chapter", TAG, "seed=3")
    assert "parameters: seed=3\n" in shown and "no surprise" in shown
    assert notebooks.closing_records(notebooks.read(chapter)) == {}, "the stored one is untouched"
    tooling(copy, "book", "--only", TAG)
    stored = notebooks.read(chapter)
    assert execution_problem(stored) is None
    ledger = json.loads((copy / "_build/ledger.json").read_text())
    (row,) = (row for row in ledger["statements"] if row["tag"] == TAG)
    assert row["status"] == "holds as corrected"
    assert [erratum["id"] for erratum in ledger["errata"] if erratum["tag"] == TAG] == ["E99"]


def test_the_skeleton_can_be_built_as_it_is_written(begun):
    """It holds no row, so nothing is checked, and its page says so."""
    tooling(begun, "new", TAG)
    assert "1 stored anew\n1 not checked\n" in tooling(begun, "book", "--only", TAG)
    assert "built: _build/html/index.html" in tooling(begun, "pages")
    page = (begun / "_build/html/book/scan-snap/lemma_99.html").read_text(encoding="utf-8")
    assert "Lemma 99 — A sum of odd numbers is a square" in page and "not checked" in page
