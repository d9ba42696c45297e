"""Chosen claims measured again: how rows are numbered, what is executed, what is said."""

import json

import pytest

from ledgerbook import recheck


def row(id, observed=0.5, **more):
    """A claim or a control as a ledger has it."""
    made = {"id": id, "observed": observed, "relation": "<=", "bound": 1.0, "passed": True}
    return made | more


def entry(tag, chapter, *claims, hypotheses=()):
    return {"tag": tag, "chapter": chapter, "claims": [*claims], "hypotheses": [*hypotheses]}


ASKED = [
    {"control": row("c"), "further_controls": [row("d")]},
    {"control": None},
    {"control": row("e")},
]
LEDGER = {
    "statements": [
        entry("a.one", "one.ipynb", row("x"), row("y", resolution=0.1), hypotheses=ASKED),
        entry("a.none", None),
        entry("a.two", "two.ipynb", row("x")),
        entry("a.beside", "one.ipynb", row("z")),
    ]
}
NAMES = ["a.one x", "a.one y", "a.one c", "a.one d", "a.one e", "a.two x", "a.beside z"]


def test_rows_are_numbered_through_claims_before_controls():
    found = recheck.numbered(LEDGER)
    assert [f"{one.statement['tag']} {one.row['id']}" for one in found] == NAMES
    assert [one.number for one in found] == [f"C{k}" for k in range(1, 8)]


def test_the_table_has_a_line_for_each_row_and_nothing_where_a_row_says_nothing():
    head, *lines = recheck.table(LEDGER).splitlines()
    assert head.split(",") == ["number", "statement", "row", *recheck.COLUMNS]
    assert lines[1] == "C2,a.one,y,,,0.5,<=,1.0,,,True,,0.1,"
    assert len(lines) == len(NAMES)


@pytest.fixture
def again(monkeypatch):
    """The function that rechecks claims where each chapter now measures what it is told to."""

    def asked(wanted, now, ledger_file=None):
        executed = []

        def run_chapter(tag):
            executed.append(tag)
            return (None, now[tag]) if isinstance(now[tag], str) else (tag, None)

        monkeypatch.setattr(recheck.collect, "collect", lambda: LEDGER)
        monkeypatch.setattr(recheck.execute, "run_chapter", run_chapter)
        monkeypatch.setattr(recheck.notebooks, "read", lambda target: target)
        monkeypatch.setattr(recheck.notebooks, "closing_records", now.__getitem__)
        return recheck.main(wanted, ledger_file), executed

    return asked


ONE = {"a.one": entry("a.one", None, row("x"), row("y", 0.7), hypotheses=ASKED)}


def test_each_chapter_is_executed_once_and_every_claim_has_its_line(again, capsys):
    both = ONE | {"a.beside": entry("a.beside", None)}
    now = {"a.one": both, "a.two": {"a.two": entry("a.two", None, row("x"))}}
    assert again(["C6", "C1", "C7", "C2", "C1", "C4"], now) == (1, ["a.two", "a.one"])
    same, *rest = capsys.readouterr().out.splitlines()
    assert same == "same    C6 a.two x: 0.5 (<= 1)"
    assert rest == [
        "same    C1 a.one x: 0.5 (<= 1)",
        "DIFFERS C7 a.beside z: 0.5 (<= 1): no such row any more",
        "DIFFERS C2 a.one y: 0.5 (<= 1): a.one row y: observed: stored 0.5, computed 0.7,"
        " tolerance rtol 1e-06, atol 0",
        "same    C4 a.one d: 0.5 (<= 1)",
        "3 of 5 claims reproduced",
    ]


def test_what_a_row_says_only_in_the_ledger_is_not_compared(again):
    now = {"a.one": {"a.one": entry("a.one", None, row("y"))}}  # a chapter knows no resolution
    assert again(["C2"], now) == (0, ["a.one"])


def test_a_chapter_that_stops_reproduces_none_of_its_claims(again, capsys):
    assert again(["C1", "C3"], {"a.one": "cell 3: ValueError"}) == (1, ["a.one"])
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "DIFFERS C1 a.one x: 0.5 (<= 1): cell 3: ValueError"
    assert said[2] == "0 of 2 claims reproduced"


@pytest.mark.parametrize("wanted", [["C0"], ["C8"], ["C1", "x"], []])
def test_a_number_that_no_row_has_is_refused_before_anything_runs(again, wanted):
    with pytest.raises(ValueError, match="allowed: one or more of C1 to C7"):
        again(wanted, {})


def test_the_evidence_to_compare_with_may_be_a_file(again, monkeypatch, tmp_path):
    validated = []
    monkeypatch.setattr(recheck.collect, "validate", validated.append)
    other = {"statements": [entry("a.one", "one.ipynb", row("y", 0.7))]}
    (tmp_path / "ledger.json").write_text(json.dumps(other), encoding="utf-8")
    assert again(["C1"], {"a.one": ONE}, tmp_path / "ledger.json") == (0, ["a.one"])
    assert validated == [other]
