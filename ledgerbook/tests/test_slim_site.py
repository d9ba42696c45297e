"""What is left of a built site's fonts, and who makes its files smaller."""

import json
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from fontTools import fontBuilder, ttLib
from PIL import Image

from ledgerbook import slim

SIGNS = ("star", "sun", "moon", "rain", "snow", "wind")
STYLE = '.fa-other:before,.fa-{}:before{{content:"\\{:x}"}}'


@pytest.fixture
def icons(tmp_path):
    """The function that makes a site with a font of some signs, and cuts it to those named."""

    def cut(number, page, script=""):
        names = [".notdef", *SIGNS[:number]]
        font = fontBuilder.FontBuilder(1000)
        font.setupGlyphOrder(names)
        font.setupCharacterMap({0xF000 + k: name for k, name in enumerate(names) if k})
        font.setupGlyf(dict.fromkeys(names, ttLib.tables._g_l_y_f.Glyph()))
        font.setupHorizontalMetrics(dict.fromkeys(names, (1000, 0)))
        font.setupHorizontalHeader()
        font.setupPost()
        font.font["head"].modified = 3_000_000_000
        style = "".join(STYLE.format(name, 0xF000 + k) for k, name in enumerate(names) if k)
        files = {
            "_static/styles/a.css": style.replace(".fa-other:before,", "", number - 1),
            "_static/scripts/a.js": script,
            "book/a.html": page,
        }
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        file = tmp_path / slim.ICONS
        file.parent.mkdir(parents=True, exist_ok=True)
        font.font.recalcTimestamp = False
        font.save(file)
        slim._cut_icons(tmp_path)
        return ttLib.TTFont(file)

    return cut


@pytest.mark.parametrize(
    ("number", "page", "script", "left"),
    [
        (6, '<i class="fas fa-sun">', "'fa-moon'", {0xF002, 0xF003}),
        (4, '<i class="fas fa-sun fa-moon">', "", {0xF002, 0xF003}),
        (6, '<i class="fa-other">', "", {0xF006}),  # another name of the last one
        (3, '<i class="fa-sun fa-moon">', "", {0xF001, 0xF002, 0xF003}),  # not worth a cut
        (3, "fa-unknown, alfa-sun", "", {0xF001, 0xF002, 0xF003}),
    ],
)
def test_the_font_of_icons_keeps_the_signs_that_pages_and_scripts_name(
    icons, number, page, script, left
):
    font = icons(number, page, script)
    assert set(font.getBestCmap()) == left
    assert font["head"].modified == 3_000_000_000  # the same site is the same bytes


def test_the_font_of_formulas_is_written_once_with_its_licence(tmp_path, monkeypatch):
    made = iter([b"font", b"font again"])
    monkeypatch.setattr(slim.mathfont, "woff2", lambda: next(made))
    for _ in range(2):
        slim.write_font(tmp_path / "deep" / "site")
    font = tmp_path / "deep" / "site" / "_fonts" / "stix-two-math.woff2"
    assert font.read_bytes() == b"font"
    assert font.with_name("LICENCE.txt").read_text(encoding="utf-8") == slim.mathfont.LICENCE
    font.unlink()
    slim.write_font(tmp_path / "deep" / "site")
    assert font.read_bytes() == b"font again"


@pytest.mark.parametrize(
    ("available", "parallel", "used"), [(True, 1, []), (True, 2, [2]), (False, 2, [])]
)
def test_files_are_made_smaller_side_by_side_where_a_machine_can(
    tmp_path, monkeypatch, available, parallel, used
):
    asked, packed = [], []

    class Tasks(slim.SerialTasks):
        def __init__(self, many):
            super().__init__()
            asked.append(many)

    monkeypatch.setattr(slim, "parallel_available", available)
    monkeypatch.setattr(slim, "ParallelTasks", Tasks)
    monkeypatch.setattr(slim, "_cut_icons", lambda site: None)
    monkeypatch.setattr(slim, "_pack", packed.extend)
    (tmp_path / "_images").mkdir()
    for name in "abc":
        (tmp_path / "_images" / f"{name}.png").touch()
    app = SimpleNamespace(builder=SimpleNamespace(name="html"), outdir=tmp_path, parallel=parallel)
    slim.prune(app, None)
    assert asked == used and sorted(file.stem for file in packed) == ["a", "b", "c"]


def test_a_notebook_for_download_is_the_same_bytes_whoever_ordered_its_keys(tmp_path):
    file = tmp_path / "a.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", id="a")])
    for whole in (notebook, dict(reversed(notebook.items()))):
        file.write_text(json.dumps(whole), encoding="utf-8")
        slim._without_outputs(file)
        found = json.loads(file.read_text(encoding="utf-8"))
        assert list(found) == sorted(found) and file.read_bytes().endswith(b"}\n")


def test_a_ramp_of_grey_keeps_every_step(tmp_path):
    ramp = np.tile(np.arange(256, dtype=np.uint8), (8, 1))
    Image.fromarray(ramp).convert("RGB").save(tmp_path / "a.png")
    slim.as_webp(tmp_path / "a.png")
    with Image.open(tmp_path / "a.webp") as shown:
        assert (np.asarray(shown)[..., 0] == ramp).all()
