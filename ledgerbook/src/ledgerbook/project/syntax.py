"""What a file of Python says to the machine: its syntax, without comments and layout."""

import ast
from functools import cache

BODIES = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache  # by the text itself: every chapter reaches the same few files
def meaning(source: str, docstrings: bool = False) -> str:
    """The syntax tree of ``source`` as text, the same in every version of Python.

    docstrings: whether they count, as they do where a program shows them.  Raises ``SyntaxError``.
    """
    tree = ast.parse(source)
    if not docstrings:
        for node in ast.walk(tree):
            if isinstance(node, BODIES) and ast.get_docstring(node, clean=False) is not None:
                del node.body[0]
    return _text(tree)


def _text(node: object) -> str:
    """A node as ``Kind(field=…)`` without what is empty, which versions list differently."""
    if isinstance(node, list):
        return f"[{','.join(map(_text, node))}]"
    if isinstance(node, ast.Constant):
        return ascii(node.value)
    if not isinstance(node, ast.AST):
        return ascii(node)
    told = ((name, getattr(node, name, None)) for name in node._fields if name != "ctx")
    said = (f"{name}={_text(value)}" for name, value in told if value is not None and value != [])
    return f"{type(node).__name__}({','.join(said)})"
