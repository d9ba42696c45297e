"""``make resolution``: how small a change of a formula each claim can see.

A chapter is executed again and again with every function of the companion that it calls changed,
each by a factor of its own: 1 + eps times a number between 1/2 and 1, up or down, for a ladder of
eps.  The smallest eps that turns a claim red is what the claim *sees*.  A claim that sees nothing
is one that no formula reaches: a proof in symbols, or a row that cannot fail.
"""

import ast
import contextlib
import dataclasses
import functools
import importlib
import json
import multiprocessing
import os
import random
import sys
import types
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from ledgerbook import fingerprint, notebooks, paths, project
from ledgerbook.statements import Statement, statement, written

LADDER = (1e-9, 1e-6, 1e-3, 1e-2, 0.05, 0.2, 1.0)
LIMIT = 300  # seconds for one execution of a chapter
Verdicts = dict[tuple[str, str], bool]


def scaled(value: Any, factor: float) -> Any:
    """Every floating number in a value times ``factor``: numbers, arrays, tensors, records."""
    if isinstance(value, bool | int | str | bytes) or value is None:
        return value
    if isinstance(value, float):
        return value * factor
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return value * factor if "float" in str(value.dtype) else value
    if isinstance(value, tuple) and hasattr(value, "_replace"):
        return type(value)(*(scaled(item, factor) for item in value))
    if isinstance(value, tuple | list):
        return type(value)(scaled(item, factor) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: scaled(getattr(value, f.name), factor) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **fields)
    if type(value).__module__.startswith("mpmath"):
        return value * factor
    return value


def formulas(code: str) -> list[str]:
    """Dotted names of the companion's functions that a chapter imports by name."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.ImportFrom):
            continue
        name = node.module or ""
        if _is_ours(name) and name not in project.settings().ground:
            module = importlib.import_module(name)
            found |= {
                f"{name}.{alias.name}" for alias in node.names if _is_code(module, alias.name)
            }
    return sorted(found)


def _is_code(module: types.ModuleType, name: str) -> bool:
    return isinstance(getattr(module, name), types.FunctionType)


def _is_ours(name: str) -> bool:
    """Whether a module is the companion's own, not this package's."""
    top = name.partition(".")[0]
    return "." in name and top in paths.IMPORTS and top != __name__.partition(".")[0]


def change(name: str, factor: float) -> None:
    """Replace a function wherever the companion has bound it, in this process."""
    module, _, function = name.rpartition(".")
    original = getattr(sys.modules[module], function)

    @functools.wraps(original)
    def changed(*args, **kwargs):
        return scaled(original(*args, **kwargs), factor)

    for other in [m for n, m in sys.modules.items() if n.partition(".")[0] in paths.IMPORTS]:
        for key, value in list(vars(other).items()):
            if value is original:
                setattr(other, key, changed)


def factors(names: list[str], size: float) -> dict[str, float]:
    """For each function a factor of its own, at most ``size`` away from 1: none cancels another."""
    draw = random.Random(0)
    shares = {name: draw.choice((-1, 1)) * draw.uniform(0.5, 1) for name in names}
    return {name: 1 + size * share for name, share in shares.items()}


def verdicts(code: str) -> Verdicts:
    """Execute a chapter's code in this process; which claims pass, by (tag, id).

    Where the code stops with an error, the claims behind it are not judged.
    """
    from ledgerbook import figures, ledger

    seen: Verdicts = {}
    record = ledger.Ledger._row

    def watched(self, id, *rest):
        row = record(self, id, *rest)
        seen[self.tag, id] = row.passed
        return row

    ledger.Ledger._row = watched  # type: ignore[method-assign]
    figures.Picture.__init__ = lambda self, *a, **k: None  # type: ignore[method-assign]
    with contextlib.suppress(Exception):
        exec(compile(code, "chapter", "exec"), {"__name__": "__main__"})
    return seen


def _child(code, folder, changes, channel):
    """One execution in a process of its own; sends its verdicts."""
    os.chdir(folder)
    sys.stdout = sys.stderr = open(os.devnull, "w")
    for name, factor in changes.items():
        change(name, factor)
    channel.send(verdicts(code))


def execute(code: str, folder: Path, changes: dict[str, float]) -> Verdicts:
    """The verdicts of a chapter with some functions changed; none where it did not end."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(code, folder, changes, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(LIMIT) else {}
    except EOFError:
        return {}
    finally:
        process.kill()
        process.join()


def _is_data(name: str, code: str, folder: Path, base: Verdicts) -> bool:
    """Whether the smallest change of a function stops the chapter: it makes data, not formulas."""
    return len(execute(code, folder, {name: 1 + LADDER[0]})) < len(base)


def measure(row: Statement) -> dict[str, dict[str, float]]:
    """For each claim of a chapter that a formula reaches, what it sees: by tag and id."""
    code, folder = notebooks.code(notebooks.read(row.chapter)), row.chapter.parent
    base = execute(code, folder, {})
    names = [name for name in formulas(code) if not _is_data(name, code, folder, base)]
    open_ = {key for key, passed in base.items() if passed}
    found: dict[str, dict[str, float]] = {}
    for size in LADDER if names else ():
        now = execute(code, folder, factors(names, size))
        red = {key for key in open_ if now.get(key) is False}
        for tag, id in red:
            found.setdefault(tag, {})[id] = size
        open_ -= red
    return {tag: dict(sorted(ids.items())) for tag, ids in found.items()}


def main(tags: list[str], jobs: int = 2) -> int:
    """Measure what is out of date and store it; returns the exit status."""
    rows = [statement(tag) for tag in tags] or [r for r in written() if r.kind != "experiment"]
    stored = json.loads(paths.RESOLUTION.read_text()) if paths.RESOLUTION.exists() else {}
    inputs = stored.setdefault("inputs", {})
    now = {row.tag: fingerprint.fingerprint(notebooks.read(row.chapter)) for row in rows}
    todo = [row for row in rows if inputs.get(row.tag) != now[row.tag]]
    for row in todo:  # everything that the children share is imported before they are forked
        formulas(notebooks.code(notebooks.read(row.chapter)))
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, mp_context=fork) as pool:
        for row, found in zip(todo, pool.map(measure, todo), strict=True):
            stored.update(found)
            inputs[row.tag] = now[row.tag]
            text = json.dumps(stored, indent=1, sort_keys=True) + "\n"
            paths.write_atomically(paths.RESOLUTION, text)
            print(f"{row.tag}: {sum(map(len, found.values()))} claims see a formula", flush=True)
    return 0
