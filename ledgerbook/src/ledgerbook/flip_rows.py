"""Rows that a chapter proves, as pieces of code in which one sign can be flipped."""

import ast
import copy
import os
from collections.abc import Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

from ledgerbook import notebooks, paths

PROVED = ("symbolic", "decided", "certified", "exact")
RECORDS = ("step", "claim", "meets")
RESULT = "_held"
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add}


@dataclass(frozen=True)
class Row:
    """A proved row: the code before its cell, and its cell up to it as a tree.

    The tree ends with an assignment of the row's verdict to ``RESULT``; no other row is recorded
    in it.
    """

    id: str
    before: str
    tree: ast.Module

    @property
    def text(self) -> str:
        """The cell up to the row, as it is."""
        return ast.unparse(self.tree)

    @property
    def signs(self) -> int:
        """How many signs its conclusion has."""
        return len(_signs(self.tree))

    def flipped(self, index: int) -> tuple[str, str]:
        """What is flipped, in words, and the changed text."""
        tree = copy.deepcopy(self.tree)
        node = _signs(tree)[index]
        was = ast.unparse(node)
        if isinstance(node, ast.BinOp):
            node.op = OPERATORS[type(node.op)]()
        else:
            node.op = ast.UAdd()
        return f"`{_short(was)}` becomes `{_short(ast.unparse(node))}`", ast.unparse(tree)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:40]} … {text[-15:]}"


def rows(notebook: NotebookNode) -> Iterator[Row]:
    """The proved rows of a notebook that stand alone in a cell's outermost level."""
    before: list[str] = []
    for cell in notebooks.code_cells(notebook):
        kept: list[ast.stmt] = []
        for statement in ast.parse(cell.source).body:
            call = _record(statement)
            if call is None:
                kept.append(statement)
            elif _kind(call) in PROVED:
                yield Row(ast.literal_eval(call.args[-5]), "\n".join(before), _tree(kept, call))
        before.append(cell.source)


def _record(statement: ast.stmt) -> ast.Call | None:
    """The call that records a row or shows rows, where a statement is nothing else."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        return call
    return None


def _kind(call: ast.Call) -> str | None:
    """The kind of the row that a call records, where it is written out."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in RECORDS:
        return None
    if len(call.args) < 5 or not isinstance(call.args[-5], ast.Constant):
        return None
    kinds = [word.value for word in call.keywords if word.arg == "kind"]
    return str(kinds[0].value) if kinds and isinstance(kinds[0], ast.Constant) else None


def _tree(kept: list[ast.stmt], call: ast.Call) -> ast.Module:
    observed, relation, bound = call.args[-3:]
    held = ast.Call(ast.Name("compare", ast.Load()), [observed, relation, bound], [])
    last = ast.Assign([ast.Name(RESULT, ast.Store())], held)
    return ast.fix_missing_locations(ast.Module([*copy.deepcopy(kept), copy.deepcopy(last)], []))


def _signs(tree: ast.Module) -> list:
    """The signs of the conclusion: in the row's value, and in what the cell computes it from."""
    names: set[str] = set()
    found: list = []
    for statement in reversed(tree.body):
        if not isinstance(statement, ast.Assign):
            continue
        if not _targets(statement) & (names | {RESULT}):
            continue
        for node in _goal(statement.value):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif _is_sign(node):
                found.append(node)
    return found


def _targets(statement: ast.Assign) -> set[str]:
    """The names that an assignment gives a value."""
    return {
        node.id for node in ast.walk(ast.Tuple(statement.targets)) if isinstance(node, ast.Name)
    }


def _is_sign(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return type(node.op) in OPERATORS
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def _goal(node: ast.AST) -> Iterator[ast.AST]:
    """A value's nodes, but for assumptions of ``follows`` and for indices."""
    yield node
    children: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "follows":
        children = [node.args[0]]
    if isinstance(node, ast.Subscript):
        children = [node.value]
    for child in children:
        yield from _goal(child)


def environment() -> dict[str, str]:
    """The environment in which a chapter's code runs alone."""
    return {**os.environ, "PYTHONPATH": paths.python_path(), "MPLBACKEND": "agg"}
