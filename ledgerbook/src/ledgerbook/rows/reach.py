"""What of the code a row is made of: its method and all that it reaches in ``checks/``.

Read, not run: a method's names are looked up in its class, the class's bases, its module and the
modules of rows that these import from.  Words are no code: docstrings, conditions, equation numbers
and the annotations of signatures may change, and nothing here does.
"""

import ast
import copy
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ledgerbook.chapters import registry
from ledgerbook.project import imports
from ledgerbook.project.project import per_project

DIGITS = 12
ASKED = {"claim": slice(0, 3), "step": slice(0, 1), "control": slice(1, 4)}  # arguments, no words
KEPT = ("cases", "kind")  # what else a decorator says beside words
Node = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
Members = dict[str, tuple[Path, str, Node]]


class Place(NamedTuple):
    """A function, a constant or a member of a class: its file and its dotted name there."""

    file: Path
    name: str


class Module(NamedTuple):
    """A module of rows, read: its text, what it defines, and what it imports from where."""

    text: str
    own: dict[str, Node]
    imported: dict[str, tuple[Path, str]]


class Reach(NamedTuple):
    """What a row's method reaches: places of code, and names of the chapter's parameters."""

    places: tuple[Place, ...]
    reads: tuple[str, ...]


@per_project
def module(file: Path, text: str) -> Module:
    """A module as its text says."""
    own, imported = dict[str, Node](), dict[str, tuple[Path, str]]()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            home = imports.module_file(node.module)
            if home and registry.folder() in home.parents:
                imported |= {one.asname or one.name: (home, one.name) for one in node.names}
        else:
            own |= dict(_bound(node))
    return Module(text, own, imported)


