"""Faults shown to change nothing: the list says what stands, and campaigns heed it."""

import pytest
from ledgerbook.covering import Covering

from ledgerbook import equivalent, mutate, wrong_formulas

ENTRY = (
    '[[equivalent]]\nfile = "one.py"\ncode = "ONE = 1"\nchange = "1 becomes 2"\nwhy = "because"\n'
)


@pytest.fixture
def listed(tmp_path, monkeypatch):
    """Writes a list beside a module of two lines; returns a function that writes it."""
    (tmp_path / "one.py").write_text("if True:\n    ONE = 1\n", encoding="utf-8")
    monkeypatch.setattr(equivalent.paths, "ROOT", tmp_path)
    monkeypatch.setattr(equivalent.paths, "EQUIVALENT", tmp_path / "list.toml")

    def write(text):
        equivalent.shown.cache_clear()
        equivalent._lines.cache_clear()
        (tmp_path / "list.toml").write_text(text, encoding="utf-8")

    write(ENTRY)
    yield write
    equivalent.shown.cache_clear()
    equivalent._lines.cache_clear()


def test_the_list_of_this_book_stands():
    for fault, why in equivalent.shown().items():
        assert len(why.split()) > 3, fault


def test_a_fault_is_known_by_line_and_words(listed):
    assert equivalent.is_shown("one.py", 2, "1 becomes 2")
    assert not equivalent.is_shown("one.py", 2, "1 becomes 3")
    assert not equivalent.is_shown("one.py", 1, "1 becomes 2")


@pytest.mark.parametrize(
    "change, said",
    [
        (("ONE = 1", "ONE = 7"), "a line of one.py as it stands"),
        (('"one.py"', '"two.py"'), "a line of two.py as it stands"),
        (('why = "because"', 'why = ""'), "an entry of"),
        (('change = "1 becomes 2"\n', ""), "an entry of"),
    ],
)
def test_an_entry_that_says_nothing_of_the_code_is_refused(listed, change, said):
    listed(ENTRY.replace(*change))
    with pytest.raises(ValueError, match=said):
        equivalent.shown()


def test_no_list_shows_nothing(listed, tmp_path):
    (tmp_path / "list.toml").unlink()
    equivalent.shown.cache_clear()
    assert not equivalent.is_shown("one.py", 2, "1 becomes 2")


def test_a_listed_fault_is_counted_and_nobody_is_asked(listed, tmp_path):
    fault = mutate.Mutant("one.py", 2, "1 becomes 2", "if True:\n    ONE = 2\n")
    assert mutate.judge(fault, tmp_path, Covering())["noticed"] == "equivalent"


def test_a_listed_formula_is_not_asked_and_another_takes_its_place(monkeypatch):
    name = "lib.scan_snap.decoder:speed"
    wrong = wrong_formulas.wrongs(name)[0]
    file = "lib/scan_snap/decoder.py"
    here = equivalent.Fault(file, equivalent._lines(file)[wrong.line - 1], wrong.what)
    monkeypatch.setattr(equivalent, "shown", lambda: {here: "because"})
    done = wrong_formulas.judge(wrong, [])
    assert done["noticed"] == "equivalent" and not wrong_formulas._runs(done)
