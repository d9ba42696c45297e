"""The map of the code: every module once, with its docstring, equations and chapters."""

import ast
import builtins
import importlib
import re

from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import written
from ledgerbook.pages import codemap
from ledgerbook.project.project import current

LIB = current().root / "lib"


def test_every_module_stands_in_it_once_with_its_own_words():
    page = codemap.page("book/code")
    row = r"^\| <a [^>]+><code>(lib/[\w/]+\.py)</code></a> \| (.+?) \|"
    listed = re.findall(row, page, flags=re.M)
    files = [file for file in LIB.rglob("*.py") if file.name != "__init__.py"]
    assert sorted(name for name, _ in listed) == sorted(map(current().relative, files))
    assert [name for name, words in listed if len(words.split()) < 4] == [], "say what it is"
    assert "{code-map}" in (current().book / "code.md").read_text(encoding="utf-8")


def names_in_lib():
    """Every name that ``lib`` binds: modules, functions, classes, fields, arguments, variables."""
    found = set()
    for file in LIB.rglob("*.py"):
        found.add(file.stem)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
    return found


def notation_rows():
    """(symbol, cell in code) of every table of the notation page that has such a column."""
    text = (current().book / "notation.md").read_text(encoding="utf-8")
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.M):
        header, _, *rows = [line.strip("| \n").split(" | ") for line in table.strip().splitlines()]
        if "in code" in header:
            column = header.index("in code")
            yield from ((row[0], row[column]) for row in rows)


def test_what_the_notation_page_calls_code_is_there():
    known = names_in_lib() | set(dir(builtins)) | {"l"}  # l: the index of a token
    for row in written():
        known |= notebooks.parameters(notebooks.read(row.chapter)).keys()
    unknown = {
        (symbol, name)
        for symbol, cell in notation_rows()
        for code in re.findall(r"`([^`]+)`", cell)
        for name in _names(code)
        if name not in known
    }
    assert unknown == set()


def _names(code):
    """Names of a piece of code; of a dotted name of ``lib``, the module is imported to see it."""
    if code.startswith("lib."):
        module, _, name = code.rpartition(".")
        assert hasattr(importlib.import_module(module), name) or importlib.import_module(code)
        return []
    return [node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)] + [
        node.attr for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)
    ]
