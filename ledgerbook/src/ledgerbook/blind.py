"""Claims that see no factor and no exponent, asked with wrong formulas.

A ranking, a count or a certificate has no size that a factor of a formula could move.  Such a claim
is asked with wrong formulas, one at a time: first in functions of the companion that its chapter
names, then in others of the same modules, then in what the named ones compare, at last in the
chapter's own lines between the claim before and this one.  What none of them turns red is a claim
that no formula reaches.
"""

import ast
import functools
import importlib
import random
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ledgerbook import comparisons, perturb, wrong_formulas
from ledgerbook.perturb import Key
from ledgerbook.wrong_formulas import Wrong

FUNCTIONS = 12  # wrong formulas a chapter is asked with, of those it names, of others, and again
LINES = 12  # and for each claim in the chapter's own lines
SEED = 0  # which of them
OWN = "own line"  # stands for the function where the chapter itself is made wrong


class Line(NamedTuple):
    """A place in a chapter's own lines: number of the statement, of the place in it; words."""

    statement: int
    place: int
    what: str


def drawn(names: list[str], find: Callable | None = None) -> list[Wrong]:
    """Wrong formulas of functions in a random order, each function once before any twice."""
    return wrong_formulas.sample(FUNCTIONS, SEED, names, find)


def compared(name: str) -> list[Wrong]:
    """What can be made wrong in what a function compares."""
    return wrong_formulas.wrongs(name, compared=True)


def beside(names: list[str]) -> list[str]:
    """The other functions of the modules in which some functions stand."""
    found: list[str] = []
    for module in sorted({name.partition(":")[0] for name in names}):
        own = vars(importlib.import_module(module)).items()
        found += [f"{module}:{part}" for part, value in own if _defined_in(module, value)]
    return [name for name in found if name not in names]


def _defined_in(module: str, value: object) -> bool:
    return isinstance(value, types.FunctionType) and value.__module__ == module


def red_by_functions(
    code: str, folder: Path, wrongs: list[Wrong], open_: set[Key], limit: float
) -> dict[Key, str]:
    """For each claim the first wrong function that turns it red, in words."""
    found: dict[Key, str] = {}
    for wrong in wrongs:
        left = open_ - found.keys()
        if not left:
            break
        prepare = functools.partial(wrong_formulas.install, wrong)
        now = perturb.execute(code, folder, prepare, limit=limit, asked=left)
        words = f"`{wrong.name.rpartition(':')[2]}`: {wrong.what}"
        found |= {key: words for key in left if now.passed.get(key) is False}
    return found


def claimed(node: ast.stmt) -> str | None:
    """The identifier of the claim that a statement makes, if it makes one."""
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
        first = call.args[0]
        if call.func.attr in ("claim", "step") and isinstance(first, ast.Constant):
            return str(first.value)
    return None


def own_lines(code: str, id: str) -> list[Line]:
    """The places of the chapter's own formulas behind a claim, back to the claim before it."""
    body = ast.parse(code).body
    ends = [k for k, node in enumerate(body) if claimed(node) == id]
    if not ends:
        return []
    begin = max((k + 1 for k in range(ends[0]) if claimed(body[k])), default=0)
    return [
        Line(k, place, words)
        for k in range(begin, ends[0] + 1)
        for place, (_, _, words) in enumerate(_places(body[k]))
    ]


def _places(node: ast.stmt) -> Iterator:
    """What can be made wrong in one statement of a chapter, at last what it compares."""
    alone = ast.Module(body=[node], type_ignores=[])
    yield from wrong_formulas.places(alone)
    yield from comparisons.places(alone)


def with_line(code: str, line: Line) -> str:
    """The chapter's code with one of its own lines made wrong."""
    tree = ast.parse(code)
    _, change, _ = list(_places(tree.body[line.statement]))[line.place]
    change()
    return ast.unparse(ast.fix_missing_locations(tree))


def red_by_lines(code: str, folder: Path, open_: set[Key], limit: float) -> dict[Key, str]:
    """For each claim the first of the chapter's own formulas that turns it red when wrong."""
    found: dict[Key, str] = {}
    for key in sorted(open_):
        lines = own_lines(code, key[1])
        for line in random.Random(SEED).sample(lines, min(LINES, len(lines))):
            now = perturb.execute(with_line(code, line), folder, limit=limit, asked={key})
            if now.passed.get(key) is False:
                found[key] = f"{OWN}: {line.what}"
                break
    return found


def asked(code: str, folder: Path, names: list[str], open_: set[Key], limit: float) -> dict:
    """For each claim what turned it red, in words; a claim that nothing turns red is missing."""
    if not open_:
        return {}
    found: dict[Key, str] = {}
    for wrongs in (drawn(names), drawn(beside(names)), drawn(names, compared)):
        found |= red_by_functions(code, folder, wrongs, open_ - found.keys(), limit)
    return found | red_by_lines(code, folder, open_ - found.keys(), limit)
