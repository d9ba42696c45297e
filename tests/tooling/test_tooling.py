"""The list of statements, fingerprints, stored notebooks and tolerances."""

import re
import shutil
import subprocess
import sys

import nbformat
import networkx as nx
import pytest

from lib.ledger import Ledger
from tooling import build, fingerprint, graph, notebooks, paths
from tooling.nbval_plugin import check_sanitize_file, ledger_difference, texts_agree
from tooling.statements import PAPERS, statement, statements


def chapter(code, prose="words"):
    """A notebook of one code cell."""
    return nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell(prose), nbformat.v4.new_code_cell(code)]
    )


def test_uses_are_acyclic_and_complete():
    for paper in PAPERS:
        assert nx.is_directed_acyclic_graph(graph.dependencies(paper))
    numbers = " ".join(row.number for row in statements().values())
    expected = (
        [f"Lemma {k}" for k in range(1, 19)]
        + [f"Theorem {k}" for k in range(1, 6)]
        + ["Corollary 1", "Corollary 2", "Assumption 1", "Assumption 2"]
        + [f"Remark {k}" for k in range(1, 5)]
    )
    assert [name for name in expected if not re.search(rf"{name}\b", numbers)] == []


def test_prose_is_no_input_and_code_is():
    one = fingerprint.fingerprint(chapter("from lib.scan_snap.decoder import h"))
    assert one == fingerprint.fingerprint(
        chapter("from lib.scan_snap.decoder import h", prose="other words")
    )
    assert one != fingerprint.fingerprint(chapter("from lib.scan_snap.decoder import h\nseed = 1"))


def test_only_reachable_lib_files_are_inputs():
    names = {file.name for file in fingerprint.closure("from lib.scan_snap.decoder import h_star")}
    assert names == {"__init__.py", "decoder.py", "validation.py"}
    assert "figures.py" in {
        file.name for file in fingerprint.closure("def f():\n    from lib import figures")
    }


def test_unknown_tag_names_neighbours():
    with pytest.raises(ValueError, match="scan-snap.lemma-05"):
        statement("scan-snap.lemma-5")


def test_strip_leaves_nothing_of_the_run():
    notebook = chapter("1")
    notebook.metadata["papermill"] = {"start_time": "now", "input_path": "/somewhere"}
    notebook.cells[1].metadata = {
        "papermill": {"duration": 1},
        "execution": {"a": 1},
        "tags": ["parameters"],
    }
    text = nbformat.writes(notebooks.strip(notebook))
    assert "papermill" not in text and "somewhere" not in text and '"parameters"' in text


def test_a_stream_cut_in_two_is_one_again():
    parts = [
        nbformat.v4.new_output("stream", name=name, text=text)
        for name, text in (
            ("stdout", "a\n"),
            ("stdout", "b\n"),
            ("stderr", "c\n"),
            ("stdout", "d\n"),
        )
    ]
    assert [(part.name, part.text) for part in notebooks.joined_streams(parts)] == [
        ("stdout", "a\nb\n"),
        ("stderr", "c\n"),
        ("stdout", "d\n"),
    ]


def executed(ledger):
    """A stored notebook of two cells as an execution leaves it."""
    outputs = [ledger.show(), ledger.close()]
    cells = []
    for number, value in enumerate(outputs, 1):
        data = value._repr_mimebundle_()
        cells.append(
            nbformat.v4.new_code_cell(
                f"cell {number}",
                execution_count=number,
                outputs=[nbformat.v4.new_output("execute_result", data, execution_count=number)],
            )
        )
    return nbformat.v4.new_notebook(cells=cells)


@pytest.fixture
def ledger():
    rows = Ledger("scan-snap.lemma-05")
    rows.claim("rate", "an exponent", -0.5, "in", [-0.6, -0.4], kind="rate")
    rows.claim("zero", "an identity", 3e-16, "<=", 1e-12, kind="identity")
    return rows


def test_stored_execution_must_be_whole(ledger):
    notebook = executed(ledger)
    assert notebooks.execution_problem(notebook) is None
    notebook.cells[0].execution_count = None
    assert "not executed" in notebooks.execution_problem(notebook)
    notebook.cells[0].execution_count = 3
    assert "in order" in notebooks.execution_problem(notebook)
    notebook.cells[0].execution_count = 1
    notebook.cells[1].outputs = []
    assert "no ledger row" in notebooks.execution_problem(notebook)


def test_dropping_a_shown_row_is_noticed(ledger):
    notebook = executed(ledger)
    notebooks.ledger_outputs(notebook)[0]["rows"].pop()
    assert "differ" in notebooks.execution_problem(notebook)


