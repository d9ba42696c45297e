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


TEXT = r"""In a line $a = b$, (3), no equation: $a$ (4).

$$ a < b \text{(3)} $$

Then $$c = d \text{(5)}$$, or $\eta \to 0$ (6).
"""


def test_a_display_is_found_before_a_line_and_a_relation_makes_an_equation(monkeypatch):
    texts = {PAGE: TEXT, "book/other": "$c = e$ (5)"}
    monkeypatch.setattr(targets, "documents", lambda: list(texts))
    monkeypatch.setattr(targets, "source", lambda docname: targets.Source(texts[docname], ""))
    assert targets.shown() == {
        "3": {PAGE: Shown(PAGE, r"a < b \text{(3)}", True)},
        "5": {
            PAGE: Shown(PAGE, r"c = d \text{(5)}", True),
            "book/other": Shown("book/other", "c = e", False),
        },
        "6": {PAGE: Shown(PAGE, r"\eta \to 0", False)},
    }


LINE = Shown("book/a", "a = b", False)
DISPLAY = Shown("book/b", "a = b", True)
STATED = Shown(THEOREM.docname, "a = b", True)


@pytest.mark.parametrize(
    ("there", "best", "displays"),
    [
        ([LINE, DISPLAY, STATED], STATED, [DISPLAY, STATED]),
        ([LINE, DISPLAY], DISPLAY, [DISPLAY]),
        ([LINE, STATED._replace(display=False)], STATED._replace(display=False), None),
        ([LINE], LINE, [LINE]),
        ([], None, []),
    ],
)
def test_an_equation_stands_best_displayed_in_the_chapter_that_states_it(
    monkeypatch, there, best, displays
):
    monkeypatch.setattr(targets, "shown", lambda: {"3": {one.docname: one for one in there}})
    stating = [replace(THEOREM, equations="(3)"), replace(COROLLARY, equations="(4)")]
    monkeypatch.setattr(targets, "written", lambda: stating)
    assert targets.best("3") == best
    assert targets.displays("3") == ([best] if displays is None else displays)


@pytest.mark.parametrize(
    ("number", "docname", "page", "found"),
    [
        ("3", DISPLAY.docname, True, Target(DISPLAY.docname, "eq-3")),  # it displays it itself
        ("3", LINE.docname, True, Target(STATED.docname, "eq-3")),
        ("3", "book/elsewhere", False, Target(STATED.docname, "eq-3")),
        ("4", PAGE, True, "equations"),
        ("4", PAGE, False, None),
        ("5", PAGE, True, None),  # no equation of the paper
    ],
)
def test_a_number_leads_to_its_equation_or_to_the_table(
    book, monkeypatch, number, docname, page, found
):
    there = {one.docname: one for one in (LINE, DISPLAY, STATED)}
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
