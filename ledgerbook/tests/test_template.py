"""``ledgerbook start`` makes a companion that builds and tests in two commands."""

import compileall
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ledgerbook.commands import start

PACKAGE = Path(__file__).resolve().parents[1]
SOURCE = PACKAGE / "src"
ANSWERS = {
    "title": "A companion to Euler",
    "paper": "odd-sums",
    "paper_title": 'On "odd" & even sums',
    "author": "its authors",
    "year": "2031",
    "install": str(PACKAGE),
}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory, with_font):
    """A companion of the template."""
    folder = tmp_path_factory.mktemp("fresh")
    start.main(str(folder), **ANSWERS)
    return with_font(folder)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The package as pip leaves it: each module compiled, those among the templates too."""
    folder = tmp_path_factory.mktemp("installed")
    writing = shutil.ignore_patterns("*.pyc.*")  # by other tests' processes
    shutil.copytree(SOURCE / "ledgerbook", folder / "ledgerbook", ignore=writing)
    assert compileall.compile_dir(folder, quiet=1)
    return folder


def make(folder, installed, *targets):
    """Exit status and output of make, with this Python in place of the installed environment."""
    usual = ["make", "-o", "ready", f"PY={sys.executable}"]
    env = {name: value for name, value in os.environ.items() if name != "LEDGERBOOK_PROJECT"}
    # What an installation has: the entry point, and no plugin of Hypothesis.
    env["PYTEST_ADDOPTS"] = "-p no:hypothesispytest -p ledgerbook_pytest"
    done = subprocess.run(
        [*usual, *targets],
        cwd=folder,
        env=env | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=400,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
def test_two_commands_build_and_test_it(fresh, installed):
    code, said = make(fresh, installed, "book")
    assert code == 0, said
    (row,) = json.loads((fresh / "_build/ledger.json").read_text(encoding="utf-8"))["statements"]
    assert (row["tag"], row["status"], row["strength"]) == (
        "odd-sums.lemma-01",
        "holds as corrected",
        "proved",
    )
    assert "A companion to Euler" in (fresh / "_build/html/book/intro.html").read_text()
    assert "A companion to Euler · 2031" in (fresh / "_build/html/book/intro.html").read_text()
    code, said = make(fresh, installed, "test")
    assert code == 0, said
    (fresh / "book/errata/E1.py").write_text("print('printed', 1)", encoding="utf-8")
    (fact,) = (fresh / "tests").glob("test_*.py")
    fact.write_text(fact.read_text().replace("1 + 3 + 5", "1 + 3 + 6"), encoding="utf-8")
    code, said = make(fresh, installed, "test")  # the chapter is as it was
    assert code != 0 and "E1.py does not end with the three numbers" in said
    assert "test_the_first_three" in said


def test_the_example_of_the_readme_is_a_chapter(capsys):
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    rows, script, shown, *_ = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    space = {"__name__": "example", "n": 50}
    exec(rows, space)
    exec(script, {})
    exec(shown.partition("\n\n")[2], space)
    record = space["lemma"].close().record
    assert [row["passed"] for row in record["claims"]] == [True, True, False]
    assert record["hypotheses"][1]["necessity"] == "unknown" and record["trusted"]
    (slip,) = record["errata"]
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [float(number) for _, number in said] == slip["numbers"]


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine").touch()
    with pytest.raises(ValueError, match="a new folder, or an empty one"):
        start.main(str(tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("install", "line"),
    [
        ("/a/folder", "/a/folder[book,test]"),
        ("git+https://a.b/c", "ledgerbook[book,test] @ git+https://a.b/c"),
        ("ledgerbook==0.1.0", "ledgerbook[book,test]==0.1.0"),
    ],
)
def test_what_is_installed_has_the_extras(install, line):
    assert start.rendered(ANSWERS | {"install": install})["requirements.txt"].startswith(line)