@pytest.mark.parametrize(("factor", "same"), [(1 + 1e-9, True), (1 + 1e-5, False)])
def test_claims_are_compared_by_their_own_tolerance(ledger, factor, same):
    computed = ledger.show()._repr_mimebundle_()
    output = next(value for key, value in computed.items() if "ledger" in key)
    stored = {"rows": [dict(row) for row in output["rows"]]}
    stored["rows"][0]["observed"] *= factor
    assert (ledger_difference(stored, output) is None) == same
    stored["rows"][0]["observed"] = output["rows"][0]["observed"]
    stored["rows"][1]["observed"] = 9e-16  # rounding noise: free below the bound
    assert ledger_difference(stored, output) is None
    stored["rows"][1]["observed"] = 5e-12
    assert "zero" in ledger_difference(stored, output)
    stored["rows"][1] |= {"observed": 9e-16, "passed": False}
    assert "passed" in ledger_difference(stored, output)


@pytest.mark.parametrize(
    ("stored", "computed", "same"),
    [
        ("x = 0.29999", "x = 0.30000", True),
        ("x = 0.29999", "x = 0.3001", False),
        ("n = 7", "n = 8", False),
        ("a 1.5e-3", "a 1.6e-3", True),
        ("a 1.5e-3", "a 1.8e-3", False),
        ("up 1.0", "down 1.0", False),
        ("[ 1.   0.25]", "[1. 0.25]", False),
    ],
)
def test_printed_numbers_are_free_by_their_last_digit(stored, computed, same):
    assert texts_agree(stored, computed) == same


def test_an_edited_style_makes_another_site(tmp_path, monkeypatch):
    """Sphinx copies a style only when it writes pages, so the configuration has to tell of its
    change.
    """
    for folder in ("_static", "_extra"):
        shutil.copytree(paths.BOOK / folder, tmp_path / folder)
    monkeypatch.setattr(paths, "BOOK", tmp_path)
    monkeypatch.setattr(paths, "SPHINX", tmp_path / "sphinx")
    written = []
    for addition in ("", "", "p { color: red }"):
        style = tmp_path / "_static/book.css"
        style.write_text(style.read_text() + addition)
        build.write_conf()
        written.append((tmp_path / "sphinx/conf.py").read_text())
    assert written[0] == written[1] != written[2]


def test_a_sanitize_rule_that_nbval_drops_is_refused():
    check_sanitize_file("regex: a\nreplace: b\n")
    with pytest.raises(pytest.UsageError, match="1 rules, but nbval reads 0"):
        check_sanitize_file("regex: a\nreplace:\n")


@pytest.fixture
def small_book(tmp_path):
    """A copy of the project with one chapter, to be executed for real."""
    for folder in ("lib", "tooling"):
        shutil.copytree(
            paths.ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    (tmp_path / "book/scan-snap").mkdir(parents=True)
    shutil.copy(paths.STATEMENTS, tmp_path / "book")
    source = """from lib.scan_snap.decoder import h_star
from lib.ledger import Ledger
ledger = Ledger("scan-snap.lemma-05")
limits = [0.25 - 1e-12, 0.25 + 1e-12]
ledger.claim("first-step", "h*(1) is eta/M", h_star(1, 4, 1.0)[1], "in", limits, kind="identity")
ledger.show()
=====
ledger.close()"""
    cells = [nbformat.v4.new_code_cell(text) for text in source.split("\n=====\n")]
    notebooks_path = tmp_path / "book/scan-snap/lemma_05.ipynb"
    nbformat.write(notebooks.strip(nbformat.v4.new_notebook(cells=cells)), notebooks_path)
    return tmp_path


def run_book(root, kill_after=None):
    """``python -m tooling book`` in a copy of the project; optionally killed after some seconds."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tooling", "book", "--no-pages"],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**__import__("os").environ, "PYTHONPATH": str(root)},
    )
    try:
        output, _ = process.communicate(timeout=kill_after)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    return process.returncode, output


def test_execute_once_interrupt_edit_and_break(small_book):
    stored = small_book / "book/scan-snap/lemma_05.ipynb"
    before = stored.read_bytes()
    run_book(small_book, kill_after=1.5)  # killed before it can have finished
    assert stored.read_bytes() == before
    code, output = run_book(small_book)
    assert code == 0 and "executed 1 of 1" in output
    whole = stored.read_bytes()
    assert notebooks.execution_problem(notebooks.read(stored)) is None
    code, output = run_book(small_book)
    assert code == 0 and "executed 0 of 1" in output
    (small_book / "lib/figures.py").write_text("# not imported by this chapter\n")
    assert "executed 0 of 1" in run_book(small_book)[1]
    decoder = small_book / "lib/scan_snap/decoder.py"
    decoder.write_text(
        decoder.read_text().replace(
            "values[s + 1] = values[s] + eta_y", "values[s + 1] = values[s] - eta_y"
        )
    )
    code, output = run_book(small_book)
    assert code == 1 and "claim first-step" in output and "observed -0.25" in output
    decoder.write_text(decoder.read_text().replace("def h_star", "def h_gone"))
    broken = stored.read_bytes()
    code, output = run_book(small_book)
    assert code == 1 and "cell 0: ImportError" in output
    assert stored.read_bytes() == broken != whole
