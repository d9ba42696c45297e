"""Figures are numbered where a companion asks for it."""

import io

import pytest
from sphinx.application import Sphinx

TABLE = "Title\n=====\n\n.. figure:: a.png\n   :name: one\n\n   A caption\n"


@pytest.mark.parametrize(("asked", "words"), [({}, False), ({"ledgerbook_numfig": True}, True)])
def test_figures_are_numbered_where_a_companion_asks(tmp_path, asked, words):
    source = tmp_path / "source"
    source.mkdir()
    (source / "index.rst").write_text(TABLE, encoding="utf-8")
    (source / "a.png").write_bytes(b"")
    config = {"extensions": ["sphinx_proof", "ledgerbook.site.theorems"]} | asked
    out, trees = tmp_path / "out", tmp_path / "trees"
    said = io.StringIO()
    app = Sphinx(source, None, out, trees, "html", config, status=None, warning=said)
    app.build()
    assert "ledgerbook" not in said.getvalue()  # a warning would fail the build of a book
    assert ("Fig. 1" in (out / "index.html").read_text(encoding="utf-8")) is words
