"""The lists that a book is read from: its contents, and which class is the evidence of a tag."""

import sys
from types import SimpleNamespace

import pytest
import yaml
from ledgerbook.chapters import registry, toc
from ledgerbook.chapters.statements import Part
from ledgerbook.project.project import current


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
        (
            [Part("one", "First", (), (), "All"), Part("two", "Second", ("guide",), (), "All")],
            {"All": ["p/a", "p/b", "guide", "p/c"]},
        ),
    ],
)
def test_the_table_has_the_pages_and_chapters_of_every_part_that_has_any(
    project, monkeypatch, parts, table, varied
):
    varied(toc=project / "_toc.yml")
    monkeypatch.setattr(toc, "parts", lambda: parts)
    book = current().relative(current().book)
    placed = {"a": "one", "b": "one", "c": "two"}
    rows = [SimpleNamespace(docname=f"{book}/p/{k}", part=part) for k, part in placed.items()]
    monkeypatch.setattr(toc, "written", lambda: rows)
    toc.main()
    stored = yaml.safe_load(current().toc.read_text(encoding="utf-8"))
    found = {
        one["caption"]: [row["file"] for row in one["chapters"]] for one in stored.get("parts", ())
    }
    assert found == {name: [f"{book}/{one}" for one in pages] for name, pages in table.items()}
    assert stored["root"] == current().document("intro") and stored["format"] == "jb-book"


MODULE = '''"""A module."""

from dataclasses import dataclass

from ledgerbook.ledger.checks import Checks, claim


@dataclass
class One(Checks):
    """Words."""

    tag = "a.one"

    @claim("<=", 1, "limit", cases={"x": 1, "y": 2})
    def row_of(self, case):
        """words"""
        return case


class Other:
    """No rows."""
'''


@pytest.fixture
def checks(tmp_path, monkeypatch, varied):
    """A project of one module of rows."""
    varied(root=tmp_path)
    for folder in ("checks", "checks/a"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "checks/a/one.py").write_text(MODULE, encoding="utf-8")
    for name in [name for name in sys.modules if name.split(".")[0] == "checks"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.split(".")[0] == "checks"]:
        sys.modules.pop(name)


def test_the_class_of_a_tag_is_read_and_imported(checks):
    assert registry.declared() == {"a.one": checks / "checks/a/one.py"}
    assert [kind.__name__ for kind in registry.classes().values()] == ["One"]
    with pytest.raises(ValueError, match="tag = 'a.two', allowed: one that a class of checks/"):
        registry.classes(["a.two"])


@pytest.mark.parametrize("id", ["row-of", "row-of-x", "row-of-any-case"])
def test_a_row_is_found_at_its_method_s_line(checks, id):
    place = registry.place("a.one", id)
    assert (place.name, place.first) == ("row_of", 14)
    assert place.source.startswith("@claim(") and place.source.endswith("return case")
