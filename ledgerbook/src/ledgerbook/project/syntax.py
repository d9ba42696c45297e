"""What a file of Python says to the machine: its syntax, without comments and layout."""

import ast
import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from ledgerbook.project.project import current

DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_PARSING = threading.Lock()


@contextlib.contextmanager
def of(file: Path) -> Iterator[None]:
    """A block in which the file is parsed: what is wrong is a ``ValueError`` with file and line."""
    try:
        yield
    except SyntaxError as error:
        line = f":{error.lineno}" if error.lineno else ""
        raise ValueError(f"{current().relative(file)}{line}: {error.msg}") from None


def parsed(source: str) -> ast.Module:
    """The syntax tree of ``source``, for threads too.  Raises ``SyntaxError``.

    Before 3.11.8 CPython counts the depth of what all threads parse in one number, and a collection
    of garbage lets another thread begin: ``SystemError: AST constructor recursion depth mismatch``.
    """
    with _PARSING:
        return ast.parse(source)


def tree(source: str, docstrings: bool) -> ast.Module:
    """The syntax tree of ``source``, with its docstrings or without.  Raises ``SyntaxError``.

    The annotations of signatures are left out, because they compute nothing; those of a class's
    body stay, because they make the fields of a dataclass.
    """
    found = parsed(source)
    for node in ast.walk(found):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
    for node in () if docstrings else ast.walk(found):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return found


def text(node: object) -> str:
    """A node as ``Kind(field=…)``, the same in every version of Python.

    What is empty is left out, because versions list it differently.
    """
    if isinstance(node, list):
        return f"[{','.join(map(text, node))}]"
    if isinstance(node, ast.Constant):
        return ascii(node.value)
    if not isinstance(node, ast.AST):
        return ascii(node)
    told = ((name, getattr(node, name, None)) for name in node._fields if name != "ctx")
    said = (f"{name}={text(value)}" for name, value in told if value is not None and value != [])
    return f"{type(node).__name__}({','.join(said)})"
