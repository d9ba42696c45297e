"""``make new``: an empty chapter with every section in order, and the class of its rows."""

from pathlib import Path
from typing import Any

import nbformat

from ledgerbook.chapters import notebooks, registry, toc
from ledgerbook.chapters.statements import Statement, statement
from ledgerbook.project import markup, storage
from ledgerbook.project.project import current
from ledgerbook.project.validation import require

ENVIRONMENTS = ("lemma", "theorem", "corollary", "assumption")


def main(tag: str, example: bool = False) -> None:
    """Write a listed chapter's notebook and class; ``ValueError`` rather than replace a file.

    example: with a row, of sums of odd numbers, to be replaced by one of the statement.
    """
    row = statement(tag)
    require(not row.home, "CH", tag, f"a tag with a chapter of its own; see {row.home}")
    require(not row.written, "CH", tag, f"a chapter to be written; {row.docname}.ipynb exists")
    paper, name = (part.replace("-", "_") for part in row.tag.split("."))
    module = registry.folder() / paper / f"{name}.py"
    require(
        not module.exists(), "CH", tag, f"a module to be written; {current().relative(module)} is"
    )
    for folder in (module.parent.parent, module.parent):
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "__init__.py").exists():
            text = f'"""The rows of {folder.name}."""\n'
            (folder / "__init__.py").write_text(text, encoding="utf-8")
    told = names(row, module) | {"example": example}
    storage.write_atomically(module, markup.render("rows.py.jinja", **told) + "\n")
    notebooks.store(notebooks.strip(nbformat.v4.new_notebook(cells=cells(told))), row.chapter)
    if example:
        return
    print(f"wrote {current().relative(row.chapter)}, {current().relative(module)}")
    if toc.own():
        print(f"to show it, add to {current().toc.name}: - file: {row.docname}")
    else:
        toc.main()


def names(row: Statement, module: Path) -> dict[str, str]:
    """What a statement is called in code and words: its class, its object, its module."""
    name = row.tag.partition(".")[2]
    package, _, figures = current().settings.figures.rpartition(".")
    return {
        "kind": "".join(part.capitalize() for part in name.split("-")),
        "name": name.split("-")[0],
        "tag": row.tag,
        "title": row.name,
        "number": row.number,
        "chapter": current().relative(row.chapter),
        "checks": registry.module_name(module),
        "figures": f"from {package} import {figures}",
        "environment": next((e for e in ENVIRONMENTS if e in row.number.lower()), "proposition"),
    }


def cells(told: dict[str, Any]) -> list[nbformat.NotebookNode]:
    """The cells of the template: code where the first line is ``CODE`` with the cell's tags."""
    made = []
    for text in markup.render("chapter.md.jinja", **told).split("\n=====\n"):
        first, _, rest = text.partition("\n")
        if first.startswith("CODE"):
            tags = {"parameters": ["parameters", "hide-input"], "hide-input": ["hide-input"]}
            metadata = {"tags": tags.get(first.removeprefix("CODE").strip(), [])}
            made.append(nbformat.v4.new_code_cell(rest.strip(), metadata=metadata))
        else:
            made.append(nbformat.v4.new_markdown_cell(text))
    return made
