"""Which verdicts moved between two ledgers, and the reason beside each."""

import json

import pytest
from ledgerbook.pages import changelog


def row(**more):
    """A statement of a ledger."""
    known = {"tag": "textbook.lemma-01", "number": "Lemma 1", "status": "holds", "parts": []}
    known |= {"strength": "proved", "conditions": [], "claims": [], "trusted": []}
    return known | more


def part(name, strength):
    return {"part": name, "strength": strength}


def erratum(id):
    return {"id": id, "tag": "textbook.lemma-01", "location": "(1)", "reach": "harmless"}


def ledger(*rows, errata=()):
    return {"statements": [*rows], "errata": [*errata]}


def test_where_nothing_moved_that_is_said():
    one = ledger(row())
    assert changelog.entry(one, one) == "No verdict moved."


def test_a_status_moves_by_errata_conditions_and_rows():
    red = row(status="holds as corrected", claims=[{"id": "gap", "passed": False}])
    before = ledger(row(claims=[{"id": "gap", "passed": True}]), errata=[erratum("E1")])
    said = changelog.entry(before, ledger(red, errata=[erratum("E2")]))
    assert said == (
        "### Verdicts that moved\n\n"
        "- **Lemma 1** (`textbook.lemma-01`): holds → holds as corrected. Erratum E2 is new;"
        " erratum E1 was taken back; row `gap` fails now.\n\n"
        "### New errata\n\n- E2 (`textbook.lemma-01`), (1): harmless\n\n"
        "### Errata that were taken back\n\n- E1 (`textbook.lemma-01`), (1): harmless"
    )
    limited = row(status="holds under extra conditions", conditions=["K is even"])
    assert "New condition: K is even." in changelog.entry(ledger(row()), ledger(limited))
    assert "No longer a condition: K is even." in changelog.entry(ledger(limited), ledger(row()))


def test_a_strength_moves_by_parts_and_by_trust():
    old = row(parts=[part("rate", "proved"), part("size", "proved")])
    new = row(strength="measured", parts=[part("limit", "proved"), part("rate", "measured")])
    new["trusted"] = [{"words": "Picard"}]
    said = changelog.entry(ledger(old), ledger(new))
    assert said.endswith(
        ": proved → measured. Part “rate” was proved and is measured; part “limit” is new, and"
        " proved; part “size” is gone, which was proved; taken on trust now: Picard."
    )
    assert "their rules changed" in changelog.entry(ledger(row()), ledger(row(strength=None)))


def test_statements_come_and_go():
    other = row(tag="textbook.lemma-02", number="Lemma 2")
    said = changelog.entry(ledger(row()), ledger(other))
    assert "### New statements\n\n- Lemma 2 (`textbook.lemma-02`): holds, proved" in said
    assert "### Statements that are gone\n\n- Lemma 1 (`textbook.lemma-01`)" in said


def test_two_files_are_compared_and_a_missing_one_is_named(tmp_path, capsys):
    file = tmp_path / "old.json"
    file.write_text(json.dumps(ledger(row())))
    assert changelog.main(str(file), str(file)) == 0
    assert capsys.readouterr().out == "No verdict moved.\n"
    with pytest.raises(ValueError, match=r"ledger = '.*new\.json', allowed: a file, such as"):
        changelog.main(str(file), str(tmp_path / "new.json"))
