"""Less to load, and nothing that a reader would see of it."""

from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from docutils import nodes
from docutils.core import publish_doctree
from PIL import Image
from pygments import highlight
from pygments.lexers import PythonLexer

from ledgerbook import slim


def packed(tmp_path, picture):
    """What a reader's browser shows of a picture of the site, and its bytes before and after."""
    file = tmp_path / "a.png"
    picture.save(file)
    before = file.stat().st_size
    slim.as_webp(file)
    assert not file.exists()
    after = tmp_path / "a.webp"
    with Image.open(after) as shown:
        assert shown.size == picture.size
        return np.asarray(shown.convert("RGBA")), before, after.stat().st_size


def test_a_picture_gets_a_palette_and_looks_the_same(tmp_path):
    rng = np.random.default_rng(0)
    hues = rng.integers(0, 256, (300, 3))
    before = hues[rng.integers(0, 300, (80, 90))].astype(np.uint8)
    alpha = np.full((80, 90, 1), 255, np.uint8)
    picture = Image.fromarray(np.concatenate([before, alpha], axis=2), "RGBA")
    after, size, smaller = packed(tmp_path, picture)
    assert smaller < size / 2
    assert len(np.unique(after.reshape(-1, 4), axis=0)) <= max(slim.COLOURS)
    assert np.abs(after[..., :3].astype(int) - before).mean() < 3


def test_a_picture_that_lets_its_ground_through_keeps_every_pixel(tmp_path):
    before = np.random.default_rng(0).integers(0, 256, (30, 40, 4)).astype(np.uint8)
    after, *_ = packed(tmp_path, Image.fromarray(before, "RGBA"))
    assert (after == before).all()


def test_few_colours_are_kept_as_they_are(tmp_path):
    grey = np.random.default_rng(0).integers(0, 60, (80, 90)).astype(np.uint8) * 4
    picture = Image.fromarray(grey).convert("RGB")
    after, size, smaller = packed(tmp_path, picture)
    assert (after[..., :3] == np.asarray(picture)).all() and smaller < size


def test_a_picture_that_no_page_names_goes(tmp_path):
    (tmp_path / "_images").mkdir()
    for name in ("a.webp", "b.webp"):
        (tmp_path / "_images" / name).touch()
    slim.remove_unnamed(tmp_path, set(slim.NAMED.findall('<img src="../_images/b.webp" alt="">')))
    assert [file.name for file in (tmp_path / "_images").iterdir()] == ["b.webp"]


@pytest.mark.parametrize(
    "given, kept", [({}, ("740", "280")), ({"width": "370px"}, ("370", "140"))]
)
def test_room_is_kept_in_the_shape_of_a_picture(tmp_path, given, kept):
    Image.new("RGB", (740, 280)).save(tmp_path / "a.png")
    image = nodes.image(uri="a.png", **given)
    app = SimpleNamespace(builder=SimpleNamespace(name="html"), srcdir=tmp_path)
    slim.size_pictures(app, nodes.document(None, None, "", image), "book/intro")
    assert (image["width"], image["height"]) == kept


def test_code_keeps_its_text_and_the_colours_of_what_has_one():
    code = highlight("x = f(1)  # why\n", PythonLexer(), slim.FewerSpans())
    assert 'x = f(<span class="mi">1</span>)  <span class="c1"># why</span>' in code


def test_a_string_is_one_piece_of_one_colour():
    code = highlight('f"a\\n"\n', PythonLexer(), slim.FewerSpans())
    assert '<span></span><span class="s2">f"a\\n"</span>\n' in code


@pytest.mark.parametrize("title, said", [("One <em>page</em>", "One page"), (None, "")])
def test_a_page_tells_search_engines_its_title_and_its_first_words(title, said):
    context = {"title": title}
    slim.describe(None, "page", "page.html", context, publish_doctree("Words <of> it.\n\nMore."))
    assert f'<meta property="og:title" content="{said}">' in context["metatags"]
    assert '<meta name="description" content="Words of it.">' in context["metatags"]


