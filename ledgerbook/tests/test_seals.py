"""What is stored is what was stored, entry by entry."""

import dataclasses
import json

import pytest
from ledgerbook.project import seals
from ledgerbook.project.project import current


@pytest.fixture
def table(tmp_path):
    """A table of two runs, sealed."""
    file = tmp_path / "table.json"
    runs = [{"seed": seed, "loss": [4.5, 4.25 + seed]} for seed in (0, 1)]
    file.write_text(json.dumps({"runs": runs, "names": {"a": 1}, "made": "today"}))
    seals.seal(file)
    return file


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("5.25", "7.875", "runs[1]"),
        ("today", "then", "made"),
        ('"a": 1', '"a": 2', "names"),
        (', {"seed": 1, "loss": [4.5, 5.25]}', "", "runs[1]"),
        ('"made"', '"more": 1, "made"', "more"),
    ],
)
def test_an_entry_that_was_changed_is_named(table, old, new, place):
    assert seals.broken(table) == []
    table.write_text(table.read_text().replace(old, new))
    assert seals.broken(table) == [place]
    (line,) = seals.problems([table])
    assert line.startswith(f"{table}: {place}: not as it was stored")


def test_another_layout_of_the_same_is_the_same(table):
    table.write_text(json.dumps(json.loads(table.read_text()), indent=3, sort_keys=True))
    assert seals.broken(table) == []


def test_a_file_that_is_gone_or_has_come_is_named_where_others_are_sealed(table):
    other = table.with_name("other.json")
    other.write_text('{"a": 1}')
    assert seals.broken(other) == ["a"]
    table.unlink()
    assert set(seals.broken(table)) == {"runs[0]", "runs[1]", "names", "made"}
    table.with_name(seals.NAME).write_text("{}")
    assert seals.broken(other) == ["a"]
    table.with_name(seals.NAME).unlink()
    assert seals.broken(other) == []


def test_seals_that_were_emptied_fit_nothing(table):
    table.with_name(seals.NAME).write_text("{}")
    assert set(seals.broken(table)) == {"runs[0]", "runs[1]", "names", "made"}


def test_where_a_folder_has_to_be_sealed_its_seals_are_missed(table, tmp_path, varied):
    table.with_name(seals.NAME).unlink()
    assert seals.broken(table) == []
    sealed = dataclasses.replace(current().settings, sealed=(str(tmp_path),))
    varied(settings=sealed)
    assert seals.broken(table) == ["runs[0]", "runs[1]", "names", "made"]
