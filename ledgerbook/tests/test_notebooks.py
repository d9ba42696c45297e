"""What is read from a notebook, what is kept of it, and what is refused."""

import re

import nbformat
import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.ledger.ledger_table import MIME

V4 = nbformat.v4


def notebook(*cells):
    return V4.new_notebook(cells=list(cells))


def shown(data, kind=MIME):
    return V4.new_output("display_data", {kind: data})


def test_stripped_cells_are_numbered_and_keep_their_tags_and_the_record():
    cells = [V4.new_markdown_cell("words"), V4.new_code_cell("1"), V4.new_code_cell("2")]
    cells[1].metadata = {"tags": ["parameters"], "trusted": True}
    cells[2].metadata = {"tags": []}
    streams = [V4.new_output("stream", name="stdout", text=text) for text in ("a", "b")]
    cells[1].outputs = streams
    made = notebook(*cells)
    made.metadata = {"book": {"outputs": "digest"}, "kernelspec": {"name": "mine"}}
    made.nbformat_minor = 4
    done = notebooks.strip(made)
    assert done is made and (done.nbformat, done.nbformat_minor) == (4, 5)
    assert done.metadata == {
        "kernelspec": notebooks.KERNELSPEC,
        "language_info": {"name": "python"},
        "book": {"outputs": "digest"},
    }
    assert [cell.id for cell in done.cells] == ["cell-00", "cell-01", "cell-02"]
    assert [cell.metadata for cell in done.cells] == [{}, {"tags": ["parameters"]}, {}]
    assert [output.text for output in done.cells[1].outputs] == ["ab"]
    assert "book" not in notebooks.strip(notebook()).metadata


def test_parameters_are_those_of_the_cell_that_is_tagged():
    cells = [V4.new_code_cell("z = 0"), V4.new_code_cell("n = 3\nrates = '0.1 0.5'\nlow = -1.5")]
    assert notebooks.parameters(notebook(*cells)) == {}
    cells[1].metadata = {"tags": ["hide-input", "parameters"]}
    assert notebooks.parameters(notebook(*cells)) == {"n": 3, "rates": "0.1 0.5", "low": -1.5}
    own = V4.new_code_cell("# Parameters\nn = 7", metadata={"tags": ["injected-parameters"]})
    ran = notebooks.parameters(notebook(*cells, own))
    assert ran == {"n": 7, "rates": "0.1 0.5", "low": -1.5}


def test_the_ledger_s_outputs_are_found_in_order_and_the_last_record_of_a_tag_counts():
    records = [{"closed": {"tag": tag, "n": n}} for n, tag in enumerate(["a.b", "a.c", "a.b"])]
    cells = [
        V4.new_code_cell("show", outputs=[shown({"rows": []}), shown("text", "text/plain")]),
        V4.new_code_cell("close", outputs=[shown(one) for one in records]),
        V4.new_code_cell("print", outputs=[V4.new_output("stream", text="a")]),
    ]
    made = notebook(*cells)
    assert notebooks.ledger_outputs(made) == [{"rows": []}, *records]
    assert notebooks.closing_records(made) == {
        "a.b": {"tag": "a.b", "n": 2},
        "a.c": {"tag": "a.c", "n": 1},
    }


# What lies where a notebook should, and what the line says behind the file's name.
NO_NOTEBOOKS = {
    "empty": (b"", ":1: not a notebook: Expecting value"),
    "merge markers": (b'{"cells": [\n<<<<<<< HEAD\n', ":2: not a notebook: Expecting value"),
    "binary": (b"\x89PNG\r\n", ": not a notebook: 'utf-8' codec can't decode byte 0x89"),
    "no version": (b'{"cells": []}', ": not a notebook: it names no version of nbformat"),
    "cell without source": (
        b'{"cells": [{"cell_type": "markdown", "metadata": {}}], "metadata": {},'
        b' "nbformat": 4, "nbformat_minor": 4}',
        ": not a notebook: cells 0 ",
    ),
}


@pytest.mark.parametrize(("data", "line"), NO_NOTEBOOKS.values(), ids=NO_NOTEBOOKS)
def test_what_is_no_notebook_is_one_line_by_name_and_place(tmp_path, data, line):
    file = tmp_path / "long.ipynb"
    file.write_bytes(data)
    with pytest.raises(ValueError) as found:
        notebooks.read(file)
    said = str(found.value)
    assert said.startswith(f"{file}{line}") and "\n" not in said
    assert len(said) < len(f"{file}{line}") + 140


@pytest.mark.parametrize("source", ["M = (", "M = N", "M = f(3)", "import os", "M += 1"])
def test_parameters_that_are_no_plain_assignments_are_refused_with_their_cell(source):
    cell = nbformat.v4.new_code_cell(source, metadata={"tags": ["parameters"]})
    line = f"cell tagged parameters = {source!r}, allowed: lines such as"
    with pytest.raises(ValueError, match=re.escape(line)):
        notebooks.parameters(nbformat.v4.new_notebook(cells=[cell]))
