"""How long a measured resolution holds, and how it is said."""

import json

from ledgerbook import measured, notebooks, resolution
from tests.tooling.test_resolution import CHAPTER


def test_a_measurement_depends_on_formulas_not_on_words_or_checks():
    same = ("# why\n" + CHAPTER).replace("words", "other words of it")
    same = same.replace("ledger =", 'require_seed("seed", 0)\nledger =')
    assert measured.meaning(same) == measured.meaning(CHAPTER.replace("words", "a b"))
    for old, new in (("0.25", "0.26"), ("speed(0.0, 4)", "speed(0.0, 5)"), ("<=", ">=")):
        assert measured.meaning(CHAPTER.replace(old, new)) != measured.meaning(CHAPTER)


def test_a_measurement_holds_until_a_row_moves(tmp_path):
    def key(observed, **other):
        record = {"id": "a", "kind": "limit", "passed": True, "relation": "<=", "bound": 1e-3}
        return measured._shown(record | {"observed": observed} | other)

    assert key(2e-16) == key(3e-16)  # rounding on another machine
    assert key(0.91) == key(0.91 * (1 + 1e-6)) != key(0.97)
    assert key(0.5e-3) != key(0.6e-3)
    assert key(2e-16) != key(2e-16, bound=2e-3) != key(2e-16, bound=2e-3, passed=False)
    assert key([1, [2.0]], bound=[1, [2]]) != key([1, [2.2]], bound=[1, [2]])


def test_the_ledger_says_how_much_of_what_it_sees_is_of_today(tmp_path, monkeypatch):
    rows = [row for row in measured.written() if row.kind != "experiment"][:2]
    keys = {rows[0].tag: measured.inputs(rows[0]), rows[1].tag: "of an earlier state"}
    assert measured.current(rows, keys) == (1, 2)
    stored = tmp_path / "resolution.json"
    first = rows[0].tag
    text = json.dumps({"inputs": keys, "exponents": [first], "wrong": {first: {}}})
    stored.write_text(text, encoding="utf-8")
    monkeypatch.setattr(measured.paths, "RESOLUTION", stored)
    monkeypatch.setattr(measured, "written", lambda: rows)
    assert measured.sentence().endswith("edited since.")
    assert "in 1 of 2 chapters as they are now" in measured.sentence()
    for part in (first + '"]', first + '": {}}'):
        stored.write_text(text.replace(part, part[len(first) :]), encoding="utf-8")
        last = "In 0 of these 1 exponents and wrong formulas were asked, too."
        assert measured.sentence().endswith(last)
    stored.write_text(text, encoding="utf-8")
    monkeypatch.setattr(measured, "written", lambda: rows[:1])
    assert measured.sentence().endswith("the same numbers.")
    stored.unlink()
    assert measured.sentence() == ""


def test_words_for_sizes():
    from ledgerbook.ledger_page import sees

    assert sees(None) == ""
    assert sees(1e-9) == "1e-09"
    assert sees(0.05) == "5 %"
    assert sees(None, "`speed`: minus dropped") == "wrong `speed`"
    assert sees(1e-9, "`speed`: minus dropped") == "1e-09"


def test_kinds_of_claims_are_told_by_the_median_of_what_they_see_nothing_for_none(monkeypatch):
    claims = [("a", "limit"), ("b", "limit"), ("c", "limit"), ("d", "rate"), ("e", "symbolic")]
    rows = [{"id": id, "kind": kind, "passed": True} for id, kind in claims]
    monkeypatch.setattr(notebooks, "closing_records", lambda notebook: {"a.b": {"claims": rows}})
    one = resolution.written()[:1]
    found = resolution.medians(one, {"a.b": {"a": 1e-3, "b": 0.1, "c": 1e-9}})
    assert found == {"limit": (1e-3, 3, 3), "rate": (0, 0, 1)}
