"""The plain twin: what a page, a cell and an output are for a reader who is a program."""

import json

import nbformat
import pytest
from ledgerbook.ledger_table import MIME
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ledgerbook import paths, twin

TAG = "textbook.theorem-01"
ALT = {"image/png": {"alt": "a line that falls"}}
ROW = {"tag": TAG, "number": "Theorem 1", "status": "holds", "strength": "proved", "uses": []}
LEDGER = {"statements": [ROW, ROW | {"tag": "textbook.corollary-01", "number": "Corollary 1"}]}


def shown(data, **metadata):
    return new_output("display_data", data, metadata=metadata)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (
            shown({"image/png": "x", "text/plain": "[figure]"}, **ALT),
            "[picture: a line that falls]",
        ),
        (shown({"image/png": "x"}), "[picture: no description]"),
        (shown({MIME: {}, "text/markdown": "| a |", "text/plain": "a"}), "| a |"),
        (shown({MIME: {}, "text/plain": "3 of 4 claims hold"}), None),  # the rows follow, whole
        (shown({"text/markdown": "*a*", "text/plain": "a"}), "```text\na\n```"),
        (shown({"text/markdown": "*a*"}), None),
        (new_output("stream", name="stdout", text="a\nb\n"), "```text\na\nb\n```"),
        (new_output("stream", name="stderr", text="a"), None),
    ],
)
def test_an_output_is_its_text_or_the_words_for_its_picture(output, said):
    cell = new_code_cell("f(1)", outputs=[output])
    assert list(twin._cell(cell)) == ["```python\nf(1)\n```", *([said] if said else [])]


def test_words_stay_and_an_empty_cell_says_nothing():
    assert list(twin._cell(new_markdown_cell("# *One*"))) == ["# *One*"]
    assert list(twin._cell(new_code_cell(" \n"))) == []


@pytest.fixture
def book(project, monkeypatch):
    """A book of two pages, one chapter and one that is listed and gone."""
    for name in ("ROOT", "TOC"):
        monkeypatch.setattr(paths, name, project if name == "ROOT" else project / "_toc.yml")
    made = {"counts": lambda ledger: "(a)=\n## {ref}`E1 <e1>` of `b`\n"}
    monkeypatch.setattr(twin, "GENERATED", made)
    (paths.BOOK / "intro.md").write_text(
        "No row.\n\n:::{counts}\n:::\n\n:::{note}\nx\n:::\n", "utf-8"
    )
    (paths.BOOK / "list.md").write_text("(l)=\n# An *η*\n\n```{counts} a\n:b:\n```\n", "utf-8")
    (paths.BOOK / "textbook").mkdir()
    cells = [new_markdown_cell("# Theorem 1"), new_code_cell("1 + 1")]
    nbformat.write(new_notebook(cells=cells), paths.BOOK / "textbook" / "theorem_01.ipynb")
    files = ("list", "textbook/theorem_01", "textbook/gone")
    lines = [f"  - file: book/{name}\n" for name in files]
    paths.TOC.write_text("root: book/intro\nparts:\n- chapters:\n" + "".join(lines), "utf-8")
    return project


def test_pages_are_listed_with_their_title_and_what_they_judge(book):
    twin.write(book / "plain", LEDGER)
    text = (book / "plain" / "index.json").read_text(encoding="utf-8")
    index = json.loads(text)
    assert text.startswith('{\n "title": ') and '"An *η*"' in text
    assert index["ledger"] == "../_data/ledger.json"
    assert index["pages"] == [
        {"page": "intro.md", "title": "intro.md"},
        {"page": "list.md", "title": "An *η*"},
        {"page": "textbook/theorem_01.md", "title": "Theorem 1", "statements": [ROW]},
    ]


def test_a_generated_part_is_made_in_its_place_without_labels_and_references(book):
    twin.write(book / "plain", LEDGER)
    intro = (book / "plain" / "intro.md").read_text(encoding="utf-8")
    assert intro == "No row.\n\n## E1 of `b`\n\n\n:::{note}\nx\n:::\n"
    listed = (book / "plain" / "list.md").read_text(encoding="utf-8")
    assert listed == "(l)=\n# An *η*\n\n## E1 of `b`\n\n"


def test_a_chapter_ends_with_its_own_rows(book):
    twin.write(book / "plain", LEDGER)
    text = (book / "plain" / "textbook" / "theorem_01.md").read_text(encoding="utf-8")
    words, code, head, rows = text.split("\n\n")
    assert (words, code, head) == ("# Theorem 1", "```python\n1 + 1\n```", f"## Ledger of {TAG}")
    assert rows.startswith("```json\n") and rows.endswith("\n```\n")
    assert json.loads(rows[8:-5]) == ROW
    file = paths.BOOK / "textbook" / "theorem_01.ipynb"
    assert "## Ledger" not in twin.chapter(file, None, LEDGER)
