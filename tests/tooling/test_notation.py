"""Every symbol of a Statement stands on the notation page, in the table of its own half."""

import re
from xml.etree.ElementTree import fromstring

import pytest
from ledgerbook.chapters import notebooks, summary
from ledgerbook.chapters.statements import written
from ledgerbook.references import mathml, notation, symbols, targets

# What Part III takes over from the other two it does not explain again.
BOTH = ("bridge",)


def letters(row):
    """The letters in the formulas of a chapter's statement."""
    text = summary.sections(notebooks.read(row.chapter)).get("Statement", "")
    for tex in re.findall(r"\$\$?([^$]+)\$\$?", re.sub(r"`[^`]*`", " ", text)):
        yield from symbols.leaves(fromstring(mathml.converted(tex.strip())))


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_every_symbol_of_the_statement_is_explained(row):
    tables = notation.tables()
    own = tables if row.paper in BOTH else {row.paper: tables[row.paper]}
    unknown = [
        leaf.within[0][0] for leaf in letters(row) if not symbols.explained(leaf, row.paper, own)
    ]
    assert unknown == []


def test_the_page_explains_each_word_once():
    forms = [form.lower() for word in notation.words() for form in word.forms]
    assert len(forms) == len(set(forms)) > 20
    assert all(word.meaning for word in notation.words())


def test_the_box_where_part_ii_begins_has_the_letters_that_change():
    text = targets.source("book/mechanics/part_mechanics").text
    box = text.partition("{admonition} Letters that change")[2].partition("::::")[0]
    first = [tex for line in box.splitlines() for tex in notation.FORMULA.findall(line)[:1]]
    wanted = ["E", "K", "W", "Y", "n", "m", r"\rho", r"\Omega", r"\theta", r"\tau"]
    assert first == wanted
