"""A campaign of small faults: what is copied, who is asked for how long, what is stored."""

import json

import pytest
from ledgerbook.covering import Covering

from ledgerbook import mutate


@pytest.fixture(autouse=True)
def unlisted(monkeypatch):
    """No fault counts as one that was shown to change nothing."""
    monkeypatch.setattr(mutate.equivalent, "shown", dict)


@pytest.mark.parametrize("seconds", [1.0, 40.0, 100.0])
def test_tests_have_more_time_than_they_take_and_the_likeliest_is_asked_first(
    tmp_path, monkeypatch, seconds
):
    (tmp_path / "one.py").write_text("ONE = 1\n", encoding="utf-8")
    files = [f"tests/test_{name}.py" for name in ("one", "two", "three")]
    reach = Covering(dict.fromkeys(files, seconds), {"one.py": {1: {*files}}})
    judges = reach.judges("one.py", "ONE = 1\n", 1, mutate.PATIENCE)
    asked = []

    def red(copy, some, limit):
        asked.append(list(some))
        assert limit > seconds * len(judges)

    monkeypatch.setattr(mutate, "red", red)
    monkeypatch.setattr(mutate, "chapters_of", lambda file: [])
    fault = mutate.Mutant("one.py", 1, "1 becomes 2", "ONE = 2\n")
    assert mutate.judge(fault, tmp_path, reach)["noticed"] == "survived"
    assert asked == [some for some in (judges[:1], judges[1:]) if some]


def test_the_first_six_chapters_are_asked(tmp_path, monkeypatch):
    (tmp_path / "one.py").write_text("ONE = 1\n", encoding="utf-8")
    asked = []
    monkeypatch.setattr(mutate, "chapters_of", lambda file: [f"a.{k}" for k in range(9)])
    monkeypatch.setattr(mutate, "_fails", lambda words, copy: asked.append(words[-1]))
    mutate.judge(mutate.Mutant("one.py", 1, "1 becomes 2", "ONE = 2\n"), tmp_path, Covering())
    assert asked == [f"a.{k}" for k in range(6)]


def test_a_copy_is_made_anew_and_without_what_is_made_from_the_rest(tmp_path, monkeypatch):
    rest = (".git/HEAD", "_build/old", "lib/__pycache__/one.pyc", "tests/equivalent.toml")
    for name in ("lib/one.py", *rest):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(mutate.paths, "ROOT", tmp_path)
    monkeypatch.setattr(mutate.paths, "BUILD", tmp_path / "_build")
    for _ in range(2):
        copies = mutate.copies(2, "kills")
        assert copies == [tmp_path / "_build/kills/0", tmp_path / "_build/kills/1"]
        for copy in copies:
            files = [file.relative_to(copy) for file in copy.rglob("*") if file.is_file()]
            assert list(map(str, files)) == ["lib/one.py"]
            (copy / "left.txt").touch()  # of a campaign that was killed


def test_a_campaign_stores_every_fault_and_counts_who_noticed(tmp_path, monkeypatch, capsys):
    noticed = ["survived", "tests", "claims of a.b", "claims of a.c", "tests", "tests"]
    faults = [mutate.Mutant("lib/one.py", k, one, "") for k, one in enumerate(noticed)]
    where, reach = {}, Covering(red=["tests/test_red.py"])

    def judge(fault, copy, given):
        assert given is reach
        where[fault.line] = copy.name
        return {**vars(fault), "noticed": fault.change}

    monkeypatch.setattr(mutate, "sample", lambda number, seed, folders: faults)
    monkeypatch.setattr(mutate, "copies", lambda jobs: [tmp_path / str(k) for k in range(jobs)])
    monkeypatch.setattr(mutate.covering, "measure", lambda places, tests: reach)
    monkeypatch.setattr(mutate, "judge", judge)
    monkeypatch.setattr(mutate.paths, "BUILD", tmp_path)
    assert mutate.main(6, 0) == 0
    assert where == {k: str(k % 2) for k in range(6)}  # two at a time, each in its own copy
    stored = json.loads((tmp_path / "mutants.json").read_text(encoding="utf-8"))
    assert sorted(row["line"] for row in stored) == [*range(6)]
    first, *lines, last = capsys.readouterr().out.splitlines()
    assert first == "red without a fault, judges nothing: tests/test_red.py"
    assert sorted(lines) == sorted(f"{n}: lib/one.py:{k} {n}" for k, n in enumerate(noticed))
    assert last == "3 tests, 2 claims, 1 survived"
