"""Words that speak of everything stand only where a proof does.

A sentence that says "for all", "for every", "for any", "always" or "never" rests on a proof: in a
row's text on the row's own; in prose on a proved conclusion that the chapter judges, or on a proved
row under the same heading of second level.  A theorem environment is the paper's, the options to
predict and a row as printed that fails assert nothing; nor do formulas and code.
"""

import re

import pytest
from ledgerbook.chapters import collect, notebooks
from ledgerbook.chapters.statements import judged_in, written
from ledgerbook.ledger.judgement import STRENGTHS, rows_of
from ledgerbook.ledger.ledger_table import MIME
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

SWEEPING = re.compile(r"\b(for\s+((all|every)(?!\s+practical)|any)|(?<!not )always|never)\b", re.I)
PROVED = STRENGTHS[STRENGTHS.index("proved") :]
QUOTED = re.compile(
    r"^(:{3,})\{prf:\w+\}.*?^\1\s*$|^## Predict$.*?(?=^:::|^## |\Z)"
    r"|`+[^`]*`+|\$\$.*?\$\$|\$[^$]*\$",
    re.DOTALL | re.MULTILINE,
)
SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n\s*\n|\n(?=[-#|*] )")


def sweeping(text):
    """The sentences of a Markdown text that speak of everything, one for each such word."""
    for sentence in SENTENCE.split(QUOTED.sub(" · ", text)):
        yield from [" ".join(sentence.split())] * len(SWEEPING.findall(sentence))


def unproved_rows(record):
    """Sentences of rows that say more than their own strength."""
    for row in rows_of(record):
        if row["strength"] not in PROVED and (row["passed"] or not row["as_printed"]):
            yield from (f"{record['tag']}#{row['id']}: {one}" for one in sweeping(row["claim"]))


def unproved_prose(notebook):
    """Sentences of sections, each from a heading of second level on, that show no proved row."""
    sections = [("", False)]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            first, *more = re.split(r"^(?=## )", QUOTED.sub(" · ", cell.source), flags=re.MULTILINE)
            sections[-1] = (f"{sections[-1][0]}\n\n{first}", sections[-1][1])
            sections += [(text, False) for text in more]
            continue
        shown = [out["data"][MIME] for out in cell.outputs if MIME in out.get("data", {})]
        rows = [row for one in shown for row in one.get("rows", ())]
        if any(row["passed"] and row["strength"] in PROVED for row in rows):
            sections[-1] = (sections[-1][0], True)
    return [one for text, backed in sections if not backed for one in sweeping(text)]


TEXT = """## Walk

It is never off. $x$ is always right. For every $M$ it holds.

:::{prf:lemma} A lemma
For all $n$ the paper says so.
:::

`never` and $\\text{for all}$ are no words of ours; whenever, not always and for all practical
purposes promise nothing."""
WALK = ["It is never off.", "· is always right.", "For every · it holds."]


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("passed", [True, False])
def test_a_section_is_backed_by_a_proved_row_that_holds(strength, passed):
    rows = {"tag": "a.lemma", "rows": [{"strength": strength, "passed": passed}]}
    shown = new_code_cell("1", outputs=[new_output("display_data", {MIME: rows})])
    other = new_markdown_cell("## Next\n\nAnd always so.")
    found = unproved_prose(new_notebook(cells=[new_markdown_cell(TEXT), shown, other]))
    assert found == [*(WALK if not passed or strength not in PROVED else []), "And always so."]


def test_no_sentence_of_the_book_says_more_than_is_proved():
    records = {record["tag"]: record for record in collect.collect()["statements"]}
    found = [one for record in records.values() for one in unproved_rows(record)]
    for row in written():
        if not any(records[one.tag]["strength"] in PROVED for one in judged_in(row)):
            found += [f"{row.tag}: {s}" for s in unproved_prose(notebooks.read(row.chapter))]
    assert found == []
