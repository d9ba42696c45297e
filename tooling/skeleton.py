"""``make new``: an empty chapter with every section in order."""

import nbformat

from tooling import notebooks, paths, toc
from tooling.statements import statement

SECTIONS = """## Statement

:::{{prf:{kind}}} {number} (paper)
:label: {tag}
:nonumber:

Hypotheses:

- **H1** …

Then …
:::
=====
## Where it sits

:::{{where-it-sits}}
:::
=====
## Walk
=====
## Check
=====
## Control
=====
## Picture
=====
## As printed / as it holds
=====
## Exercises

**1.** …
=====
## Provenance

:::{{provenance}}
:::"""
SETUP = """from lib import figures
from lib.ledger import Ledger

ledger = Ledger("{tag}", hypotheses={{"H1": "…"}})"""


def new(tag):
    """Write the skeleton of a listed chapter and its entry in the table of contents.

    Raises ``ValueError`` for a tag that is not listed, and rather than replace a file.
    """
    row = statement(tag)
    if row.written:
        raise ValueError(f"{paths.relative(row.chapter)} exists already")
    kind = next(
        (
            kind
            for kind in ("lemma", "theorem", "corollary", "assumption")
            if kind in row.number.lower()
        ),
        "proposition",
    )
    cells = [
        nbformat.v4.new_markdown_cell(
            f"# {row.number} — {row.title}\n\n*The statement in one sentence without symbols.*"
        ),
        nbformat.v4.new_code_cell("seed = 0", metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(SETUP.format(tag=tag), metadata={"tags": ["hide-input"]}),
    ]
    cells += [
        nbformat.v4.new_markdown_cell(text)
        for text in SECTIONS.format(kind=kind, number=row.number, tag=tag).split("\n=====\n")
    ]
    cells.append(nbformat.v4.new_code_cell("ledger.close()"))
    notebooks.store(notebooks.strip(nbformat.v4.new_notebook(cells=cells)), row.chapter)
    toc.main()
    return row.chapter
