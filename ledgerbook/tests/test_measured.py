"""What a measurement of claims depends on, and what the page says of its age."""

from types import SimpleNamespace

import pytest
from ledgerbook.statements import statement

from ledgerbook import measured, notebooks, paths

TAGS = "textbook.theorem-01", "textbook.corollary-01"
CLAIM = {"id": "one", "kind": "limit", "observed": 0.5, "relation": "<=", "bound": 1.0}
CLAIM |= {"passed": True}


@pytest.fixture
def key(monkeypatch):
    """What the inputs of a chapter are with some code and one claim."""

    def inputs(code="", **claim):
        records = {TAGS[0]: {"claims": [CLAIM | claim]}}
        monkeypatch.setattr(notebooks, "read", lambda chapter: None)
        monkeypatch.setattr(notebooks, "code", lambda notebook: code)
        monkeypatch.setattr(notebooks, "closing_records", lambda notebook: records)
        return measured.inputs(statement(TAGS[0]))

    return inputs


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("f('a b')  # why", "f('another text')", True),
        ("f('relu')", "f('tanh')", False),
        ("f(1)", "f(2)", False),
        ("x", "y", False),
        ("f(1)", "require(a, 'a', a, 'good')\nrequire_seed(3)\nf(1)", True),
        ("f(1)", "f(1)\nf(2)", False),
        ("f(1)", "from ledgerbook.ledger import Ledger\nfrom power.plots import a\nf(1)", True),
        ("f(1)", "from power.iteration import f\nf(1)", False),
        ("f(1)", "from . import f\nf(1)", False),
    ],
)
def test_words_checks_and_what_is_no_formula_are_no_part_of_code(
    one, other, same, key, monkeypatch
):
    monkeypatch.setattr(
        measured.project, "settings", lambda: SimpleNamespace(ground=["power.plots"])
    )
    measured.meaning.cache_clear()
    assert (key(one) == key(other)) == same
    measured.meaning.cache_clear()


def test_what_only_some_versions_of_python_know_is_no_part_of_code():
    """An empty ``type_params``, say, which a function has from 3.12 on."""
    assert measured.meaning("def f():\n    return None") == (
        "Module(body=[FunctionDef(name='f', args=arguments(), body=[Return(value=Constant())])])"
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"observed": 0.5}, {"observed": 0.501}, True),
        ({"observed": 0.5}, {"observed": 0.52}, False),
        ({"observed": 1e-14}, {"observed": 3e-14}, True),
        ({"observed": 0.004, "bound": 0.01}, {"observed": 0.001, "bound": 0.01}, False),
        ({"observed": 1e-14}, {"observed": -3e-14}, True),  # noise has no sign
        ({"observed": 12.3}, {"observed": 12.31}, True),
        ({"observed": 12}, {"observed": 13}, False),
        ({"observed": 0.0, "bound": 0}, {"observed": 0, "bound": 0.0}, True),
        ({"bound": 1.0}, {"bound": 1.00000001}, True),
        ({"bound": 1.0}, {"bound": 1.001}, False),
        ({"observed": [[0.5], 0.1]}, {"observed": [[0.5], 0.2]}, False),
        ({"observed": [[0.5], 0.1]}, {"observed": [[0.5001], 0.1]}, True),
        ({"observed": "yes"}, {"observed": None}, True),  # the verdict says as much
        ({"passed": True}, {"passed": False}, False),
        ({"relation": "<="}, {"relation": "<"}, False),
        ({"kind": "limit"}, {"kind": "rate"}, False),
        ({"kind": "symbolic", "observed": 1}, {"kind": "symbolic", "observed": 9}, True),
        ({"kind": "kernel", "passed": True}, {"kind": "kernel", "passed": False}, False),
    ],
)
def test_a_row_is_another_where_a_reader_sees_another_number(one, other, same, key):
    assert (key(**one) == key(**other)) == same


def told(monkeypatch, inputs, exponents=(), wrong=()):
    """What the page says; ``now`` is what each chapter is made of."""
    stored = {"inputs": inputs, "exponents": [*exponents], "wrong": dict.fromkeys(wrong, {})}
    monkeypatch.setattr(measured, "load", lambda: stored)
    monkeypatch.setattr(measured, "inputs", lambda row: "now")
    return measured.sentence()


def test_the_page_says_how_many_chapters_were_measured_as_they_are(monkeypatch):
    assert told(monkeypatch, {}) == ""
    fresh = told(monkeypatch, dict.fromkeys(TAGS, "now"), TAGS, TAGS)
    assert fresh.startswith("*Sees* was measured in 2 of 2 chapters as they are now: ")
    assert fresh.endswith(" the same numbers.")
    some = told(monkeypatch, {TAGS[0]: "now", TAGS[1]: "before"}, TAGS, TAGS)
    assert "in 1 of 2 chapters" in some and some.endswith("; the others have been edited since.")
    asked = told(monkeypatch, dict.fromkeys(TAGS, "now"), TAGS, TAGS[:1])
    assert asked.endswith(" In 1 of these 2 exponents and wrong formulas were asked, too.")


def test_an_experiment_is_not_measured(monkeypatch):
    monkeypatch.setattr(measured, "inputs", lambda row: "now")
    rows = [
        SimpleNamespace(tag="a.b", kind="experiment"),
        SimpleNamespace(tag="a.c", kind="remark"),
    ]
    assert measured.current(rows, {"a.b": "now", "a.c": "now"}) == (1, 1)


def test_a_chapter_is_added_to_what_is_stored(monkeypatch, project):
    monkeypatch.setattr(paths, "RESOLUTION", project / "book" / "resolution.json")
    assert measured.load() == {"inputs": {}, "exponents": [], "wrong": {}}
    for tag in TAGS:
        measured.store(tag, {tag: {"one": 0.1}}, {}, "now")
    measured.store(TAGS[0], {}, {TAGS[0]: {"two": "sign"}}, "later")
    assert measured.load() == {
        "inputs": {TAGS[0]: "later", TAGS[1]: "now"},
        "exponents": sorted(TAGS),
        "wrong": {TAGS[0]: {"two": "sign"}, TAGS[1]: {}},
        TAGS[0]: {"one": 0.1},
        TAGS[1]: {"one": 0.1},
    }
