"""Links between rows, errata and equations, on a page as it is read."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from ledgerbook.project import paths
from ledgerbook.references import backlinks, targets

ROWS = """
=========  ======  =====
``bound``  it is   holds
``other``  it was  holds
=========  ======  =====
"""


@pytest.fixture
def connected():
    """Links a page that is a table of two rows: the words and the target of each link."""

    def connect(docname, table, tag="", names=("errata",)):
        page = publish_doctree(table)
        for row in page.findall(nodes.row):
            row["tag"] = tag
        env = SimpleNamespace(found_docs={*map(paths.document, names)})
        app = SimpleNamespace(builder=SimpleNamespace(format="html"), env=env)
        backlinks.connect(app, page, docname)
        found = list(page.findall(nodes.reference))
        assert all(one["internal"] for one in found)
        return [(one.astext(), one["refuri"], one.parent.astext()) for one in found]

    return connect


def test_the_verdict_of_a_row_that_shows_a_slip_names_the_slip(connected, monkeypatch):
    slip = {"id": "E1", "tag": "textbook.theorem-01", "evidence": ["bound"], "consequences": []}
    monkeypatch.setattr(targets, "errata", lambda: {"E1": slip})
    chapter = ("book/textbook/theorem_01", ROWS, "textbook.theorem-01")
    assert connected(*chapter) == [("E1", "../errata.html#e1", "holds · E1")]
    assert connected(*chapter, names=()) == []  # a companion without a page of errata
    assert connected(paths.document("errata"), *chapter[1:]) == []
