"""Which statements of the companion's modules a piece of code can run, by the names that it uses.

Of a module that is reached those statements count that bind a name which somebody uses, at any
depth, and all that do more than bind one (an expression, a condition, an assignment to an
attribute), because they run when it is imported.  A name that stands in a string counts as used,
for ``getattr``; a module that is handed around counts whole.
"""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from ledgerbook.project import imports, syntax

ALL = "*"  # every name of a module
Asked = tuple[str, str]  # a module and a name of it


class Statement(NamedTuple):
    """A statement at the top of a module, or one name of an import there.

    binds: its name, "" where it counts in any case.  uses: names, and ``name.attribute`` where only
    an attribute of one is taken.  text: its syntax.  brings: what imports inside it take.  comes:
    of an import, the module and the name that it binds; ``import a.b`` has no name.
    """

    binds: str
    uses: frozenset[str]
    text: str
    brings: frozenset[Asked]
    comes: Asked | None = None


def reached(code: str, documented: Iterable[str] = ()) -> dict[str, str]:
    """The syntax of all that ``code`` can run, by module, without its own.

    documented: the packages whose docstrings count.
    """
    source = cache(_source)  # for this walk: the disk is asked once
    read = lambda module: _statements(source(module), module.partition(".")[0] in documented)
    names = {"": {ALL}}  # what is asked of each module; the code itself is ""
    texts, waiting = dict[str, str](), {""}
    while waiting:
        module = waiting.pop()
        statements = read(module) if module else _statements(code, False)
        found = _needed(statements, names[module])
        texts[module] = "\n".join(one.text for one in found)
        for other, name in _asked(found, names[module]):
            for home, asked in ((other, name), *((up, "") for up in _packages(other))):
                if source(home) is not None and asked not in names.setdefault(home, set()):
                    names[home].add(asked)
                    waiting.add(home)
    return {module: text for module, text in sorted(texts.items()) if module}


def _source(module: str) -> str | None:
    file = imports.module_file(module)
    return file.read_text(encoding="utf-8") if file else None


def _packages(module: str) -> Iterator[str]:
    """The packages that a module lies in."""
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


@cache  # by the text itself: every chapter reaches the same few files
def _statements(source: str, docstrings: bool) -> tuple[Statement, ...]:
    """The statements of a module, an import as one for each of its names."""
    found = list[Statement]()
    for node in syntax.tree(source, docstrings).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found += _imported(node)
        else:
            brings = {come for one in ast.walk(node) for come in _nested(one)}
            told = frozenset(_uses(node)), syntax.text(node), frozenset(brings)
            found.append(Statement(_bound(node), *told))
    return tuple(found)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[Statement]:
    for alias in node.names:
        comes = (node.module or "", alias.name) if isinstance(node, ast.ImportFrom) else None
        binds = alias.asname or alias.name.partition(".")[0]
        comes = comes or (alias.name, "")
        yield Statement(binds, frozenset(), f"{binds} = {comes}", frozenset(), comes)


def _nested(node: ast.AST) -> Iterator[Asked]:
    """What an import inside a statement takes."""
    if isinstance(node, ast.ImportFrom):
        yield from ((node.module or "", alias.name) for alias in node.names)
    elif isinstance(node, ast.Import):
        yield from ((alias.name, ALL) for alias in node.names)


def _bound(node: ast.stmt) -> str:
    """The one plain name that a statement binds, or ""; what a module says to Python is none."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            name = node.name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            pass
        case _:
            return ""
    return "" if name.startswith("__") else name


def _uses(node: ast.AST) -> Iterator[str]:
    """The names in a statement; of one whose attribute is taken, both together."""
    nodes = list(ast.walk(node))
    taken = [one for one in nodes if isinstance(one, ast.Attribute)]
    within = {id(one.value) for one in taken}
    for one in nodes:
        match one:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                yield f"{name}.{attribute}"
            case ast.Name(id=name) if id(one) not in within:
                yield name
            case ast.Constant(value=str(name)) if name.isidentifier():
                yield name
            case ast.Global(names=names):
                yield from names


def _needed(statements: tuple[Statement, ...], wanted: set[str]) -> list[Statement]:
    """The statements that count where some names are wanted, in their order."""
    used, places = set[str](), set[int]()
    new = {*wanted, ""}  # "" is what the statements bind that count in any case
    while new:
        used |= {name.partition(".")[0] for name in new}
        now = {n for n, one in enumerate(statements) if ALL in used or one.binds in used} - places
        new = {name for n in now for name in statements[n].uses}
        places |= now
    return [statements[n] for n in sorted(places)]


def _asked(found: list[Statement], wanted: set[str]) -> Iterator[Asked]:
    """What statements that count ask of other modules."""
    used = wanted | {name for one in found for name in one.uses}
    for one in found:
        for module, name in one.brings:
            yield from _resolved(module, name, {ALL})
        if one.comes:
            pairs = (name.partition(".") for name in used)
            through = {attribute for name, _, attribute in pairs if name == one.binds} - {""}
            whole = one.binds in used or not one.comes[1]
            yield from _resolved(*one.comes, {ALL} if whole else through)


def _resolved(module: str, name: str, attributes: set[str]) -> Iterator[Asked]:
    """A name of a module, or attributes of the module that it is."""
    inside = f"{module}.{name}" if name else module
    if name and name != ALL and imports.module_file(inside) is None:
        yield module, name
    else:
        yield from ((inside if name != ALL else module, one) for one in attributes or {ALL})
