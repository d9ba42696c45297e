"""A small index of our own beside Sphinx': numbers, titles, other names, sections, equations.

Sphinx' index knows no digits and no other names; this one is a script that a page loads when
somebody searches, so it works from a folder too.  Other names stand in ``book/aliases.toml``.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook import data_scripts, mathml, paths
from ledgerbook.statements import Statement, of_docname, statements

ALIASES = paths.BOOK / "aliases.toml"
EXCERPT = 140  # characters


def aliases() -> dict[str, list[str]]:
    """Other names by tag, or by document for a page that judges no statement."""
    return tomllib.loads(ALIASES.read_text(encoding="utf-8")) if ALIASES.exists() else {}


def listed(text: str) -> Iterator[str]:
    """The numbers of equations in a list such as ``(3), (15)–(19)``."""
    for first, last in re.findall(r"\((\d+)[^)]*\)(?:–\((\d+)[^)]*\))?", text):
        yield from map(str, range(int(first), int(last or first) + 1))


def entry(docname: str, doctree: nodes.document, row: Statement | None) -> dict[str, Any]:
    """What can be found on a page."""
    names = aliases()
    here = [one for one in statements().values() if row and row.tag in (one.tag, one.home)]
    title = next((" ".join(t.astext().split()) for t in doctree.findall(nodes.title)), docname)
    words = next((" ".join(p.astext().split()) for p in doctree.findall(nodes.paragraph)), "")
    return {
        "url": f"{docname}.html",
        "title": title,
        "names": [one.number for one in here],
        "also": [
            *(one.title for one in here),
            *(name for one in here for name in [one.tag, *names.get(one.tag, [])]),
            *names.get(docname.removeprefix("book/"), []),
        ],
        "about": words if len(words) <= EXCERPT else words[:EXCERPT].rsplit(" ", 1)[0] + " …",
        "sections": [list(one) for one in _sections(doctree)][1:],
        "shows": list(dict.fromkeys(_shown(doctree))),
        "states": list(listed(row.equations)) if row else [],
    }


def _sections(doctree: nodes.document) -> Iterator[tuple[str, str]]:
    for section in doctree.findall(nodes.section):
        if section["ids"] and isinstance(section[0], nodes.title):
            yield " ".join(section[0].astext().split()), section["ids"][0]


def _shown(doctree: nodes.document) -> Iterator[str]:
    for formula in doctree.findall(nodes.math_block):
        yield from mathml.numbers(formula.astext())


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the index as a script, when the site is built."""
    if exception is not None or app.builder.name != "html":
        return
    entries = [
        entry(docname, app.env.get_doctree(docname), of_docname(docname))
        for docname in sorted(app.env.found_docs)
    ]
    data_scripts.write(Path(app.outdir), "found", entries)


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("build-finished", write)
