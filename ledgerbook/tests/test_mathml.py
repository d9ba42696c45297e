"""Formulas as MathML, and the font that shows them."""

import re
import shutil

import pytest
from docutils import nodes
from docutils.utils import new_document
from fontTools import ttLib
from ledgerbook.references import mathml
from ledgerbook.site import mathfont


@pytest.fixture(scope="module")
def font(once):
    """The font as every page has it."""
    file = once("fonts", mathfont.write_font) / "_fonts/stix-two-math.woff2"
    assert file.stat().st_size < 200_000
    return ttLib.TTFont(file)


def test_letters_of_other_alphabets_are_characters_that_the_font_has(font):
    found = mathml.converted(r"\mathbb P(\mathcal F) \ne \mathbf 1")
    assert "ℙ" in found and "ℱ" in found and "𝟏" in found and "mathvariant" not in found
    covered = font.getBestCmap().keys()
    assert {ord(sign) for sign in "ℙℱ𝟏∑√′≲⊤∥"} <= covered
    assert not {ord(sign) for sign in "ĀͰ⤀𝔄"} & covered
    variants = font["MATH"].table.MathVariants
    assert {"parenleft", "braceleft"} <= set(variants.VertGlyphCoverage.glyphs)


def test_a_site_keeps_of_the_font_what_its_pages_show(once, tmp_path):
    signs = mathfont.shown("<p>ξ</p><math><mi>β</mi><mo>&lt;</mo></math>")
    assert signs == {"β", "𝛽", "<"}
    shutil.copytree(once("fonts", mathfont.write_font), tmp_path / "site")
    for _ in range(2):  # the second time it is the one that was kept
        mathfont.cut(tmp_path / "site", signs, tmp_path / "kept")
    covered = ttLib.TTFont(tmp_path / "site" / mathfont.FILE).getBestCmap().keys()
    assert {*map(ord, "β𝛽<x")} <= covered and ord("ξ") not in covered
    assert len([*(tmp_path / "kept").iterdir()]) == 1


@pytest.mark.parametrize("tex", [r"\frac{a", r"\frac a", r"\overset{a}", r"\nothing x", "x_"])
def test_a_broken_formula_is_named(tex):
    with pytest.raises(ValueError, match=f"formula {re.escape(repr(tex))}: "):
        mathml.converted(tex)


@pytest.mark.parametrize(
    "tex, forms",
    [
        ("x=-|a|", "−prefix |prefix |postfix"),
        ("|a|-b", "|prefix |postfix −"),
        (r"2\|a\|_F\,|b|", "‖prefix ‖postfix |prefix |postfix"),
        (r"P(l\mid n)-P(k\mid n)", "∣ − ∣"),
        (r"a,\qquad -b", "−prefix"),
        ("y-x'-1", "− −"),
        (r"\lVert x\rVert_2", "‖prefix ‖postfix"),
    ],
)
def test_bars_open_and_close_and_a_sign_belongs_to_what_it_stands_before(tex, forms):
    signs = re.findall(r"<mo([^>]*)>([|‖∣−])</mo>", mathml.converted(tex))
    said = [f"{sign}{''.join(re.findall('form=.([a-z]+)', how))}" for how, sign in signs]
    assert " ".join(said) == forms


@pytest.mark.parametrize(
    "tex, rest",
    [
        (r"a=b . \qquad\text{(74)}", "a=b ."),
        (r"a \;\text{(1)}, b", r"a \;\text{(1)}, b"),
        (r"a\quad\text{for } n", r"a\quad\text{for } n"),
    ],
)
def test_the_number_that_ends_a_formula_stands_at_the_margin(tex, rest):
    left, number = mathml.apart(tex)
    assert left == rest
    assert (number in tex and number not in left) == (left != tex)
    assert not number or f"<mtext>{number}" not in mathml.converted(tex)


@pytest.mark.parametrize("tex", [r"\|w\|_2", r"\lVert w\rVert_2", r"\left\|w\right\|_2", r"|a|^2"])
def test_both_bars_of_a_norm_grow_or_none_does(tex):
    bars = re.findall(r"<mo([^>]*)>[|‖]</mo>", mathml.converted(tex))
    grow = {'stretchy="false"' in how for how in bars}
    assert len(bars) == 2 and len(grow) == 1


def test_a_formula_takes_the_stop_behind_it_and_no_other_of_the_sentence():
    words = ["(23)", ", ", nodes.math("", "c"), ", ", nodes.emphasis("", "is"), "."]
    line = nodes.paragraph("", "", *(nodes.Text(w) if isinstance(w, str) else w for w in words))
    doctree = new_document("page")
    doctree += line
    mathml.keep_stops(None, doctree, "page")
    assert [one.astext() for one in line] == ["(23)", ", ", "c", " ", "is", "."]
    assert line[2]["stop"] == ","


def test_a_number_keeps_its_per_cent_sign_on_its_line_also_where_a_value_was_put_in():
    code = nodes.literal("", "7 % 2")
    line = nodes.paragraph(
        "", "", nodes.Text("from 5 % to "), nodes.Text("13"), nodes.Text(" %."), code
    )
    doctree = new_document("page")
    doctree += line
    mathml.keep_percents(None, doctree, "page")
    assert line.astext() == "from 5\N{NO-BREAK SPACE}% to 13\N{NO-BREAK SPACE}%.7 % 2"


def test_a_formula_on_a_line_keeps_its_fractions_and_powers():
    tex = r"\eta_Y\gg\frac{M}{1-\omega_0}>e^{-t}"
    assert mathml.on_a_line(mathml.converted(tex)) == "ηY≫M/(1−ω0)&gt;e^(−t)"
