"""Sliders where the sentence is: small figures in the essence of five chapters.

The numbers come from ``lib`` at build time; in the browser the same formulas are computed by one
short script a figure, in ``book/_extra/sliders``, which the tests hold against ``lib``.
"""

import json
from pathlib import Path

from ledgerbook.chapters.statements import statement
from ledgerbook.project import paths

from tooling import PLACED
from tooling.sliders import (
    global_convergence,
    lemma_05,
    theorem_02,
    theorem_04,
    token_priority_graph,
)
from tooling.sliders.drawing import html
from tooling.sliders.figure import Figure

FIGURES: tuple[Figure, ...] = (
    lemma_05.FIGURE,
    theorem_02.FIGURE,
    theorem_04.FIGURE,
    token_priority_graph.FIGURE,
    global_convergence.FIGURE,
)


def write(folder: str | Path) -> None:
    """Write, beside what the site gets, for each statement's tag the HTML of its figure."""
    found = {
        figure.tag: html(figure, "../" * statement(figure.tag).docname.count("/"))
        for figure in FIGURES
    }
    Path(folder).mkdir(parents=True, exist_ok=True)
    paths.write_if_changed(paths.BUILD / PLACED, json.dumps(found, ensure_ascii=False))
