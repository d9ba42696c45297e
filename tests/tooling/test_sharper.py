"""Sharper constants: recorded with both claims, refused without a proof, listed on their page."""

import pytest
from ledgerbook.chapters import collect
from ledgerbook.ledger.ledger import Ledger, is_sharper
from ledgerbook.pages import errata, sharper_page

WORDS = ("Eq. (1)", "$2x$", "$x$", "2")


def ledger(lower="symbolic", holds=True):
    made = Ledger("scan-snap.lemma-06", {"H1": "words"})
    made.step("holds", "it holds", True, "==", True, kind="decided")
    made.step("met", "nothing better does", holds, "==", True, kind=lower)
    made.unknown("H1", "a test")
    return made


def collected(made):
    made.show()
    record = made.close().record
    return {"statements": [record | {"tag": made.tag}], "errata": []}


def test_a_sharper_constant_is_a_row_of_its_page_and_no_finding_in_words():
    made = ledger()
    made.sharper("one", *WORDS, upper="holds", lower="met")
    made.finding("words", "something else", ["holds"])
    found = collected(made)
    (row,) = sharper_page.rows(found)
    assert row["strength"] == "proved" and row["evidence"] == ["holds", "met"]
    assert [is_sharper(f) for f in found["statements"][0]["findings"]] == [True, False]
    last = sharper_page.page(found).splitlines()[-1]
    assert all(
        part in last
        for part in (*WORDS, "<code>holds</code>", "<code>met</code>", "lemma_06.ipynb")
    )
    assert 'href="scan-snap/lemma_06.html#claim-met"' in last
    assert "something else" in errata.findings(found) and "$2x$" not in errata.findings(found)


@pytest.mark.parametrize(
    ("lower", "holds", "says"),
    [("identity", True, "met = measured"), ("exact", False, "met = fails")],
)
def test_what_was_only_looked_at_sharpens_nothing(lower, holds, says):
    made = ledger(lower, holds)
    made.sharper("one", *WORDS, upper="holds", lower="met")
    with pytest.raises(ValueError, match=says):
        sharper_page.rows(collected(made))


@pytest.mark.parametrize("name", range(4))
def test_an_empty_field_is_refused(name):
    words = [" " if index == name else word for index, word in enumerate(WORDS)]
    with pytest.raises(ValueError, match="allowed: some words"):
        ledger().sharper("one", *words, upper="holds", lower="met")


def test_the_same_constant_and_an_unknown_claim_are_refused():
    with pytest.raises(ValueError, match="something else than what is printed"):
        ledger().sharper("one", "here", "$x$", "$x$", "1", upper="holds", lower="met")
    with pytest.raises(ValueError, match="the id of a recorded claim"):
        ledger().sharper("one", *WORDS, upper="holds", lower="nowhere")


def test_the_book_lists_its_sharper_constants_each_by_two_claims():
    found = sharper_page.rows(collect.collect())
    names = [(row["tag"], row["id"]) for row in found]
    assert len(set(names)) == len(names) >= 12
    assert all(len(row["evidence"]) == 2 for row in found)
