"""``make toc``: ``_toc.yml`` from the one list, ``statements.toml``."""

import json
from itertools import groupby

from ledgerbook.chapters.statements import Part, parts, require_pages, written
from ledgerbook.project import paths, settings
from ledgerbook.project.validation import require

HEAD = """# Made by `make toc` from {statements}; edit that.
format: jb-book
root: {root}
"""


def own() -> bool:
    """Whether the table of contents was there before the ledger, and is its author's own."""
    return bool(settings.settings().start)


def documents(part: Part) -> list[str]:
    """The documents of a part in the reader's order: its pages, its chapters, what closes it."""
    chapters = [row.docname for row in written() if row.part == part.name]
    return [*map(paths.document, part.pages), *chapters, *map(paths.document, part.closing)]


def text() -> str:
    """The table of contents as it should be."""
    lines = ["parts:"] if any(map(documents, parts())) else []
    for name, listed in groupby(filter(documents, parts()), lambda part: part.heading):
        caption = name if ":" not in name else json.dumps(name)
        lines += [f"  - caption: {caption}", "    chapters:"]
        lines += [f"      - file: {document}" for part in listed for document in documents(part)]
    head = HEAD.format(statements=paths.relative(paths.STATEMENTS), root=paths.document("intro"))
    return head + "\n".join(lines) + "\n"


def main() -> None:
    """Write the table of contents; ``ValueError`` for a page that is not there, and for a book
    whose contents are its author's own.
    """
    allowed = f"none: {paths.TOC.name} is the author's own; add documents to it by hand"
    require(not own(), "start", settings.settings().start, allowed)
    require_pages()
    paths.write_if_changed(paths.TOC, text())
