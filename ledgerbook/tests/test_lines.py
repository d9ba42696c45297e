"""The lines that previews show."""

import pytest
from ledgerbook.chapters.statements import Statement
from ledgerbook.references import tooltip_text
from ledgerbook.references.notation import Explained, Word

X = "<math><mi>x</mi></math>"
CLAIM = {"claim": "so $x$", "passed": True, "as_printed": False, "strength": "proved"}
CLAIM |= {"observed": 1.0, "relation": "<=", "bound": 2.0, "margin": 2.0}
SLIP = {"id": "E3", "location": "Eq. (1)", "printed": "$x$", "reach": "harmless"}


@pytest.mark.parametrize(
    ("row", "strength", "line"),
    (
        (
            Statement("textbook.theorem-01", "Theorem 1", "The angle shrinks"),
            "proved",
            "<b>Theorem 1</b> Multiply a vector by a matrix again and again: what is largest wins,"
            " at a known rate. <small>✓ holds, proved</small>",
        ),
        (
            Statement("textbook.lemma-09", "Lemma 9", "Not *written*"),
            None,
            "<b>Lemma 9</b> Not <em>written</em> <small>✓ holds</small>",
        ),
        (
            Statement("textbook.lemma-08", "Lemma 8", "Judged there", home="textbook.theorem-01"),
            "measured",
            "<b>Lemma 8</b> Judged there <small>✓ holds, measured</small>",
        ),
    ),
)
def test_a_statement_is_told_by_its_chapters_sentence_or_by_its_title(row, strength, line):
    assert tooltip_text.of_statement(row, {"status": "holds", "strength": strength}) == line


@pytest.mark.parametrize(
    ("line", "html"),
    (
        (
            tooltip_text.of_equation("7", "x", False, "Lemma <1>"),
            f"{X} <small>(7), Lemma &lt;1&gt;</small>",
        ),
        (
            tooltip_text.of_equation("7", "x", True, "Lemma 1"),
            '<math display="block"><mi>x</mi></math> <small>Lemma 1</small>',
        ),
        (tooltip_text.of_hypothesis({"id": "H1", "text": "a $x$"}), f"<b>H1</b> a {X}"),
        (tooltip_text.of_claim(CLAIM), f"so {X} <small>✓ holds, proved</small>"),
        (tooltip_text.of_erratum(SLIP), f"<b>E3</b> Eq. (1): {X} <small>harmless</small>"),
        (
            tooltip_text.of_symbol(Explained("", "textbook", ("$x$", "vector", "what *turns*"))),
            f"<b>{X}</b> what <em>turns</em> <small>A textbook theorem</small>",
        ),
        (tooltip_text.of_word(Word("", ("a<b", "b"), "*less*")), "<b>a&lt;b</b> <em>less</em>"),
        (tooltip_text.inline("{term}`gap <x>` [there](a.md)\n<i>"), "gap there &lt;i&gt;"),
    ),
)
def test_each_kind_of_line_says_what_it_shows_and_escapes_what_is_text(line, html):
    assert line == html


@pytest.mark.parametrize(
    ("claims", "why_not", "known"),
    (
        (["a"], None, "1 claim on it"),
        (["a", "b"], None, "2 claims on it"),
        ([], "a definition of $x$", "a definition of <math"),
        ([], None, "no claim"),
    ),
)
def test_an_equation_that_no_page_displays_says_what_is_known_of_it(claims, why_not, known):
    line = tooltip_text.of_unshown("7", {"claims": claims, "why_not": why_not})
    assert line.startswith(f"<b>(7)</b> not displayed in this book; {known}")
