"""The map of the code: what each module is, its equations, what stands on it."""

import ast
import re
from functools import cache
from pathlib import Path

from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.chapters.statements import Statement, written
from ledgerbook.ledger.ledger_table import markdown_table, table_cell
from ledgerbook.pages.parts import code_link, link
from ledgerbook.project.project import current, per_project

HEADER = ["module", "what it is, and its public functions", "equations", "what stands on it"]
MANY = 24  # more than that is told by number
# As docstrings write them: (10), (95)-(97), (134)–(138), and Eq. (3.2) of an appendix.
EQUATION = re.compile(r"(?<![\w\]`])\(([1-9]\d{0,2})\)(?:\s*[-–]\s*\((\d{1,3})\))?")


def modules() -> list[Path]:
    """The modules of the companion's folders, in the order of the page."""
    files = (sorted((current().root / name).glob("*.py")) for name in current().settings.modules)
    return [file for some in files for file in some if file.name != "__init__.py"]


@cache
def parsed(file: Path) -> ast.Module:
    """A module as Python reads it."""
    return ast.parse(file.read_text(encoding="utf-8"))


def what_it_is(file: Path) -> str:
    """The first paragraph of the module's docstring, in one line."""
    return " ".join((ast.get_docstring(parsed(file)) or "").partition("\n\n")[0].split())


def named(file: Path) -> str:
    """The public functions and classes of a module, in its order."""
    made = (node for node in parsed(file).body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    return ", ".join(f"`{node.name}`" for node in made if not node.name.startswith("_"))


def equations(file: Path) -> list[str]:
    """The paper's equations that its docstrings name, in order."""
    kinds = (ast.Module, ast.FunctionDef, ast.ClassDef)
    documented = (node for node in ast.walk(parsed(file)) if isinstance(node, kinds))
    texts = [ast.get_docstring(node) or "" for node in documented]
    found = {match.groups() for text in texts for match in EQUATION.finditer(text)}
    ordered = sorted(found, key=lambda pair: (int(pair[0]), int(pair[1] or pair[0])))
    return [f"({low})–({high})" if high else f"({low})" for low, high in ordered]


@per_project
def standing_on() -> dict[Path, list[Statement]]:
    """For each module the chapters whose code reaches it, in the reader's order."""
    index: dict[Path, list[Statement]] = {file: [] for file in modules()}
    for row in written():
        for file in fingerprint.closure(notebooks.code(notebooks.read(row.chapter))):
            if file in index:
                index[file].append(row)
    return index


def page(docname: str) -> str:
    """The map as Markdown, as seen from a document."""
    parts = []
    for name, title in current().settings.modules.items():
        files = [file for file in modules() if current().relative(file.parent) == name]
        rows = [
            [
                code_link(file, docname),
                " ".join(filter(None, [table_cell(what_it_is(file)), named(file)])),
                ", ".join(equations(file)) if "/" in name else "",
                chapters(standing_on()[file], docname),
            ]
            for file in files
        ]
        parts.append(f"## {title}\n\n" + markdown_table(HEADER, rows))
    return "\n\n".join(parts)


def chapters(rows: list[Statement], docname: str) -> str:
    """Links to chapters, or their number where they are many."""
    if len(rows) > MANY:
        return f"{len(rows)} chapters"
    return ", ".join(link(row, docname) for row in rows) or "no chapter: runs, grids or proofs"
