"""The ledger of a book: collected, valid, with the claims of each equation."""

import copy
import json

import jsonschema
import pytest
from ledgerbook.chapters import collect, equations
from ledgerbook.chapters.statements import KINDS as STATEMENT_KINDS
from ledgerbook.chapters.statements import Statement
from ledgerbook.ledger import checks
from ledgerbook.ledger.judgement import KINDS, RELATIONS, STRENGTHS, TRUSTS, status
from ledgerbook.ledger.ledger import REACHES, STANDINGS
from ledgerbook.ledger.ledger_table import SYMBOLS
from ledgerbook.project import storage
from ledgerbook.project.project import current


def claim(id, passed=True, as_printed=False, subject=""):
    """A claim as a closing record has it, as far as the ledger reads it."""
    made = {"id": id, "passed": passed, "as_printed": as_printed, "subject": subject}
    made |= {"claim": "it is so", "observed": 2.0, "relation": "<=", "bound": 1.0}
    return made | {"strength": "measured", "equation": ""}


def record(tag, *claims, errata=(), consequences=()):
    """What a chapter closes with."""
    made = {"tag": tag, "standing": "read"} | copy.deepcopy(collect.EMPTY)
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
    monkeypatch.setattr(collect, "statements", lambda: rows)
    monkeypatch.setattr(collect, "record_of", lambda row: json.loads(json.dumps(RECORDS[row.tag])))
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
    whole = {"version": 3, "statements": [], "errata": [], "equations": []}
    collect.validate(whole)
    for name in whole:
        with pytest.raises(jsonschema.ValidationError, match=f"'{name}' is a required property"):
            collect.validate({key: value for key, value in whole.items() if key != name})


def test_a_damaged_chapter_records_nothing(tmp_path, varied):
    row = Statement("a.one", "1", "one", standing="reconstructed")
    known = {"tag": "a.one", "standing": "reconstructed", "equations": ""}
    empty = known | collect.EMPTY
    varied(book=tmp_path)
    assert collect.record_of(row) == empty
    row.chapter.parent.mkdir()
    row.chapter.write_text("<<<<<<< ours", encoding="utf-8")
    assert collect.record_of(row) == empty


class Established(checks.Checks):
    tag, standing = "textbook.theorem-01", "established"
    hypotheses = {"H1": "it is so"}
    trusts = (checks.textbook("a tool"),)

    @checks.claim("<=", 1.0, "limit", as_printed=True)
    def printed(self):
        """as it stands"""
        return 2.0

    @checks.claim("<=", 1.0, "limit")
    def holds(self):
        """as it holds"""
        return 0.5

    @checks.control("H1", ">", 1.0)
    def without(self):
        """it fails"""
        return 3.0

    @checks.erratum("E1", "(1)", "$2$", fails="printed", holds="holds", reach="harmless")
    def e1(self):
        """$1$"""
        return dict(printed=2, corrected=1, measured=1)


@pytest.fixture
def whole(project):
    """A ledger of one statement with a claim, a control, a slip, and nothing left out."""
    book = Established()
    book.show("claim", "control")
    record = book.close().record
    ledger = collect.collect()
    row, (erratum,) = ledger["statements"][0], record.pop("errata")
    for claim in record["claims"]:
        claim["label"] = "as printed"
    row |= {key: record[key] for key in ("claims", "hypotheses", "standing", "trusted")}
    row |= {
        "status": status({**record, "errata": [erratum]}),
        "strength": "measured",
        "parts": [{"part": "rate", "strength": "measured", "rows": ["holds"]}],
    }
    files = {"script": "book/errata/E1.py", "consequences": [], "downstream": []}
    ledger["errata"] = [erratum | files]
    return ledger


def test_schema_and_code_know_the_same_words():
    defs = storage.table(collect.SCHEMA)["$defs"]
    row, statement = defs["row"]["properties"], defs["statement"]["properties"]
    assert {*defs["status"]["enum"]} == {*SYMBOLS}
    assert defs["strength"]["enum"] == list(STRENGTHS)
    assert set(row["kind"]["enum"]) == set(KINDS)
    assert row["relation"]["enum"] == list(RELATIONS)
    assert statement["standing"]["enum"] == list(STANDINGS)
    assert statement["trusted"]["items"]["properties"]["kind"]["enum"] == list(TRUSTS)
    assert set(statement["kind"]["enum"]) == set(STATEMENT_KINDS)
    assert defs["erratum"]["properties"]["reach"]["enum"] == list(REACHES)


def test_a_whole_ledger_is_written_and_anew_only_where_it_changed(whole):
    collect.write(whole)
    assert collect.load() == whole
    before = current().ledger.stat().st_ino  # a file that is written anew is another one
    collect.write(whole)
    assert current().ledger.stat().st_ino == before
    whole["statements"][0]["title"] = "another"
    collect.write(whole)
    assert current().ledger.stat().st_ino != before and collect.load() == whole


@pytest.mark.parametrize(
    "place",
    [
        ("statements", 0, "status"),
        ("statements", 0, "kind"),
        ("statements", 0, "standing"),
        ("statements", 0, "strength"),
        ("statements", 0, "parts", 0, "strength"),
        ("statements", 0, "claims", 0, "kind"),
        ("statements", 0, "claims", 0, "relation"),
        ("statements", 0, "claims", 0, "strength"),
        ("statements", 0, "claims", 0, "role"),
        ("statements", 0, "claims", 0, "label"),
        ("statements", 0, "trusted", 0, "kind"),
        ("statements", 0, "hypotheses", 0, "control", "relation"),
        ("errata", 0, "reach"),
        ("version",),
    ],
    ids=lambda place: ".".join(map(str, place)),
)
def test_an_unknown_word_is_not_written(whole, place):
    wrong = copy.deepcopy(whole)
    holder = wrong
    for step in place[:-1]:
        holder = holder[step]
    assert place[-1] in holder
    holder[place[-1]] = "probably holds"
    with pytest.raises(jsonschema.ValidationError, match="probably holds"):
        collect.write(wrong)
    assert not current().ledger.exists() and not current().statuses.exists()


def objects(value):
    """A value of JSON and all that lies in it, those that hold names."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] * isinstance(value, dict) + [one for part in inside for one in objects(part)]


def test_a_field_that_the_schema_does_not_know_stops_the_build_wherever_it_stands(whole):
    whole["errata"][0]["consequences"] = [{"id": "E1", "tag": "a.one", "evidence": ["x", "y"]}]
    downstream = {"tag": "a.one", "survive": 1, "claims": 2, "fail": []}
    whole["errata"][0]["downstream"] = [downstream]
    collect.validate(whole)
    assert len(objects(whole)) > 8
    for holder in objects(whole):
        holder["measured_in"] = "Rome"
        with pytest.raises(jsonschema.ValidationError, match="measured_in"):
            collect.write(whole)
        del holder["measured_in"]


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
