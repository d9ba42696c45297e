"""Every symbol of a Statement stands on the notation page, in the table of its own half."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from ledgerbook.chapters import summary
from ledgerbook.chapters.statements import written
from ledgerbook.references import notation, symbols, targets

# What Part III takes over from the other two it does not explain again.
BOTH = ("bridge",)


def letters(row):
    """The letters in the formulas of a chapter's statement."""
    text = targets.source(row.docname).sections.get(summary.STATEMENT, "")
    for tex, display in targets.formulas(text):
        yield from symbols.leaves(symbols.read(tex, display))


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_every_symbol_of_the_statement_is_explained(row):
    tables = notation.tables()
    own = tables if row.paper in BOTH else {row.paper: tables[row.paper]}
    unknown = [
        leaf.within[0][0] for leaf in letters(row) if not symbols.explained(leaf, row.paper, own)
    ]
    assert unknown == []


def test_the_page_explains_each_word_once():
    forms = [form.lower() for word in notation.words() for form in word.forms]
    assert len(forms) == len(set(forms)) > 20
    assert all(word.meaning for word in notation.words())


def test_the_box_where_part_ii_begins_has_the_letters_that_change():
    text = targets.source("book/mechanics/part_mechanics").text
    box = text.partition("{admonition} Letters that change")[2].partition("::::")[0]
    first = [tex for line in box.splitlines() for tex in notation.FORMULA.findall(line)[:1]]
    wanted = ["E", "K", "W", "Y", "n", "m", r"\rho", r"\Omega", r"\theta", r"\tau"]
    assert first == wanted


def test_a_symbol_that_is_listed_again_has_a_place_with_the_next_number(monkeypatch):
    table = [
        (notation.PAPERS["scan-snap"], [word]) for word in (notation.FIRST, *"abab", "ab", "a")
    ]
    monkeypatch.setattr(notation, "_rows", lambda: table)
    found = [one.place.removeprefix("symbol-scan-snap-") for one in notation.symbols.__wrapped__()]
    assert found == ["a", "b", "a-2", "b-2", "ab", "a-3"]


def test_no_two_symbols_have_one_place():
    found = [one.place for one in notation.symbols()]
    assert len(found) == len(set(found))


def test_rows_of_the_papers_tables_and_words_get_their_addresses(monkeypatch):
    title = notation.PAPERS["scan-snap"]
    page = publish_doctree(
        f"Page\n====\n\n{title}\n{'-' * len(title)}\n\n== ==\na  b\n== ==\na  1\nb  2\n== ==\n\n"
        "Other\n-----\n\n== ==\na  b\n== ==\nc  3\n== ==\n\n"
        "flow, a flow\n  Words.\nelse\n  Words.\n"
    )
    rows = [SimpleNamespace(place=f"symbol-{k}") for k in range(2)]
    monkeypatch.setattr(notation, "symbols", lambda: rows)
    word = notation.Word("word-flow", ("flow", "a flow"), "Words.")
    monkeypatch.setattr(notation, "words", lambda: [word])
    notation.address(page)
    bodies = [row["ids"] for body in page.findall(nodes.tbody) for row in body.findall(nodes.row)]
    assert bodies == [["symbol-0"], ["symbol-1"], []]
    assert [term["ids"] for term in page.findall(nodes.term)] == [["word-flow"], []]
