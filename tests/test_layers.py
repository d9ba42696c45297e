"""The rules of the house: who may import whom, and how long a function or a notebook may be."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from ledgerbook.chapters import notebooks, registry
from ledgerbook.chapters.statements import statements, written
from ledgerbook.project import imports, seals
from ledgerbook.project.project import current

ROOT = Path(__file__).resolve().parents[1]  # whatever project another test has named
DATA = ROOT / "book/data"
WINGS = ("scan_snap", "mechanics", "real_text", "bridge", "sweeps")
# Beside the root files: the few doors from one folder into another.
MAY = {
    "scan_snap": {"sweeps"},
    "mechanics": set(),
    "real_text": {"sweeps"},
    "bridge": {"scan_snap", "mechanics", "real_text", "sweeps"},
    "sweeps": set(),
}
LONGEST_FUNCTION, MOST_FUNCTIONS = 42, 17  # lines of the body, without the docstring
LONGEST_NOTEBOOK, LONGEST_CELL = 180, 40  # lines of code that are not blank


def python_files(*folders):
    """Every Python file of the folders."""
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def module(file):
    """Dotted name of a file."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(file):
    """Dotted names of all that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name for name in names if imports.module_file(name)} or {node.module}
    return found


def wing(name):
    """The folder of ``lib`` that a module is in, or ``None`` for a root file."""
    parts = name.split(".")
    return parts[1] if parts[0] == "lib" and len(parts) > 1 and parts[1] in WINGS else None


ARROWS = {module(file): imported(file) for file in python_files("lib")}


def test_folders_of_lib_are_the_known_ones():
    folders = {file.name for file in (ROOT / "lib").iterdir() if (file / "__init__.py").exists()}
    assert folders == set(WINGS)


def test_lib_imports_nothing_else_of_ours():
    for name, targets in ARROWS.items():
        roots = {target.split(".")[0] for target in targets}
        assert not roots & {
            "checks",
            "ledgerbook",
            "tooling",
            "book",
            "tests",
            "benchmarks",
            "IPython",
            "nbformat",
        }


def test_lib_stands_without_the_machinery_of_the_book():
    """A model is imported where ``ledgerbook`` cannot be; what the others import is read above."""
    code = "import sys; sys.modules['ledgerbook'] = None; import lib.mechanics.problem"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd="/", env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_numba_is_asked_for_in_one_place():
    assert [
        name for name, targets in ARROWS.items() if any(t.startswith("numba") for t in targets)
    ] == ["lib.compiled"]


def test_one_softmax_and_one_log_sum_exp():
    """``lib.log_sums`` has them; of ``scipy.special`` no module of ``lib`` takes its own."""
    theirs = {f"scipy.special.{name}" for name in ("softmax", "log_softmax", "logsumexp")}
    wrong = [
        f"{module(file)}: {node.module}.{alias.name}"
        for file in python_files("lib")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}" in theirs
    ]
    assert wrong == []


def test_a_folder_imports_itself_root_files_and_its_doors():
    wrong = [
        f"{name} -> {target}"
        for name, targets in ARROWS.items()
        for target in targets
        if wing(name) and wing(target) and wing(target) not in MAY[wing(name)] | {wing(name)}
    ]
    assert wrong == []


def test_root_files_import_no_folder():
    wrong = [(n, t) for n, ts in ARROWS.items() if not wing(n) for t in ts if wing(t)]
    assert wrong == []


def test_models_and_dynamics_decide_nothing():
    """What follows from what is asked where rows are written, in ``checks``."""
    assert [name for name, targets in ARROWS.items() if "lib.decide" in targets] == []


def test_imports_go_round_no_circle():
    waiting = {
        name: {t for t in targets if t in ARROWS} - {name} for name, targets in ARROWS.items()
    }
    while free := {name for name, targets in waiting.items() if not targets}:
        waiting = {name: targets - free for name, targets in waiting.items() if name not in free}
    assert waiting == {}


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_a_chapter_imports_its_own_part(row):
    """A paper's chapter never uses the other paper's folder; where the two meet, all may be."""
    files = imports.closure(notebooks.code(notebooks.read(row.chapter)))
    used = {wing(module(file)) for file in files} - {None, "sweeps"}
    real_text = row.part == "real-text" or row.paper == "real-text"
    allowed = {row.paper.replace("-", "_")} | ({"real_text"} if real_text else set())
    allowed |= {"scan_snap", "mechanics", "real_text"} if row.paper == "bridge" else set()
    assert used <= allowed


def test_packages_are_empty_inside():
    """A facade would make every chapter depend on its whole folder, and execute it again."""
    for file in python_files("lib"):
        if file.name == "__init__.py":
            assert ast.parse(file.read_text(encoding="utf-8")).body[1:] == [], file
            assert "import" not in file.read_text(encoding="utf-8"), file


def test_stored_tables_are_there_and_each_is_read():
    """A table that is missing is a failure, and one that nothing reads has no business here."""
    stored = {file.name for file in DATA.iterdir() if file.is_file()} - {seals.NAME}
    code = [notebooks.code(notebooks.read(row.chapter)) for row in written()]
    code += [file.read_text(encoding="utf-8") for file in python_files("checks")]
    wanted = {
        node.value
        for source in code
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and re.fullmatch(r"[\w-]+\.json", str(node.value))
    }
    assert stored == wanted
    for name in stored:
        assert json.loads((DATA / name).read_text(encoding="utf-8")), name


def functions(file):
    """Name and length in lines of each function, nested ones in their owner's too.

    Docstring and signature do not count, or else a long explanation would make a function long.
    """
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[1:] if ast.get_docstring(node) is not None else node.body
            lines = node.end_lineno - first[0].lineno + 1 if first else 0
            yield f"{module(file)}.{node.name}", lines


@pytest.mark.parametrize("folders", [["lib"], ["checks"], ["tooling", "ledgerbook/src"]])
def test_functions_are_short(folders):
    lengths = dict(pair for file in python_files(*folders) for pair in functions(file))
    assert not {name: n for name, n in lengths.items() if n > LONGEST_FUNCTION}
    ninth = np.quantile(list(lengths.values()), 0.9)
    over = sorted(lengths, key=lengths.get, reverse=True)[:15]
    assert ninth <= MOST_FUNCTIONS, (ninth, {name: lengths[name] for name in over})


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_a_notebook_holds_what_a_reader_reads_and_no_row(row):
    cells = [cell.source for cell in notebooks.code_cells(notebooks.read(row.chapter))]
    lengths = [sum(bool(line.strip()) for line in cell.splitlines()) for cell in cells]
    assert sum(lengths) <= LONGEST_NOTEBOOK and max(lengths) <= LONGEST_CELL, lengths
    calls = [node for cell in cells for node in ast.walk(ast.parse(cell))]
    named = {
        node.func.attr
        for node in calls
        if isinstance(node, ast.Call) and hasattr(node.func, "attr")
    }
    assert not named & {"claim", "control", "erratum", "finding", "kernel", "trusts"}
    assert "Ledger(" not in "".join(cells)


def test_rows_of_one_paper_know_nothing_of_the_other_s():
    for file in python_files("checks"):
        rooms = {name.split(".")[1] for name in imported(file) if name.startswith("checks.")}
        own = file.relative_to(ROOT / "checks").parts[0]
        may = WINGS if own == "bridge" else {own, "real_text"} if own == "scan_snap" else {own}
        assert rooms <= set(may), file


def test_every_statement_has_one_class_and_every_class_a_statement():
    judged = registry.declared()
    assert set(judged) <= set(statements())
    assert {tag for tag, row in statements().items() if row.written} == set(judged)
    for tag, file in judged.items():
        paper, name = (part.replace("-", "_") for part in tag.split("."))
        assert current().relative(file) == f"checks/{paper}/{name}.py"


def test_home_rows_have_no_chapter_of_their_own():
    for row in statements().values():
        assert not row.home or row.chapter == statements()[row.home].chapter


ROOMS = (
    "project ledger chapters coq execution rows references regression pages site commands".split()
)
LEDGERBOOK = ROOT / "ledgerbook/src/ledgerbook"


def rooms_of(nodes):
    """The rooms of ledgerbook that statements import, wherever they stand."""
    for node in nodes:
        names = [alias.name for alias in getattr(node, "names", ())]
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{name}" for name in names]
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (n.split(".")[1] for n in names if n.startswith("ledgerbook."))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_of_ledgerbook_imports_itself_and_those_before_it(room):
    files = sorted((LEDGERBOOK / room).glob("*.py"))
    assert 1 < len(files) <= 20 + 1, "a room holds at most twenty modules beside its __init__"
    before = set(ROOMS[: ROOMS.index(room) + 1])
    for file in files:
        wrong = set(rooms_of(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))) - before
        assert not wrong, f"{file.name} of {room} imports {wrong}"


def test_ledgerbook_has_these_rooms():
    assert {file.parent.name for file in LEDGERBOOK.glob("*/__init__.py")} == set(ROOMS)
