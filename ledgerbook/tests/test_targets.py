"""Where an equation, a statement, a hypothesis or a row stands, in books made up for it."""

from dataclasses import replace

import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.project import paths
from ledgerbook.references import targets
from ledgerbook.references.targets import Shown, Target

THEOREM, COROLLARY = (statement(f"textbook.{name}-01") for name in ("theorem", "corollary"))
PAGE = "book/page"


def fresh():
    """Forget what other books have where."""
    for one in vars(targets).values():
        if hasattr(one, "cache_clear"):
            one.cache_clear()


@pytest.fixture(autouse=True)
def book(tmp_path, monkeypatch):
    """Nothing is known from before, nor after; returns where the pages lie."""
    fresh()
    yield tmp_path
    monkeypatch.undo()
    fresh()


def test_an_equation_stands_where_it_is_displayed_best_in_the_chapter_that_states_it(monkeypatch):
    text = "In a line $a = b$, (3).\n\n$$ a < b \\text{(4)} $$\n\nThen $$c = d \\text{(5)}$$."
    texts = {PAGE: text, THEOREM.docname: "$$c = e \\text{(5)}$$"}
    monkeypatch.setattr(targets, "documents", lambda: list(texts))
    monkeypatch.setattr(targets, "source", lambda docname: targets.Source(texts[docname], ""))
    monkeypatch.setattr(targets, "written", lambda: [replace(THEOREM, equations="(5)")])
    assert targets.shown().keys() == {"4", "5"}
    assert targets.best("4") == Shown(PAGE, r"a < b \text{(4)}")
    assert targets.best("5") == Shown(THEOREM.docname, r"c = e \text{(5)}")
    assert targets.best("3") is None


DISPLAY, STATED = Shown("book/b", "a = b"), Shown(THEOREM.docname, "a = b")


@pytest.mark.parametrize(
    ("number", "docname", "page", "found"),
    [
        ("3", DISPLAY.docname, True, Target(DISPLAY.docname, "eq-3")),  # it displays it itself
        ("3", "book/elsewhere", False, Target(STATED.docname, "eq-3")),
        ("4", PAGE, True, "equations"),
        ("4", PAGE, False, None),
        ("5", PAGE, True, None),  # no equation of the paper
    ],
)
def test_a_number_leads_to_its_equation_or_to_the_table(
    book, monkeypatch, number, docname, page, found
):
    there = {one.docname: one for one in (DISPLAY, STATED)}
    monkeypatch.setattr(targets, "shown", lambda: {"3": there})
    monkeypatch.setattr(targets, "best", lambda number: STATED if number == "3" else None)
    ledger = {"equations": [{"number": "(3)"}, {"number": "(4)"}]}
    monkeypatch.setattr(targets.collect, "load", lambda: ledger)
    monkeypatch.setattr(paths, "BOOK", book)
    if page:
        (book / "equations.md").touch()
    table = Target(paths.document("equations"), f"eq-{number}")
    assert targets.equation(number, docname) == (table if found == "equations" else found)


def record(row, claims, control, hypothesis):
    """A statement's entry in the ledger."""
    text = {"id": "H1", "text": hypothesis, "control": {"id": control}}
    rows = [{"id": id, "of": row.tag} for id in claims]
    return {"tag": row.tag, "claims": rows, "hypotheses": [text], "findings": []}


@pytest.fixture
def ledger(monkeypatch):
    """The ledger of a chapter that judges two statements."""
    found = {
        "statements": [
            record(THEOREM, ["tight", "loose"], "without", "the first"),
            record(COROLLARY, ["tight", "late"], "without", "the second"),
        ],
        "equations": [{"number": "(3)", "claims": [f"{COROLLARY.tag}#late"]}],
        "errata": [],
    }
    monkeypatch.setattr(targets.collect, "load", lambda: found)
    both = lambda own: [THEOREM, COROLLARY] if own == THEOREM else []
    monkeypatch.setattr(targets, "judged_in", both)
    return found
