"""The command ``toc``, which writes ``_toc.yml`` from ``statements.toml``."""

import json
from itertools import groupby

from ledgerbook.chapters.statements import Part, parts, require_pages, written
from ledgerbook.project import storage
from ledgerbook.project.project import current
from ledgerbook.project.validation import require

HEAD = """# Made by `make toc` from {statements}; edit that.
format: jb-book
root: {root}
"""


def own() -> bool:
    """Whether the book has a table of contents that its author wrote and that is not generated.

    This is so where the ledger was added to an existing Jupyter Book (the setting ``start``).
    """
    return bool(current().settings.start)


def documents(part: Part) -> list[str]:
    """The documents of a part in reading order: first pages, chapters, closing pages."""
    chapters = [row.docname for row in written() if row.part == part.name]
    return [*map(current().document, part.pages), *chapters, *map(current().document, part.closing)]


def text() -> str:
    """The content of ``_toc.yml`` that follows from ``statements.toml``."""
    lines = ["parts:"] if any(map(documents, parts())) else []
    for name, listed in groupby(filter(documents, parts()), lambda part: part.heading):
        caption = name if ":" not in name else json.dumps(name)
        lines += [f"  - caption: {caption}", "    chapters:"]
        lines += [f"      - file: {document}" for part in listed for document in documents(part)]
    head = HEAD.format(
        statements=current().relative(current().statements), root=current().document("intro")
    )
    return head + "\n".join(lines) + "\n"


def main() -> None:
    """Write ``_toc.yml``.

    Raises ``ValueError`` for a page that does not exist, and for a book whose table of contents is
    its author's ``own``.
    """
    allowed = f"none: {current().toc.name} is the author's own; add documents to it by hand"
    require(not own(), "start", current().settings.start, allowed)
    require_pages()
    storage.write_if_changed(current().toc, text())
