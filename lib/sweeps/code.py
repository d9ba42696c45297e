"""Fingerprint of code: one hash of a module and of all that it imports."""

import ast
import hashlib
import symtable
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lib.validation import require

LIBRARIES = ("numpy", "torch", "numba")  # another version may round differently
PACKAGE = "lib"
# Fields of the syntax tree that compute nothing.
UNREAD = {
    ast.arg: ("annotation",),
    ast.FunctionDef: ("returns",),
    ast.AsyncFunctionDef: ("returns",),
}
ROOT = Path(__file__).resolve().parents[2]  # the folder that holds the package


@cache
def fingerprint(module: str) -> str:
    """Fingerprint of the code that results of ``module`` depend on: a hash of 16 digits.

    It covers the files of ``PACKAGE`` that the module reaches, and the versions of ``LIBRARIES``.
    Of a file its syntax counts.  Comments, docstrings and the annotations of signatures do not,
    because they compute nothing.  It is computed once in each process, because what is imported
    does not change while the process lives.
    """
    sha = hashlib.sha256(repr([(name, version(name)) for name in LIBRARIES]).encode())
    for name, file in sorted(reached(module).items()):
        data = _meaning(ast.parse(file.read_text(encoding="utf-8"))).encode()
        sha.update(f"{name} {len(data)} ".encode() + data)
    return sha.hexdigest()[:16]


def _meaning(node: Any) -> str:
    """A syntax tree as text, the same in every version of Python.

    Docstrings and the annotations of signatures are left out.
    """
    if isinstance(node, list):
        return f"[{','.join(map(_meaning, node))}]"
    if isinstance(node, ast.Constant) or not isinstance(node, ast.AST):
        return ascii(getattr(node, "value", node))
    left_out = UNREAD.get(type(node), ("ctx",))
    parts = {name: getattr(node, name, None) for name in node._fields if name not in left_out}
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
        parts["body"] = node.body[1:]
    said = (f"{name}={_meaning(part)}" for name, part in parts.items() if part not in (None, []))
    return f"{type(node).__name__}({','.join(said)})"


def reached(module: str) -> dict[str, Path]:
    """Files by module name: ``module`` and all that it imports or lies in, at any depth.

    Imports are read from the source, wherever they stand.  ``module`` may lie outside of
    ``PACKAGE`` (a task of one's own); what it imports there is not followed.
    Raises ``ValueError`` for a relative import and for a module that ``PACKAGE`` does not have,
    because the fingerprint would miss both.
    """
    waiting, found = {module}, {}
    while waiting:
        name = waiting.pop()
        file = _file(name) if _is_ours(name) else _elsewhere(name)
        require(file, "import", name, f"a module of {PACKAGE}")
        found[name] = file
        around = {name.rpartition(".")[0]} if _is_ours(name) and "." in name else set()
        waiting |= (_imported(file) | around) - found.keys()  # type: ignore[arg-type]
    return found  # type: ignore[return-value]


def _imported(file: Path) -> set[str]:
    """Names of the modules of ``PACKAGE`` that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            require(node.level == 0, "import", ast.unparse(node), "absolute imports")
            module = str(node.module)  # level 0 has a name
            found.add(module)
            home = _file(module)
            if home and home.name == "__init__.py":
                handed_on = _bound(home)
                inside = {alias.name: f"{module}.{alias.name}" for alias in node.names}
                found |= {m for name, m in inside.items() if _file(m) or name not in handed_on}
    return {name for name in found if _is_ours(name)}


def _bound(file: Path) -> set[str]:
    """The names that a package's own file binds: what is taken from it need not be a module."""
    symbols = symtable.symtable(file.read_text(encoding="utf-8"), str(file), "exec").get_symbols()
    return {one.get_name() for one in symbols if one.is_imported() or one.is_assigned()}


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE


def _elsewhere(name: str) -> Path | None:
    """File of a module of somebody else's, or ``None``."""
    found = find_spec(name)
    return Path(found.origin) if found and found.origin else None


def _file(name: str) -> Path | None:
    """File of a module of ``PACKAGE``, or ``None``."""
    path = ROOT.joinpath(*name.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if _is_ours(name) and file.is_file()), None)
