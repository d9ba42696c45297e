"""Checks of a chapter's code cells that are made before a kernel starts."""

import ast
from collections.abc import Iterator

from nbformat import NotebookNode

from ledgerbook.chapters import fingerprint, notebooks, registry
from ledgerbook.project.syntax import parsed

TAG = "parameters"
STEADY = {  # of modules whose values differ from run to run, what may be used
    "time": {"sleep"},
    "uuid": {"UUID", "uuid3", "uuid5", "NAMESPACE_DNS", "NAMESPACE_URL", "NAMESPACE_OID"},
    "secrets": set[str](),
}
NOW = {"now", "utcnow", "today"}  # methods that read the clock, of whatever they are
MAGIC = (
    "; a chapter holds plain Python: no magics, no shell lines, and packages come from the locks"
)


def problem(notebook: NotebookNode) -> str | None:
    """Why a chapter's code cannot be run, or ``None``."""
    return next(problems(notebook), None)


def problems(notebook: NotebookNode) -> Iterator[str]:
    """All faults of the code cells, each as a line that names the cell."""
    found = list(syntax(notebook))
    yield from found or clocks(notebook)
    if not found:
        yield from parameters(notebook)


def syntax(notebook: NotebookNode) -> Iterator[str]:
    """The syntax errors of the code cells, as lines that name the cell."""
    for number, cell in enumerate(notebooks.code_cells(notebook), 1):
        try:
            parsed(cell.source)
        except SyntaxError as error:
            where = f", line {error.lineno}" if error.lineno else ""
            line = (error.text or "").strip()
            hint = MAGIC if line[:1] in ("%", "!", "?") or line[-1:] == "?" else ""
            shown = f": {line[:80]!r}" if line else ""
            yield f"code cell {number}{where}: {error.msg}{shown}{hint}"
        except ValueError as error:  # a NUL in it
            yield f"code cell {number}: {error}"


def clocks(notebook: NotebookNode) -> Iterator[str]:
    """Uses of clocks, unseeded random numbers and similar sources, as lines that name the cell.

    Their results differ from run to run, so that no run would repeat the stored outputs.
    """
    called = dict[str, str]()  # what a module is called here
    for number, cell in enumerate(notebooks.code_cells(notebook), 1):
        asked = dict[str, None]()
        for node in ast.walk(parsed(cell.source)):
            match node:
                case ast.Import(names=names):
                    called |= {one.asname or one.name: one.name for one in names}
                case ast.ImportFrom(module=str(module), names=names) if module in STEADY:
                    used = (one.name for one in names if one.name not in STEADY[module])
                    asked |= dict.fromkeys(f"{module}.{name}" for name in used)
                case ast.Call(func=ast.Attribute(attr=name)) if name in NOW:
                    asked[f"{name}()"] = None
        for node in ast.walk(parsed(cell.source)):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=attr):
                    module = called.get(name, "")
                    if module in STEADY and attr not in STEADY[module]:
                        asked[f"{module}.{attr}"] = None
        for name in asked:
            yield f"code cell {number}: {name}: what it gives differs from run to run"


def parameters(notebook: NotebookNode) -> Iterator[str]:
    """Faults of the cell tagged ``parameters``, as lines.

    A chapter whose class declares no parameter need not have that cell.
    """
    cells = notebooks.code_cells(notebook)
    tagged = [k for k, cell in enumerate(cells, 1) if TAG in cell.metadata.get("tags", ())]
    if len(tagged) > 1:
        yield f"code cells {', '.join(map(str, tagged))} are tagged {TAG}, allowed: one"
    elif tagged not in ([], [1]):
        yield f"code cell {tagged[0]} is tagged {TAG}, allowed: the first"
    elif tagged:
        try:
            found = notebooks.parameters(notebook)
        except ValueError as error:
            yield f"code cell 1: {error}"
        else:
            if not found:
                yield f"code cell 1 is tagged {TAG} and gives none, allowed: lines such as M = 50"
    else:
        for tag in fingerprint.judged(notebooks.code(notebook)):
            if names := _declared(tag):
                yield f"no cell is tagged {TAG}, and {tag} has {', '.join(names)}"


def _declared(tag: str) -> list[str]:
    """The parameters that the class of a tag declares, read without importing it."""
    file = registry.declared().get(tag)
    kind = registry.tags(file.read_text(encoding="utf-8"))[tag] if file else None
    lines = (line for line in (kind.body if kind else ()) if isinstance(line, ast.AnnAssign))
    return [line.target.id for line in lines if isinstance(line.target, ast.Name)]
