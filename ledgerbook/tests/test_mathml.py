"""Formulas at build: structure, letters, spaces, numbers; the font holds what formulas use."""

import io
import re

import pytest
from fontTools import ttLib

from ledgerbook import mathfont, mathml, slim


def test_letters_of_other_alphabets_are_characters_that_the_font_has():
    found = mathml.converted(r"\mathbb P(\mathcal F) \ne \mathbf 1")
    assert "ℙ" in found and "ℱ" in found and "𝟏" in found and "mathvariant" not in found
    covered = ttLib.TTFont(io.BytesIO(mathfont.woff2())).getBestCmap()
    assert {ord(sign) for sign in "ℙℱ𝟏∑√′≲⊤∥"} <= covered.keys()


def test_what_an_alphabet_lacks_stays_as_it_is():
    assert [mathml._letter("SCRIPT", sign) for sign in "A+ "] == ["𝒜", "+", " "]


def test_the_font_still_stretches_and_is_a_small_part_of_the_whole():
    data = mathfont.woff2()
    variants = ttLib.TTFont(io.BytesIO(data))["MATH"].table.MathVariants
    assert {"parenleft", "braceleft"} <= set(variants.VertGlyphCoverage.glyphs)
    assert len(data) < 200_000


def test_capital_greek_is_upright_and_small_greek_is_not():
    assert '<mi mathvariant="normal">Γ</mi><mi>γ</mi>' in mathml.converted(r"\Gamma\gamma")
    assert mathml.converted("ΑΩ").count('<mi mathvariant="normal">') == 2  # the first, the last


@pytest.mark.parametrize(
    "tex, spaces",
    [(r"\ln M", 1), (r"K\ln M", 2), (r"\ln(M)", 0), (r"a+\ln M", 1), (r"\log_2 x", 1), ("ab", 0)],
)
def test_names_of_functions_are_set_apart_as_in_tex(tex, spaces):
    assert mathml.converted(tex).count("<mspace") == spaces


def test_rows_are_rows_and_their_extra_space_is_not_printed():
    cases = mathml.converted(r"\begin{cases}a&b\\[4pt]c&d\end{cases}")
    assert cases.count("<mtr>") == 2 and "4pt" not in cases.partition(">")[2]
    assert mathml.converted(r"\begin{aligned}a&=b\\c&=d\end{aligned}").count("<mtr>") == 2


def test_a_prime_is_set_once_small():
    found = mathml.converted("t_0'")
    assert re.search("<msub><mrow><mi>t</mi><mo[^>]*>′</mo></mrow><mn>0</mn></msub>", found)
    assert (
        "msup" not in found
        and mathml.converted("t'_0").partition(">")[2] == found.partition(">")[2]
    )
    assert "<mi>n</mi><mo" in mathml.converted("E_{kn'}")  # of the index, where it was written


def test_the_numbers_of_a_displayed_formula():
    tex = r"a=b \qquad\text{(43)},\ c=d \text{(7b) if } x_{(3)} \tag{(12)}"
    assert mathml.numbers(tex) == ["43", "7", "12"]


def test_a_broken_formula_is_named():
    with pytest.raises(ValueError, match="frac"):
        mathml.converted(r"\frac{a")


def test_the_size_of_a_picture(tmp_path):
    file = tmp_path / "a.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\xe4\0\0\1\x18")
    assert slim.png_size(file) == (740, 280)
    file.write_bytes(b"GIF89a" + bytes(20))
    assert slim.png_size(file) is None
