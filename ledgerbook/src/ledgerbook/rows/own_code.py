"""Small changes of a row's own code: one constant or operator of a formula that it writes itself.

A row whose sides are typed in ``checks/`` (a symbolic identity, an inequality for a decision
procedure) calls no function that could be changed.  Its input is its own text.  What is returned is
never changed as a whole, nor a number that is returned as it stands: that would turn any row red.
Tried first are the slips that ``mutants`` knows, then what was left out, exchanged or turned round.
"""

import ast
import contextlib
import functools
import importlib
import sys
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

from ledgerbook.chapters import registry
from ledgerbook.ledger.checks import _drawing, once
from ledgerbook.project.project import current, per_project
from ledgerbook.rows.mutants import places as slips
from ledgerbook.rows.reach import Members, Place, members, node_of, read

MOST_WORDS = 3  # other words that are tried where one stands
OTHER_WAY: dict[type, Any] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE,
}  # fmt: skip


class Broken(Exception):
    """Code that stops before a row is asked."""


class Slip(NamedTuple):
    """An expression, what stands in its place, and which of several alike it is."""

    before: str
    after: str
    number: int

    def __str__(self) -> str:
        nth = f" ({self.number + 1})" if self.number else ""
        return f"{self.before} -> {self.after}{nth}"


def found(place: Place) -> Iterator[tuple[Slip, ast.expr, ast.expr]]:
    """The changes of the code at a place, in its order."""
    node, seen = node_of(place), dict[tuple[str, str], int]()
    bare = {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Return)}
    for one, other in slips(_body(node)):
        if id(one) in bare:
            continue
        pair = ast.unparse(one), ast.unparse(other)
        seen[pair] = seen.get(pair, -1) + 1
        yield Slip(*pair, seen[pair]), one, other


def further(place: Place) -> Iterator[tuple[Slip, ast.expr, ast.expr]]:
    """What else a slip of the pen can be: one of several things left out, two exchanged, a
    comparison the other way, another sign, another function that comes from the same module, the
    class's own method for another case, another word where such words are told apart.
    ``ways`` does not count them.
    """
    node, seen = node_of(place), dict[tuple[str, str], int]()
    bare = {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Return)}
    beside = _beside(read(place.file).text)
    words = _words(read(place.file).text)
    like = _like(members(place.file, place.name.partition(".")[0])) if "." in place.name else {}
    for one in ast.walk(_body(node)):
        if id(one) in bare and isinstance(one, ast.BinOp | ast.Compare):
            continue
        signs = [ast.UnaryOp(ast.USub(), one)] if one is getattr(node, "value", None) else []
        called = one.func.id if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) else ""
        call = one if isinstance(one, ast.Call) else None
        wrong: list[ast.expr] = [
            ast.Call(ast.Name(name, ast.Load()), call.args, call.keywords)
            for name in beside.get(called, ())
            if call
        ]
        if isinstance(one, ast.Attribute) and getattr(one.value, "id", "") == "self":
            wrong += [ast.Attribute(one.value, name, one.ctx) for name in like.get(one.attr, ())]
        wrong += _reworded(one, words)
        for other in (*signs, *_forgotten(one), *wrong):
            pair = ast.unparse(one), ast.unparse(other)
            seen[pair] = seen.get(pair, -1) + 1
            yield Slip(*pair, seen[pair]), one, other  # type: ignore[misc]


@per_project
def _beside(text: str) -> dict[str, list[str]]:
    """Each name that a module imports with others, and these: of the companion's functions."""
    found, left_out = dict[str, list[str]](), (current().settings.checks, "ledgerbook")
    ours = [name for name in current().imports if name not in left_out]
    for node in ast.parse(text).body:
        top = (node.module or "").partition(".")[0] if isinstance(node, ast.ImportFrom) else ""
        if isinstance(node, ast.ImportFrom) and top in ours:
            names = [one.asname or one.name for one in node.names if one.name.islower()]
            found |= {name: [one for one in names if one != name] for name in names}
    return found


