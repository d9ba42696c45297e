"""Which row of a table of symbols a letter of a formula belongs to."""

from xml.etree.ElementTree import fromstring

import pytest
from ledgerbook.references import mathml, symbols
from ledgerbook.references.symbols import Table

ROWS = {
    "rates": (r"\eta_Y",),
    "decoder": ("Y",),
    "law": (r"f(x)=x^2", r"e_n"),
    "overlap": (r"E, E'",),
    "finite": (r"W^{fin}",),
    "matrix": ("W",),
    "mean": (r"\bar x_i",),
    "plain": ("x", "t_0"),
    "vector": ("u_l",),
    "height": ("u",),
    "moved": ("G'",),
    "graph": ("G",),
    "whole": ("T_0^k",),
    "another": ("S_0^k",),
    "braced": ("{L}_n",),
    "product": ("{pv}_i",),
}


@pytest.fixture(scope="module")
def table():
    return Table(ROWS.items())


def rows(table, tex):
    """The row of each letter of a formula, in order; ``None`` where there is none."""
    found = (table.find(leaf) for leaf in symbols.leaves(fromstring(mathml.converted(tex))))
    return [one and one[0] for one in found]


@pytest.mark.parametrize(
    "tex, expected",
    [
        (r"\eta_Y+Y", ["rates", "rates", "decoder"]),  # an index is part of a known whole
        ("e_{nY}", ["law", None, "decoder"]),  # and a letter of its own in an unknown one
        ("E'E", ["overlap", "overlap"]),
        ("W^{fin}_{kY}", ["finite", "finite", "finite", "finite", "finite", "finite"]),
        ("W_{fin}", ["matrix"] * 4),  # a word as an index is no product of letters
        (r"\bar x_k+x", ["mean", None, "plain"]),
        (r"\ln Y\,\mathrm{supp}", ["decoder"]),  # functions and words are no symbols
        (r"u_1+u", ["vector", "height"]),  # with an index it is another thing than without
        ("G'+G", ["moved", "graph"]),  # and so it is with a prime
        ("S_0^k+T_0^k", ["another", "another", "whole", "whole"]),
        ("F_{x+1}", [None, "plain"]),  # an index that is computed is no word
        ("L_m", ["braced", None]),  # braces are no part of a name
        ("p+v", [None, None]),  # nor is a factor the product
        (r"\lVert x\rVert_M", ["plain"]),  # the index of a norm is none
    ],
)
def test_the_row_of_each_letter(table, tex, expected):
    assert rows(table, tex) == expected


def test_the_own_table_comes_first_and_others_answer_where_it_is_silent(table):
    other = Table([("theirs", ("Y",)), ("only", ("q",))])
    tables = {"own": table, "other": other}
    (leaf,) = symbols.leaves(fromstring(mathml.converted("Y")))
    assert [place for place, _ in symbols.explained(leaf, "own", tables)] == ["decoder"]
    assert [place for place, _ in symbols.explained(leaf, "", tables)] == ["decoder", "theirs"]
    (leaf,) = symbols.leaves(fromstring(mathml.converted("q")))
    assert [place for place, _ in symbols.explained(leaf, "own", tables)] == ["only"]
