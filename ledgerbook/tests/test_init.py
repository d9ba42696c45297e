"""``ledgerbook init``: a ledger in the folder of a Jupyter Book, whose own pages stay as is."""

import base64
import json
import re
from pathlib import Path

import nbformat
import pytest
import yaml
from ledgerbook.commands import init

CONTENTS = """format: jb-book
root: index
parts:
  - caption: Notes  # mine
    chapters:
      - file: notes/one
        sections:
          - file: notes/two
"""
SOURCE = Path(__file__).resolve().parents[1] / "src"
PLUGINS = ["-p", "ledgerbook_pytest", "-p", "no:hypothesispytest"]
CONFIG = """title: A small book
author: Somebody
logo: notes/sign.png
bibtex_bibfiles: [notes/read.bib]
execute: {execute_notebooks: cache}
"""
READ = "@book{hardy, author={G. Hardy}, title={Pure mathematics}, year={1908}, publisher={CUP}}\n"
ONE = """# One

See [two](two.ipynb), {numref}`sign` and {cite}`hardy`.

```{figure} sign.png
:name: sign
A sign.
```

```{bibliography}
```
"""
SIGN = (  # one pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"


@pytest.fixture
def book(tmp_path, in_folder, with_font):
    """A Jupyter Book with two pages, a notebook among them."""
    folder = tmp_path
    for name, text in {
        "_toc.yml": CONTENTS,
        "_config.yml": CONFIG,
        "index.md": "# Hello\n",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "notes").mkdir()
    (folder / "notes/one.md").write_text(ONE, encoding="utf-8")
    (folder / "notes/read.bib").write_text(READ, encoding="utf-8")
    (folder / "notes/sign.png").write_bytes(base64.b64decode(SIGN))
    (folder / "_static").mkdir()
    (folder / "_static/mine.css").write_text("p { color: black }\n", encoding="utf-8")
    cells = [nbformat.v4.new_markdown_cell("# Two"), nbformat.v4.new_code_cell(PLOT)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "notes/two.ipynb")
    return in_folder(with_font(folder))


def files(folder):
    """What is in a folder, without what a build makes."""
    found = (file for file in folder.rglob("*") if file.is_file())
    return {
        f.relative_to(folder).as_posix(): f.read_bytes() for f in found if "_build" not in f.parts
    }


def test_one_statement_one_row_and_its_page_beside_the_books_own(book):
    before = files(book.root)
    code, said = book.run("init", "euler.theorem-01", "--paper", "On sums", "--title", "It adds up")
    assert code == 0, said
    for file in re.findall(r"checke?[ds]/\w+/\w+\.(?:py|ipynb)", said):
        assert (book.root / file).exists(), file
    assert "checks/euler/theorem_01.py" in said
    after = files(book.root)
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {"_toc.yml"} and after["_toc.yml"].startswith(before["_toc.yml"])
    code, said = book.run("book")
    assert code == 0 and "1 holds" in said, said
    ledger = json.loads((book.root / "_build/ledger.json").read_text(encoding="utf-8"))
    assert [one["tag"] for one in ledger["statements"]] == ["euler.theorem-01"]
    html = book.root / "_build/html"
    page = (html / "checked/euler/theorem_01.html").read_text(encoding="utf-8")
    assert "Theorem 1 — It adds up" in page and "squares" in page
    for name in ("index", "notes/one", "notes/two", "checked/ledger"):
        assert (html / f"{name}.html").exists(), name
    assert 'href="../../notes/two.html"' in page  # the contents are the book's
    one = (html / "notes/one.html").read_text(encoding="utf-8")
    assert "Fig. 1" in one and "Pure mathematics" in one  # numbered, and cited, as before
    assert '/sign.png" class="logo' in one
    assert "p { color: black }" in (html / "_static/site.css").read_text(encoding="utf-8")
    assert "make" not in re.sub("<[^>]+>", "", page).partition("Run this chapter alone")[2]
    two = (html / "notes/two.html").read_text(encoding="utf-8")
    assert re.search(r'<img [^>]*src="\.\./_images/\w+\.png', two)  # the plot of a notebook
    code, said = book.run("checks", "-q", *PLUGINS, module="pytest")
    assert code == 0 and "2 passed" in said, said  # the row, and the defaults
    # The command `pytest` does not look into the folder that it runs in.
    command, alone = ("-P", "-m", "pytest", "checks", "-q", *PLUGINS), {"PYTHONPATH": str(SOURCE)}
    code, said = book.run(*command, module=None, env=alone)
    assert code == 0 and "2 passed" in said, said
    book.replace("notes/one.md", "See [two]", "Look at [two]")
    code, said = book.run("pages")
    assert code == 0 and "Look at" in (html / "notes/one.html").read_text(encoding="utf-8"), said
    book.replace("checks/euler/theorem_01.py", "- n * n)", "- n * n - 1)")
    code, said = book.run("checks", "-q", *PLUGINS, module="pytest")
    assert code == 1 and "Theorem01.squares" in said, said
    code, said = book.run("init")
    assert code == 2 and "one without [tool.ledgerbook]" in said
    code, said = book.run("toc")
    assert code == 2 and "_toc.yml is the author's own" in said


def test_it_can_be_asked_for_help_where_there_is_no_companion(tmp_path, in_folder):
    for words in (["--help"], ["init", "--help"], ["start", "--help"]):
        code, said = in_folder(tmp_path).run(*words)
        assert code == 0 and "usage: python -m ledgerbook" in said, said
    code, said = in_folder(tmp_path).run("-c", "from ledgerbook import Checks, claim", module=None)
    assert code == 0, said


def test_what_was_written_is_taken_back_where_it_fails(book, monkeypatch):
    before = files(book.root)
    monkeypatch.chdir(book.root)

    def fails(here, tag):
        (book.root / "checked/half").touch()
        raise OSError("no room")

    monkeypatch.setattr(init, "_begin", fails)
    with pytest.raises(OSError, match="no room"):
        init.main("euler.theorem-01")
    assert files(book.root) == before and not (book.root / "checked").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / "_toc.yml").unlink(), "the table of contents of a book"),
        (lambda folder: (folder / "checks").mkdir(), "folder = 'checks', allowed: a name that is"),
        (lambda folder: (folder / "checked").mkdir(), "folder = 'checked', allowed: a name"),
    ],
)
def test_where_it_cannot_begin_it_says_why(book, change, words):
    change(book.root)
    before = files(book.root)
    code, said = book.run("init")
    assert code == 2 and words in said
    assert files(book.root) == before


