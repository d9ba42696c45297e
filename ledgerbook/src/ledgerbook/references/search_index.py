"""A small index of our own beside Sphinx': numbers, titles, other names, sections, equations.

Sphinx' index knows no digits and no other names; this one is a script that a page loads when
somebody searches, so it works from a folder too.  Other names stand in ``book/aliases.toml``; what
a page says itself is noted where the page is read, in Sphinx' parallel readers.
"""

import re
import tomllib
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector

from ledgerbook.chapters import data_scripts
from ledgerbook.chapters.statements import Statement, of_docname, statements
from ledgerbook.project import paths
from ledgerbook.references import mathml

ALIASES = paths.BOOK / "aliases.toml"
EXCERPT = 140  # characters


def aliases() -> dict[str, list[str]]:
    """Other names by tag, or by document for a page that judges no statement."""
    return tomllib.loads(ALIASES.read_text(encoding="utf-8")) if ALIASES.exists() else {}


def listed(text: str) -> Iterator[str]:
    """The numbers of equations in a list such as ``(3), (15)–(19)``."""
    for first, last in re.findall(r"\((\d+)[^)]*\)(?:–\((\d+)[^)]*\))?", text):
        yield from map(str, range(int(first), int(last or first) + 1))


def said(docname: str, doctree: nodes.document) -> dict[str, Any]:
    """What a page says itself: its title, its first words, its sections and numbered formulas."""
    title = next((" ".join(t.astext().split()) for t in doctree.findall(nodes.title)), docname)
    words = next((" ".join(p.astext().split()) for p in doctree.findall(nodes.paragraph)), "")
    return {
        "title": title,
        "about": words if len(words) <= EXCERPT else words[:EXCERPT].rsplit(" ", 1)[0] + " …",
        "sections": [list(one) for one in _sections(doctree)][1:],
        "shows": list(dict.fromkeys(_shown(doctree))),
    }


def entry(docname: str, page: dict[str, Any], row: Statement | None) -> dict[str, Any]:
    """What can be found on a page that says ``page``."""
    names = aliases()
    here = [one for one in statements().values() if row and row.tag in (one.tag, one.home)]
    return page | {
        "url": f"{docname}.html",
        "names": [one.number for one in here],
        "also": [
            *(one.title for one in here),
            *(name for one in here for name in [one.tag, *names.get(one.tag, [])]),
            *names.get(docname.removeprefix("book/"), []),
        ],
        "states": list(listed(row.equations)) if row else [],
    }


def _sections(doctree: nodes.document) -> Iterator[tuple[str, str]]:
    for section in doctree.findall(nodes.section):
        if section["ids"] and isinstance(section[0], nodes.title):
            yield " ".join(section[0].astext().split()), section["ids"][0]


def _shown(doctree: nodes.document) -> Iterator[str]:
    for formula in doctree.findall(nodes.math_block):
        yield from mathml.numbers(formula.astext())


class Said(EnvironmentCollector):
    """What each page says, kept with Sphinx' environment: ``env.ledgerbook_said``."""

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        """Forget a page that is read again, or gone."""
        pages_said(env).pop(docname, None)

    def merge_other(
        self, app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
    ) -> None:
        """Take over what another process has read."""
        pages_said(env).update(
            {name: pages_said(other)[name] for name in docnames if name in pages_said(other)}
        )

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        """Note what the page just read says."""
        pages_said(app.env)[app.env.docname] = said(app.env.docname, doctree)


def pages_said(env: BuildEnvironment) -> dict[str, dict[str, Any]]:
    """What each page says, by document."""
    return vars(env).setdefault("ledgerbook_said", {})


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the index as a script, when the site is built."""
    if exception is not None or app.builder.name != "html":
        return
    pages = pages_said(app.env)
    entries = [entry(name, pages[name], of_docname(name)) for name in sorted(app.env.found_docs)]
    data_scripts.write(Path(app.outdir), "found", entries)


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.add_env_collector(Said)
    app.connect("build-finished", write)
