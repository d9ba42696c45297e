"""Sphinx extension: where the figures that move stand.

A chapter's figure is put at the end of its idea when the page is written, so the notebooks hold no
script; the directive ``moving`` puts one elsewhere.  A page is written without the mathematics of
``moving``.
"""

import json

from docutils import nodes
from ledgerbook.chapters.statements import of_docname
from ledgerbook.project.project import current, per_project
from ledgerbook.site.sphinx_ext import Generated

from tooling import PLACED

SECTION = "The idea"


@per_project
def figures() -> dict[str, dict]:
    """Name to a figure's ``tag`` and ``html``, as the build wrote them."""
    return json.loads((current().build / PLACED).read_text(encoding="utf-8"))


def place(app, doctree, docname):
    """Put a chapter's figure below the words that it makes felt."""
    row = of_docname(docname)
    if row is None or app.builder.name != "html":
        return
    for html in (one["html"] for one in figures().values() if one["tag"] == row.tag):
        for section in doctree.findall(nodes.section):
            title = section.next_node(nodes.title)
            if title is not None and title.parent is section and title.astext() == SECTION:
                section.append(nodes.raw("", html, format="html"))
                break
        else:
            raise ValueError(f"{row.tag}: its chapter has no section {SECTION!r} for its figure")


class Moving(Generated):
    """The figure that the argument names."""

    required_arguments = 1
    depends = (PLACED,)

    def content_nodes(self):
        found = figures().get(self.arguments[0])
        return [nodes.raw("", found["html"], format="html")] if found else []


def setup(app):
    """Register the directive and the placing."""
    app.add_directive("moving", Moving)
    app.connect("doctree-resolved", place)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
