"""Which class judges a statement, and where its rows are written."""

import sys

import pytest
from ledgerbook.chapters import registry
from ledgerbook.project import paths

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
def checks(tmp_path, monkeypatch):
    """A project of one module of rows."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    for folder in ("checks", "checks/a"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "checks/a/one.py").write_text(MODULE, encoding="utf-8")
    for name in [name for name in sys.modules if name.split(".")[0] == "checks"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    registry.places.cache_clear()
    yield tmp_path
    registry.places.cache_clear()
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
    assert (place.kind, place.name, place.first) == ("One", "row_of", 14)
    assert place.source.startswith("@claim(") and place.source.endswith("return case")
