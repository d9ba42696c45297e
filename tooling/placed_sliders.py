"""Sphinx extension: the figures with sliders, each at the end of its chapter's idea.

They are put there when a page is written: the notebooks hold no script and no picture of them.
"""

import json
from functools import cache

from docutils import nodes
from ledgerbook.chapters.statements import of_docname
from ledgerbook.project import paths, settings

from tooling import PLACED

SECTION = "The idea"


@cache
def figures() -> dict[str, str]:
    """Tag to the HTML of its figure, as the build wrote it; none for a chapter made before it."""
    file = paths.BUILD / PLACED
    if settings.alone() and not file.exists():
        return {}
    return json.loads(file.read_text(encoding="utf-8"))


def place(app, doctree, docname):
    """Put a chapter's figure below the words that it makes felt."""
    row = of_docname(docname)
    if row is None or app.builder.name != "html" or row.tag not in figures():
        return
    for section in doctree.findall(nodes.section):
        title = section.next_node(nodes.title)
        if title is not None and title.parent is section and title.astext() == SECTION:
            section.append(nodes.raw("", figures()[row.tag], format="html"))
            return
    raise ValueError(f"{row.tag}: its chapter has no section {SECTION!r} for its sliders")


def setup(app):
    """Register the placing."""
    app.connect("doctree-resolved", place)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
