"""Words that speak of everything stand only where a proof does."""

import nbformat
import pytest
from ledgerbook.chapters import collect, quantifiers
from ledgerbook.ledger.ledger_table import MIME

TEXT = """## Walk

It is never off. $x$ is always right. For every $M$ it holds.

:::{prf:lemma} A lemma
:label: a.lemma

For all $n$ the paper says so.
:::

`never` and $\\text{for all}$ are no words of ours; whenever, not always and for all practical
purposes promise nothing.
"""


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=cells)


def shown(strength, passed=True):
    cell = nbformat.v4.new_code_cell("ledger.show()")
    rows = {"tag": "a.lemma", "rows": [{"strength": strength, "passed": passed}]}
    cell.outputs = [nbformat.v4.new_output("display_data", {MIME: rows})]
    return cell


def prose(*cells, proved=False):
    return [one.words for one in quantifiers.offending_prose("a.lemma", notebook(*cells), proved)]


def test_a_planted_offender_is_named_with_its_section():
    text = nbformat.v4.new_markdown_cell(TEXT)
    (first, *_) = quantifiers.offending_prose("a.lemma", notebook(text, shown("measured")), False)
    assert str(first) == "a.lemma, Walk: “never” rests on no proved row: It is never off."


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (shown("measured"), 3),
        (shown("certified"), 3),
        (shown("proved"), 0),
        (shown("kernel-checked"), 0),
        (shown("proved", passed=False), 3),
    ],
)
def test_a_section_is_backed_by_a_proved_row_that_holds(cell, found):
    text = nbformat.v4.new_markdown_cell(TEXT)
    assert len(prose(text, cell)) == found
    other = nbformat.v4.new_markdown_cell("## Next\n\nAnd always so.")
    assert len(prose(text, cell, other)) == found + 1


def test_no_sentence_of_the_book_says_more_than_is_proved():
    assert [str(one) for one in quantifiers.offenders(collect.collect())] == []
