"""Which tests reach a line: in processes of their own too, and only those that are green."""

import pytest

from ledgerbook import covering, project

SOURCE = """def one(x):
    if (
        x
        > 0
    ):
        return 1
    return 2
"""
TESTS = {
    "test_positive": "import part\n\n\ndef test_it():\n    assert part.one(1) == 1\n",
    "test_process": (
        "import subprocess, sys\n\n\ndef test_it():\n"
        "    subprocess.run([sys.executable, '-c', 'import part; part.one(-1)'], check=True)\n"
    ),
    "test_red": "import part\n\n\ndef test_it():\n    assert part.one(1) == 2\n",
    "test_slow": "import part\n\n\ndef test_it():\n    part.one(-1)\n",
}

WHOLE = covering.environment  # the copy of these tests has another


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    copy = tmp_path_factory.mktemp("copy")
    (copy / "code").mkdir()
    (copy / "code/part.py").write_text(SOURCE, encoding="utf-8")
    (copy / "tests").mkdir()
    for name, text in TESTS.items():
        (copy / f"tests/{name}.py").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # they ask nothing of what is installed
        env = alone | {"PYTHONPATH": str(copy / "code")}
        patch.setattr(covering, "environment", lambda copy: env)
        settings = project.Settings(slow_tests=("tests/test_slow.py",))
        patch.setattr(project, "settings", lambda: settings)
        patch.setattr(covering.paths, "BUILD", tmp_path_factory.mktemp("build"))
        yield copy


@pytest.fixture(scope="module")
def reach(copy):
    return covering.measure([copy], {"code": ["tests"]})


def test_a_line_is_reached_by_what_executes_it_in_any_process(reach):
    assert reach.judges("code/part.py", SOURCE, 6, 1e9) == ["tests/test_positive.py"]
    assert reach.judges("code/part.py", SOURCE, 7, 1e9) == ["tests/test_process.py"]
    both = {"tests/test_positive.py", "tests/test_process.py"}
    assert set(reach.judges("code/part.py", SOURCE, 4, 1e9)) == both  # a condition over lines


def test_what_is_red_or_slow_judges_nothing(reach):
    assert reach.red == ["tests/test_red.py"]
    assert set(reach.seconds) == {"tests/test_positive.py", "tests/test_process.py"}
    assert all(0 < seconds < 60 for seconds in reach.seconds.values())


def test_the_mirror_comes_first_then_the_fastest_within_the_time():
    seconds = {"a/test_x.py": 9.0, "a/test_part.py": 50.0, "a/test_y.py": 1.0}
    reach = covering.Covering(seconds, {"code/part.py": {1: set(seconds)}})
    judges = reach.judges("code/part.py", "ONE = 1\n", 1, 55)
    assert judges == ["a/test_part.py", "a/test_y.py"]
    assert reach.judges("code/part.py", "ONE = 1\n", 1, 51) == judges
    assert reach.judges("code/part.py", "ONE = 1\n", 1, 5) == ["a/test_part.py"]
    assert reach.judges("code/other.py", "ONE = 1\n", 1, 5) == []


def test_what_none_is_seen_to_reach_is_asked_of_all_that_import_it(reach):
    loop = SOURCE + "\n\ndef loop():\n    return 2\n"
    last = loop.count("\n")
    both = {"tests/test_positive.py", "tests/test_process.py"}
    assert set(reach.judges("code/part.py", loop, last, 1e9)) == both


def test_a_statement_with_a_body_is_its_head():
    assert covering.statement(SOURCE, 4) == range(2, 6)
    assert covering.statement(SOURCE, 6) == range(6, 7)
    assert covering.statement(SOURCE, 1) == range(1, 2)
    branches = "if x:\n    y = 1\n\nelse:\n    y = 2\n\n# a word\n"
    for alone in (4, 7):  # no statement's, but of the branch around it
        assert covering.statement(branches, alone) == range(alone, alone + 1)


def test_what_a_test_reached_is_kept_until_it_or_the_code_changes(reach, copy, monkeypatch):
    ran = []
    monkeypatch.setattr(covering, "red", lambda copy, files, *rest: bool(ran.extend(files) or 1))

    def again():
        ran.clear()
        return covering.measure([copy], {"code": ["tests"]})

    assert again() == reach
    assert ran == ["tests/test_red.py"]
    (copy / "tests/test_process.py").write_text("", encoding="utf-8")
    again()
    assert ran == ["tests/test_process.py", "tests/test_red.py"]
    (copy / "code/part.py").write_text(SOURCE + "\n", encoding="utf-8")
    again()
    assert ran == ["tests/test_positive.py", "tests/test_process.py", "tests/test_red.py"]


@pytest.mark.parametrize("code", [0, 1])
def test_what_tests_print_is_not_shown_and_their_exit_tells(tmp_path, monkeypatch, capfd, code):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho words; echo more >&2; exit {code}\n")
    python.chmod(0o755)
    monkeypatch.setattr(covering.sys, "executable", str(python))
    assert covering.red(tmp_path, ["test_one.py"], 60) is bool(code)
    assert capfd.readouterr() == ("", "")


def test_a_process_imports_the_packages_of_the_copy_and_has_one_thread(tmp_path):
    found = WHOLE(tmp_path)
    assert found["PYTHONPATH"] == covering.paths.python_path(tmp_path)
    assert found["OMP_NUM_THREADS"] == "1"
