"""What the directives of generated pages say, in a book that nothing has been executed of."""

from types import SimpleNamespace

import pytest
from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import statement
from ledgerbook.site import reader_ext, sphinx_ext

PAGES = {
    sphinx_ext.LedgerPage: "|  | measured | certified | proved | kernel-checked |",
    sphinx_ext.StatusPage: "| chapter | status | this machine's run |",
    sphinx_ext.ErrataPage: "No slip recorded so far.",
    sphinx_ext.LetterPage: "There is nothing to write about.",
    sphinx_ext.EquationsPage: "| equation | part | chapter | claims | evidence |",
    sphinx_ext.SharperPage: "No sharper constant recorded so far.",
    sphinx_ext.WhatBecame: "{status}`not checked`",
    sphinx_ext.Counts: "At the last build **0** of 2 statements",
    sphinx_ext.Graph: "## A textbook theorem",
    sphinx_ext.WhereItSits: "- **Uses:** nothing in this book",
    sphinx_ext.Provenance: "- **Tag:** `textbook.theorem-01`",
    reader_ext.SelfTest: "",  # nobody asks a question
}


@pytest.fixture
def place(monkeypatch):
    """A chapter in which a directive stands; what it makes stays Markdown."""
    ledger = collect.collect()
    monkeypatch.setattr(collect, "load", lambda: ledger)
    monkeypatch.setattr(collect, "statuses", dict)
    row = statement("textbook.theorem-01")
    env = SimpleNamespace(docname=row.docname)
    return SimpleNamespace(env=env, row=row, arguments=[], parse_markdown=str)


@pytest.mark.parametrize("directive", PAGES, ids=lambda one: one.__name__)
def test_a_generated_page_opens_with_its_own_words(place, directive):
    if hasattr(directive, "markdown"):
        said = directive.markdown(place, collect.load())
    else:
        said = directive.content_nodes(place)
    assert said.startswith(PAGES[directive]) and bool(said) == bool(PAGES[directive])


@pytest.fixture
def put(place):
    """The function that puts a directive into that chapter, with its files and what it parses."""

    def made(directive, **own):
        one = object.__new__(directive)
        place.env.note_dependency = place.__dict__.setdefault("files", set()).add
        vars(one).update(arguments=[], error=ValueError)
        vars(one)["state"] = SimpleNamespace(document=SimpleNamespace(), **own)
        one.state.document.settings = SimpleNamespace(env=place.env)
        return one

    return made


def test_a_directive_knows_the_statement_of_its_chapter_and_refuses_another_page(put, place):
    one = put(sphinx_ext.YouNeed)
    assert one.row == place.row
    place.env.docname = "book/intro"
    with pytest.raises(ValueError, match="book/intro is not the chapter of any statement"):
        _ = one.row