def _like(parts: Members) -> dict[str, list[str]]:
    """Each method of a class that takes arguments, and the others that take the same ones."""
    taken = dict[str, list[str]]()
    for name, (_, _, node) in parts.items():
        if isinstance(node, ast.FunctionDef):
            takes = [one.arg for one in node.args.args if one.arg not in ("self", "rng", "case")]
            taken |= {name: takes} if takes else {}
    return {one: [k for k in taken if k != one and taken[k] == taken[one]] for one in taken}


@functools.cache
def _words(text: str) -> dict[str, list[str]]:
    """The words that a module looks things up by, for each place where some are told apart: in
    the brackets behind a name, or as the same argument of the same method.
    """
    found = dict[str, list[str]]()
    for one in ast.walk(ast.parse(text)):
        for where, word in _told(one):
            found.setdefault(where, []).append(str(word.value))
    return {where: list(dict.fromkeys(said)) for where, said in found.items()}


def _told(node: ast.AST) -> Iterator[tuple[str, ast.Constant]]:
    """(what it is for, word) of the words in brackets and of those that a method is given."""
    is_word = lambda one: isinstance(one, ast.Constant) and isinstance(one.value, str)
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        base = ast.unparse(node.value) if isinstance(node.value, ast.Attribute) else ""
        yield from ((f"{base}[{k}]", one) for k, one in enumerate(parts) if is_word(one))  # type: ignore[misc]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if getattr(node.func.value, "id", "") == "self":
            given = enumerate(node.args)
            yield from ((f"{node.func.attr}({k})", one) for k, one in given if is_word(one))  # type: ignore[misc]


def _reworded(node: ast.AST, words: dict[str, list[str]]) -> Iterator[ast.expr]:
    """The same with another word at one place."""
    for where, word in _told(node):
        others = [one for one in words[where] if one != word.value]
        for other in others[:MOST_WORDS]:
            yield _with(node, word, other)


def _with(node: Any, word: ast.Constant, other: str) -> ast.expr:
    """A piece of code with one of its words replaced."""
    new = lambda one: ast.Constant(other) if one is word else one
    if isinstance(node, ast.Call):
        return ast.Call(node.func, [new(one) for one in node.args], node.keywords)
    inner = node.slice
    inner = (
        ast.Tuple([new(one) for one in inner.elts], ast.Load())
        if isinstance(inner, ast.Tuple)
        else new(inner)
    )
    return ast.Subscript(node.value, inner, node.ctx)


def only_at_a_tie(slip: tuple[Slip, ast.expr, ast.expr]) -> bool:
    """Whether a slip asks the same but where two sides are equal: a weak one."""
    _, one, other = slip
    if not isinstance(one, ast.Compare) or not isinstance(other, ast.Compare):
        return False
    less = lambda node: isinstance(node.ops[0], ast.Lt | ast.LtE)
    order = lambda node: isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
    return order(one) and order(other) and less(one) == less(other)


