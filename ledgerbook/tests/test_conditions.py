"""What is different in another run: parameters, threads, interpreters; and who has none."""

import os

import pytest
from ledgerbook.conditions import Condition, conditions
from ledgerbook.statements import statement

from ledgerbook import environment, notebooks

CHAPTER = statement("textbook.theorem-01")
# An interpreter that knows of one package; as ``python -c CODE names…`` it is given their names.
ASKED = '#!/bin/sh\n[ "$1" = -c ] && echo "Python 3.99" && echo "$3 1.2" && echo a warning >&2\n'


@pytest.fixture
def python(tmp_path, monkeypatch):
    """An interpreter beside which this process works."""
    file = tmp_path / "python"
    file.write_text(ASKED, encoding="utf-8")
    file.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return file


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"seed": 10007}, {"seed": 10010}),
        ({"dtype": "float32"}, {"dtype": "float32"}),
        ({"seed": 1, "dtype": "float32"}, {"seed": 4, "dtype": "float32"}),
        ({}, {}),
        ({"matrices": 1}, None),
        ({"seed": 1, "matrices": 1}, None),
    ],
)
def test_a_number_is_added_to_the_chapters_own_and_a_word_replaces_it(given, found, monkeypatch):
    own = {"seed": 3, "dtype": "float64"}
    monkeypatch.setattr(notebooks, "parameters", lambda notebook: own)
    assert Condition("other", "words", given).values(CHAPTER) == found


def test_all_conditions_differ_in_one_thing():
    known = conditions()
    assert [*known] == [one.name for one in known.values()]
    seeds = [one for name, one in known.items() if name.startswith("seed")]
    shifts = [one.parameters["seed"] for one in seeds]
    assert shifts == [k * shifts[0] for k in (1, 2, 3)] and shifts[0] > 0  # none meets another
    assert all(one.words == f"every `seed` plus {one.parameters['seed']}" for one in seeds)
    assert known["float32"].parameters == {"dtype": "float32"}
    threads = known["threads"].environment
    assert set(threads) == {name for name in environment.QUIET if "THREADS" in name}
    assert set(threads.values()) == {"2"}
    for one in known.values():
        assert bool(one.parameters) != bool(one.environment)


def test_another_interpreter_is_named_by_its_version_and_found_from_any_folder(python, capfd):
    known = conditions([f".{os.sep}python"])
    found = known["python-3.99"]
    assert (found.python, found.words) == (str(python), "Python 3.99, numpy 1.2")
    assert not found.parameters and not found.environment
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("given", ["/nowhere/python", "false"])
def test_what_does_not_start_is_no_interpreter(given):
    with pytest.raises(ValueError, match=f"python = '.*{given}', allowed: an interpreter"):
        conditions([given])