def test_a_long_first_paragraph_is_cut_between_words_at_what_a_search_engine_shows():
    context = {"metatags": "<meta>", "title": 'A "title"'}
    fits = " ".join(["abcd"] * 31)
    assert len(fits) + 1 == slim.DESCRIPTION
    for words, shown in ((fits + "e", fits + "e"), (fits + "ef", fits.rpartition(" ")[0] + " …")):
        made = dict(context)
        slim.describe(None, "page", "page.html", made, publish_doctree(words))
        assert f'<meta property="og:description" content="{shown}">' in made["metatags"]
        assert made["metatags"].startswith("<meta>\n<link") and 'content="A title"' in str(made)


def test_a_page_that_is_not_of_the_book_has_the_icon_alone():
    context = {}
    slim.describe(None, "search", "search.html", context, None)
    assert context["metatags"] == slim.TAB_ICON
    slim.describe(None, "page", "page.html", context, nodes.document(None, None))
    assert '<meta name="description" content="">' in context["metatags"]


def test_the_size_of_a_picture_is_read_from_a_png_alone(tmp_path):
    file = tmp_path / "a"
    Image.new("RGB", (7, 3)).save(file, "PNG")
    head = file.read_bytes()[:24]
    for data, size in ((head, (7, 3)), (head[:23], None), (b"x" + head[1:], None)):
        file.write_bytes(data)
        assert slim.png_size(file) == size


@pytest.mark.parametrize(
    "builder, uri, width", [("epub", "a.png", ""), ("html", "no.png", ""), ("html", "a.png", "9%")]
)
def test_a_picture_is_left_where_its_size_is_not_asked_for_or_not_known(
    tmp_path, builder, uri, width
):
    Image.new("RGB", (74, 28)).save(tmp_path / "a.png")
    image = nodes.image(uri=uri, **({"width": width} if width else {}))
    app = SimpleNamespace(builder=SimpleNamespace(name=builder), srcdir=tmp_path)
    slim.size_pictures(app, nodes.document(None, None, "", image), "book/intro")
    assert "height" not in image and image.get("width", "") == width


@pytest.mark.parametrize("failed, name", [(ValueError(), "html"), (None, "epub")])
def test_a_build_that_failed_or_is_no_site_is_left_as_it_is(tmp_path, failed, name):
    file = tmp_path / "_static" / "a.map"
    file.parent.mkdir()
    file.touch()
    app = SimpleNamespace(builder=SimpleNamespace(name=name), outdir=tmp_path, parallel=1)
    slim.prune(app, failed)
    assert file.exists()


@pytest.mark.parametrize("parallel", [1, 2])
def test_what_no_page_loads_goes_and_every_picture_and_notebook_is_made_smaller(
    tmp_path, monkeypatch, parallel
):
    (tmp_path / "_static" / "locales" / "de").mkdir(parents=True)
    (tmp_path / "_static" / "locales" / "de" / "a.json").touch()
    for name in ("a.map", "kept.js"):
        (tmp_path / "_static" / name).touch()
    for folder in ("_images", "_sources/book"):
        (tmp_path / folder).mkdir(parents=True)
    for number in range(3):
        Image.new("RGB", (4, 4)).save(tmp_path / f"_images/{number}.png")
    cell = nbformat.v4.new_code_cell("1", execution_count=3)
    cell.outputs = [nbformat.v4.new_output("stream", text="1")]
    words = nbformat.v4.new_markdown_cell("words")
    notebook = tmp_path / "_sources/book/a.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell, words]), notebook)
    monkeypatch.setattr(slim, "_cut_icons", lambda site: None)
    app = SimpleNamespace(builder=SimpleNamespace(name="html"), outdir=tmp_path, parallel=parallel)
    slim.prune(app, None)
    assert [file.name for file in (tmp_path / "_static").iterdir()] == ["kept.js"]
    images = sorted(file.name for file in (tmp_path / "_images").iterdir())
    assert images == ["0.webp", "1.webp", "2.webp"]
    code, text = nbformat.read(notebook, as_version=4).cells
    assert (code.source, code.outputs, code.execution_count) == ("1", [], None)
    assert text.source == "words" and "outputs" not in text
