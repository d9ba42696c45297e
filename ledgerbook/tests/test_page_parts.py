"""Parts of every page: its contents, folds, pictures and numbered figures."""

import html
import io
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import jinja2
import nbformat
import pydata_sphinx_theme
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from fontTools.ttLib import TTFont
from ledgerbook.project import markup
from ledgerbook.site import accessibility, page_head, renderer, sidebar, styles
from myst_nb.core.render import MimeData, NbElementRenderer
from myst_nb.sphinx_ import HideCodeCellNode
from pygments import highlight
from pygments.lexers import PythonLexer
from sphinx.application import Sphinx


def test_the_themes_templates_say_what_they_should(tmp_path):
    (tmp_path / "sections").mkdir()
    accessibility.write_templates(tmp_path)
    search = (tmp_path / "search-button-field.html").read_text("utf-8")
    assert "<button" in search and "aria-label" not in search
    sidebar = (tmp_path / "sections/sidebar-primary.html").read_text("utf-8")
    assert 'role="region" aria-label="This book"' in sidebar


def fold(prompt, *titles):
    """A folded cell within sections of these titles, from the inmost."""
    node = HideCodeCellNode(prompt_show=prompt, classes=["above-input"])
    inner = node
    for title in titles:
        inner = nodes.section("", nodes.title("", title), nodes.container("", inner))
    return node


@pytest.mark.parametrize(
    ("prompt", "titles", "said"),
    [
        ("Show code cell source", ("Walk", "Lemma 5"), "the code"),
        ("Show code cell outputs", ("Walk",), "the output"),
        ("Show code cell content", (), "code and output"),
        ("Show it <all>", (), "the code"),
        ("Show code cell source", ("Exercises", "Lemma 5"), "the answer"),
        ("Show code cell source", ("First", "Exercises", "Lemma 5"), "the answer"),
    ],
)
def test_a_folded_cell_is_named_by_what_it_hides(prompt, titles, said):
    writer = SimpleNamespace(body=[])
    accessibility.open_cell(writer, fold(prompt, *titles))
    (html,) = writer.body
    assert html.startswith('<details class="admonition hide above-input">')
    assert f">Show {said}</p>" in html and f">Hide {said}</p>" in html


PART = '<p class="caption">{}</p><ul class="nav{}"><li class="toctree-l1{}">{}</li></ul>'
THEOREM = "textbook.theorem-01"
LINK = '<a class="reference internal{}" href="../{}.html">A page</a>'


def test_a_chapter_s_status_stands_before_its_name():
    names = ("textbook/theorem_01", "textbook/corollary_01", "intro")
    links = "".join(LINK.format("", f"book/{name}") for name in names)
    made = sidebar.folded(PART.format("One", "", "", links), "book/page", {THEOREM: "holds"})
    theorem, corollary, page = BeautifulSoup(made, "html.parser").select("a")
    mark = '<span class="chip holds" role="img" title="holds">✓</span>'
    assert "".join(map(str, theorem.contents)) == f"{mark}A page"
    assert corollary.decode_contents() == page.decode_contents() == "A page"


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


def test_what_has_no_colour_of_its_own_is_no_element_in_code():
    made = highlight("return size(7) + f'{a}'", PythonLexer(), page_head.Light())
    words = '<span class="k">return</span> size(7) + <span class="s">f'
    assert words in html.unescape(made)


def test_a_notebook_that_is_offered_holds_its_code_alone(tmp_path):
    cell = nbformat.v4.new_code_cell("1", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("stream", text="1")]
    file = tmp_path / "_sources/book/one.ipynb"
    file.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), file)
    builder = SimpleNamespace(name="html", _css_files=[])
    page_head.prune(SimpleNamespace(builder=builder, outdir=tmp_path), None)
    (left,) = nbformat.read(file, 4).cells
    assert left.source == "1" and not left.outputs


def test_the_one_style_has_what_a_page_names_and_the_icons_that_it_shows(tmp_path):
    static = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static"
    shutil.copytree(static, tmp_path / "_static")
    (tmp_path / "_static/own.css").write_text("@media print { .own { color: red } } /* .no */")
    (tmp_path / "index.html").write_text('<i class="fa-solid fa-bars own"></i>')
    styles.join(tmp_path, ["_static/own.css"])
    (font,) = tmp_path.rglob("fa-solid-*.woff2")
    (style,) = tmp_path.rglob("*.css")
    assert 0xF0C9 in TTFont(font).getBestCmap() and font.stat().st_size < 20_000
    left = style.read_text()
    assert ".fa-bars:before" in left and ".fa-trash:before" not in left
    addresses = re.findall(r"url\(([^)]*fa-solid[^)]*woff2)\)", left)
    assert addresses and all((style.parent / one).exists() for one in addresses)
    assert left.rstrip().endswith("@media print { .own { color: red } }")
    styles.join(tmp_path, [])  # nothing was copied anew
    assert style.read_text() == left


@pytest.mark.parametrize(
    ("style", "left"),
    (
        (".a{x:1}.b{x:2}", ".a{x:1}"),
        (".b .a,.a>p:not(.b,.c){x:1}", ".a>p:not(.b,.c){x:1}"),
        ("@media print{.b{x:1}}p{x:2}", "p{x:2}"),
        ("@font-face{x:1}:is(.a,.b):hover{x:2}", "@font-face{x:1}:is(.a,.b):hover{x:2}"),
        (":root{--on:1;--off:2;--far:3}p{x:var(--on)}", ":root{--on:1;--far:3}p{x:var(--on)}"),
        (":root{--one:var(--two);--two:1}", ""),
    ),
)
def test_of_a_style_what_nothing_asks_for_is_gone(style, left):
    assert styles.shaken(style, {"a"}, {"--far"}) == left


TABLE = "Title\n=====\n\n.. figure:: a.png\n   :name: one\n\n   A caption\n"


def test_figures_are_not_numbered(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "index.rst").write_text(TABLE, encoding="utf-8")
    (source / "a.png").write_bytes(b"")
    config = {"extensions": ["sphinx_proof", "ledgerbook.site.theorems"]}
    out, trees = tmp_path / "out", tmp_path / "trees"
    said = io.StringIO()
    app = Sphinx(source, None, out, trees, "html", config, status=None, warning=said)
    app.build()
    assert "ledgerbook" not in said.getvalue()  # a warning would fail the build of a book
    assert "Fig. 1" not in (out / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "text"), [("a.md.jinja", "<1>"), ("a.html.jinja", "&lt;1&gt;")])
def test_text_is_escaped_but_in_markdown(tmp_path, name, text):
    (tmp_path / name).write_text("{{ number }}\n", encoding="utf-8")
    assert markup.render(name, tmp_path, number="<1>") == text
    with pytest.raises(jinja2.UndefinedError):
        markup.render(name, tmp_path)
