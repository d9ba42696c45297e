"""What a sharper constant may stand on, and what a book without any says."""

import pytest
from ledgerbook.ledger.judgement import STRENGTHS
from ledgerbook.pages import sharper_page


def ledger(*strengths, passed=True):
    ids = [f"c{number}" for number, _ in enumerate(strengths)]
    claims = [
        {"id": id, "passed": passed, "strength": strength}
        for id, strength in zip(ids, strengths, strict=True)
    ]
    words = dict.fromkeys(sharper_page.SHARPER, "words")
    finding = {"id": "one", "finding": words, "evidence": ids}
    return {"statements": [{"tag": "a.b", "claims": claims, "findings": [finding]}]}


def test_a_book_without_a_sharper_constant_says_so():
    assert sharper_page.page({"statements": []}) == "No sharper constant recorded so far."


@pytest.mark.parametrize("strength", STRENGTHS)
def test_what_is_certified_or_stronger_sharpens_and_nothing_weaker(strength):
    if STRENGTHS.index(strength) < STRENGTHS.index("certified"):
        with pytest.raises(ValueError, match=f"a.b: one: c1 = {strength}, allowed: a claim that"):
            sharper_page.rows(ledger("proved", strength))
    else:
        (row,) = sharper_page.rows(ledger("kernel-checked", strength))
        assert row["strength"] == strength and row["tag"] == "a.b"


def test_a_proof_that_fails_sharpens_nothing():
    with pytest.raises(ValueError, match="c0 = fails"):
        sharper_page.rows(ledger("proved", passed=False))


def test_a_constant_stands_with_its_words_and_the_rows_that_show_it():
    made = ledger("certified", "proved")
    made["statements"][0]["tag"] = "textbook.theorem-01"
    head, _, row = sharper_page.page(made).splitlines()
    assert head.count("|") == row.count("|") == len(sharper_page.HEADER) + 1
    chapter = "textbook/theorem_01"
    assert row.startswith(f"| [Theorem 1]({chapter}.ipynb) | words |") and " | certified | " in row
    for id in ("c0", "c1"):
        assert (
            f'<a href="{chapter}.html#{sharper_page.in_chapter(id)}"><code>{id}</code></a>' in row
        )
