"""``make wrong``: one wrong formula at a time, and the claims alone as judges.

A sign, a factor, an index or a term of a function that chapters call by name is made wrong; then
the claims of these chapters are asked, and no unit test.  What no claim notices is listed.  The
number of an axis is no formula, nor is a tolerance.  A function that draws at random makes other
data when it is wrong, one that stops with an error of its own says nothing wrong, and what was
shown to change no result (``equivalent``) is not wrong: another is asked in its place.
"""

import ast
import copy
import functools
import inspect
import json
import random
import textwrap
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from ledgerbook import comparisons, equivalent, notebooks, paths, perturb
from ledgerbook.statements import Statement, written

OTHER_SIGN: dict[type, type] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
OTHER_FACTOR: dict[type, type] = {ast.Mult: ast.Div, ast.Div: ast.Mult}
NO_FORMULA = ("require", "np.zeros", "np.ones", "np.eye", "np.empty")  # checks, words, shapes
AXES = ("axis", "axes", "dim", "shape")  # arguments and attributes that count axes
LAYOUT = ("swapaxes", "moveaxis", "reshape", "expand_dims")  # calls that move axes by number


@dataclass(frozen=True)
class Wrong:
    """One wrong formula: the function, the number of its place, line in the file, what is wrong."""

    name: str
    place: int
    line: int
    what: str


class DoesNotRun(Exception):
    """A wrong formula that gives no number at all, where the right one gives one."""


def _file(name: str) -> str:
    """The module that holds a function, relative to the project."""
    return paths.relative(inspect.getsourcefile(perturb.function(name)) or "")


def _tree(name: str) -> tuple[ast.Module, int]:
    """A function's own source, undecorated, and its first line in the file."""
    function = perturb.function(name)
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    tree.body[0].decorator_list = []  # type: ignore[attr-defined]
    for node in ast.walk(tree):  # a tolerance may have a name
        if isinstance(node, ast.Name):
            node.value = function.__globals__.get(node.id)  # type: ignore[attr-defined]
    return tree, first


def places(tree: ast.AST) -> Iterator[tuple[ast.AST, Callable[[], None], str]]:
    """Every place that can be made wrong: node, the change in place, words."""
    for parent in _formula_nodes(tree):
        for field, node in list(ast.iter_fields(parent)):
            if isinstance(node, ast.BinOp) and type(node.op) in OTHER_SIGN:
                yield node, functools.partial(setattr, parent, field, node.left), "term missing"
        if isinstance(parent, ast.BinOp | ast.AugAssign):
            op = type(parent.op)
            other = OTHER_SIGN.get(op) or OTHER_FACTOR.get(op)
            if other:
                words = f"{op.__name__} becomes {other.__name__}"
                yield parent, functools.partial(setattr, parent, "op", other()), words
        if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub):
            yield parent, functools.partial(setattr, parent, "op", ast.UAdd()), "minus dropped"
        if isinstance(parent, ast.BinOp | ast.Subscript | ast.Slice):
            for node in ast.iter_child_nodes(parent):
                if isinstance(node, ast.Constant) and type(node.value) in (int, float):
                    number: Any = node.value
                    words = f"{number} becomes {number + 1}"
                    yield node, functools.partial(setattr, node, "value", number + 1), words


def _formula_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, but for calls that check arguments, errors, and default values."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(NO_FORMULA):
        return
    if isinstance(node, ast.Raise | ast.arguments) or _counts_axes(node) or _of_rounding(node):
        return
    yield node
    moves = isinstance(node, ast.Call) and ast.unparse(node.func).endswith(LAYOUT)
    for child in ast.iter_child_nodes(node):
        if not (moves and isinstance(child, ast.UnaryOp | ast.Constant | ast.Tuple)):
            yield from _formula_nodes(child)


def _counts_axes(node: ast.AST) -> bool:
    """Whether a part of the source says which axis: ``axis=-1``, ``x.shape[1]``."""
    if isinstance(node, ast.keyword):
        return node.arg in AXES
    value = node.value if isinstance(node, ast.Subscript) else None
    return isinstance(value, ast.Attribute) and value.attr in AXES


def _of_rounding(node: ast.AST) -> bool:
    """Whether a part of the source compares with a tolerance."""
    parts = ast.walk(node) if isinstance(node, ast.Compare) else ()
    return any(
        getattr(part, "id", "") == "tolerance"
        or (type(size := getattr(part, "value", None)) is float and 0 < size < 1e-6)
        for part in parts
    )


def wrongs(name: str, compared: bool = False) -> list[Wrong]:
    """All that can be made wrong in one function, or else (``compared``) in what it compares."""
    tree, first = _tree(name)
    found = [
        Wrong(name, place, first - 1 + node.lineno, words)  # type: ignore[attr-defined]
        for place, (node, _, words) in enumerate((*places(tree), *comparisons.places(tree)))
    ]
    formulas = len(list(places(tree)))
    return found[formulas:] if compared else found[:formulas]