@pytest.mark.parametrize(
    "text",
    [
        CONTENTS,
        "format: jb-book\nroot: a\nchapters:\n- file: b\n- file: c\n",
        "format: jb-article\nroot: a\nsections:\n  - file: b\n",
    ],
)
def test_a_table_of_contents_keeps_its_lines(text):
    new = init.extended(text, ["checked/x", "checked/y"])
    assert new.startswith(text)
    ours = yaml.safe_load(new.replace(text, ""))
    listed = ours[0]["chapters"] if "caption" in ours[0] else ours
    assert listed == [{"file": "checked/x"}, {"file": "checked/y"}]


def test_a_table_that_goes_on_behind_its_list_is_refused():
    with pytest.raises(ValueError, match="chapters at the end of the file"):
        init.extended("root: a\nchapters:\n- file: b\ndefaults:\n  numbered: true\n", ["c"])


def test_another_projects_tests_are_not_changed(tmp_path, in_folder):
    (tmp_path / "pyproject.toml").write_text("[tool.other]\na = 1\n", encoding="utf-8")
    (tmp_path / "test_mine.py").write_text(
        "import sys\n\ndef test_it():\n    assert 'ledgerbook' not in sys.modules\n",
        encoding="utf-8",
    )
    plain = in_folder(tmp_path)
    code, said = plain.run("-q", *PLUGINS, module="pytest")
    assert code == 0 and "1 passed" in said, said
    code, said = plain.run("-q", "--robust", *PLUGINS, module="pytest")
    assert code == 4 and "--robust" in said
