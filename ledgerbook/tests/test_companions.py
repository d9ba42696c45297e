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
ROWS = "checks/textbook/theorem_01.py", "checks/anscombe/table.py"
# Formulas broken at once, of which none turns another's row red, and where what has to turn red: a
# claim, a control that fails as it should not…
FAULTS = {
    "power_iteration": [
        [
            (POWER, "abs(values))[-2:]", "abs(values))[-2:] ** 2", "Theorem01.tangent"),
            (ROWS[0], "1.0, -1.0", "1.0, -0.5", "Theorem01.tie"),
            ("book/errata/E1.py", "2", "3", "Theorem01.E1"),
        ],
        [(POWER, "x @ matrix @ x))", "x @ matrix @ q))", "Corollary01.bound")],
    ],
    "quartet": [
        [
            (POINTS, "[0, 1] ** 2", "[0, 1]", "Table.two-digits"),
            (ROWS[1], "y < 12", "y > 0", "Table.outlier"),
            ("book/anscombe/table.ipynb", "digits = 3", "digits = 4", "digits = 3, table.ipynb"),
        ],
        [(POINTS, "8.77, 9.26", "8.77, 6.26", "Table.E1")],
    ],
}


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
def executed(request, executed_in, tmp_path_factory):
    """A companion, executed, and its ledger."""
    book = executed_in(tmp_path_factory.mktemp("executed"), request.param)
    return book, json.loads((book.root / "_build/ledger.json").read_text(encoding="utf-8"))


def test_statuses_are_computed_and_controls_fail_as_they_should(executed):
    book, ledger = executed
    found = {row["tag"]: row["status"] for row in ledger["statements"]}
    assert found == STATUSES[book.root.name]
    assert [erratum["id"] for erratum in ledger["errata"]] == ["E1"]
    assert all(h["control"]["passed"] for row in ledger["statements"] for h in row["hypotheses"])


def test_the_graph_is_drawn_and_the_erratum_shown(built):
    folder = built.root / "_build/html/book"
    page = (folder / "intro.html").read_text(encoding="utf-8")
    graph = page.partition('class="statement-graph"')[2].partition("</svg>")[0]
    assert graph.count("<rect") == 2 and graph.count('class="edge"') == 1
    assert any("E1 —" in file.read_text(encoding="utf-8") for file in folder.glob("*.html"))


def test_nothing_is_executed_twice(built):
    code, said = built.run("book")
    assert code == 0 and "executed 0 of 2" in said, said


def test_the_erratum_s_own_script_says_what_the_ledger_says(executed):
    book, ledger = executed
    (erratum,) = ledger["errata"]
    script = [sys.executable, "-I", book.root / erratum["script"]]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    printed = [float(line.split()[1]) for line in done.stdout.splitlines()]
    assert printed == pytest.approx(erratum["numbers"], rel=1e-6)


@pytest.mark.parametrize(
    ("name", "faults"), [(name, faults) for name in FAULTS for faults in FAULTS[name]]
)
def test_a_broken_formula_is_red_and_named(companion_in, tmp_path, name, faults):
    book = companion_in(tmp_path, name)
    for *fault, _ in faults:
        book.replace(*fault)
    plugins = ("-p", "ledgerbook.rows.pytest_plugin", "-p", "no:hypothesispytest", "-p", "no:nbval")
    code, said = book.run(*plugins, "checks", module="pytest")
    assert code == 1 and [words for *_, words in faults if words not in said] == [], said
