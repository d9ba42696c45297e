"""``make mutate``: wrong code, one small fault at a time; who notices?

A fault is put into a copy of the project.  First the tests that execute its line run, then the
claims of the chapters that reach its module.  What nobody notices is listed, with its line; what
was shown to change no result (``equivalent``) is counted and not asked.
"""

import ast
import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ledgerbook import covering, equivalent, fingerprint, notebooks, paths, project
from ledgerbook.covering import Covering, environment, red
from ledgerbook.statements import written

LEFT_OUT = (".git", ".venv", "_build", "__pycache__", "*.egg-info", ".*_cache", ".hypothesis")
SWAPS: dict[Any, Any] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
GUARDS = ("strict", "frozen", "flush")  # of zip, dataclass, print: off, right code does the same
LIMIT = 600  # seconds for the claims of one chapter
PATIENCE = 120  # seconds that the tests of one fault take without it; more are not asked


@dataclass(frozen=True)
class Mutant:
    """One fault: file, line, what it changes, and the changed source."""

    file: str
    line: int
    change: str
    source: str


def sites(source: str) -> Iterator[int]:
    """The places of a source that can be broken, as indices into ``ast.walk``."""
    tree = ast.parse(source)
    named = (node for node in ast.walk(tree) if isinstance(node, ast.keyword))
    guards = [node.value for node in named if node.arg in GUARDS]
    for index, node in enumerate(ast.walk(tree)):
        if node not in guards and _break(node):
            yield index


def broken(source: str, index: int) -> tuple[int, str, str]:
    """The fault at one place: line, words, changed source."""
    tree = ast.parse(source)
    node: Any = list(ast.walk(tree))[index]
    words = _break(node)
    return node.lineno, words or "", ast.unparse(tree)


def _break(node: Any) -> str | None:
    """Change one node in place; what was done, or ``None`` where there is nothing to break."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
        old: Any = type(node.op)
        node.op = SWAPS[old]()
        return f"{old.__name__} becomes {SWAPS[old].__name__}"
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        old = type(node.ops[0])
        node.ops[0] = SWAPS[old]()
        return f"{old.__name__} becomes {SWAPS[old].__name__}"
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        before: Any = node.value
        node.value = not before if isinstance(before, bool) else before + 1
        return f"{before!r} becomes {node.value!r}"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        word = "minus" if isinstance(node.op, ast.USub) else "not"
        node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), node.operand)
        if word == "minus":
            node.op, node.operand = ast.UAdd(), node.operand.operand
        return f"{word} is dropped"
    if isinstance(node, ast.Return) and not isinstance(node.value, ast.Constant | None):
        node.value = ast.Constant(None)
        return "returns None"
    return None


def sample(number: int, seed: int, folders: Sequence[str]) -> list[Mutant]:
    """``number`` faults drawn without replacement, each place of the code as likely."""
    places = []
    for folder in folders:
        for file in sorted((paths.ROOT / folder).rglob("*.py")):
            source = file.read_text(encoding="utf-8")
            places += [(paths.relative(file), index) for index in sites(source)]
    chosen = sorted(random.Random(seed).sample(places, min(number, len(places))))
    texts = {name: (paths.ROOT / name).read_text(encoding="utf-8") for name, _ in chosen}
    return [Mutant(name, *broken(texts[name], index)) for name, index in chosen]


def chapters_of(file: str) -> list[str]:
    """The tags of the chapters that reach a module, statements before experiments."""
    reach = []
    for row in sorted(written(), key=lambda row: row.kind == "experiment"):
        closure = fingerprint.closure(notebooks.code(notebooks.read(row.chapter)))
        if paths.ROOT / file in closure:
            reach.append(row.tag)
    return reach


def judge(mutant: Mutant, copy: Path, reach: Covering) -> dict:
    """Put a fault into the copy, ask the tests that reach it and the claims, take it out."""
    if equivalent.is_shown(mutant.file, mutant.line, mutant.change):
        return {**asdict(mutant), "noticed": "equivalent", "source": None}
    target = copy / mutant.file
    original = target.read_text(encoding="utf-8")
    judges = reach.judges(mutant.file, original, mutant.line, PATIENCE)
    _put(target, mutant.source)
    try:
        return {**asdict(mutant), "noticed": _noticed(mutant, copy, reach, judges), "source": None}
    finally:
        _put(target, original)


def _put(target: Path, source: str) -> None:
    """Write a module, and forget how it was compiled: that is known by its size and by the second
    in which it was written, and quick tests judge two faults of one size in a second.
    """
    target.write_text(source, encoding="utf-8")
    for compiled in (target.parent / "__pycache__").glob(f"{target.stem}.*.pyc"):
        compiled.unlink()


def _noticed(mutant: Mutant, copy: Path, reach: Covering, judges: list[str]) -> str:
    limit = 60 + 3 * sum(reach.seconds[one] for one in judges)
    if any(red(copy, some, limit) for some in (judges[:1], judges[1:]) if some):
        return "tests"
    for tag in chapters_of(mutant.file)[:6]:
        if _fails(["-m", "ledgerbook.claims", tag], copy):
            return f"claims of {tag}"
    return "survived" if judges else "reached by no test"


def _fails(arguments: list[str], copy: Path) -> bool:
    """Whether a command fails in the copy; one that does not end has noticed, too."""
    command = [sys.executable, *arguments]
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment(copy), capture_output=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def copies(number: int, campaign: str = "mutate") -> list[Path]:
    """As many copies of the project as faults are judged at a time, a folder a campaign.

    Without the list of faults that change nothing: it names lines as they stand in the right code,
    so that any fault in one of its files would turn it red.
    """
    copies, left_out = [], shutil.ignore_patterns(*LEFT_OUT, paths.EQUIVALENT.name)
    for index in range(number):
        copy = paths.BUILD / campaign / str(index)
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(paths.ROOT, copy, ignore=left_out)
        copies.append(copy)
    return copies


def main(number: int, seed: int, jobs: int = 2, folders: Sequence[str] = ()) -> int:
    """Judge ``number`` faults; prints the survivors and stores all in ``_build/mutants.json``."""
    mutants = sample(number, seed, folders or list(project.settings().tests))
    shares, places = [mutants[k::jobs] for k in range(jobs)], copies(jobs)
    files = [Path(mutant.file) for mutant in mutants]
    tests = project.settings().tests.items()  # only of code that some fault is in
    asked = {code: names for code, names in tests if any(f.is_relative_to(code) for f in files)}
    reach = covering.measure(places, asked)
    for name in reach.red:
        print(f"red without a fault, judges nothing: {name}", flush=True)

    def run(share: list[Mutant], copy: Path) -> list[dict]:
        results = []
        for mutant in share:
            results.append(judge(mutant, copy, reach))
            last = results[-1]
            print(f"{last['noticed']}: {last['file']}:{last['line']} {last['change']}", flush=True)
        return results

    with ThreadPoolExecutor(jobs) as pool:
        rows = [row for part in pool.map(run, shares, places) for row in part]
    paths.write_atomically(paths.BUILD / "mutants.json", json.dumps(rows, indent=1))
    counts = Counter(row["noticed"].split(" of ")[0] for row in rows)
    print(", ".join(f"{count} {name}" for name, count in counts.most_common()))
    return 0