def _bound(node: ast.stmt) -> Iterator[tuple[str, Node]]:
    """The names that a definition or an assignment binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name, node
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            for one in ast.walk(target):
                if isinstance(one, ast.Name):
                    yield one.id, node


def read(file: Path) -> Module:
    """A module of rows as it is now."""
    return module(file, file.read_text(encoding="utf-8"))


def members(file: Path, name: str) -> Members:
    """The members of a class by name, those of its bases included."""
    return _members(file, name, read(file).text)


@per_project
def _members(file: Path, name: str, text: str) -> Members:
    kind, found = module(file, text).own[name], Members()
    for base in getattr(kind, "bases", ()):
        home = _found(file, base.id) if isinstance(base, ast.Name) else None
        found |= members(*home) if home else {}
    for node in getattr(kind, "body", ()):
        found |= {bound: (file, name, one) for bound, one in _bound(node)}
    return found


def _found(file: Path, name: str) -> tuple[Path, str] | None:
    """Where a name of a module is defined in ``checks/``, or nothing."""
    here = read(file)
    if name in here.own:
        return file, name
    return _found(*here.imported[name]) if name in here.imported else None


def reach(file: Path, kind: str, method: str) -> Reach:
    """What a method of a class reaches, itself first."""
    return _reach(file, kind, method, read(file).text)


@per_project
def _reach(file: Path, kind: str, method: str, _text: str) -> Reach:
    parts, reads = members(file, kind), set[str]()
    home, owner, _ = parts[method]
    found, waiting = dict[Place, None](), [Place(home, f"{owner}.{method}")]
    while waiting:
        place = waiting.pop(0)
        if place in found:
            continue
        found[place] = None
        for is_own, name in _names(node_of(place)):
            if is_own and name in parts:
                home, owner, one = parts[name]
                if isinstance(one, ast.AnnAssign):
                    reads.add(name)
                else:
                    waiting.append(Place(home, f"{owner}.{name}"))
            elif not is_own and (other := _found(place.file, name)):
                if other != (file, kind):
                    waiting.append(Place(*other))
    return Reach(tuple(found), tuple(sorted(reads)))


def node_of(place: Place) -> Node:
    """What stands at a place; ``KeyError`` for nothing."""
    name, _, part = place.name.partition(".")
    return members(place.file, name)[part][2] if part else read(place.file).own[name]


def _names(node: ast.AST) -> Iterator[tuple[bool, str]]:
    """Names that a piece of code uses: (whether as ``self.name``, name)."""
    unread = {id(part) for _, said in _annotations(node) for part in ast.walk(said)}
    for one in ast.walk(node):
        if id(one) in unread:
            continue
        if isinstance(one, ast.Attribute) and getattr(one.value, "id", "") == "self":
            yield True, one.attr
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            yield False, one.id


def _annotations(node: ast.AST) -> Iterator[tuple[ast.arg | None, ast.expr]]:
    """The annotations of the signatures in a piece of code: (argument, or none for what is
    returned; annotation).  Those of a class's fields are none of them.
    """
    for one in ast.walk(node):
        if isinstance(one, ast.arg) and one.annotation is not None:
            yield one, one.annotation
        elif isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.returns is not None:
            yield None, one.returns


def _segment(text: str, node: ast.AST) -> str:
    """The text of a node without the annotations of the signatures in it."""
    data, starts = text.encode(), [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    end = lambda one: starts[one.end_lineno - 1] + one.end_col_offset
    begin = lambda one: starts[one.lineno - 1] + one.col_offset
    kept, now = list[bytes](), begin(node)
    for argument, said in sorted(_annotations(node), key=lambda pair: begin(pair[1])):
        named = argument and begin(argument) + len(argument.arg.encode())
        kept.append(data[now : named or data.rindex(b"->", 0, begin(said))])
        now = end(said)
    return b"".join([*kept, data[now : end(node)]]).decode()


def _code(place: Place) -> str:
    """The text of a place without its words, its annotations and blanks."""
    node, text = node_of(place), read(place.file).text
    get = lambda one: _segment(text, one)
    if not isinstance(node, ast.FunctionDef):
        return "".join(get(node).split())
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    pieces = [ast.unparse(_unannotated(node.args)), *map(get, body)]
    for mark in node.decorator_list:
        called = mark.func if isinstance(mark, ast.Call) else mark
        name = getattr(called, "id", "")
        if name in ASKED and isinstance(mark, ast.Call):
            pieces += [get(one) for one in mark.args[ASKED[name]]]
            pieces += [get(one.value) for one in mark.keywords if one.arg in KEPT]
        elif name not in ("erratum", "finding"):
            pieces.append(get(mark))
    return "".join("".join(pieces).split())


def _unannotated(arguments: ast.arguments) -> ast.arguments:
    """The same arguments without annotations."""
    bare = copy.deepcopy(arguments)
    for argument, _ in _annotations(bare):
        if argument is not None:
            argument.annotation = None
    return bare


def brackets(places: tuple[Place, ...]) -> str:
    """A fingerprint of which parts of arrays and tables the code at some places takes: of all that
    stands in brackets behind a name.  Names in them count as one, annotations not at all.
    """
    told = []
    for node in map(node_of, places):
        typed = [said for _, said in _annotations(node)]
        typed += [one.annotation for one in ast.walk(node) if isinstance(one, ast.AnnAssign)]
        unread = {id(part) for said in typed for part in ast.walk(said)}
        for one in ast.walk(node):
            if isinstance(one, ast.Subscript) and id(one) not in unread:
                part = copy.deepcopy(one.slice)
                for name in ast.walk(part):
                    if isinstance(name, ast.Name):
                        name.id = "_"
                told.append(ast.unparse(part))
    return hashlib.sha256("\n".join(sorted(told)).encode()).hexdigest()[: DIGITS // 2]


def fingerprint(places: tuple[Place, ...]) -> str:
    """A fingerprint of the code at some places."""
    told = sorted(f"{one.file.name}:{one.name}:{_code(one)}" for one in places)
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:DIGITS]
