"""What a companion says of itself, and that the package knows no book."""

import ast
import re
import sys
import tomllib
from contextvars import ContextVar
from pathlib import Path

import pytest
from ledgerbook.project import settings
from ledgerbook.project.project import VARIABLE, current


@pytest.fixture
def companion(tmp_path, monkeypatch):
    """The function that writes a companion's ``pyproject.toml``; this process works in a folder of
    it, below another project that is none.
    """
    here = tmp_path / "outer/companion/book/part"
    here.mkdir(parents=True)
    (tmp_path / "outer/pyproject.toml").write_text("[tool.other]\na = 1\n", encoding="utf-8")
    monkeypatch.chdir(here)
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(settings, "used", ContextVar("none", default=None))
    monkeypatch.setattr(settings, "found", settings.found.__wrapped__)

    def write(text):
        file = tmp_path / "outer/companion/pyproject.toml"
        file.write_text(text, encoding="utf-8")
        return file.parent

    return write


def test_the_project_is_the_nearest_folder_above_that_has_the_table(companion, monkeypatch):
    with pytest.raises(ValueError, match=r"folder = '.*part', allowed: one below a \[tool\."):
        current()
    folder = companion("[tool.ledgerbook]\n")
    assert current().root == folder
    monkeypatch.chdir("/")
    monkeypatch.setenv(VARIABLE, str(folder / "book"))
    assert current().root == folder


def test_a_name_that_is_no_setting_is_refused(companion):
    companion("[tool.ledgerbook]\ntitel = 1\ntitle = 'T'\n")
    with pytest.raises(ValueError, match=r"^\[tool\.ledgerbook\]: key = 'titel', allowed: one of"):
        current()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title = 5", r"^\[tool.ledgerbook\]: title = 5, allowed: text"),
        ("title = ' '", "title = ' ', allowed: .*not blank"),
        ('papers = ["a"]', r"papers = \['a'\], allowed: a table, each value text"),
        ("papers = { a = 1 }", r"papers = \{'a': 1\}, allowed: a table, each value text"),
        ("locks = 'one.txt'", "locks = 'one.txt', allowed: a list, each entry text"),
        ("extra = { moving = 'x' }", "extra = .*, allowed: a table, each value a table, each"),
    ],
)
def test_a_value_of_another_kind_is_refused_in_words(companion, text, words):
    companion(f"[tool.ledgerbook]\n{text}\n")
    with pytest.raises(ValueError, match=words):
        current()


def test_what_is_no_table_is_refused(companion):
    companion("[tool]\nledgerbook = 1\n")
    with pytest.raises(ValueError, match=r"^tool.ledgerbook = 1, allowed: a table$"):
        current()


def test_a_folder_without_the_table_has_none(companion):
    folder = companion("[project]\n")
    assert settings.table(folder) is None and settings.table(folder / "book") is None
    companion('[tool.ledgerbook]\ntitle = "T"\n')
    assert settings.table(folder) == {"title": "T"}


HERE = Path(__file__).resolve().parents[1]
SOURCES = sorted((HERE / "src/ledgerbook").rglob("*"))
TEXTS = [
    file
    for file in [*SOURCES, HERE / "README.md"]
    if file.is_file() and file.suffix not in (".pyc", ".woff2", ".woff", ".ttf", ".otf")
]
# Words of the one book that this package grew up with.
FOREIGN = (
    r"one[ _-]attention|attention|\btransformers?\b|\btokens?\b|softmax|scan[ _-](?:and[ _-])?snap"
    r"|mechanics|real[_-]text|automaton|tooling|\blib\.(?!odd_numbers)\w"
)


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: file.relative_to(HERE).as_posix())
def test_no_word_of_a_book_stands_in_it(file):
    found = re.finditer(FOREIGN, file.read_text(encoding="utf-8"), re.IGNORECASE)
    assert [match.group() for match in found] == []


def test_it_imports_the_standard_library_itself_and_what_it_declares():
    described = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [name for names in described["optional-dependencies"].values() for name in names]
    declared = {re.split(r"[=<>\[]", name)[0] for name in [*described["dependencies"], *extras]}
    # A distribution and the package that it brings, where the names differ.
    brought = {"pyyaml": "yaml", "fonttools": "fontTools", "beautifulsoup4": "bs4"}
    known = {brought.get(name, name.replace("-", "_")) for name in declared} | {"ledgerbook"}
    known |= {"docutils", "pygments", "PIL"}  # of sphinx, matplotlib
    known |= {"jupyter_client", "traitlets"}  # of ipykernel
    known |= {"markdown_it", "mdit_py_plugins"}  # of myst-nb
    for file in (file for file in SOURCES if file.suffix == ".py"):
        roots = set()
        text = file.read_text(encoding="utf-8")
        roots |= set(re.findall(r"resources\.files\(\"(\w+)", text))  # files of a package
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                roots |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                roots.add((node.module or "").partition(".")[0])
        assert roots - sys.stdlib_module_names - known == set(), file


def test_what_it_declares_has_a_lower_bound_each():
    described = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [name for names in described["optional-dependencies"].values() for name in names]
    declared = [*described["dependencies"], *extras]
    assert [one for one in declared if ">=" not in one] == ["ledgerbook[book]"]


def test_every_file_beside_the_modules_is_installed_too():
    described = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = described["tool"]["setuptools"]["package-data"]["ledgerbook"]
    package = HERE / "src/ledgerbook"
    there = {file for pattern in shipped for file in package.glob(pattern)}
    others = {file for file in package.rglob("*") if file.suffix not in (".py", ".pyc")}
    assert {file for file in others if file.is_file()} - there == set()
