"""Verdicts asked again: what a sharp one says under another seed, what is stored, what is left."""

import json
import sys

import matplotlib as mpl
import numpy as np
import pytest

TAG = "textbook.corollary-01"
SEED, THREADS = ("--conditions", "seed"), ("--conditions", "threads")
BOTH = (*SEED, "threads")


@pytest.fixture
def book(executed_in, tmp_path):
    """A companion whose chapters are stored with their outputs."""
    return executed_in(tmp_path, "power_iteration")


def stored(book):
    return json.loads((book.root / "book/invariance.json").read_text(encoding="utf-8"))


def test_verdicts_that_stand_are_asked_once(book):
    code, said = book.run("invariance")
    assert code == 0, said
    assert said.count("verdicts the same") == 8 and said.count("has no dtype") == 2, said
    found = stored(book)["seed"]["chapters"][TAG]
    assert found["rows"] == 3 and found["verdicts"] == found["statuses"] == []
    code, said = book.run("invariance")
    assert (code, said.splitlines()) == (0, ["0 of 10 runs changed a verdict"])


def test_a_verdict_that_another_seed_flips_is_named(book):
    ask = "worst, draw = [], float(rng.normal())"
    book.replace("book/textbook/corollary_01.ipynb", "worst = []", ask)
    lucky = 'max(worst),\\n",\n    "    \\"<=\\",\\n",\n    "    1e-12,'
    unlucky = 'draw,\\n",\n    "    \\"in\\",\\n",\n    "    [0.1257, 0.1258],'
    book.replace("book/textbook/corollary_01.ipynb", lucky, unlucky)
    code, said = book.run("book", "--no-pages", "--force", "--only", TAG)
    assert code == 0, said
    code, said = book.run("invariance", "--only", TAG, *BOTH)
    assert code == 1 and f"CHANGED seed {TAG}: {TAG}: holds -> does not hold" in said, said
    assert f"CHANGED seed {TAG}: {TAG}#bound: 0.12573" in said
    assert f"threads {TAG}: 3 verdicts the same" in said


def test_a_changed_formula_is_asked_again_and_an_error_is_a_change(book):
    assert book.run("invariance", *SEED)[0] == 0
    book.replace("power/iteration.py", "np.array(found).T", "np.array(found).T + 1 / (steps - 10)")
    code, said = book.run("invariance", *SEED)
    assert code == 1 and f"CHANGED seed {TAG}" in said and "1 of 2: " in said, said


def test_the_parameter_is_changed_behind_its_cell_and_the_threads_in_the_environment(book):
    line = "rng = np.random.default_rng(seed)"
    say = "import os\\n\",\n    \"raise ValueError(seed, matrices, os.environ['OMP_NUM_THREADS'])"
    book.replace("book/textbook/theorem_01.ipynb", line, say)
    code, said = book.run("invariance", "--only", "textbook.theorem-01", *BOTH)
    assert code == 1
    assert "stopped: ValueError: (10007, 200, '1')" in said
    assert "stopped: ValueError: (0, 200, '2')" in said


def test_what_an_environment_lacks_is_named_and_is_no_change(book):
    book.replace("power/iteration.py", "import numpy", "import nowhere.at_all\nimport numpy")
    code, said = book.run("invariance", *THREADS)
    assert code == 0 and said.count("needs nowhere") == 2, said


def test_another_interpreter_is_a_condition_named_by_its_version(book):
    version = "{}.{}".format(*sys.version_info)
    words = ("--conditions", f"python-{version}", "--python", sys.executable)
    code, said = book.run("invariance", *words)
    words = f"Python {version}, numpy {np.__version__}, matplotlib {mpl.__version__}"
    assert code == 0 and stored(book)[f"python-{version}"]["words"] == words, said


@pytest.mark.parametrize(
    ("words", "says"),
    [(["--conditions", "moon"], "moon"), (["--python", "/nowhere/python"], "/nowhere/python")],
)
def test_what_is_no_condition_is_refused_before_anything_runs(book, words, says):
    code, said = book.run("invariance", *words)
    assert code == 2 and says in said and "allowed" in said
    assert not (book.root / "book/invariance.json").exists()
