"""CONTRIBUTING's ten steps, walked in a copy of the project: they add Lemma 99."""

import json
import os
import shutil
import subprocess
import sys

import nbformat
import pytest
from ledgerbook.stored import execution_problem

from ledgerbook import notebooks, paths

pytestmark = pytest.mark.long

TAG = "scan-snap.lemma-99"
LISTED = f"""
[[statement]]
tag = "{TAG}"
number = "Lemma 99"
title = "A sum of odd numbers is a square"
part = "technical"
uses = ["scan-snap.setting"]
"""
FORMULA = '''"""Sums of odd numbers (Lemma 99, (99))."""

from lib.validation import require_integer


def odd_sum(n):
    """The first ``n`` odd numbers added up.  Raises ``ValueError`` for a negative ``n``."""
    return sum(range(1, 2 * require_integer("n", n, 0), 2))
'''
CELLS = {
    "## Check": """from lib.scan_snap.odd_numbers import odd_sum

numbers = rng.integers(1, 100, size=20)
off = max(abs(odd_sum(int(n)) - int(n) ** 2) for n in numbers)
ledger.claim("square", "the sum is $n^2$", off, "<=", 0, kind="exact")
ledger.claim(
    "as-printed", "the sum is $n^2+1$", off, "==", 1, kind="exact", as_printed=True
)
ledger.show()""",
    "## Control": """ledger.erratum(
    "E99",
    "Lemma 99, (99)",
    "$n^2+1$",
    "$n^2$",
    fails="as-printed",
    holds="square",
    reach="harmless",
    numbers=(2, 1, 1),
)
even = sum(range(0, 20, 2)) - 10**2
ledger.control("H1", "H1", "even numbers give no square", abs(even), ">", 0)
ledger.show()""",
    "# Lemma 99": """from lib.scan_snap.odd_numbers import odd_sum

figure, ax = figures.subplots()
ax.plot(range(9), [odd_sum(n) for n in range(9)], color=figures.COLORS["theory"])
words = "Sums of odd numbers are squares."
figures.Picture(figure, alt=words, caption=words)""",
}


@pytest.fixture
def copy(tmp_path):
    """The project without what is built, but for what is compiled of it and a font."""
    writing = shutil.ignore_patterns("*.pyc.*", "*.nb[ci]*")  # by other tests' processes
    for folder in ("lib", "tooling", "book", "ledgerbook/src"):
        shutil.copytree(paths.ROOT / folder, tmp_path / folder, ignore=writing)
    for file in (
        "_toc.yml",
        "_config.yml",
        "requirements.txt",
        "requirements.lock",
        "pyproject.toml",
    ):
        shutil.copy(paths.ROOT / file, tmp_path)
    if (fonts := paths.EXTRA / "_fonts").exists():  # seconds to make, and the same in every copy
        shutil.copytree(fonts, tmp_path / "_build/extra/_fonts")
    return tmp_path


def tooling(root, *words):
    """Output of a command in the copy, which must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "tooling", *words],
        cwd=root,
        env=os.environ | {"PYTHONPATH": paths.python_path(root)},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def write_chapter(file):
    """Steps 4 to 9: words and code below each heading of the skeleton."""
    notebook, cells = notebooks.read(file), []
    for cell in notebook.cells:
        cells.append(cell)
        for heading, code in CELLS.items():
            if cell.source.startswith(heading):
                cells.append(nbformat.v4.new_code_cell(code))
    cells[1:4] = [*cells[2:4], cells[1]]  # the picture stands below parameters and set-up
    notebook.cells = cells
    notebooks.store(notebooks.strip(notebook), file)


def test_the_ten_steps_add_a_lemma(copy):
    listed = copy / "book/statements.toml"
    listed.write_text(listed.read_text(encoding="utf-8") + LISTED, encoding="utf-8")
    tooling(copy, "new", TAG)
    chapter = copy / "book/scan-snap/lemma_99.ipynb"
    assert "      - file: book/scan-snap/lemma_99\n" in (copy / "_toc.yml").read_text()
    (copy / "lib/scan_snap/odd_numbers.py").write_text(FORMULA)
    write_chapter(chapter)
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
