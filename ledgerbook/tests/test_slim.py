"""Less to load, and nothing that a reader would see of it."""

from types import SimpleNamespace

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
