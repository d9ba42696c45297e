"""Faults: each changes what the code does, and the tests that mirror a module are found."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ledgerbook.covering import Covering
from ledgerbook.statements import statement

from ledgerbook import mutate

SOURCE = '''"""Words stay."""


def sign(x, y):
    """Words stay."""
    if x < 0 and not y:
        return -x + 1.5
    return x * y
'''


@pytest.fixture(autouse=True)
def unlisted(monkeypatch):
    """No fault counts as one that was shown to change nothing."""
    monkeypatch.setattr(mutate.equivalent, "shown", dict)


def test_every_place_gives_another_program_and_words_stay():
    places = list(mutate.sites(SOURCE))
    made = [mutate.broken(SOURCE, index) for index in places]
    texts = [ast.dump(ast.parse(text)) for _, _, text in made]
    assert ast.dump(ast.parse(SOURCE)) not in texts
    assert len(set(texts)) == len(texts) >= 9
    assert all("Words stay." in text for _, _, text in made)


def test_faults_say_what_they_are():
    words = {change for _, change, _ in (mutate.broken(SOURCE, k) for k in mutate.sites(SOURCE))}
    assert {
        "Lt becomes GtE",
        "And becomes Or",
        "not is dropped",
        "minus is dropped",
        "Add becomes Sub",
        "Mult becomes Div",
        "1.5 becomes 2.5",
        "returns None",
    } <= words


@pytest.mark.parametrize(
    ("code", "change", "value"),
    [
        ("-x", "minus is dropped", 3),
        ("not x", "not is dropped", True),
        ("x > 3", "Gt becomes LtE", True),
        ("x is None", "Is becomes IsNot", True),
        ("x and 0", "And becomes Or", 3),
        ("bool(x) == True", "True becomes False", False),
        ("x / 2", "2 becomes 3", 1.0),
    ],
)
def test_a_fault_does_what_it_says(code, change, value):
    faults = [mutate.broken(code, place) for place in mutate.sites(code)]
    (text,) = [text for _, words, text in faults if words == change]
    found = eval(text, {"x": 3})
    assert found == value and type(found) is type(value)


def test_a_guard_against_our_own_misuse_is_left_alone_and_only_its_switch():
    source = "def f(strict):\n    print(zip(a, b, strict=True), flush=x > 1, end=True)\n"
    words = [mutate.broken(source, place)[1] for place in mutate.sites(source)]
    assert sorted(words) == ["1 becomes 2", "True becomes False"]


def test_the_seed_alone_draws_them():
    one = mutate.sample(5, 3, ["lib/mechanics"])
    assert one == mutate.sample(5, 3, ["lib/mechanics"])
    assert one != mutate.sample(5, 4, ["lib/mechanics"])


@pytest.mark.parametrize("given, drawn", [(["lib/mechanics"], ["lib/mechanics"]), ((), None)])
def test_faults_are_drawn_in_the_folders_that_are_named_or_in_all(
    tmp_path, monkeypatch, given, drawn
):
    asked = []
    monkeypatch.setattr(mutate, "sample", lambda number, seed, folders: asked.append(folders) or [])
    monkeypatch.setattr(mutate, "copies", lambda number: [tmp_path])
    monkeypatch.setattr(mutate.covering, "measure", lambda places, tests: Covering())
    monkeypatch.setattr(mutate.paths, "BUILD", tmp_path)
    assert mutate.main(1, 0, 1, given) == 0
    assert asked == [drawn or list(mutate.project.settings().tests)]


def test_only_tests_of_code_with_a_fault_are_measured(tmp_path, monkeypatch):
    measured, fault = [], mutate.Mutant("tooling/lock.py", 1, "1 becomes 2", "ONE = 2\n")
    monkeypatch.setattr(mutate, "sample", lambda number, seed, folders: [fault])
    monkeypatch.setattr(mutate, "copies", lambda number: [tmp_path])
    monkeypatch.setattr(
        mutate.covering, "measure", lambda places, tests: measured.append(tests) or Covering()
    )
    monkeypatch.setattr(mutate, "judge", lambda *given: {**vars(fault), "noticed": "a test"})
    monkeypatch.setattr(mutate.paths, "BUILD", tmp_path)
    assert mutate.main(1, 0, 1, ["tooling"]) == 0
    assert [[*tests] for tests in measured] == [["tooling"]]


def test_a_module_is_asked_by_the_chapters_that_reach_it_statements_first(monkeypatch):
    tags = ("scan-snap.figure-02", "mechanics.convexity", "scan-snap.lemma-06")
    monkeypatch.setattr(mutate, "written", lambda: [statement(tag) for tag in tags])
    assert mutate.chapters_of("lib/scan_snap/decoder.py") == ["scan-snap.lemma-06"]
    both = mutate.chapters_of("lib/scan_snap/__init__.py")
    assert both == ["scan-snap.lemma-06", "scan-snap.figure-02"]


def test_a_fault_is_in_the_copy_while_it_is_asked_and_not_after(tmp_path, monkeypatch):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/one.py").write_text("ONE = 1\n", encoding="utf-8")
    fault = mutate.Mutant("lib/one.py", 1, "1 becomes 2", "ONE = 2\n")
    reach = Covering({"tests/test_one.py": 1.0}, {"lib/one.py": {1: {"tests/test_one.py"}}})
    asked = []

    def red(copy, files, limit):
        asked.append(((copy / "lib/one.py").read_text(encoding="utf-8"), list(files)))
        return True

    monkeypatch.setattr(mutate, "red", red)
    assert mutate.judge(fault, tmp_path, reach)["noticed"] == "tests"
    assert asked == [("ONE = 2\n", ["tests/test_one.py"])]
    assert (tmp_path / "lib/one.py").read_text(encoding="utf-8") == "ONE = 1\n"


def test_what_no_test_reaches_is_said(tmp_path, monkeypatch):
    (tmp_path / "one.py").write_text("ONE = 1\n", encoding="utf-8")
    monkeypatch.setattr(mutate, "chapters_of", lambda file: [])
    fault = mutate.Mutant("one.py", 1, "1 becomes 2", "ONE = 2\n")
    assert mutate.judge(fault, tmp_path, Covering())["noticed"] == "reached by no test"


@pytest.mark.parametrize(
    "code, noticed",
    [("pass", False), ("raise SystemExit(2)", True), ("import time; time.sleep(60)", True)],
    ids=["that passes", "that fails", "that does not end"],
)
def test_a_command_notices_a_fault_by_its_exit_or_by_not_ending(
    tmp_path, monkeypatch, capfd, code, noticed
):
    monkeypatch.setattr(mutate, "LIMIT", 0.5 if "sleep" in code else 60)
    assert mutate._fails(["-c", f"print('words'); {code}"], tmp_path) is noticed
    assert capfd.readouterr() == ("", "")  # a campaign says what was noticed, not how


@pytest.mark.parametrize("fails, noticed", [(True, "claims of a.b"), (False, "survived")])
def test_what_tests_let_pass_is_asked_of_the_claims(tmp_path, monkeypatch, fails, noticed):
    (tmp_path / "one.py").write_text("ONE = 1\n", encoding="utf-8")
    monkeypatch.setattr(mutate, "red", lambda copy, files, limit: False)
    monkeypatch.setattr(mutate, "chapters_of", lambda file: ["a.b"])
    monkeypatch.setattr(mutate, "_fails", lambda words, copy: fails and words[-1] == "a.b")
    reach = Covering({"tests/test_one.py": 1.0}, {"one.py": {1: {"tests/test_one.py"}}})
    fault = mutate.Mutant("one.py", 1, "1 becomes 2", "ONE = 2\n")
    assert mutate.judge(fault, tmp_path, reach)["noticed"] == noticed


def test_no_fault_is_judged_by_what_another_was_compiled_to(tmp_path, monkeypatch):
    """Two of one size within one second: Python would take the second for the first."""
    (tmp_path / "one.py").write_text("ONE = 1\n", encoding="utf-8")
    words = [sys.executable, "-c", "import one, sys; sys.exit(one.ONE == 2)"]

    def red(copy, *_):
        return subprocess.run(words, cwd=copy, env=mutate.environment(copy)).returncode

    monkeypatch.setattr(mutate, "red", red)
    monkeypatch.setattr(mutate, "chapters_of", lambda file: [])
    reach = Covering({"tests/test_one.py": 1.0}, {"one.py": {1: {"tests/test_one.py"}}})
    write = Path.write_text

    def at_one_time(path, text, **more):
        write(path, text, **more)
        os.utime(path, (10**9, 10**9))

    monkeypatch.setattr(Path, "write_text", at_one_time)
    faults = [mutate.Mutant("one.py", 1, "1 becomes ...", f"ONE = {one}\n") for one in (2, 3, 2)]
    noticed = [mutate.judge(fault, tmp_path, reach)["noticed"] for fault in faults]
    assert noticed == ["tests", "survived", "tests"]
