"""``make new``: an empty chapter with every section in order, and the class of its rows."""

from pathlib import Path

import nbformat

from ledgerbook.chapters import notebooks, registry, toc
from ledgerbook.chapters.statements import Statement, statement
from ledgerbook.project import paths, settings
from ledgerbook.project.validation import require

SECTIONS = """## The idea

*The question that drives the page, and why the answer is true, with because and so. A term is
defined before it is used; the two or three lines of algebra stand here.*

*In one sentence.* …
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
## What you may believe

*Two sentences for the student.*

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
CODE {name}.show("claim")
=====
## Control
CODE {name}.show("control")
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
SETUP = """{figures}
from {checks} import {kind}

{name} = {kind}(seed)"""
ROWS = """\"\"\"{number}: what its rows measure.  The chapter: ``{chapter}``.\"\"\"

from dataclasses import dataclass

from ledgerbook.ledger.checks import Checks, claim, control
from ledgerbook.ledger.fields import seed


@dataclass
class {kind}(Checks):
    \"\"\"The parameters of the chapter are the fields; a row is a method.\"\"\"

    seed: int = seed()

    tag = "{tag}"
    hypotheses = {{"H1": "…"}}
"""
ENVIRONMENTS = ("lemma", "theorem", "corollary", "assumption")


def new(tag: str) -> Path:
    """Write the skeleton of a listed chapter and its entry in the table of contents.

    Raises ``ValueError`` for a tag that is not listed, for one that another chapter judges, and
    rather than replace a file.
    """
    row = statement(tag)
    require(not row.home, "CH", tag, f"a tag with a chapter of its own; see {row.home}")
    require(not row.written, "CH", tag, f"a chapter to be written; {row.docname}.ipynb exists")
    module = rows_file(row)
    require(not module.exists(), "CH", tag, f"a module to be written; {paths.relative(module)} is")
    for folder in (module.parent.parent, module.parent):
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "__init__.py").exists():
            (folder / "__init__.py").write_text(
                f'"""The rows of {folder.name}."""\n', encoding="utf-8"
            )
    paths.write_atomically(module, ROWS.format(**names(row)))
    notebooks.store(notebooks.strip(nbformat.v4.new_notebook(cells=cells(row))), row.chapter)
    toc.main()
    return row.chapter


def rows_file(row: Statement) -> Path:
    """Where the rows of a statement are written: ``checks/the_paper/lemma_05.py``."""
    paper, name = (part.replace("-", "_") for part in row.tag.split("."))
    return registry.folder() / paper / f"{name}.py"


def names(row: Statement) -> dict[str, str]:
    """What a statement is called in code: its class, its object, its module."""
    name = row.tag.partition(".")[2]
    kind = "".join(part.capitalize() for part in name.split("-"))
    return {
        "kind": kind,
        "name": name.split("-")[0],
        "tag": row.tag,
        "number": row.number,
        "chapter": paths.relative(row.chapter),
        "checks": registry.module_name(rows_file(row)),
        "figures": _figures(),
    }


def _figures() -> str:
    """The line that imports what the companion draws with."""
    package, _, module = settings.settings().figures.rpartition(".")
    return f"from {package} import {module}"


def cells(row: Statement) -> list[nbformat.NotebookNode]:
    """Title, parameters, set-up, every section in order, and the ledger's end."""
    markdown, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    words = (name for name in ENVIRONMENTS if name in row.number.lower())
    kind = next(words, "proposition")
    told = names(row)
    sections = SECTIONS.format(kind=kind, number=row.number, tag=row.tag, name=told["name"])
    parts = []
    for section in sections.split("\n=====\n"):
        text, _, line = section.partition("\nCODE ")
        parts += [markdown(text), *([code(line)] if line else [])]
    return [
        markdown(
            f"# {row.name}\n\n*The statement in one sentence without symbols.*\n\n"
            ":::{you-need}\n:::"
        ),
        code("seed = 0", metadata={"tags": ["parameters", "hide-input"]}),
        code(SETUP.format(**told), metadata={"tags": ["hide-input"]}),
        *parts,
        code(f"{told['name']}.close()"),
    ]
