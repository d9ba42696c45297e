"""The ledger: what statements inherit, what errata reach, what is asked of assumptions, what is
stored.
"""

import json

import jsonschema
import pytest
from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import Statement
from ledgerbook.project import paths


@pytest.mark.parametrize(
    ("below", "middle", "inherited"),
    [("measured", "proved", "measured"), (None, "proved", "proved"), (None, None, "proved")],
)
def test_the_weakest_below_counts_and_what_was_not_checked_does_not(
    below, middle, inherited, monkeypatch
):
    uses = {"middle": ("below",), "top": ("middle",), "unheeded": ("top",)}
    listed = {tag: Statement(tag, tag, tag, uses.get(tag, ())) for tag in ("below", *uses)}
    monkeypatch.setattr(collect, "statements", lambda: listed)
    strengths = {"below": below, "middle": middle, "top": "proved", "unheeded": "measured"}
    rows = [{"tag": tag, "strength": strength} for tag, strength in strengths.items()]
    collect._inherit(rows)
    assert rows[2]["inherited_strength"] == inherited


def claim(id, passed=True, as_printed=False, subject=""):
    """A claim as a closing record has it, as far as the ledger reads it."""
    made = {"id": id, "passed": passed, "as_printed": as_printed, "subject": subject}
    made |= {"claim": "it is so", "observed": 2.0, "relation": "<=", "bound": 1.0}
    return made | {"strength": "measured", "equation": ""}


def record(tag, *claims, errata=(), consequences=()):
    """What a chapter closes with."""
    made = {"tag": tag, "standing": "read"} | {key: [] for key in collect.EMPTY}
    return made | {"claims": [*claims], "errata": [*errata], "consequences": [*consequences]}


SLIP = [claim("slip", passed=False, as_printed=True), claim("mended")]
LATER = {"id": "E10", "tag": "a.three", "evidence": ["slip", "mended"]}
RECORDS = {
    "a.one": record(
        "a.one", *SLIP, errata=[{"id": "E10", "tag": "a.one", "evidence": ["slip", "mended"]}]
    ),
    "a.two": record("a.two", claim("x"), claim("y")),
    "a.three": record("a.three", *SLIP, claim("z"), consequences=[LATER]),
    "a.four": record(
        "a.four", *SLIP, errata=[{"id": "E2", "tag": "a.four", "evidence": ["slip", "mended"]}]
    ),
    "a.met": record("a.met", claim("u", subject="one"), claim("v", False, subject="two")),
    "a.none": record("a.none"),
}


@pytest.fixture
def book(project, monkeypatch):
    """Six statements without chapters: three in a row, one apart, an assumption, one unchecked."""
    uses = {"a.two": ("a.one",), "a.three": ("a.two",)}
    kinds = {"a.met": "assumption"}
    rows = {
        tag: Statement(tag, tag, f"über {tag}", uses.get(tag, ()), kinds.get(tag, "statement"))
        for tag in RECORDS
    }
    seen = {"a.one": {"mended": [0.1, "lib.a:f"]}}
    monkeypatch.setattr(collect, "statements", lambda: rows)
    monkeypatch.setattr(collect, "record_of", lambda row: json.loads(json.dumps(RECORDS[row.tag])))
    monkeypatch.setattr(collect.sensitivity, "current", lambda: seen)
    monkeypatch.setattr(collect.equations, "covered", lambda rows: [])
    monkeypatch.setattr(collect, "validate", lambda ledger: None)
    return collect.collect()


def test_an_erratum_names_what_follows_and_what_survives_below_it(book):
    first, second = book["errata"]
    assert (first["id"], first["downstream"], first["consequences"]) == ("E2", [], [])
    assert (second["id"], second["consequences"]) == ("E10", [LATER])
    assert second["script"].endswith("errata/E10.py")
    assert second["downstream"] == [
        {"tag": "a.two", "survive": 2, "claims": 2, "fail": []},
        {"tag": "a.three", "survive": 2, "claims": 3, "fail": ["slip"]},
    ]


def test_an_assumption_says_who_meets_it_and_a_statement_does_not(book):
    rows = {row["tag"]: row for row in book["statements"]}
    assert (rows["a.met"]["met_by"], rows["a.met"]["not_met_by"]) == (["one"], ["two"])
    assert [tag for tag, row in rows.items() if "met_by" in row] == ["a.met"]
    assert rows["a.met"]["chapter"] is None  # none is written


def test_what_nobody_announced_is_found_where_it_stands(book):
    assert collect.all_surprises(book) == []
    claims = book["statements"][1]["claims"]
    claims[1]["passed"] = False
    (line,) = collect.all_surprises(book)
    assert line.startswith("a.two: claim y")
    book["errata"][0]["evidence"].reverse()
    found = {line.partition(":")[0] for line in collect.all_surprises(book)}
    assert found == {"a.two", "a.four"}


def test_what_is_no_ledger_of_the_published_form_is_refused():
    whole = {"version": 2, "statements": [], "errata": [], "equations": []}
    collect.validate(whole)
    for name in whole:
        with pytest.raises(jsonschema.ValidationError, match=f"'{name}' is a required property"):
            collect.validate({key: value for key, value in whole.items() if key != name})


def test_a_damaged_chapter_records_nothing(monkeypatch, tmp_path):
    row = Statement("a.one", "1", "one", standing="reconstructed")
    empty = {"tag": "a.one", "standing": "reconstructed"} | collect.EMPTY
    monkeypatch.setattr(paths, "BOOK", tmp_path)
    assert collect.record_of(row) == empty
    row.chapter.parent.mkdir()
    row.chapter.write_text("<<<<<<< ours", encoding="utf-8")
    assert collect.record_of(row) == empty
