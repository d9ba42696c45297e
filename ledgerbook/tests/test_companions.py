"""Two foreign companions: a textbook theorem, and a published table on another subject."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

COMPANIONS = Path(__file__).resolve().parent / "companions"

STATUSES = {
    "power_iteration": {
        "textbook.theorem-01": "holds as corrected",
        "textbook.corollary-01": "holds",
    },
    "quartet": {"anscombe.table": "partly replicated", "anscombe.look": "holds"},
}
POWER, POINTS = "power/iteration.py", "quartet/points.py"
THEOREM, COROLLARY, TABLE = "textbook.theorem-01", "textbook.corollary-01", "anscombe.table"
# A formula broken, and where what has to turn red: a claim, a control that fails as it should not…
FAULTS = [
    (THEOREM, POWER, "abs(values))[-2:]", "abs(values))[-2:] ** 2", "tangent"),
    (COROLLARY, POWER, "x @ matrix @ x))", "x @ matrix @ q))", "bound"),
    (THEOREM, "checks/textbook/theorem_01.py", "1.0, -1.0", "1.0, -0.5", "Theorem01.tie"),
    (TABLE, POINTS, "[0, 1] ** 2", "[0, 1]", "two-digits"),
    (TABLE, POINTS, "8.77, 9.26", "8.77, 6.26", "E1"),
    (TABLE, "checks/anscombe/table.py", "y < 12", "y > 0", "Table.outlier"),
    (THEOREM, "book/errata/E1.py", "2", "3", "Theorem01.E1"),
    (TABLE, "book/anscombe/table.ipynb", "digits = 3", "digits = 4", "digits = 3, table.ipynb"),
]


def beside_notebooks(name):
    """Lines of a companion that stand neither in its notebooks nor in the modules of its rows."""
    files = [file for file in (COMPANIONS / name).rglob("*") if file.is_file()]
    ours = [
        f
        for f in files
        if f.suffix in (".py", ".toml", ".md", ".yml") and not {"_build", "checks"} & {*f.parts}
    ]
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in ours)


@pytest.mark.parametrize("name", STATUSES)
def test_a_companion_takes_forty_lines_beside_its_notebooks(name):
    assert beside_notebooks(name) <= 40


@pytest.fixture(scope="module", params=STATUSES)
def built(request, built_once):
    """A companion, built whole, and its ledger."""
    book = built_once(request.param)
    return book, json.loads((book.root / "_build/ledger.json").read_text(encoding="utf-8"))


def test_statuses_are_computed_and_controls_fail_as_they_should(built):
    book, ledger = built
    found = {row["tag"]: row["status"] for row in ledger["statements"]}
    assert found == STATUSES[book.root.name]
    assert [erratum["id"] for erratum in ledger["errata"]] == ["E1"]
    assert all(h["control"]["passed"] for row in ledger["statements"] for h in row["hypotheses"])


def test_the_graph_is_drawn_and_the_erratum_shown(built):
    book, _ = built
    folder = book.root / "_build/html/book"
    page = (folder / "intro.html").read_text(encoding="utf-8")
    graph = page.partition('class="statement-graph"')[2].partition("</svg>")[0]
    assert graph.count("<rect") == 2 and graph.count('class="edge"') == 1
    assert any("E1 —" in file.read_text(encoding="utf-8") for file in folder.glob("*.html"))


def test_nothing_is_executed_twice(built):
    code, said = built[0].run("book")
    assert code == 0 and "executed 0 of 2" in said, said


def test_the_erratum_s_own_script_says_what_the_ledger_says(built):
    book, ledger = built
    (erratum,) = ledger["errata"]
    script = [sys.executable, "-I", book.root / erratum["script"]]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    printed = [float(line.split()[1]) for line in done.stdout.splitlines()]
    assert printed == pytest.approx(erratum["numbers"], rel=1e-6)


@pytest.mark.parametrize(
    ("tag", "file", "old", "new", "words"), FAULTS, ids=[fault[-1] for fault in FAULTS]
)
def test_a_broken_formula_is_red_and_named(companion_in, tmp_path, tag, file, old, new, words):
    book = companion_in(tmp_path, next(name for name in STATUSES if tag in STATUSES[name]))
    book.replace(file, old, new)
    plugins = ("-p", "ledgerbook.rows.pytest_plugin", "-p", "no:hypothesispytest", "-p", "no:nbval")
    code, said = book.run(*plugins, "checks", module="pytest")
    assert code == 1 and words in said, said


def test_a_build_with_a_broken_formula_fails(companion_in, tmp_path):
    book = companion_in(tmp_path, "power_iteration")
    tag, *fault, words = FAULTS[1]
    book.replace(*fault)
    code, said = book.run("book", "--no-pages", "--only", tag)
    red = [line for line in said.splitlines() if line.startswith("FAILED")]
    assert code == 1 and any(words in line for line in red), said
