"""Less to load, and nothing that a reader would see of it."""

import numpy as np
from PIL import Image
from pygments import highlight
from pygments.lexers import PythonLexer

from ledgerbook import slim


def test_a_picture_gets_a_palette_and_looks_the_same(tmp_path):
    file, rng = tmp_path / "a.png", np.random.default_rng(0)
    hues = rng.integers(0, 256, (300, 3))
    before = hues[rng.integers(0, 300, (80, 90))].astype(np.uint8)
    alpha = np.full((80, 90, 1), 255, np.uint8)
    Image.fromarray(np.concatenate([before, alpha], axis=2), "RGBA").save(file)
    size = file.stat().st_size
    slim.with_fewer_colours(file)
    with Image.open(file) as picture:
        assert picture.mode == "P" and picture.size == (90, 80)
        after = np.asarray(picture.convert("RGB"))
    assert file.stat().st_size < size / 2
    assert np.abs(after.astype(int) - before).mean() < 3
    again = file.read_bytes()
    slim.with_fewer_colours(file)
    assert file.read_bytes() == again


def test_a_picture_that_lets_its_ground_through_stays(tmp_path):
    file = tmp_path / "a.png"
    Image.fromarray(np.full((9, 9, 4), 100, np.uint8), "RGBA").save(file)
    before = file.read_bytes()
    slim.with_fewer_colours(file)
    assert file.read_bytes() == before


def test_few_colours_are_kept_as_they_are(tmp_path):
    file = tmp_path / "a.png"
    grey = np.random.default_rng(0).integers(0, 60, (80, 90)).astype(np.uint8) * 4
    Image.fromarray(grey).convert("RGB").save(file)
    before = np.asarray(Image.open(file).convert("RGB"))
    slim.with_fewer_colours(file)
    with Image.open(file) as picture:
        assert picture.mode == "P"
        assert (np.asarray(picture.convert("RGB")) == before).all()


def test_code_keeps_its_text_and_the_colours_of_what_has_one():
    code = highlight("x = f(1)  # why\n", PythonLexer(), slim.FewerSpans())
    assert 'x = f(<span class="mi">1</span>)  <span class="c1"># why</span>' in code


def test_a_string_is_one_piece_of_one_colour():
    code = highlight('f"a\\n"\n', PythonLexer(), slim.FewerSpans())
    assert '<span></span><span class="s2">f"a\\n"</span>\n' in code
