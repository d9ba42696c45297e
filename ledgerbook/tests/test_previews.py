"""When the lines of previews are written."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from ledgerbook.notation import Explained
from ledgerbook.statements import statement

from ledgerbook import data_scripts, previews


@pytest.mark.parametrize(
    "builder, error, written",
    [("html", None, True), ("epub", None, False), ("html", ValueError("broken"), False)],
)
def test_a_finished_site_has_the_lines_and_nothing_else_has(
    tmp_path, monkeypatch, builder, error, written
):
    monkeypatch.setattr(previews, "data", lambda env: {"pages": {}})
    app = SimpleNamespace(builder=SimpleNamespace(name=builder), outdir=tmp_path, env=None)
    previews.write(app, error)
    assert (tmp_path / data_scripts.place("previewed")).exists() == written


def test_below_what_one_needs_the_symbols_lead_to_their_rows_by_sign_and_by_name(monkeypatch):
    row = Explained("symbol-rate", "textbook", (r"$\eta_Y$ (rate)", "how fast $Y$ learns"))
    monkeypatch.setattr(previews, "stated", lambda own: [row])
    page = publish_doctree(".. class:: you-need\n\nNothing.\n\nWords.\n")
    app = SimpleNamespace(builder=SimpleNamespace(get_relative_uri=lambda here, to: "n.html"))
    own = statement("textbook.theorem-01")
    previews._list_symbols(app, page, own.docname, own)
    (link,) = page.findall(nodes.reference)
    sign, name = link.children
    assert link["refuri"] == "n.html#symbol-rate"
    assert (sign.astext(), name.astext()) == (r"\eta_Y", "eta_Y (rate)")
    assert name["classes"] == ["visually-hidden"]
    shown = [one for one in page.children if not isinstance(one, nodes.raw)]
    assert [one.astext() for one in shown if link.parent is not one] == ["Nothing.", "Words."]
    assert shown.index(link.parent) == 1
