"""The stored book: every chapter executed, every verdict announced, nothing personal inside."""

import ast
import json
import re

import pytest
from ledgerbook.chapters import collect, notebooks, registry, summary
from ledgerbook.chapters.statements import statements, written
from ledgerbook.execution.snapshot import execution_problem
from ledgerbook.pages import sharper_page
from ledgerbook.project.project import current

SECTIONS = ["The idea", "Predict", "Statement", "What became of it", "What you may believe"]
SECTIONS += ["A program of your own", "Walk", "Proof", "Check", "Control", "Exercises"]
SECTIONS += ["Where it sits", "Provenance"]
EARLY = 80  # words of the page before its first figure


@pytest.fixture(scope="module")
def ledger():
    return json.loads(json.dumps(collect.collect()))


def test_ledger_has_the_published_form(ledger):
    collect.validate(ledger)
    assert [row["tag"] for row in ledger["statements"]] == list(statements())


def test_nothing_is_red_that_nobody_announced(ledger):
    assert collect.all_surprises(ledger) == []


def test_everything_listed_was_checked(ledger):
    unchecked = [row["tag"] for row in ledger["statements"] if row["status"] == "not checked"]
    assert unchecked == []


def test_every_equation_has_a_row_or_a_reason(ledger):
    bare = [e["number"] for e in ledger["equations"] if not e["claims"] and not e["why_not"]]
    assert bare == [] and len(ledger["equations"]) >= 138


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_stored_notebook(row):
    notebook = notebooks.read(row.chapter)
    assert execution_problem(notebook) is None
    assert notebooks.parameters(notebook), "no cell tagged parameters"
    closed = notebooks.closing_records(notebook)[row.tag]
    assert closed["standing"] == row.standing, "the list and the chapter disagree"
    # The letters of a picture may spell a folder.
    text = re.sub(r"[A-Za-z0-9+/=]{1000,}", "", row.chapter.read_text(encoding="utf-8"))
    assert not re.search(r"/(home|root|tmp|work|Users)/", text), "a path of one machine"
    assert "papermill" not in notebook.metadata
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "{provenance}" in prose and "{where-it-sits}" in prose
    assert f":label: {row.tag}" in prose or row.kind == "experiment", "no anchor of the tag"
    titles = [title.strip() for title in re.findall(r"(?m)^## (.*)", prose)]
    known = [title for title in titles if title in SECTIONS]
    assert known == sorted(known, key=SECTIONS.index)
    assert {"Control", "Exercises", "Where it sits", "Provenance"} <= set(titles)
    pictures = [
        output
        for cell in notebooks.code_cells(notebook)
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]
    assert pictures
    for output in pictures:
        details = output.metadata["image/png"]
        assert details.get("alt") and details.get("caption")
    assert summary.figures(notebook)[0] <= EARLY


@pytest.mark.parametrize("file", registry.files(), ids=current().relative)
def test_no_worst_case_passes_over_a_nan(file):
    """``max(0.1, nan)`` is 0.1, so rows take ``lib.measure.maximum`` or numpy's; the built-in one
    only to rank by a key.  A key that is a distance ranks numbers: that is ``furthest``.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    blind = [
        ast.unparse(call)
        for call in calls
        if ast.unparse(call.func) in ("max", "min")
        and (not call.keywords or "abs(" in ast.unparse(call.keywords[0]))
    ]
    assert blind == []


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_nothing_is_named_that_nobody_reads(row):
    """A call that returns several things may return one too many; nothing else is left over."""
    nodes = list(ast.walk(ast.parse(notebooks.code(notebooks.read(row.chapter)))))
    made = [target for node in nodes if isinstance(node, ast.Assign) for target in _chosen(node)]
    made += [node.target for node in nodes if isinstance(node, ast.NamedExpr)]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    read = {name.id for name in names if isinstance(name.ctx, ast.Load)}
    assert {node.id for node in made if isinstance(node, ast.Name)} <= read


def _chosen(node):
    """The targets of an assignment whose number the chapter itself chose."""
    value = ast.unparse(node.value)
    for target in node.targets:
        if not isinstance(target, ast.Tuple):
            yield target
        elif isinstance(node.value, ast.Tuple) or value.startswith(("sp.", "z3.")):
            yield from target.elts


def test_the_book_lists_its_sharper_constants_each_by_two_claims(ledger):
    found = sharper_page.rows(ledger)
    names = [(row["tag"], row["id"]) for row in found]
    assert len(set(names)) == len(names) >= 12
    assert all(len(row["evidence"]) == 2 for row in found)
