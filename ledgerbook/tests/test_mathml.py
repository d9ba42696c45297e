"""Formulas at build: structure, letters, spaces, numbers; the font holds what formulas use."""

import importlib.resources
import io
import re

import pytest
from docutils import nodes
from fontTools import ttLib
from ledgerbook.references import mathml
from ledgerbook.site import mathfont

from ledgerbook import slim


def test_letters_of_other_alphabets_are_characters_that_the_font_has():
    found = mathml.converted(r"\mathbb P(\mathcal F) \ne \mathbf 1")
    assert "ℙ" in found and "ℱ" in found and "𝟏" in found and "mathvariant" not in found
    covered = ttLib.TTFont(io.BytesIO(mathfont.woff2())).getBestCmap()
    assert {ord(sign) for sign in "ℙℱ𝟏∑√′≲⊤∥"} <= covered.keys()


def test_what_an_alphabet_lacks_stays_as_it_is():
    assert [mathml._letter("SCRIPT", sign) for sign in "A+ "] == ["𝒜", "+", " "]


def test_the_font_still_stretches_and_is_a_small_part_of_the_whole():
    data = mathfont.woff2()
    font = ttLib.TTFont(io.BytesIO(data))
    variants = font["MATH"].table.MathVariants
    assert {"parenleft", "braceleft"} <= set(variants.VertGlyphCoverage.glyphs)
    assert len(data) < 200_000
    source = importlib.resources.files("ziamath").joinpath("fonts/STIXTwoMath-Regular.ttf")
    whole = ttLib.TTFont(io.BytesIO(source.read_bytes()))
    assert font["head"].modified == whole["head"].modified  # the same bytes at each build


def test_capital_greek_is_upright_and_small_greek_is_not():
    assert '<mi mathvariant="normal">Γ</mi><mi>γ</mi>' in mathml.converted(r"\Gamma\gamma")
    assert mathml.converted("ΑΩΪ").count('<mi mathvariant="normal">') == 2  # the first, the last


@pytest.mark.parametrize(
    "tex, spaces",
    [
        (r"\ln M", 1),
        (r"K\ln M", 2),
        (r"\ln(M)", 0),
        (r"a+\ln M", 1),
        (r"\log_2 x", 1),
        (r"{\ln x}y", 1),
        ("ab", 0),
    ],
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


def test_what_follows_big_is_the_sign_and_not_its_name():
    signs = re.findall(
        r"<mo[^>]*>([^<]*)<", mathml.converted(r"\big\{\big\|\big\Vert\big\mid\big\}")
    )
    assert "".join(signs) == "{‖‖|}"


class Translator:
    """What the two writers of formulas need of Sphinx's."""

    def __init__(self):
        self.body = []

    def starttag(self, node, name, CLASS):
        return f'<{name} class="{CLASS}">'


def written(*formulas):
    """The HTML of formulas in a page: of a line, or displayed."""
    page = Translator()
    for node in formulas:
        write = mathml.open_inline if isinstance(node, nodes.math) else mathml.open_display
        with pytest.raises(nodes.SkipNode):
            write(page, node)
    return "".join(page.body)


def test_a_formula_of_a_line_is_inline_and_one_that_was_made_before_is_taken():
    assert written(nodes.math("", "x")) == (
        '<span class="math"><math display="inline" alttext="x"><mrow><mi>x</mi></mrow></math>'
        "</span>"
    )
    assert written(nodes.math("", "x", mathml="<math/>")) == '<span class="math"><math/></span>'
    assert '<mspace width="0.1667em"></mspace>' in written(nodes.math("", r"\ln x"))


def test_a_displayed_formula_stands_under_its_numbers_and_none_is_given_twice():
    first = nodes.math_block("", r"x \text{(3), (4)}")
    again = nodes.math_block("", r"y \text{(4)}", mathml="<math/>")
    one, two = written(first, again).split("</div>\n")[:2]
    addresses = '<span class="eq" id="eq-3"></span><span class="eq" id="eq-4"></span>'
    assert one.startswith(f'<div class="math display">{addresses}<math display="block"')
    assert two == '<div class="math display"><math/>'


def test_the_size_of_a_picture(tmp_path):
    file = tmp_path / "a.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\xe4\0\0\1\x18")
    assert slim.png_size(file) == (740, 280)
    file.write_bytes(b"GIF89a" + bytes(20))
    assert slim.png_size(file) is None
