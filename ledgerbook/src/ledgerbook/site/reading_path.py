"""The main path: its chapters are counted, *Next* and *Previous* follow it and nothing else, and
each chapter of the appendix says which chapter of the path leans on it.

The contents beside a page, see ``sbt-sidebar-nav.html``: parts that fold, only the page's own
open; before each chapter its number on the path and its status.
"""

from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Any

import networkx as nx
from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters import collect, toc
from ledgerbook.chapters.statements import Statement, of_docname, parts, statement, written
from ledgerbook.ledger.ledger_table import SYMBOLS
from ledgerbook.project.project import current, per_project


@per_project
def documents() -> list[str]:
    """The documents of the path in the reader's order; nothing where no part is on one."""
    found = [document for part in parts() if part.path for document in toc.documents(part)]
    return [current().start(), *found] if found else []


@per_project
def chapters() -> list[Statement]:
    """The chapters of the path: the first is number 1."""
    return [row for row in map(of_docname, documents()) if row]


@per_project
def interludes() -> frozenset[str]:
    """The pages that open a part which shares its heading in the contents with others."""
    opening = (toc.documents(part) for part in parts() if part.group)
    return frozenset(listed[0] for listed in opening if listed)


def number(docname: str) -> int | None:
    """The number of a document that is a chapter of the path."""
    return next((k for k, row in enumerate(chapters(), 1) if row.docname == docname), None)


@per_project
def leans(docname: str) -> Statement | None:
    """The chapter of the path that a chapter of the appendix stands behind: the first that uses it,
    itself if one does, or the last that it uses.
    """
    row = of_docname(docname)
    if row is None or docname in documents():
        return None
    graph = collect.dependencies()
    users, below = nx.descendants(graph, row.tag), nx.ancestors(graph, row.tag)
    using = [one for one in chapters() if row.tag in one.uses]
    using += [one for one in chapters() if one.tag in users]
    used = [one for one in chapters() if one.tag in below]
    return using[0] if using else used[-1] if used else None


def to_have_read(row: Statement) -> list[str]:
    """The tags that a chapter needs: on the path what comes before it there, also by way of what
    it uses elsewhere.
    """
    on = [one.tag for one in chapters()]
    if row.tag not in on:
        return list(row.uses)
    before = on[: on.index(row.tag)]

    def found(tag: str) -> list[str]:
        return [tag] if tag in before else [one for u in statement(tag).uses for one in found(u)]

    return list(dict.fromkeys(one for use in row.uses for one in found(use)))


def neighbours(docname: str) -> tuple[str | None, str | None]:
    """The documents before and after on the path."""
    path = [None, *documents(), None]
    at = path.index(docname) if docname in path else 0
    return (path[at - 1], path[at + 1]) if at else (None, None)


def put(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The contents; previous and next, a line above the heading, what stands behind the page."""
    context["contents"] = contents(app.builder)
    context["landing"] = pagename in documents()[:1]  # it shows where the path begins
    if not documents() or "body" not in context:
        return

    def link(docname: str) -> str:
        return escape(app.builder.get_relative_uri(pagename, docname))

    def titled(docname: str | None) -> dict[str, str] | None:
        if docname is None:
            return None
        return {"link": link(docname), "title": f"{count(docname)}{title(app.builder, docname)}"}

    def named(rows: Iterable[Statement]) -> str:
        return ", ".join(
            f'<a href="{link(row.docname)}">{count(row.docname)}{escape(row.number)}</a>'
            for row in rows
        )

    context["prev"], context["next"] = map(titled, neighbours(pagename))
    if place := number(pagename):
        head = f"Chapter {place} of {len(chapters())}"
    elif row := leans(pagename):
        head = f"Appendix to {named([row])}"
    else:
        return
    context["body"] = f'<p class="place">{head}</p>{context["body"]}'
    if rows := [one for one in written() if leans(one.docname) == of_docname(pagename)]:
        context["body"] += (
            f'<p class="behind">Behind this chapter, in the appendix: {named(rows)}</p>'
        )


@cache
def title(builder: Any, docname: str) -> str:
    """The title of a page as HTML, by the builder that writes it."""
    return builder.render_partial(builder.env.titles[docname])["title"]


def count(docname: str) -> str:
    """What stands before a chapter's name where it is listed."""
    return f"{place}. " if (place := number(docname)) else ""


@per_project
def contents(builder: Any) -> list[tuple[str, dict[str, dict[str, Any]]]]:
    """Each heading with the documents that a build has below it, and what is said of each."""
    contents = builder.env.external_site_map

    def below(name: str) -> list[str]:
        trees = contents[name].subtrees if name in contents else []
        items = [str(item) for tree in trees for item in tree.items]
        return [one for item in items for one in (item, *below(item))]

    found = []
    for tree in contents.root.subtrees:
        documents = [one for item in map(str, tree.items) for one in (item, *below(item))]
        shown = {one: _entry(builder, one) for one in documents if one in builder.env.titles}
        found += [(tree.caption or current().settings.title, shown)] if shown else []
    return found


def _entry(builder: Any, docname: str) -> dict[str, Any]:
    row = of_docname(docname)
    status = collect.statuses().get(row.tag, "") if row else ""
    return {
        "title": title(builder, docname),
        "number": count(docname),
        "opens": docname in interludes(),
        "status": status,
        "kind": nodes.make_id(status),
        "sign": SYMBOLS.get(status),
    }


def setup(app: Sphinx) -> None:
    """Connect it before the theme reads what comes before and after."""
    app.connect("html-page-context", put, priority=400)
