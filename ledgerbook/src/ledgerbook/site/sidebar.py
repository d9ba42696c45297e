"""The contents beside a page, see ``sbt-sidebar-nav.html``: parts that fold, only the page's own
open; before each chapter its number on the path and its status.
"""

from functools import cache
from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters import collect, toc
from ledgerbook.chapters.statements import of_docname, parts
from ledgerbook.ledger.ledger_table import SYMBOLS
from ledgerbook.site import reading_path


@cache
def contents(builder: Any) -> list[tuple[str, dict[str, dict[str, Any]]]]:
    """Each heading with the documents that a build has below it, and what is said of each."""
    found = []
    for heading, listed in groupby(parts(), lambda part: part.heading):
        documents = [one for part in listed for one in toc.documents(part)]
        shown = {one: _entry(builder, one) for one in documents if one in builder.env.titles}
        found += [(heading, shown)] if shown else []
    return found


def _entry(builder: Any, docname: str) -> dict[str, Any]:
    row = of_docname(docname)
    status = collect.statuses().get(row.tag, "") if row else ""
    return {
        "title": reading_path.title(builder, docname),
        "number": reading_path.count(docname),
        "opens": docname in reading_path.interludes(),
        "status": status,
        "kind": nodes.make_id(status),
        "sign": SYMBOLS.get(status),
    }


def put(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Give a page its contents; the landing page shows where the path begins."""
    context["contents"] = contents(app.builder)
    context["landing"] = pagename in reading_path.documents()[:1]


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("html-page-context", put)
