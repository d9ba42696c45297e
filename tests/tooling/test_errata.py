"""Errata: permanent numbers, and for each a file that shows it without the library."""

import ast
import contextlib
import io
import re
import sys

import pytest
from ledgerbook.chapters import collect
from ledgerbook.pages import errata
from ledgerbook.project.project import current

LEDGER = collect.collect()
ROWS = LEDGER["errata"]
NUMBERS = [erratum["id"] for erratum in ROWS]


def test_a_number_stands_once_and_has_its_file():
    assert len(set(NUMBERS)) == len(NUMBERS)
    files = {file.stem for file in current().errata.glob("E*.py")}
    assert files == set(NUMBERS)


@pytest.mark.parametrize("erratum", ROWS, ids=NUMBERS)
def test_the_file_alone_says_what_the_ledger_says(erratum):
    source = (current().root / erratum["script"]).read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 25
    nodes = list(ast.walk(ast.parse(source)))
    names = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names | {"numpy"}
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, erratum["script"], "exec"), {"__name__": "__main__"})
    last = [line.split() for line in out.getvalue().splitlines()[-3:]]
    assert [words[0] for words in last] == ["printed", "corrected", "measured"]
    assert [float(words[1]) for words in last] == pytest.approx(erratum["numbers"], rel=1e-6)
    printed, corrected, measured = erratum["numbers"]
    assert abs(measured - corrected) < abs(measured - printed)


def test_every_slip_stands_on_the_page_and_what_reaches_furthest_comes_first():
    page = errata.page(LEDGER)
    for number in NUMBERS:
        assert f"({number})=" in page
    order = [page.index(f"({number})=") for number in ("E3", "E1", "E2", "E26")]
    assert order == sorted(order) and order[1] < page.index("## Misprints") < order[2]
    for entry in page.split("\n### ")[1:]:
        shown = re.sub(r"<[^>]+>", "", entry.partition(":::")[0])  # what a reader reads of it
        assert len(shown.split()) <= 120, entry[:60]
