"""The table of contents is made from the list of statements, and shows every page once."""

import yaml
from ledgerbook.chapters import toc
from ledgerbook.chapters.statements import written
from ledgerbook.project.project import current


def test_the_stored_table_is_that_of_the_list():
    stored = current().toc.read_text(encoding="utf-8")
    assert stored == toc.text(), "out of date: run make toc"


def test_every_page_stands_in_it_once():
    table = yaml.safe_load(toc.text())
    listed = [entry["file"] for part in table["parts"] for entry in part["chapters"]]
    assert len(listed) == len(set(listed))
    assert {row.docname for row in written()} <= set(listed)
    files = {
        current().relative(file).rsplit(".", 1)[0]
        for pattern in ("*.md", "*.ipynb")
        for file in current().book.rglob(pattern)
        if ".ipynb_checkpoints" not in file.parts
    }
    assert files == {*listed, table["root"]}, (
        "a page without a place: book/statements.toml, [[part]]"
    )
