"""A picture of an output on a page: its words for the ear, its caption, one address."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from ledgerbook.site import renderer
from myst_nb.core.render import MimeData, NbElementRenderer


@pytest.fixture
def shown(monkeypatch):
    """The function that renders a picture whose output carries some words."""
    monkeypatch.setattr(NbElementRenderer, "render_image", lambda self, data: [nodes.image()])

    def words(self, data):
        return [nodes.strong("", data.content)]

    monkeypatch.setattr(NbElementRenderer, "render_markdown_inline", words)
    made = renderer.BookRenderer(SimpleNamespace(), SimpleNamespace())

    def show(content="data", **details):
        metadata = {"image/png": details}
        return made.render_image(MimeData("image/png", content, output_metadata=metadata))

    return show


def test_a_picture_has_its_alt_text_with_a_caption_and_without(shown):
    (image,) = shown(alt="a curve")
    assert image["alt"] == "a curve"
    (figure,) = shown(alt="a curve", caption="Words.")
    assert isinstance(figure, nodes.figure) and figure[0]["alt"] == "a curve"
    assert isinstance(figure[1][0], nodes.strong) and figure[1].astext() == "Words."


def test_a_figure_s_address_follows_its_picture(shown):
    one, same, other = (shown(content, caption="c")[0]["ids"] for content in ("a", "a", "b"))
    assert one == same != other and len(one) == 1
    assert one == ["figure-ca978112ca1b"]  # a link that somebody keeps leads there tomorrow, too
