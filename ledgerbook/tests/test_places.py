"""Labels and parts are data: what no file of the companion knows is refused where it stands."""

from dataclasses import dataclass

import pytest
from ledgerbook.ledger import places
from ledgerbook.ledger.checks import Checks, claim, erratum

TAG = "textbook.lemma-05"
LISTED = f"""[[statement]]
tag = "{TAG}"
equations = "(31)–(33)"
"""
PLACES = f"""["{TAG}"]
parts = ["the rate"]
alone = ["(33)"]
places = ["(33), late", "sentence after (24)"]
"""


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """A paper that displays (1) to (138), and a lemma of it."""
    for name, text in {
        "STATEMENTS": LISTED,
        "EQUATIONS": "[textbook]\nfirst = 1\nlast = 138\n",
        "BOOK": PLACES,
    }.items():
        file = tmp_path / (places.FILE if name == "BOOK" else f"{name.lower()}.toml")
        file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(places, "folder", lambda: tmp_path)
    return tmp_path


def made(equation, parts=("the rate",), **body):
    """A class with one row about an equation."""

    def row(self):
        """words"""
        return 0

    row = claim("<=", 1, "limit", equation)(row)
    listed = dict.fromkeys(parts, ("row",))
    return dataclass(type("Lemma", (Checks,), {"tag": TAG, "parts": listed, "row": row} | body))


@pytest.mark.parametrize("equation", [None, "(32)", "(31)–(33)", "(33), late, (32)"])
def test_a_place_that_the_paper_has_is_taken(equation):
    assert made(equation).tag == TAG


@pytest.mark.parametrize(
    ("equation", "said"),
    [
        (
            "(232)",
            r"test_places.*: Lemma\.row: equation = '\(232\)', allowed: \(1\) to \(138\), .*",
        ),
        ("(232)", r"near: \(32\)"),
        (
            "(31)–(34)",
            r"Lemma\.row: equation = '\(34\)', allowed: an equation of textbook.lemma-05",
        ),
        ("(33), latter", r"'\(33\), latter', .* near: \(33\), late"),
        ("sentence after (42)", r"near: sentence after \(24\)"),
        ("(331", r"equation = '\(331'"),
    ],
)
def test_a_mistyped_label_is_refused_by_file_and_row_with_what_is_near(equation, said):
    with pytest.raises(ValueError, match=said):
        made(equation)


def test_a_label_with_a_value_in_it_is_asked_when_the_row_is_measured():
    kind = made("(@{number})", number=32)
    assert kind().show("claim")
    with pytest.raises(ValueError, match=r"textbook\.lemma-05: row: equation = '\(34\)'"):
        made("(@{number})", number=34)().show("claim")


def test_an_erratum_is_in_an_equation_of_the_paper():
    slip = dict(fails="row", holds="row", reach="harmless")
    with pytest.raises(ValueError, match=r"e1: location = '\(139\)', allowed: \(1\) to \(138\)"):
        made(None, e1=erratum("E1", "(138), (139)", "", **slip)(made(None).row))


def test_a_part_that_is_missing_or_new_is_refused_by_file_and_class():
    with pytest.raises(ValueError, match=r"Lemma: parts = \[\], allowed: with 'the rate'"):
        made(None, parts=())
    with pytest.raises(ValueError, match="Lemma: part = 'the size', allowed: one of those"):
        made(None, parts=("the rate", "the size"))
    with pytest.raises(
        ValueError, match=r"Lemma: part 'the rate' = \(\), allowed: at least one row"
    ):
        dataclass(type("Lemma", (Checks,), {"tag": TAG, "parts": {"the rate": ()}}))
    assert made(None, parts=("the rate", "beside it"))


def test_a_part_that_its_rows_make_is_declared_too():
    def ledger(*names):
        parts = [{"part": name} for name in names]
        return {"statements": [{"tag": TAG, "kind": "statement", "claims": [1], "parts": parts}]}

    assert list(places.drifted(ledger("the rate", "(33)"))) == []
    assert list(places.drifted(ledger("the rate", "(32)"))) == [
        f"{TAG}: its rows make a part '(32)', of which places.toml says nothing",
        f"{TAG}: places.toml says that there is a part '(33)', and no row makes it",
    ]


def test_without_the_file_the_paper_s_own_numbers_are_asked_alone(files):
    (files / places.FILE).unlink()
    assert made("(34), anything", parts=())
    with pytest.raises(ValueError, match=r"'\(232\)'"):
        made("(232)")


def test_a_word_that_the_file_cannot_have_is_refused(files):
    (files / places.FILE).write_text(PLACES.replace("alone", "along"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"places\.toml: textbook\.lemma-05 = 'along'"):
        made(None)
