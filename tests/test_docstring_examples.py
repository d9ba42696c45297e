"""The examples in the docstrings of ``lib`` run, and what most of the book imports has one."""

import ast
import doctest
import importlib
from collections import Counter
from pathlib import Path

import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import written

ROOT = Path(__file__).resolve().parents[1]
OFTEN = 7  # chapters and modules of rows that import a function: from there on it has an example


def files(folder):
    """The Python files of a folder, at any depth."""
    return sorted((ROOT / folder).rglob("*.py"))


def module(file):
    """Dotted name of a file."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


def documented(file):
    """(name, docstring) of the functions and classes of a file, a method as ``Class.method``."""
    waiting = [("", ast.parse(file.read_text(encoding="utf-8")))]
    while waiting:
        home, tree = waiting.pop(0)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield home + node.name, ast.get_docstring(node) or ""
            if isinstance(node, ast.ClassDef):
                waiting.append((f"{home}{node.name}.", node))


DOCSTRINGS = {
    f"{module(file)}:{name}": text for file in files("lib") for name, text in documented(file)
}


def failures(text, names, where):
    """What doctest says about the examples of a docstring that fail."""
    said = []
    test = doctest.DocTestParser().get_doctest(text, dict(names), where, None, None)
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("where", [name for name, text in DOCSTRINGS.items() if ">>>" in text])
def test_the_examples_of_a_docstring(where):
    home = importlib.import_module(where.partition(":")[0])
    assert failures(DOCSTRINGS[where], vars(home), where) == ""


def test_an_example_that_is_wrong_is_told():
    assert "Got:\n    2" in failures(">>> 1 + 1\n3", {}, "one")


def taken(code):
    """The names of ``lib`` that a piece of code imports, or reads from a module it imports."""
    modules, found = {}, set()
    nodes = list(ast.walk(ast.parse(code)))
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "lib":
            for alias in node.names:
                modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                found.add(f"{node.module}:{alias.name}")
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{modules.get(node.value.id)}:{node.attr}")
    return found & DOCSTRINGS.keys()


def test_what_most_of_the_book_imports_has_an_example():
    sources = [notebooks.code(notebooks.read(row.chapter)) for row in written()]
    sources += [file.read_text(encoding="utf-8") for file in files("checks")]
    used = Counter(name for source in sources for name in taken(source))
    often = {name for name, number in used.items() if number >= OFTEN}
    assert len(often) >= 45
    assert sorted(name for name in often if ">>>" not in DOCSTRINGS[name]) == []
