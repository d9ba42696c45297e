"""Formulas as MathML, and the font that shows them."""

import importlib.resources
import io
import re

import pytest
from fontTools import ttLib
from ledgerbook.references import mathml
from ledgerbook.site import mathfont


def test_letters_of_other_alphabets_are_characters_that_the_font_has():
    found = mathml.converted(r"\mathbb P(\mathcal F) \ne \mathbf 1")
    assert "ℙ" in found and "ℱ" in found and "𝟏" in found and "mathvariant" not in found
    covered = ttLib.TTFont(io.BytesIO(mathfont.woff2())).getBestCmap()
    assert {ord(sign) for sign in "ℙℱ𝟏∑√′≲⊤∥"} <= covered.keys()


def test_the_font_still_stretches_and_is_a_small_part_of_the_whole():
    data = mathfont.woff2()
    font = ttLib.TTFont(io.BytesIO(data))
    variants = font["MATH"].table.MathVariants
    assert {"parenleft", "braceleft"} <= set(variants.VertGlyphCoverage.glyphs)
    assert len(data) < 200_000
    source = importlib.resources.files("ziamath").joinpath("fonts/STIXTwoMath-Regular.ttf")
    whole = ttLib.TTFont(io.BytesIO(source.read_bytes()))
    assert font["head"].modified == whole["head"].modified  # the same bytes at each build


@pytest.mark.parametrize("tex", [r"\frac{a", r"\frac a", r"\overset{a}", r"\nothing x", "x_"])
def test_a_broken_formula_is_named(tex):
    with pytest.raises(ValueError, match=f"formula {re.escape(repr(tex))}: "):
        mathml.converted(tex)


@pytest.mark.parametrize(
    "tex, tag",
    [
        (r"\frac{a}{b}", "mfrac"),
        ("x_a", "msub"),
        ("x^a", "msup"),
        ("x_a^b", "msubsup"),
        (r"\underset{a}{b}", "munder"),
        (r"\hat x", "mover"),
        (r"\sum\limits_a^b", "munderover"),
    ],
)
def test_a_formula_that_lacks_nothing_is_understood(tex, tag):
    assert f"<{tag}" in mathml.converted(tex)


@pytest.mark.parametrize("first, last", ["Αω", "⁰₉", "←⇿", "∀⋿", "𝐀𝓏", "𝔸𝕫", "𝟎𝟗"])
def test_a_family_of_signs_stays_whole(first, last):
    assert set(range(ord(first), ord(last) + 1)) <= set(mathfont.characters())


def test_the_neighbours_of_a_family_go():
    assert not set(map(ord, "ĀͰ⤀𝔄")) & set(mathfont.characters())
