"""The table of contents: parts in order, what opens one, its chapters, what closes it."""

from types import SimpleNamespace

import pytest
import yaml
from ledgerbook.chapters import toc
from ledgerbook.chapters.statements import Part
from ledgerbook.project import paths


@pytest.mark.parametrize(
    ("parts", "table"),
    [
        ([], {}),
        ([Part("empty", "Nothing yet")], {}),
        (
            [
                Part("one", "First: the words", ("guide",), ("index",)),
                Part("empty", "Nothing yet"),
                Part("two", "Second", ()),
            ],
            {"First: the words": ["guide", "p/a", "p/b", "index"], "Second": ["p/c"]},
        ),
    ],
)
def test_the_table_has_the_pages_and_chapters_of_every_part_that_has_any(
    project, monkeypatch, parts, table
):
    monkeypatch.setattr(paths, "TOC", project / "_toc.yml")
    monkeypatch.setattr(toc, "parts", lambda: parts)
    book = paths.relative(paths.BOOK)
    placed = {"a": "one", "b": "one", "c": "two"}
    rows = [SimpleNamespace(docname=f"{book}/p/{k}", part=part) for k, part in placed.items()]
    monkeypatch.setattr(toc, "written", lambda: rows)
    assert toc.main() == 0
    stored = yaml.safe_load(paths.TOC.read_text(encoding="utf-8"))
    found = {
        one["caption"]: [row["file"] for row in one["chapters"]] for one in stored.get("parts", ())
    }
    assert found == {name: [f"{book}/{one}" for one in pages] for name, pages in table.items()}
    assert stored["root"] == paths.document("intro") and stored["format"] == "jb-book"
