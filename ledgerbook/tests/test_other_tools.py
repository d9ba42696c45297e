"""What other people's tools make of a chapter, and it of what they leave in it."""

import json

import pytest
from ledgerbook.chapters import notebooks

CHAPTER = "book/textbook/corollary_01.ipynb"


@pytest.fixture
def book(executed_in, tmp_path):
    """A small companion, executed."""
    return executed_in(tmp_path, "power_iteration")


def as_editors_leave_it(data):
    """The bytes of a notebook with all that editors add by themselves."""
    raw = json.loads(data)
    for cell in raw["cells"]:
        del cell["id"]
        cell["source"] = [line.replace("\n", "\r\n") for line in cell["source"]]
        cell["metadata"]["trusted"] = True
        if cell["cell_type"] == "markdown":
            cell["attachments"] = {}
    empty = dict(cell_type="code", execution_count=None, metadata={}, outputs=[], source=[])
    raw["cells"].append(empty | {"id": "0"})  # Shift and Enter in the last cell
    raw["metadata"]["kernelspec"]["display_name"] = "Python 3.13 (mine)"
    raw["metadata"]["jupytext"] = {"formats": "ipynb,py:percent"}  # paired with a script
    return b"\xef\xbb\xbf" + json.dumps(raw, indent=4).replace("\n", "\r\n").encode()


def test_what_editors_add_by_themselves_is_nothing(book, recwarn):
    file = book.root / CHAPTER
    data = file.read_bytes()
    for _ in range(2):  # the second time from what is known of the bytes
        assert notebooks.canonical(notebooks.parse(as_editors_leave_it(data), file)) == data
    assert not recwarn
    file.write_bytes(as_editors_leave_it(data))
    code, said = book.run(
        "-p", "ledgerbook.regression.nbval_plugin", "--nbval", CHAPTER, module="pytest"
    )
    assert code == 0, said
    code, said = book.run("book", "--no-pages")
    assert code == 0 and "executed 0 of 2" in said and "nothing moved but its form" in said, said
    assert "taken out of its metadata: jupytext" in said
    assert file.read_bytes() == data


COMMANDS = {
    "book": ["book"], "pages": ["pages"], "chapter": ["chapter", "textbook.corollary-01"],
}  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_file_that_is_no_notebook_is_named_by_every_command(book, words):
    (book.root / CHAPTER).write_text('{"cells": [\n<<<<<<< HEAD\n', encoding="utf-8")
    code, said = book.run(*words)
    told = [line for line in said.splitlines() if f"{CHAPTER}:2: not a notebook" in line]
    assert code and len(told) == 1 and "Traceback" not in said, said


def test_papermill_runs_a_chapter_with_parameters(book):
    words = (CHAPTER, "out.ipynb", "-p", "seed", "7")
    code, said = book.run(*words, module="papermill")
    assert code == 0, said
    assert notebooks.parameters(notebooks.read(book.root / "out.ipynb"))["seed"] == 7


def test_nbval_alone_passes(book):
    code, said = book.run("--nbval", "--nbval-current-env", CHAPTER, module="pytest")
    assert code == 0 and "passed" in said and "skipped" not in said, said


def test_nbval_beside_xdist_leaves_the_cells_of_a_notebook_together(book):
    words = ["-n", "2", "-p", "ledgerbook.regression.nbval_plugin", "--nbval", CHAPTER]
    code, said = book.run(*words, module="pytest")
    assert code == 0, said


def test_nbconvert_executes_a_chapter(book):
    pytest.importorskip("nbconvert", reason="no nbconvert: pip install nbconvert")
    words = ("--to", "notebook", "--execute", CHAPTER, "--output-dir", ".", "--output", "out")
    code, said = book.run(*words, module="nbconvert")
    assert code == 0, said
    closed = notebooks.closing_records(notebooks.read(book.root / "out.ipynb"))
    assert closed == notebooks.closing_records(notebooks.read(book.root / CHAPTER))


@pytest.mark.parametrize("form", ["md:myst", "py:percent"])
def test_jupytext_gives_the_chapter_back(book, form):
    pytest.importorskip("jupytext", reason="no jupytext: pip install jupytext")
    before = notebooks.read(book.root / CHAPTER)
    text = book.root / f"book/textbook/other.{form[:2]}"
    assert book.run("--to", form, CHAPTER, "-o", str(text), module="jupytext")[0] == 0
    assert (
        book.run("--update", "--to", "ipynb", str(text), "-o", CHAPTER, module="jupytext")[0] == 0
    )
    text.unlink()
    code, said = book.run("book", "--no-pages")
    assert code == 0, said
    after = notebooks.read(book.root / CHAPTER)
    assert notebooks.code(after) == notebooks.code(before)