def _forgotten(node: ast.AST) -> Iterator[ast.expr]:
    """What may stand in the place of an expression where something was forgotten."""
    if isinstance(node, ast.Call):
        for k in range(len(node.keywords)):
            words = [*node.keywords[:k], *node.keywords[k + 1 :]]
            yield ast.Call(node.func, node.args, words)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value:
        yield ast.Constant(0.0)
    elif isinstance(node, ast.BoolOp):
        for k in range(len(node.values)):
            others = [*node.values[:k], *node.values[k + 1 :]]
            yield ast.BoolOp(node.op, others) if others[1:] else others[0]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        yield from (node.left, node.right)
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER_WAY:
        ops = [OTHER_WAY[type(node.ops[0])](), *node.ops[1:]]
        yield ast.Compare(node.left, ops, node.comparators)
    elif isinstance(node, ast.Call) and len(node.args) > 1:
        for k in range(1, len(node.args)):
            yield ast.Call(node.func, [*node.args[:k], *node.args[k + 1 :]], node.keywords)
        if not any(isinstance(one, ast.Starred) for one in node.args[:2]):
            swapped = [node.args[1], node.args[0], *node.args[2:]]
            yield ast.Call(node.func, swapped, node.keywords)
    elif isinstance(node, ast.Call) and node.args and not isinstance(node.args[0], ast.Starred):
        if not isinstance(node.args[0], ast.Lambda | ast.GeneratorExp | ast.ListComp):
            yield ast.Call(node.func, [ast.UnaryOp(ast.USub(), node.args[0])], node.keywords)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield from (node.left, node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        yield ast.BinOp(node.right, ast.Div(), node.left)
    elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        for k in range(len(node.elts)) if node.elts[1:] else ():
            yield type(node)([*node.elts[:k], *node.elts[k + 1 :]], ast.Load())
        if len(node.elts) == 2:
            yield type(node)(node.elts[::-1], ast.Load())


def ways(place: Place) -> int:
    """In how many ways the code at a place can be changed: how much stands there."""
    return len(list(found(place)))


def _body(node: Any) -> ast.AST:
    """A piece of code without its words."""
    if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
        return ast.Module(node.body[1:], [])
    return node


@contextmanager
def put(place: Place, one: ast.expr, other: ast.expr) -> Iterator[None]:
    """A change of the code at a place; as before in the end.  ``Broken`` where it is no code."""
    node, text = node_of(place), read(place.file).text
    if isinstance(node, ast.FunctionDef):
        node = ast.FunctionDef(**{**vars(node), "decorator_list": []})
    changed = _spliced(text, node, one, ast.unparse(other))
    module = importlib.import_module(registry.module_name(place.file))
    given: dict[str, Any] = {}
    try:
        with warnings.catch_warnings(action="ignore"):  # of a compiler, about a slip
            code = compile(textwrap.dedent(changed), str(place.file), "exec")
        exec(code, vars(module) | {}, given)
    except Exception as error:  # a constant of the module is computed here
        raise Broken(f"{ast.unparse(other)}: {type(error).__name__}: {error}") from None
    with contextlib.ExitStack() as stack:
        for owner, name, value in _bindings(module, place, given):
            stack.enter_context(mock.patch.object(owner, name, value))
        yield


def _spliced(text: str, node: Any, one: ast.expr, after: str) -> str:
    """The text of a piece of code with an expression replaced, in brackets."""
    lines = text.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    at = lambda line, column: starts[line - 1] + column
    whole = text.encode()
    begin, end = starts[node.lineno - 1], at(node.end_lineno, node.end_col_offset)
    first, last = at(one.lineno, one.col_offset), at(one.end_lineno, one.end_col_offset)
    return (whole[begin:first] + f"({after})".encode() + whole[last:end]).decode()


def _bindings(module: Any, place: Place, given: dict[str, Any]) -> Iterator[tuple[Any, str, Any]]:
    """What is to be bound where, for a function, a method, a quantity or a constant."""
    owner, _, part = place.name.partition(".")
    if not part:
        ours = [
            one for name, one in sys.modules.items() if name.partition(".")[0] in current().imports
        ]
        for name, value in given.items():
            before = vars(module)[name]
            for home in {id(one): one for one in (module, *ours)}.values():
                if vars(home).get(name) is before:  # imported by its name
                    yield home, name, value
        return
    kind = getattr(module, owner)
    for name, value in given.items():
        before = vars(kind).get(name)
        if isinstance(before, functools.cached_property):
            made: Any = type(before)(value) if isinstance(before, once) else value
            made.__set_name__(kind, name)
        elif isinstance(before, property):
            made = property(value)
        else:
            made = _drawing(value)
            if hasattr(before, "row"):
                made.row = before.row
        yield kind, name, made
