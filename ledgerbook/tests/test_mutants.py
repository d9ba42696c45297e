"""Slips are drawn from a seed, put into a copy, and seen by the tests that reach them, or not."""

import ast
import shutil

import pytest
from ledgerbook.project.project import current
from ledgerbook.rows import mutants

SOURCE = "def f(x: int = 3):\n    é = 2 * x + 0.0  # kept\n    return é < -1\n"


@pytest.fixture
def project(tmp_path, varied):
    """A project of one formula and its test; the folder of a copy."""
    varied(root=tmp_path / "here")
    for name, text in {
        "lib/__init__.py": "",
        "lib/double.py": "def double(x):\n    return 2 * x\n",
        "tests/test_double.py": "from lib.double import double\n\n\n"
        "def test_double():\n    assert double(2) == 4\n",
        "pyproject.toml": "[tool.ledgerbook]",
    }.items():
        (tmp_path / "here" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "here" / name).write_text(text)
    varied(imports={"lib": current().root})
    shutil.copytree(current().root, tmp_path / "copy")
    return tmp_path / "copy"


def test_each_slip_changes_one_expression_and_no_other_letter():
    found = [
        mutants.mutant(current().root / "lib/f.py", SOURCE, *pair)
        for pair in mutants.places(ast.parse(SOURCE))
    ]
    said = {(one.before, one.after) for one in found}
    assert {("2 * x", "2 / x"), ("é < -1", "é <= -1"), ("-1", "1"), ("2", "3")} <= said
    assert all("# kept" in one.text and ast.parse(one.text) for one in found)
    assert len({one.text for one in found}) == len(found)
    assert all(one.before != one.after for one in found)  # a tenth more of nothing is no slip


def test_a_seed_draws_the_same_and_another_another():
    files = sorted((current().root / "power").glob("*.py"))
    same = [mutants.drawn(5, seed, files) for seed in (0, 0, 1)]
    assert same[0] == same[1] != same[2]


@pytest.mark.parametrize("number", [-1, 0, 99_999_999])
def test_more_slips_than_there_can_be_or_fewer_than_one_are_refused(number):
    files = sorted((current().root / "power").glob("*.py"))
    with pytest.raises(ValueError, match=f"N = {number}, allowed: a whole number from 1 to "):
        mutants.drawn(number, 0, files)


def test_a_slip_is_seen_by_the_test_that_it_breaks_and_the_tree_stays(project):
    file = current().root / "lib/double.py"
    before = file.read_text()
    slips = {one.after: one for one in mutants.drawn(3, 0, [file])}
    assert mutants.seen(slips["2 / x"], project)
    unseen = slips["2 / x"]._replace(text=before.replace("2 * x", "x + x"))
    assert not mutants.seen(unseen, project)
    assert file.read_text() == before == (project / "lib/double.py").read_text()
