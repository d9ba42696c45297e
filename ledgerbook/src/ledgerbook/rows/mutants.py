"""``make mutants``: small slips put into copies of the companion's code, and which no test sees.

A mutant is the project with one sign, constant, comparison, operator or returned value changed. It
lives in a temporary copy; the tree here is only read.  Asked are the unit tests that reach the
changed module and the rows of the statements that do, nearest first, then the stored outputs of
these statements' chapters, as ``make test`` asks them: the mutant is *seen* when one is red.  One
that none sees *survives*, and its line says what was changed where.
"""

import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx

from ledgerbook.chapters import registry
from ledgerbook.chapters.statements import statement
from ledgerbook.project import imports
from ledgerbook.project.project import VARIABLE, current, per_project
from ledgerbook.project.validation import require

LEFT_OUT = ("_build", ".venv", ".*", "__pycache__", "*.partial", "*.egg-info")  # of a copy
ASKED = 6  # files of tests, the nearest
CHAPTERS = 3  # whose outputs are compared, the nearest
NBVAL = ("-p", "ledgerbook.regression.nbval_plugin", "--nbval", "--nbval-current-env")
CHOICE = 10
SPARED = ("decorator_list", "annotation", "returns")
SECONDS = 600  # for all of them: a mutant may never end
OTHER: dict[type, Any] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip


class Mutant(NamedTuple):
    """A file, its line, the expression there, what stands in its place, and the whole text."""

    file: Path
    line: int
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        return f"{current().relative(self.file)}:{self.line}: {self.before} -> {self.after}"


def changes(node: ast.AST) -> Iterator[ast.expr]:
    """What may stand in the place of an expression."""
    if isinstance(node, ast.BinOp) and type(node.op) in OTHER:
        yield ast.BinOp(node.left, OTHER[type(node.op)](), node.right)
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        yield ast.Compare(node.left, [OTHER[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        if not isinstance(node.value, bool) and abs(node.value) < CHOICE:
            yield ast.Constant(node.value + 1)
        if isinstance(node.value, float) and node.value:
            yield ast.Constant(node.value * 1.1)


def places(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(expression, another) of a module: what is returned is turned round besides.

    Left alone is what only an annotation or a decorator says, such as a row's bound, what stands
    beside an annotation, such as a parameter's range (``make robust`` goes to its ends), and a
    whole number from ``CHOICE`` on, the size of a sample or a moment: another is no slip.
    """
    for name, value in ast.iter_fields(tree):
        if name in SPARED or (name == "value" and isinstance(tree, ast.AnnAssign)):
            continue
        if isinstance(tree, ast.Return) and isinstance(value, ast.BinOp | ast.Call):
            yield value, ast.UnaryOp(ast.USub(), value)
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.expr):
                yield from ((node, other) for other in changes(node))
            if isinstance(node, ast.AST):
                yield from places(node)


def mutant(file: Path, source: str, node: ast.expr, other: ast.expr) -> Mutant:
    """The source with an expression replaced, in brackets, by another; all else to the letter."""
    lines = source.encode().splitlines(keepends=True)
    starts = [sum(map(len, lines[:k])) for k in range(len(lines))]
    begin = starts[node.lineno - 1] + node.col_offset
    end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
    after = ast.unparse(other)
    text = (source.encode()[:begin] + f"({after})".encode() + source.encode()[end:]).decode()
    return Mutant(file, node.lineno, ast.unparse(node), after, text)


def drawn(number: int, seed: int, files: list[Path]) -> list[Mutant]:
    """Mutants drawn one after the other: a file by its size, then a place in it.

    Raises ``ValueError`` for a number that is not of 1 to all of them.
    """
    rng = random.Random(seed)
    sources = {file: file.read_text(encoding="utf-8") for file in files}
    found = {file: list(places(ast.parse(text))) for file, text in sources.items()}
    every = [(file, *pair) for file in files for pair in found[file]]
    allowed = f"a whole number from 1 to {len(every)}, as many slips as the code can have"
    require(0 < number <= len(every), "N", number, allowed)
    chosen = rng.sample(every, number)
    return [mutant(file, sources[file], node, other) for file, node, other in chosen]


def tests() -> list[Path]:
    """Every file of unit tests and of rows."""
    return [*(current().root / "tests").rglob("test_*.py"), *registry.files()]


@per_project
def importers() -> nx.DiGraph:
    """The files of the project, with an edge from each to those that name it in an import."""
    code = (file for package in current().packages() for file in package.rglob("*.py"))
    graph = nx.DiGraph()
    for file in {*tests(), *code}:
        graph.add_node(file)
        named = imports.imported_modules(file.read_text(encoding="utf-8"))
        graph.add_edges_from((imports.module_file(name), file) for name in named)
    return graph


def askers(file: Path) -> list[Path]:
    """The tests and rows that reach a file by imports, the nearest first."""
    far = nx.single_source_shortest_path_length(importers(), file)
    near = [one for one in tests() if one in far]
    return sorted(near, key=lambda one: (far[one], file.stem not in one.stem, str(one)))


def questions(file: Path) -> list[list[str]]:
    """What pytest is asked about a module: the nearest tests, then the nearest chapters."""
    near = askers(file)
    texts = [one.read_text(encoding="utf-8") for one in near if registry.folder() in one.parents]
    homes = [statement(tag).chapter for text in texts for tag in registry.tags(text)]
    stored = [one for one in dict.fromkeys(homes) if one.exists()][:CHAPTERS]
    plain = ["-p", "ledgerbook.rows.pytest_plugin", *map(current().relative, near[:ASKED])]
    compared = [*NBVAL, *map(current().relative, stored)]
    return [plain] * bool(near) + [compared] * bool(stored)


def seen(one: Mutant, folder: Path) -> bool:
    """Whether a mutant, put into the copy for as long, makes a near test or a chapter red."""
    place = folder / one.file.relative_to(current().root)
    kept = place.read_bytes()
    env = os.environ | {"PYTHONPATH": current().python_path(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    env |= {VARIABLE: str(folder)}
    place.write_text(one.text, encoding="utf-8")
    try:
        for words in questions(one.file):
            command = [sys.executable, "-m", "pytest", "-xq", "-p", "no:cacheprovider", *words]
            done = subprocess.run(
                command, cwd=folder, env=env, capture_output=True, timeout=SECONDS
            )
            if done.returncode not in (0, 5):  # 5: there is no test in them
                return True
    except subprocess.TimeoutExpired:
        return True
    finally:
        place.write_bytes(kept)
    return False


def main(number: int, seed: int) -> int:
    """Draw, ask, say; 1 where a mutant survives."""
    own = [top for top in current().packages() if top.parent == current().root]
    files = sorted(file for top in own for file in top.rglob("*.py"))
    chosen = drawn(number, seed, files)
    survivors = 0
    with tempfile.TemporaryDirectory() as name:
        leave = shutil.ignore_patterns(*LEFT_OUT)
        shutil.copytree(current().root, name, ignore=leave, dirs_exist_ok=True)
        for count, one in enumerate(chosen, 1):
            by = seen(one, Path(name))
            survivors += not by
            said = "seen" if by else "SURVIVES"
            print(f"{count}/{len(chosen)} {said}: {one}", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} mutants seen, seed {seed}")
    return int(survivors > 0)