def source(wrong: Wrong) -> str:
    """The function with its wrong formula."""
    tree, _ = _tree(wrong.name)
    _, change, _ = [*places(tree), *comparisons.places(tree)][wrong.place]
    change()
    return ast.unparse(ast.fix_missing_locations(tree))


def install(wrong: Wrong) -> None:
    """Put the wrong function in the place of the right one, in this process."""
    right = perturb.function(wrong.name)
    space = copy.copy(right.__globals__)  # what it calls is right; only itself is not
    exec(source(wrong), space)
    made = space[right.__name__]
    bad = types.FunctionType(made.__code__, right.__globals__, right.__name__)
    bad.__defaults__, bad.__kwdefaults__ = right.__defaults__, right.__kwdefaults__

    def put(*args, **kwargs):
        try:
            return bad(*args, **kwargs)
        except Exception as error:
            right(*args, **kwargs)  # what the right one refuses too is refused
            raise DoesNotRun from error

    functools.update_wrapper(put, right)
    perturb.replace(wrong.name, lambda original: put)


def sample(
    number: int, seed: int, names: Iterable[str], find: Callable | None = None
) -> list[Wrong]:
    """``number`` wrong formulas: each function as likely, then each of its places, none twice."""
    draw = random.Random(seed)
    left = {name: found for name in sorted(names) if (found := (find or wrongs)(name))}
    chosen: list[Wrong] = []
    while left and len(chosen) < number:
        for name in draw.sample(sorted(left), min(len(left), number - len(chosen))):
            chosen.append(left[name].pop(draw.randrange(len(left[name]))))
            if not left[name]:
                del left[name]
    return chosen


@functools.cache
def _code(row: Statement) -> str:
    return notebooks.code(notebooks.read(row.chapter))


def calls(rows: list[Statement]) -> dict[str, list[Statement]]:
    """By function the chapters that call it by name."""
    found: dict[str, list[Statement]] = {}
    for row in rows:
        for name in perturb.formulas(_code(row)):
            found.setdefault(name, []).append(row)
    return found


@functools.cache
def _green(row: Statement) -> frozenset[perturb.Key]:
    """The claims of a chapter that pass: as stored, or else by executing it once."""
    stored = notebooks.closing_records(notebooks.read(row.chapter))
    if not stored:
        base = perturb.execute(_code(row), row.chapter.parent)
        return frozenset(key for key in base.claims if base.passed[key])
    claims = [(tag, claim) for tag, record in stored.items() for claim in record["claims"]]
    return frozenset((tag, claim["id"]) for tag, claim in claims if claim["passed"])


def judge(wrong: Wrong, rows: list[Statement]) -> dict:
    """Which claim turns red first; or that the function, or a chapter, stops; or that none does."""
    if equivalent.is_shown(_file(wrong.name), wrong.line, wrong.what):
        return {**asdict(wrong), "noticed": "equivalent", "claims": []}
    verdict: dict[str, Any] = {"noticed": "survived", "claims": []}
    for row in sorted(rows, key=lambda row: len(_code(row))):
        green, prepare = _green(row), functools.partial(install, wrong)
        now = perturb.execute(_code(row), row.chapter.parent, prepare, green)
        red = [f"{tag}.{id}" for tag, id in green if now.passed.get((tag, id)) is False]
        if red:
            verdict = {"noticed": "a claim", "claims": red}
            break
        if now.error == DoesNotRun.__name__:
            verdict["noticed"] = "does not run"
        elif not now.ended and verdict["noticed"] == "survived":
            verdict["noticed"] = "stopped"
    return {**asdict(wrong), **verdict}


def main(number: int, seed: int, jobs: int = 2) -> int:
    """Judge ``number`` wrong formulas that run; prints each, stores ``_build/wrong.json``."""
    called = calls([row for row in written() if row.kind != "experiment"])
    chapters = {name: rows for name, rows in called.items() if not draws(name)}
    waiting = sample(2 * number, seed, chapters)
    results: list[dict] = []

    def run(wrong: Wrong) -> dict:
        done = judge(wrong, chapters[wrong.name])
        words = [f"{done['noticed']}:", wrong.name, wrong.line, wrong.what, *done["claims"][:1]]
        print(*words, flush=True)
        return done

    with ThreadPoolExecutor(jobs) as pool:
        while waiting and (missing := number - sum(_runs(done) for done in results)) > 0:
            results += pool.map(run, waiting[:missing])
            del waiting[:missing]
    paths.write_atomically(paths.BUILD / "wrong.json", json.dumps(results, indent=1))
    print(counted(results))
    return 0


def _runs(done: dict) -> bool:
    return done["noticed"] not in ("does not run", "equivalent")


def counted(results: list[dict]) -> str:
    """How many of the wrong formulas were noticed how."""
    counts = Counter(done["noticed"] for done in results)
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def draws(name: str) -> bool:
    """Whether a function draws at random: wrong, it makes other data, and says no formula."""
    return "rng" in inspect.signature(perturb.function(name)).parameters
