"""What compares a thing with itself, as it is written: it can say nothing, and never fails.

Read from the source of a module of rows: a difference, a quotient or a comparison whose two sides
are the same expression, a call of a function that compares, and a pair of a symbolic row.
"""

import ast
from collections.abc import Iterator

from ledgerbook.project import syntax

COMPARING = ("relative_error", "allclose", "array_equal", "isclose", "assert_allclose", "Eq")


def alike(source: str) -> Iterator[str]:
    """A line, with its number, for each comparison of an expression with itself."""
    tree = syntax.tree(source, docstrings=True)  # without what annotates a signature
    symbolic = [one for one in ast.walk(tree) if _is_symbolic(one)]
    bodies = [part for method in symbolic for part in getattr(method, "body", ())]
    pairs = {id(one) for part in bodies for one in ast.walk(part) if _is_pair(one)}
    for node in ast.walk(tree):
        sides = _sides(node) if id(node) not in pairs else node.elts  # type: ignore[attr-defined]
        if len(sides) == 2 and ast.dump(sides[0]) == ast.dump(sides[1]):
            yield f"{node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]


def _sides(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div):
        return [node.left, node.right]
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call):
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        return node.args[:2] if name in COMPARING else []
    return []


def _is_symbolic(node: ast.AST) -> bool:
    """Whether a method hands over facts whose equality is decided elsewhere."""
    marks = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    told = (one for mark in marks if isinstance(mark, ast.Call) for one in mark.args)
    return any(isinstance(one, ast.Constant) and one.value == "symbolic" for one in told)


def _is_pair(node: ast.AST) -> bool:
    """Whether two sides stand in brackets, and no two numbers."""
    if not isinstance(node, ast.Tuple) or len(node.elts) != 2:
        return False
    return not all(isinstance(one, ast.Constant) for one in node.elts)
