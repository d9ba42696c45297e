"""A number in a sentence is a stored row's: which one, in which form, and what is refused."""

from types import SimpleNamespace

import pytest
from ledgerbook.chapters import collect
from ledgerbook.site import roles

ROW = {"id": "slope", "observed": -0.43037, "bound": 2, "margin": None}
SMALL = {"id": "no-hypothesis", "observed": 1.5e-7, "bound": [1, 2], "margin": 0.5}
LEDGER = {
    "statements": [
        {
            "tag": "a.one",
            "claims": [ROW, {**ROW, "id": "same", "observed": True}],
            "hypotheses": [{"control": SMALL}, {"control": None}],
        }
    ]
}
KNOWN = roles.rows(LEDGER)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("a.one#slope", "-0.43"),
        ("a.one#slope .1%", "-43.0%"),
        ("a.one#slope bound", "2"),
        ("a.one#slope bound .2f", "2.00"),
        ("a.one#no-hypothesis margin", "0.5"),
        ("a.one#no-hypothesis .1e", "1.5e-07"),
    ],
)
def test_a_row_a_field_and_a_form_are_named(words, said):
    assert roles.shown(words, KNOWN) == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("a.one#slop", "no row 'a.one#slop' is stored; near: a.one#slope"),
        ("", "no row '' is stored; near: none"),
        ("a.one#slope margin", "a.one#slope: margin is None, which is no number"),
        ("a.one#same", "a.one#same: observed is True, which is no number"),
        ("a.one#no-hypothesis bound", "bound is .1, 2., which is no number"),
        ("a.one#slope .2q", "format"),
        ("a.one#slope bound .2f 7", "format"),
    ],
)
def test_what_is_no_number_of_a_row_is_refused_by_name(words, said):
    with pytest.raises(ValueError, match=said):
        roles.shown(words, KNOWN)


@pytest.fixture
def put(monkeypatch):
    """The function that puts the role into a page: what stands there, and what is reported."""
    monkeypatch.setattr(collect, "load", lambda: LEDGER)
    monkeypatch.setattr(roles, "statements", lambda: {"a.one": None, "a.new": None})
    reported = []

    def made(words):
        env = SimpleNamespace(temp_data={}, note_dependency=lambda file: None)
        reporter = SimpleNamespace(error=lambda text, line: reported.append((line, text)))
        inliner = SimpleNamespace(
            document=SimpleNamespace(settings=SimpleNamespace(env=env)),
            reporter=reporter,
            problematic=lambda raw, text, said: None,
        )
        found, _ = roles.Value()("value", f"`{words}`", words, 7, inliner)
        return found, reported

    return made


def test_a_number_stands_as_text_with_signs_that_are_read_as_such(put):
    assert [node.astext() for node in put("a.one#slope .0%")[0]] == ["−43\N{NO-BREAK SPACE}%"]
    assert [node.astext() for node in put("a.one#no-hypothesis")[0]] == ["1.5·10⁻⁷"]


def test_an_unknown_row_is_an_error_of_its_line(put):
    ((line, said),) = put("a.two#slope")[1]
    assert line == 7 and said.startswith("{value}: no row 'a.two#slope' is stored")


def test_a_row_of_a_chapter_that_was_never_stored_is_no_error_yet(put):
    (node,), reported = put("a.new#slope")
    assert node.astext() == "…" and not reported
