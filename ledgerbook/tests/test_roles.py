"""A number in a sentence is a stored row's: which one, in which form, and what is refused."""

import pytest
from ledgerbook.site import roles

ROW = {"id": "slope", "observed": -0.43037, "bound": 2, "margin": None}
SMALL = {"id": "no-hypothesis", "observed": 1.5e-7, "bound": [1, 2], "margin": 0.5}
ROWS = [ROW, {**ROW, "id": "same", "observed": True}, SMALL]
KNOWN = {f"a.one#{row['id']}": row for row in ROWS}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("a.one#slope", "-0.43"),
        ("a.one#slope .1%", "-43.0%"),
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
        ("a.one#slope margin", "a.one#slope: margin is None, which is no number"),
        ("a.one#same", "a.one#same: observed is True, which is no number"),
        ("a.one#slope .2q", "format"),
    ],
)
def test_what_is_no_number_of_a_row_is_refused_by_name(words, said):
    with pytest.raises(ValueError, match=said):
        roles.shown(words, KNOWN)
