"""Errata: permanent numbers, and for each a file that shows it without the library."""

import ast
import re
import subprocess
import sys

import pytest
from ledgerbook.chapters import collect
from ledgerbook.pages import errata
from ledgerbook.project import paths

ROWS = collect.collect()["errata"]
NUMBERS = [erratum["id"] for erratum in ROWS]


def test_a_number_stands_once_and_none_is_provisional():
    assert len(set(NUMBERS)) == len(NUMBERS)
    assert all(int(number[1:]) < 100 for number in NUMBERS)


def test_every_file_belongs_to_an_erratum():
    files = {file.stem for file in paths.ERRATA.glob("E*.py")}
    assert files == set(NUMBERS)


@pytest.mark.parametrize("erratum", ROWS, ids=NUMBERS)
def test_the_file_alone_says_what_the_ledger_says(erratum, tmp_path):
    file = paths.ROOT / erratum["script"]
    source = file.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 25
    names = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(source))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert names <= sys.stdlib_module_names | {"numpy"}
    done = subprocess.run(
        [sys.executable, file], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    last = [line.split() for line in done.stdout.splitlines()[-3:]]
    assert [words[0] for words in last] == ["printed", "corrected", "measured"]
    assert [float(words[1]) for words in last] == pytest.approx(erratum["numbers"], rel=1e-6)


@pytest.mark.parametrize("erratum", ROWS, ids=NUMBERS)
def test_what_was_measured_is_on_the_side_of_the_correction(erratum):
    printed, corrected, measured = erratum["numbers"]
    assert abs(measured - corrected) < abs(measured - printed)


def test_every_slip_stands_on_the_page():
    page = errata.page(collect.collect())
    for number in NUMBERS:
        assert f"({number})=" in page


def test_what_reaches_furthest_comes_first_and_misprints_last():
    page = errata.page(collect.collect())
    order = [page.index(f"({number})=") for number in ("E3", "E1", "E2", "E26")]
    assert order == sorted(order) and order[1] < page.index("## Misprints") < order[2]


def test_no_entry_is_longer_than_120_words_before_its_fold():
    for entry in errata.page(collect.collect()).split("\n### ")[1:]:
        shown = re.sub(r"<[^>]+>", "", entry.partition(":::")[0])  # what a reader reads of it
        assert len(shown.split()) <= 120, entry[:60]
