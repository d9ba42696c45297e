"""Notebooks as files: stripped, joined, read or refused by name."""

import nbformat
import pytest
from ledgerbook.chapters import notebooks


def chapter(code, prose="words"):
    """A notebook of one code cell."""
    cells = [nbformat.v4.new_markdown_cell(prose), nbformat.v4.new_code_cell(code)]
    return nbformat.v4.new_notebook(cells=cells)


def test_strip_leaves_nothing_of_the_run():
    notebook = chapter("1")
    notebook.metadata["papermill"] = {"start_time": "now", "input_path": "/somewhere"}
    notebook.cells[1].metadata = {
        "papermill": {"duration": 1},
        "execution": {"a": 1},
        "tags": ["parameters"],
    }
    text = nbformat.writes(notebooks.strip(notebook))
    assert "papermill" not in text and "somewhere" not in text and '"parameters"' in text


def test_a_stream_cut_in_two_is_one_again():
    parts = [
        nbformat.v4.new_output("stream", name=name, text=text)
        for name, text in (
            ("stdout", "a\n"),
            ("stdout", "b\n"),
            ("stderr", "c\n"),
            ("stdout", "d\n"),
        )
    ]
    assert [(part.name, part.text) for part in notebooks.joined_streams(parts)] == [
        ("stdout", "a\nb\n"),
        ("stderr", "c\n"),
        ("stdout", "d\n"),
    ]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"null", b"\x80", b'{"cells": 1}'])
def test_what_is_no_notebook_is_refused_by_name(tmp_path, data):
    file = tmp_path / "some.ipynb"
    file.write_bytes(data)
    with pytest.raises(ValueError, match=r"some\.ipynb: not a notebook: .+"):
        notebooks.read(file)


def test_the_record_survives_stripping(executed):
    book = dict(executed.metadata["book"])
    assert dict(notebooks.strip(executed).metadata["book"]) == book


def test_outputs_survive_a_file(executed, tmp_path):
    before = notebooks.outputs_digest(executed)
    notebooks.store(executed, tmp_path / "one.ipynb")
    assert notebooks.outputs_digest(notebooks.read(tmp_path / "one.ipynb")) == before
