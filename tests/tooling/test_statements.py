"""The list of statements."""

import pytest
from ledgerbook.chapters import statements
from ledgerbook.chapters.statements import Statement, statement


def test_unknown_tag_names_neighbours():
    with pytest.raises(ValueError, match="scan-snap.lemma-05"):
        statement("scan-snap.lemma-5")


def test_the_written_are_those_with_a_chapter_of_their_own(monkeypatch):
    own = statement("scan-snap.lemma-05")
    beside = Statement("scan-snap.remark-99", "Remark 99", "words", home=own.tag)
    planned = Statement("scan-snap.lemma-99", "Lemma 99", "words")
    known = {row.tag: row for row in (own, beside, planned)}
    monkeypatch.setattr(statements, "statements", lambda: known)
    assert beside.written and statements.written() == [own]
