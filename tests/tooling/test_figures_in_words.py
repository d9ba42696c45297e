"""A decimal figure in a sentence of a chapter is one that the chapter computes and shows.

It has to stand, rounded as the sentence has it, in an output, a row, a program or a cell's code of
the same chapter, or to be put in by the build.  Formulas are left out: what stands in them is
derived on the page.
"""

import re

import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import written

FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
MATH = re.compile(r"\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)
ALONE = re.compile(r"\$-?[\d.,]+\$")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
FIGURE = re.compile(r"(?<![\w.^_{#-])(\d[\d,]*\.\d+|\d+(?:\.\d+)?(?=\s?%))(\s?%)?(?![\w.]*\d)")
# What a sentence sets, offers as an answer, or works out itself.
SAID = {
    # worked out on the page, and held by tests/tooling/test_programs.py
    "scan-snap.setting": {"0.006", "0.037"},
    "scan-snap.lemma-01": {"0.267", "0.837"},
    "scan-snap.lemma-03": {"0.24", "1.23", "24.5"},
    "scan-snap.lemma-05": {"0.97", "3.9", "10.92"},
    "scan-snap.theorem-01": {"0.24", "0.32"},
    "scan-snap.theorem-02": {"0.42"},
    "scan-snap.theorem-03": {"1.5625", "25", "29", "31"},
    "scan-snap.lemma-07": {"2.3"},
    "scan-snap.lemma-12": {"11", "56", "0.95"},
    "scan-snap.lemma-18": {"0.95", "0.865", "0.875", "0.97", "0.99"},
    "scan-snap.corollary-02": {"0.998"},
    "scan-snap.what-the-figures-hide": {"2.151"},
    "mechanics.token-priority-graph": {"0.01"},
    "mechanics.loss-split": {"0.637", "0.693"},
    "mechanics.global-convergence": {"0.43"},
    "mechanics.experiments": {"0.16"},
    "bridge.adam": {"0.9999", "0.0005", "0.00005"},
}
# Chapters with figures that are tied elsewhere or not yet.
LEFT_OUT = {
    *(f"scan-snap.{name}" for name in ("figure-06", "figure-10")),
    *("bridge.two-clocks", "bridge.snapping-direction"),
}
CHAPTERS = {row.tag: row for row in written() if row.tag not in LEFT_OUT}


def values(text):
    """The numbers of a text."""
    return {float(found.replace(",", "")) for found in NUMBER.findall(text)}


def shown(notebook):
    """All numbers that a chapter shows beside its sentences, without their signs."""
    found = set()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            found |= values(" ".join(FENCED.findall(cell.source)))
            continue
        found |= values(cell.source)
        for output in cell.outputs:
            found |= values(output.get("text", output.get("data", {}).get("text/plain", "")))
    for output in notebooks.ledger_outputs(notebook):
        for row in output.get("rows", ()):
            observed = row["observed"]
            number = isinstance(observed, int | float) and not isinstance(observed, bool)
            found |= values(row["claim"]) | ({abs(observed)} if number else set())
    return found


def figures(source):
    """The decimal figures and percentages of a cell's sentences: text, value, places."""
    text = re.sub(r"\{value\}`[^`]*`", " ", FENCED.sub(" ", source))
    text = MATH.sub(lambda found: found[0].strip("$") if ALONE.fullmatch(found[0]) else " ", text)
    for found in FIGURE.finditer(text):
        plain = found[1].replace(",", "")
        yield plain, bool(found[2]) or text[found.end() :].lstrip().startswith("%")


def stands(figure, percent, found):
    """Whether a number that was found rounds to the figure, as it is or as a percentage."""
    places = len(figure.partition(".")[2])
    return any(
        abs(round(number * scale, places) - float(figure)) < 1e-9
        for number in found
        for scale in ((1, 100) if percent else (1,))
    )


@pytest.mark.parametrize("tag", CHAPTERS)
def test_a_figure_in_a_sentence_is_one_that_the_chapter_shows(tag):
    notebook = notebooks.read(CHAPTERS[tag].chapter)
    found, loose = shown(notebook), set()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            loose |= {one for one, share in figures(cell.source) if not stands(one, share, found)}
    assert loose <= SAID.get(tag, set())


def test_another_figure_is_seen():
    notebook = notebooks.read(CHAPTERS["scan-snap.lemma-11"].chapter)
    found = shown(notebook)
    assert stands("0.54", False, found) and stands("90", True, found)
    assert not stands("0.57", False, found)
    told = "between 0.54 and $0.90$, or 54 %, {value}`a.b#c .2f` and $x=0.3$"
    assert [*figures(told)] == [("0.54", False), ("0.90", False), ("54", True)]
