"""The template makes a companion that builds and tests in two commands."""

import compileall
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jinja2
import pytest
import yaml

TEMPLATE = Path(__file__).resolve().parents[1] / "template"
SOURCE = TEMPLATE.parent / "src"
ANSWERS = {
    "title": "A companion to Euler",
    "paper": "odd-sums",
    "paper_title": 'On "odd" & even sums',
    "author": "its authors",
    "year": "2031",
    "ledgerbook": str(TEMPLATE.parent),
}


def instantiate(folder, answers):
    """What copier does with the template: names and ``.jinja`` files rendered, all else copied."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    settings = yaml.safe_load((TEMPLATE / "copier.yml").read_text(encoding="utf-8"))
    top = TEMPLATE / settings["_subdirectory"]
    for file in sorted(file for file in top.rglob("*") if file.is_file()):
        name = environment.from_string(file.relative_to(top).as_posix()).render(answers)
        target = folder / name.removesuffix(settings["_templates_suffix"])
        target.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text(encoding="utf-8")
        rendered = (
            environment.from_string(text).render(answers) if name.endswith(".jinja") else text
        )
        target.write_text(rendered, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def fresh(tmp_path_factory, with_font):
    """A companion of the template."""
    return with_font(instantiate(tmp_path_factory.mktemp("fresh"), ANSWERS))


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
    env["PYTEST_ADDOPTS"] = "-p no:hypothesispytest"  # installed for other tests
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
    text = (TEMPLATE.parent / "README.md").read_text(encoding="utf-8")
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
