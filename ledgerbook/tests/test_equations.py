"""Which claims answer for an equation: ranges of numbers, papers apart, and why there are none."""

import pytest
from ledgerbook.chapters import equations


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(31)–(33)", {31, 32, 33}),
        ("(44), (45)", {44, 45}),
        ("(43), second equality", {43}),
        ("(1) - (2), (7)", {1, 2, 7}),
        ("equation 5", set()),
        (None, set()),
    ],
)
def test_numbers_of_equations_are_read_with_their_ranges(text, found):
    assert equations.numbers(text) == found


def test_each_equation_has_the_claims_of_its_paper_that_name_it_or_a_reason(monkeypatch):
    table = {
        "a": {"first": 4, "last": 6, "why_not": {"5": "a definition"}},
        "b": {"first": 1, "last": 1},
    }
    monkeypatch.setattr(equations, "reasons", lambda: table)
    claims = [{"id": "one", "equation": "(4)"}, {"id": "two", "equation": None}]
    rows = [
        {"paper": "b", "tag": "b.x", "claims": [{"id": "other", "equation": "(1)–(6)"}]},
        {"paper": "a", "tag": "a.x", "claims": claims},
        {"paper": "a", "tag": "a.y", "claims": [{"id": "three", "equation": "(4)"}]},
    ]
    found = [tuple(one.values()) for one in equations.covered(rows)]
    assert found == [
        ("(4)", "a.x", ["a.x#one", "a.y#three"], None),
        ("(5)", None, [], "a definition"),
        ("(6)", None, [], None),
        ("(1)", "b.x", ["b.x#other"], None),
    ]


def test_a_companion_without_such_a_list_covers_none(project, monkeypatch):
    monkeypatch.setattr(equations.paths, "EQUATIONS", project / "book/equations.toml")
    assert equations.covered([]) == []
    equations.paths.EQUATIONS.write_text("[a]\nfirst = 1\nlast = 2\n", encoding="utf-8")
    assert [one["number"] for one in equations.covered([])] == ["(1)", "(2)"]
