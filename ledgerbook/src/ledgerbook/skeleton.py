"""``make new``: an empty chapter with every section in order."""

from pathlib import Path

import nbformat

from ledgerbook import notebooks, project, toc
from ledgerbook.statements import Statement, statement
from ledgerbook.validation import require

SECTIONS = """## The idea

*Why it is true, in words that a reader could repeat; one number to remember.*
=====
## Predict

*One question about what happens when a hypothesis goes, with two to four choices.*

:::{{dropdown}} Answer
*And why the other answers are wrong.*
:::
=====
## Statement

:::{{prf:{kind}}} {number} (paper)
:label: {tag}
:nonumber:

Hypotheses:

- **H1** …

Then …
:::
=====
## What became of it

:::{{what-became}}
:::
=====
## Walk
=====
## Proof

:::{{kernel}}
:::
=====
## Check
=====
## Control
=====
## Exercises

**1.** …
=====
## Where it sits

:::{{where-it-sits}}
:::
=====
## Provenance

:::{{provenance}}
:::"""
SETUP = """import numpy as np

{figures}
from ledgerbook.ledger import Ledger
from ledgerbook.validation import require_seed

require_seed("seed", seed)
rng = np.random.default_rng(seed)
ledger = Ledger("{tag}", hypotheses={{"H1": "…"}})"""
ENVIRONMENTS = ("lemma", "theorem", "corollary", "assumption")


def new(tag: str) -> Path:
    """Write the skeleton of a listed chapter and its entry in the table of contents.

    Raises ``ValueError`` for a tag that is not listed, for one that another chapter judges, and
    rather than replace a file.
    """
    row = statement(tag)
    require(not row.home, "CH", tag, f"a tag with a chapter of its own; see {row.home}")
    require(not row.written, "CH", tag, f"a chapter to be written; {row.docname}.ipynb exists")
    notebooks.store(notebooks.strip(nbformat.v4.new_notebook(cells=cells(row))), row.chapter)
    toc.main()
    return row.chapter


def _figures() -> str:
    """The line that imports what the companion draws with."""
    package, _, module = project.settings().figures.rpartition(".")
    return f"from {package} import {module}"


def cells(row: Statement) -> list[nbformat.NotebookNode]:
    """Title, parameters, set-up, every section in order, and the ledger's end."""
    markdown, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    words = (name for name in ENVIRONMENTS if name in row.number.lower())
    kind = next(words, "proposition")
    sections = SECTIONS.format(kind=kind, number=row.number, tag=row.tag).split("\n=====\n")
    return [
        markdown(
            f"# {row.name}\n\n*The statement in one sentence without symbols.*\n\n"
            ":::{you-need}\n:::"
        ),
        code("seed = 0", metadata={"tags": ["parameters", "hide-input"]}),
        code(SETUP.format(tag=row.tag, figures=_figures()), metadata={"tags": ["hide-input"]}),
        *map(markdown, sections),
        code("ledger.close()"),
    ]
